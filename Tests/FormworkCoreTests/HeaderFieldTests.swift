import FormworkCore
import Foundation
import TestSupport
import Testing

@Suite("HeaderField", .timeLimit(.minutes(10)))
struct HeaderFieldTests {
    struct Name: Sendable, CustomTestStringConvertible {
        var name: String
        var guardsAgainst: String
        var testDescription: String { self.guardsAgainst }
    }

    static let refusedNames = [
        Name(name: "", guardsAgainst: "a line that begins with a colon"),
        Name(name: "X A", guardsAgainst: "a space"),
        Name(name: "X-A:", guardsAgainst: "a colon in the name"),
        Name(name: "X\tA", guardsAgainst: "a tab"),
        Name(name: "X\r\nEvil", guardsAgainst: "a line end, which Swift reads as one character"),
        Name(name: "X\0", guardsAgainst: "NUL"),
        Name(name: "X\u{7F}", guardsAgainst: "DEL"),
        Name(name: "Größe", guardsAgainst: "letters that aren't ASCII"),
        Name(name: "\"X\"", guardsAgainst: "a quote"),
        Name(name: "X(A)", guardsAgainst: "a comment's parentheses"),
        Name(name: "X/A", guardsAgainst: "a slash"),
        Name(name: "X@A", guardsAgainst: "'@', next to 'A'"),
        Name(name: "X[A", guardsAgainst: "'[', next to 'Z'"),
        Name(name: "X{A", guardsAgainst: "'{', next to 'z'"),
    ]

    @Test("A name that is no token is refused", arguments: refusedNames)
    func refusedName(row: Name) throws {
        #expect(
            try refusal { _ = try HeaderField(row.name, "v") }
                == "The header field name \"\(row.name)\" is not a token: use only letters, digits and !#$%&'*+-.^_`|~."
        )
    }

    @Test("Every character of a token is accepted in a name")
    func acceptedName() throws {
        let name = "!#$%&'*+-.^_`|~09AZaz"
        #expect(try HeaderField(name, "v").name == name)
    }

    struct Value: Sendable, CustomTestStringConvertible {
        var value: String
        var message: String
        var guardsAgainst: String
        var testDescription: String { self.guardsAgainst }
    }

    private static func untrimmed(_ value: String, _ guardsAgainst: String) -> Value {
        Value(
            value: value, message: "The value of X begins or ends with a blank: trim it.", guardsAgainst: guardsAgainst)
    }

    static let refusedValues = [
        Value(
            value: "a\r\nEvil: 1",
            message: #"The value of X contains the control character \r, which could end the header: remove it."#,
            guardsAgainst: "a field that begins another"),
        Value(
            value: "a\rb",
            message: #"The value of X contains the control character \r, which could end the header: remove it."#,
            guardsAgainst: "a bare CR, which some receivers take for a line end"),
        Value(
            value: "a\nb",
            message: #"The value of X contains the control character \n, which could end the header: remove it."#,
            guardsAgainst: "a bare LF"),
        Value(
            value: "a\n",
            message: #"The value of X contains the control character \n, which could end the header: remove it."#,
            guardsAgainst: "a line end at the end"),
        Value(
            value: "a\0b",
            message: #"The value of X contains the control character \0, which could end the header: remove it."#,
            guardsAgainst: "NUL, where C programs stop reading"),
        Value(
            value: "a\u{7F}b",
            message: #"The value of X contains the control character \u{7F}, which could end the header: remove it."#,
            guardsAgainst: "DEL"),
        Value(
            value: "a\u{1B}[2J",
            message: #"The value of X contains the control character \u{1B}, which could end the header: remove it."#,
            guardsAgainst: "an escape sequence"),
        Value(
            value: "\u{1F}",
            message: #"The value of X contains the control character \u{1F}, which could end the header: remove it."#,
            guardsAgainst: "the last control character"),
        untrimmed(" a", "a blank in front, which receivers trim"),
        untrimmed("a ", "a blank at the end"),
        untrimmed("\ta", "a tab in front"),
        untrimmed("a\t", "a tab at the end"),
        untrimmed(" ", "a value that is one blank"),
    ]

    @Test("A value that could end its line or be trimmed is refused", arguments: refusedValues)
    func refusedValue(row: Value) throws {
        #expect(try refusal { _ = try HeaderField("X", row.value) } == row.message)
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
