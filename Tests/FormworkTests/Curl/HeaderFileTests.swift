@testable import Formwork
import TestSupport
import Testing

@Suite("Files of headers", .timeLimit(.minutes(10)))
struct HeaderFileTests {
    private static func lines(_ text: String, _ grammar: FormGrammar) throws -> [String] {
        var warnings: [String] = []
        return try HeaderFile.lines(in: Array(text.utf8), grammar: grammar, warnings: &warnings)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("CR ends a line with LF, or at the end", arguments: [FormGrammar.strict, .curl])
    func lineEnds(grammar: FormGrammar) throws {
        #expect(try Self.lines("X: a\r\n b\r\n# no\r\n\r\nY: c\r", grammar) == ["X: a b", "Y: c"])
    }

    @Test("A CR in a header is refused, or dropped as by curl")
    func inside() throws {
        #expect(try Self.lines("X: a\rb\n", .curl) == ["X: ab"])
        #expect(try refusal { _ = try Self.lines("X: a\rb\n", .strict) }.hasPrefix("line 1: "))
        #expect(try refusal { _ = try Self.lines("X: 1\n\nno colon\n and more\nY: 1", .strict) }.hasPrefix("line 3: "))
    }

    @Test(
        "A header of the most bytes may end with CRLF, and one of more bytes is refused",
        arguments: ["\n", "\r\n", "\r"])
    func longest(end: String) throws {
        let header = "X-A: " + String(repeating: "a", count: 8185)
        #expect(try Self.lines(header + end, .strict) == [header])
        #expect(
            try refusal { _ = try Self.lines("X: 1\n\(header)a\(end)", .strict) }
                == "line 2: the header has more than 8190 bytes")
        #expect(
            try refusal { _ = try Self.lines(header + "\ra" + end, .strict) }
                == "line 1: the header has more than 8190 bytes")
        #expect(
            try refusal { _ = try Self.lines(header + "\r\n a" + end, .strict) }
                == "line 2: the header has more than 8190 bytes")
    }
}
