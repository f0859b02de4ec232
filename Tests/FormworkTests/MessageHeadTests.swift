import Formwork
import Testing

@Suite("Heads of HTTP/1.x messages", .timeLimit(.minutes(10)))
struct MessageHeadTests {
    private static func head(_ text: String, skipping: Bool = false) throws -> MessageHead {
        try MessageHead(Array(text.utf8)[...], skipsInvalidLines: skipping)
    }

    @Test func `A start line is split at each blank, and fields keep their order`() throws {
        let head = try Self.head("POST  /a HTTP/1.1\r\nB: 2\r\nA:\t1 \nb:3")
        #expect(head.startLine + head.fields.map(\.name) == ["POST", "", "/a", "HTTP/1.1", "B", "A", "b"])
        #expect([head.value("a"), head.value("b"), head.value("c")] == ["1", "2, 3", nil])
    }

    @Test func `A line that isn't a field is an error, unless it is left out`() throws {
        for line in ["no colon", ": a", "a b: c", "a: \u{1}", " folded: x"] {
            #expect(throws: FormworkError.self) { try Self.head("GET / HTTP/1.1\r\n\(line)\r\na: b") }
            #expect(try Self.head("GET / HTTP/1.1\r\n\(line)\r\na: b", skipping: true).fields.count == 1)
        }
    }

    @Test func `A length is a number of bytes, or an error`() throws {
        for (text, length) in [
            ("7", 7), ("007", 7), ("9223372036854775807", .max), ("7\r\nContent-Length: 7", 7), ("-7", nil),
            ("+7", nil),
            ("", nil), ("7, 8", nil), ("7\r\ncontent-length: 8", nil), ("0x7", nil), ("9223372036854775808", nil),
        ] as [(String, Int64?)] {
            let head = try Self.head("POST / HTTP/1.1\r\nContent-Length: \(text)")
            #expect((try? head.contentLength()) == length, "\(text)")
        }
    }
}
