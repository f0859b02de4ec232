import FormworkCore
import Testing

@Suite("Lines that begin with the delimiter and go on")
struct LongerLinesTests {
    @Test("Refused, they end parsing at the same event however the body is cut", arguments: ["", "x"])
    func refused(before: String) throws {
        // The part that follows must not be told of, though it lies in the same chunk.
        let content = before + "\r\n--boundaryX\r\n--boundary\r\n\r\nanother"
        let body = formBody(Array(content.utf8))
        var profile = ParsingProfile.default
        profile.longerLines = .refused
        let whole = try parser("boundary", profile).parse(body)
        #expect(whole.failure?.kind == .malformedBoundaryLine)
        #expect(whole.parts.map { String(decoding: $0.content, as: UTF8.self) } == [before])
        #expect(whole.parts.map(\.isWhole) == [false])
        for size in 1...body.count { #expect(try parser("boundary", profile).parse(body, chunk: size) == whole) }
    }
}
