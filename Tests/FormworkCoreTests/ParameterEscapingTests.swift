@testable import FormworkCore
import TestSupport
import Testing

@Suite("ParameterEscaping", .timeLimit(.minutes(10)))
struct ParameterEscapingTests {
    /// What each rule makes of a hostile name; `nil` where it refuses the name.
    struct Ruled: Sendable, CustomTestStringConvertible {
        var text: String
        var whatwg: String?
        var backslash: String?
        var refuse: String?
        var raw: String
        var guardsAgainst: String
        var testDescription: String { self.guardsAgainst }
    }

    static let rows = [
        Ruled(text: "", whatwg: "", backslash: "", refuse: "", raw: "", guardsAgainst: "refusing an empty name"),
        Ruled(
            text: "name", whatwg: "name", backslash: "name", refuse: "name", raw: "name",
            guardsAgainst: "touching a plain name"),
        Ruled(
            text: "a\"b", whatwg: "a%22b", backslash: #"a\"b"#, refuse: nil, raw: "a\"b",
            guardsAgainst: "a quote that closes the parameter"),
        Ruled(
            text: "\"; filename=\"x", whatwg: "%22; filename=%22x", backslash: #"\"; filename=\"x"#, refuse: nil,
            raw: "\"; filename=\"x", guardsAgainst: "a name that becomes a file upload"),
        Ruled(
            text: "a\rb", whatwg: "a%0Db", backslash: nil, refuse: nil, raw: "a\rb",
            guardsAgainst: "a bare CR"),
        Ruled(
            text: "a\nb", whatwg: "a%0Ab", backslash: nil, refuse: nil, raw: "a\nb",
            guardsAgainst: "a bare LF, and changing it into CRLF"),
        Ruled(
            text: "a\r\nX-Evil: 1", whatwg: "a%0D%0AX-Evil: 1", backslash: nil, refuse: nil, raw: "a\r\nX-Evil: 1",
            guardsAgainst: "CR LF, which Swift reads as one character"),
        Ruled(
            text: "a\0b", whatwg: nil, backslash: nil, refuse: nil, raw: "a\0b",
            guardsAgainst: "NUL, where C programs stop reading"),
        Ruled(
            text: #"a\b"#, whatwg: #"a\b"#, backslash: #"a\\b"#, refuse: nil, raw: #"a\b"#,
            guardsAgainst: "a backslash escaped by the wrong rule"),
        Ruled(
            text: #"\"#, whatwg: #"\"#, backslash: #"\\"#, refuse: nil, raw: #"\"#,
            guardsAgainst: "a backslash that escapes the closing quote"),
        Ruled(
            text: #"\""#, whatwg: #"\%22"#, backslash: #"\\\""#, refuse: nil, raw: #"\""#,
            guardsAgainst: "escaping the quote and not the backslash before it"),
        Ruled(
            text: "100%22 %0D", whatwg: "100%22 %0D", backslash: "100%22 %0D", refuse: "100%22 %0D",
            raw: "100%22 %0D", guardsAgainst: "escaping '%', which browsers don't"),
        Ruled(
            text: "a\tb\u{7F}", whatwg: "a\tb\u{7F}", backslash: "a\tb\u{7F}", refuse: "a\tb\u{7F}", raw: "a\tb\u{7F}",
            guardsAgainst: "escaping control characters that browsers send"),
        Ruled(
            text: "'a;b=c'", whatwg: "'a;b=c'", backslash: "'a;b=c'", refuse: "'a;b=c'", raw: "'a;b=c'",
            guardsAgainst: "taking a separator inside quotes for one"),
    ]

    @Test("Every rule writes a hostile name as browsers, curl or AFNetworking do, or refuses it", arguments: rows)
    func hostileNames(row: Ruled) throws {
        try Self.expect(row.text, by: .whatwg, row.whatwg)
        try Self.expect(row.text, by: .backslash, row.backslash)
        try Self.expect(row.text, by: .refuse, row.refuse)
        try Self.expect(row.text, by: .raw, row.raw)
    }

    private static func expect(_ text: String, by rule: ParameterEscaping, _ expected: String?) throws {
        var bytes: [UInt8] = [0x23]
        guard let expected else {
            _ = try refusal { try rule.append(text, as: "name", to: &bytes) }
            return
        }
        try rule.append(text, as: "name", to: &bytes)
        #expect(bytes == [0x23] + Array(expected.utf8), "\(rule)")
    }

    static let foreign: [Row<String, [UInt8]>] = [
        Row("名前", [0xE5, 0x90, 0x8D, 0xE5, 0x89, 0x8D], against: "percent-encoding CJK"),
        Row("🎉", [0xF0, 0x9F, 0x8E, 0x89], against: "surrogates for an emoji"),
        Row("👍🏻", [0xF0, 0x9F, 0x91, 0x8D, 0xF0, 0x9F, 0x8F, 0xBB], against: "losing an emoji's skin tone"),
        Row(
            "\u{202E}שם", [0xE2, 0x80, 0xAE, 0xD7, 0xA9, 0xD7, 0x9D],
            against: "dropping a right-to-left mark or turning the text round"),
        Row("e\u{301}", [0x65, 0xCC, 0x81], against: "composing a combining mark"),
        Row("\u{E9}", [0xC3, 0xA9], against: "decomposing a letter, or Latin-1"),
        Row("\u{85}\u{2028}", [0xC2, 0x85, 0xE2, 0x80, 0xA8], against: "Unicode's line ends"),
    ]

    @Test(
        "Text that isn't ASCII goes out as its own UTF-8 by every rule", arguments: foreign, ParameterEscaping.allCases)
    func foreignNames(row: Row<String, [UInt8]>, rule: ParameterEscaping) throws {
        var bytes: [UInt8] = []
        try rule.append(row.given, as: "filename", to: &bytes)
        #expect(bytes == row.expected)
    }

    @Test("A combining mark behind a quote doesn't hide it")
    func combinedQuote() throws {
        var bytes: [UInt8] = []
        try ParameterEscaping.whatwg.append("\"\u{301}", as: "name", to: &bytes)
        #expect(bytes == [0x25, 0x32, 0x32, 0xCC, 0x81])
        bytes = []
        try ParameterEscaping.backslash.append("\"\u{301}", as: "name", to: &bytes)
        #expect(bytes == [0x5C, 0x22, 0xCC, 0x81])
        _ = try refusal { try ParameterEscaping.refuse.append("\"\u{301}", as: "name", to: &bytes) }
    }

    @Test("A refusal says what was found and what to do")
    func messages() throws {
        var bytes: [UInt8] = []
        #expect(
            try refusal { try ParameterEscaping.whatwg.append("a\0", as: "name", to: &bytes) }
                == "The name \"a\0\" contains NUL, which the escaping rule \"whatwg\" refuses: rename it.")
        #expect(
            try refusal { try ParameterEscaping.backslash.append("a\n", as: "filename", to: &bytes) }
                == "The filename \"a\n\" contains a line end, which the escaping rule \"backslash\" refuses: "
                + "rename it or use the rule \"whatwg\".")
        #expect(
            try refusal { try ParameterEscaping.refuse.append("a\"", as: "name", to: &bytes) }
                == "The name \"a\"\" contains a quote, which the escaping rule \"refuse\" refuses: "
                + "rename it or use the rule \"whatwg\".")
        #expect(
            try refusal { try ParameterEscaping.refuse.append(#"a\"#, as: "name", to: &bytes) }
                == #"The name "a\" contains a backslash, which the escaping rule "refuse" refuses: "#
                + "rename it or use the rule \"whatwg\".")
    }
}
