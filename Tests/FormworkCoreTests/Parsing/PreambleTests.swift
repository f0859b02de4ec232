@testable import FormworkCore
import Testing

@Suite("A delimiter in the preamble that isn't one", .timeLimit(.minutes(10)))
struct PreambleTests {
    private static func part(_ name: String) -> String {
        "--BB\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n1\r\n"
    }

    /// What stands before `--BB`, and where the line is that is taken for none.
    static let preambles: [(String, Int64)] = [
        ("\n" + part("a"), 1), ("\r" + part("a"), 1), ("text\n" + part("a"), 5), ("--BBx\r\n", 0),
        ("x\r\n--BB-\r\n", 3),
        ("--BB\nContent-Disposition: form-data; name=\"a\"\n\n1\r\n", 0), ("--B\n\n--BB\n\r\n", 5),
        (" " + part("a"), 1), ("\u{FEFF}" + part("a"), 3), ("x\r\n \t" + part("a"), 5),
    ]

    @Test("is an error however the body is cut", arguments: preambles)
    func refused(_ preamble: String, _ offset: Int64) throws {
        let body = Array((preamble + Self.part("b") + "--BB--\r\n").utf8)
        for profile in [ParsingProfile.default, .generic] {
            let parser = try MultipartParser(contentType: "multipart/form-data; boundary=BB", profile: profile)
            let whole = parser.parse(body)
            #expect(whole.failure?.kind == .delimiterInPreamble)
            #expect(whole.failureOffset == offset)
            for cut in 1..<body.count { #expect(parser.parse(body, cut: cut) == whole, "cut at \(cut)") }
            #expect(parser.parse(body, chunk: 1) == whole)
        }
    }

    @Test("is skipped where that is wanted, and the place is known", arguments: preambles)
    func accepted(_ preamble: String, _ offset: Int64) throws {
        var profile = ParsingProfile.default
        profile.skipsPreambleDelimiters = true
        var parser = try MultipartParser(contentType: "multipart/form-data; boundary=BB", profile: profile)
        let body = preamble + Self.part("b") + "--BB--\r\n"
        #expect(parser.parse(body).parts.map(\.header.name) == ["b"])
        let bytes = Array(body.utf8)
        var position = 0
        while case let event = try parser.next(in: bytes[...], from: &position), event != .needsInput {}
        #expect(parser.findings().first { $0.oddity == .delimiterInPreamble }?.offset == offset)
    }

    @Test(
        "is no other text before the first part",
        arguments: [
            "", "\r\n", "text\r\n", "--\r\n", "--B\r\n", "x--BB\r\n", "---BB\r\n", "\r\n\n \t\r\n",
        ])
    func ordinary(_ preamble: String) throws {
        let parser = try MultipartParser(contentType: "multipart/form-data; boundary=BB")
        let parsed = parser.parse(preamble + Self.part("b") + "--BB--\r\n")
        #expect(parsed.failure == nil && parsed.parts.map(\.header.name) == ["b"])
    }

    @Test("is a delimiter where LF ends lines")
    func lenient() throws {
        let parser = try MultipartParser(contentType: "multipart/form-data; boundary=BB", profile: .lenient)
        let parsed = parser.parse("\n" + Self.part("a") + Self.part("b") + "--BB--\r\n")
        #expect(parsed.failure == nil && parsed.parts.map(\.header.name) == ["a", "b"])
    }
}
