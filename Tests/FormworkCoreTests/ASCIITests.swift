import Testing

@testable import FormworkCore

@Suite("Classes of ASCII bytes", .timeLimit(.minutes(10)))
struct ASCIITests {
    private static func text(_ isWanted: (UInt8) -> Bool) -> String {
        String(decoding: (0...UInt8.max).filter(isWanted), as: UTF8.self)
    }

    @Test("Digits, letters and hexadecimal digits, among all bytes")
    func classes() {
        #expect(Self.text(\.isDigit) == "0123456789")
        #expect(Self.text(\.isLetter) == "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
        #expect(Self.text(\.isLetterOrDigit) == "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
        #expect(Self.text { $0.hexDigit != nil } == "0123456789ABCDEFabcdef")
        #expect("09AFaf".utf8.map(\.hexDigit) == [0, 9, 10, 15, 10, 15])
    }

    @Test(
        "Spaces and tabs at both ends are left out",
        arguments: [
            ("a", "a"), (" \t a\tb \t", "a\tb"), (" \t", ""), ("", ""), ("\n a \r", "\n a \r"), (" \u{301}", "\u{301}"),
        ])
    func blanks(text: String, trimmed: String) {
        #expect(Array(text.utf8.trimmingBlanks) == Array(trimmed.utf8))
    }

    @Test(
        "Percent escapes, and what isn't one",
        arguments: [
            ("a%20b%2Fc%c3%A9", "a b/cé", true), ("%", "%", false), ("%4", "%4", false), ("%4g%41", "%4gA", false),
            ("%%41", "%A", false), ("%+1", "%+1", false), ("+", "+", true), ("", "", true),
        ])
    func escapes(text: String, loose: String, isValid: Bool) {
        #expect(text.utf8.percentDecoded(isLoose: true) == Array(loose.utf8))
        #expect(text.utf8.percentDecoded(isLoose: false) == (isValid ? Array(loose.utf8) : nil))
    }

    @Test("Numbers get zeros in front, and are never cut")
    func padded() {
        #expect([0, 7, 59, 100].map { $0.padded(to: 2) } == ["00", "07", "59", "100"])
        #expect((0xBEEF as UInt64).padded(to: 16, radix: 16) == "000000000000beef")
        #expect(UInt128.max.padded(to: 32, radix: 16) == "ffffffffffffffffffffffffffffffff")
    }
}
