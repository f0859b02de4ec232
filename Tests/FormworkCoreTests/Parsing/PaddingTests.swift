@testable import FormworkCore
import Testing

@Suite("Blanks between a delimiter and its line's end", .timeLimit(.minutes(10)))
struct PaddingTests {
    private let head = "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n"

    @Test("Up to 256 of them are padding; with one more the line is content", arguments: [0, 1, 255, 256, 257, 300])
    func limit(count: Int) throws {
        let line = "\r\n--b" + String(repeating: " \t", count: count / 2) + (count % 2 == 1 ? " " : "")
        let body = Array((self.head + "x" + line + "\r\n\r\ny\r\n--b--\r\n").utf8)
        let profile = ParsingProfile.generic
        let whole = try parser("b", profile).parse(body)
        #expect(whole.failure == nil)
        let contents = whole.parts.map { String(decoding: $0.content, as: UTF8.self) }
        #expect(contents == (count <= 256 ? ["x", "y"] : ["x\(line)\r\n\r\ny"]))
        for size in [1, 2, 3, 5, 7, 64, 255, 256, 257] {
            #expect(try parser("b", profile).parse(body, chunk: size) == whole, "\(size)")
        }
    }

    @Test("A line of blanks without end is not kept")
    func retained() throws {
        var parser = MultipartParser(boundary: try Boundary("b"))
        let blanks = [UInt8](repeating: 0x20, count: 1000)
        var given = 0
        func lend(_ chunk: [UInt8]) throws {
            try chunk.withRawSpan { bytes in
                var position = 0
                while true {
                    switch try parser.next(in: bytes, from: &position) {
                    case .content(let range): given += range.count
                    case .heldContent(let held): given += held.count
                    case .needsInput: return
                    default: break
                    }
                }
            }
        }
        try lend(Array((self.head + "\r\n--b").utf8))
        for _ in 0..<500 {
            try lend(blanks)
            #expect(parser.retainedBytes <= 300)
        }
        #expect(given >= 499_700)
    }
}
