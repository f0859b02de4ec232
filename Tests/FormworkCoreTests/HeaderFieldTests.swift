import FormworkCore
import Foundation
import TestSupport
import Testing

@Suite("HeaderField", .timeLimit(.minutes(10)))
struct HeaderFieldTests {
    static let refusedNames: [Row<String, Void>] = [
        Row("", against: "a line that begins with a colon"),
        Row("X A", against: "a space"),
        Row("X-A:", against: "a colon in the name"),
        Row("X\tA", against: "a tab"),
        Row("X\r\nEvil", against: "a line end, which Swift reads as one character"),
        Row("X\0", against: "NUL"),
        Row("X\u{7F}", against: "DEL"),
        Row("Größe", against: "letters that aren't ASCII"),
        Row("\"X\"", against: "a quote"),
        Row("X(A)", against: "a comment's parentheses"),
        Row("X/A", against: "a slash"),
        Row("X@A", against: "'@', next to 'A'"),
        Row("X[A", against: "'[', next to 'Z'"),
        Row("X{A", against: "'{', next to 'z'"),
    ]

    @Test("A name that is no token is refused", arguments: refusedNames)
    func refusedName(row: Row<String, Void>) throws {
        #expect(
            try refusal { _ = try HeaderField(row.given, "v") }
                == "The header field name \"\(row.given)\" is not a token: use only letters, digits and !#$%&'*+-.^_`|~."
        )
    }

    @Test("Every character of a token is accepted in a name")
    func acceptedName() throws {
        let name = "!#$%&'*+-.^_`|~09AZaz"
        #expect(try HeaderField(name, "v").name == name)
    }

    private static func untrimmed(_ value: String, _ guardsAgainst: String) -> Row<String, String> {
        Row(value, "The value of X begins or ends with a blank: trim it.", against: guardsAgainst)
    }

    private static func control(_ value: String, shownAs shown: String, _ guardsAgainst: String) -> Row<String, String>
    {
        let message = "The value of X contains the control character \(shown), which could end the header: remove it."
        return Row(value, message, against: guardsAgainst)
    }

    static let refusedValues = [
        control("a\r\nEvil: 1", shownAs: #"\r"#, "a field that begins another"),
        control("a\rb", shownAs: #"\r"#, "a bare CR, which some receivers take for a line end"),
        control("a\nb", shownAs: #"\n"#, "a bare LF"),
        control("a\n", shownAs: #"\n"#, "a line end at the end"),
        control("a\0b", shownAs: #"\0"#, "NUL, where C programs stop reading"),
        control("a\u{7F}b", shownAs: #"\u{7F}"#, "DEL"),
        control("a\u{1B}[2J", shownAs: #"\u{1B}"#, "an escape sequence"),
        control("\u{1F}", shownAs: #"\u{1F}"#, "the last control character"),
        untrimmed(" a", "a blank in front, which receivers trim"),
        untrimmed("a ", "a blank at the end"),
        untrimmed("\ta", "a tab in front"),
        untrimmed("a\t", "a tab at the end"),
        untrimmed(" ", "a value that is one blank"),
    ]

    @Test("A value that could end its line or be trimmed is refused", arguments: refusedValues)
    func refusedValue(row: Row<String, String>) throws {
        #expect(try refusal { _ = try HeaderField("X", row.given) } == row.expected)
    }

    @Test(
        "A legal value is kept byte for byte",
        arguments: ["", "a", "a b\tc", "form-data; name=\"z\"", "Grüße, 東京 😀", "e\u{301}", "שלום"])
    func acceptedValue(value: String) throws {
        #expect(Array(try HeaderField("X", value).value.utf8) == Array(value.utf8))
    }

    @Test("A name is compared without regard to ASCII case, and to nothing else")
    func names() throws {
        let field = try HeaderField("Content-Kind", "v")
        #expect(field.isNamed("content-kind"))
        #expect(field.isNamed("CONTENT-KIND"))
        #expect(!field.isNamed("Content-Kinds"))
        #expect(!field.isNamed("Content-\u{212A}ind"), "the Kelvin sign lower-cases to k")
    }

    @Test("A decoded field is checked as others are")
    func coding() throws {
        let good = Data(#"{"name":"X-A","value":"1"}"#.utf8)
        #expect(try JSONDecoder().decode(HeaderField.self, from: good) == HeaderField("X-A", "1"))
        let bad = Data(#"{"name":"X-A","value":"1\r\nEvil: 1"}"#.utf8)
        #expect(
            try refusal { _ = try JSONDecoder().decode(HeaderField.self, from: bad) }
                == #"The value of X-A contains the control character \r, which could end the header: remove it."#)
    }
}
