import FormworkCore
import Foundation
import TestSupport
import Testing

@Suite("Boundary", .timeLimit(.minutes(10)))
struct BoundaryTests {
    static let accepted: [Row<String, String>] = [
        Row("b", "b", against: "asking for two characters"),
        Row("AaB03x", "AaB03x", against: "quoting letters and digits"),
        Row("Boundary+0123456789ABCDEF", "Boundary+0123456789ABCDEF", against: "quoting AFNetworking's '+'"),
        Row("a'b", "a'b", against: "quoting an apostrophe"),
        Row("a-b_c.d", "a-b_c.d", against: "quoting '-', '_' and '.'"),
        Row("----", "----", against: "refusing hyphens only, as browsers begin"),
        Row("a b", "\"a b\"", against: "leaving a space bare"),
        Row(" b", "\" b\"", against: "refusing a space in front, which is legal"),
        Row("a(b", "\"a(b\"", against: "leaving '(' bare"),
        Row("a)b", "\"a)b\"", against: "leaving ')' bare"),
        Row("a,b", "\"a,b\"", against: "leaving ',' bare"),
        Row("a/b", "\"a/b\"", against: "leaving '/' bare"),
        Row("a:b", "\"a:b\"", against: "leaving ':' bare"),
        Row("a=b", "\"a=b\"", against: "leaving '=' bare"),
        Row("a?b", "\"a?b\"", against: "leaving '?' bare"),
        Row(
            "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
            "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
            against: "a range that misses its first or last character"),
    ]

    @Test("A legal boundary keeps its text and is quoted only where it must be", arguments: accepted)
    func acceptance(row: Row<String, String>) throws {
        let boundary = try Boundary(row.given)
        #expect(boundary.text == row.given)
        #expect(boundary.description == row.given)
        #expect(boundary.parameterValue == row.expected)
    }

    @Test("Every length from 1 to 70 is accepted", arguments: 1...70)
    func lengths(count: Int) throws {
        let text = String(repeating: "x", count: count)
        #expect(try Boundary(text).text == text)
    }

    /// A row whose message names one character.
    private static func character(_ text: String, shownAs shown: String, _ guardsAgainst: String) -> Row<String, String>
    {
        Row(
            text, "The boundary contains \"\(shown)\": use only letters, digits and '()+_,-./:=?.",
            against: guardsAgainst)
    }

    static let refused: [Row<String, String>] = [
        Row(
            "", "The boundary has 0 bytes: RFC 2046 allows 1 to 70.",
            against: "an empty boundary, which every '--' would match"),
        Row(
            "01234567890123456789012345678901234567890123456789012345678901234567890",
            "The boundary has 71 bytes: RFC 2046 allows 1 to 70.", against: "one character too many"),
        Row(
            "ééééééééééééééééééééééééééééééééééééé", "The boundary has 74 bytes: RFC 2046 allows 1 to 70.",
            against: "counting characters for bytes"),
        Row(
            "b ", "The boundary ends with a space, which RFC 2046 forbids: remove it.",
            against: "a space at the end, which receivers trim"),
        Row(
            " ", "The boundary ends with a space, which RFC 2046 forbids: remove it.",
            against: "a boundary that is a space"),
        character("a\rb", shownAs: #"\r"#, "CR, which the delimiter search relies on"),
        character("a\nb", shownAs: #"\n"#, "LF"),
        character("a\r\nb", shownAs: #"\r"#, "CR LF, which Swift reads as one character"),
        character("b\r\n", shownAs: #"\r"#, "a line end at the end"),
        character("a\0b", shownAs: #"\0"#, "NUL"),
        character("a\tb", shownAs: #"\t"#, "a tab taken for a space"),
        character("a\u{1F}b", shownAs: #"\u{1F}"#, "the last control character"),
        character("a\u{7F}b", shownAs: #"\u{7F}"#, "DEL"),
        character("a\"b", shownAs: #"\""#, "a quote, which would end the parameter"),
        character(#"a\b"#, shownAs: #"\\"#, "a backslash"),
        character("a;b", shownAs: ";", "a semicolon, which would begin a parameter"),
        character("a<b", shownAs: "<", "'<'"),
        character("a>b", shownAs: ">", "'>'"),
        character("a@b", shownAs: "@", "'@', next to 'A'"),
        character("a[b", shownAs: "[", "'[', next to 'Z'"),
        character("a]b", shownAs: "]", "']'"),
        character("a`b", shownAs: "`", "a backtick, next to 'a'"),
        character("a{b", shownAs: "{", "'{', next to 'z'"),
        character("a}b", shownAs: "}", "'}'"),
        character("a!b", shownAs: "!", "'!'"),
        character("a#b", shownAs: "#", "'#'"),
        character("a$b", shownAs: "$", "'$'"),
        character("a%b", shownAs: "%", "'%'"),
        character("a&b", shownAs: "&", "'&'"),
        character("a*b", shownAs: "*", "'*', between ')' and '+'"),
        character("a^b", shownAs: "^", "'^'"),
        character("a|b", shownAs: "|", "'|'"),
        character("a~b", shownAs: "~", "'~'"),
        character("aéb", shownAs: "é", "a letter that isn't ASCII"),
        character("a１b", shownAs: "１", "a digit that isn't ASCII"),
        character("a😀b", shownAs: "😀", "a scalar of four bytes"),
        character("a\u{301}", shownAs: "\u{301}", "a combining mark hidden in a letter"),
    ]

    @Test("An illegal boundary is refused with what is wrong", arguments: refused)
    func refusals(row: Row<String, String>) throws {
        #expect(try refusal { _ = try Boundary(row.given) } == row.expected)
    }

    @Test("A random boundary is formwork- and 32 hexadecimal digits, and no two are the same")
    func random() throws {
        var seen: Set<String> = []
        for _ in 0..<1_000 {
            let text = Boundary.random().text
            #expect(text.utf8.count == 41)
            #expect(text.hasPrefix("formwork-"))
            #expect(text.utf8.dropFirst(9).allSatisfy { "0123456789abcdef".utf8.contains($0) })
            seen.insert(text)
        }
        #expect(seen.count == 1_000)
    }

    @Test("A generator of the caller's decides every digit, leading zeros included")
    func formats() {
        var first = FixedGenerator(0x1, 0xFEDC_BA98_7654_3210)
        #expect(Boundary.random(using: &first).text == "formwork-0000000000000001fedcba9876543210")
        var second = FixedGenerator(0x0123_4567_89AB_CDEF)
        #expect(Boundary.afNetworking(using: &second).text == "Boundary+0123456789ABCDEF")
        var third = FixedGenerator(0xDEAD_BEEF)
        #expect(Boundary.afNetworking(using: &third).text == "Boundary+00000000DEADBEEF")
        var fourth = FixedGenerator(0x0123_4567_89AB_CDEF)
        #expect(Boundary.alamofire(using: &fourth).text == "alamofire.boundary.0123456789abcdef")
        var fifth = FixedGenerator(0)
        #expect(Boundary.alamofire(using: &fifth).text == "alamofire.boundary.0000000000000000")
    }

    @Test("A decoded boundary is checked as others are")
    func coding() throws {
        #expect(try JSONDecoder().decode(Boundary.self, from: Data("\"AaB03x\"".utf8)).text == "AaB03x")
        #expect(try JSONEncoder().encode(Boundary("AaB03x")) == Data("\"AaB03x\"".utf8))
        let message = try refusal { _ = try JSONDecoder().decode(Boundary.self, from: Data("\"a;b\"".utf8)) }
        #expect(message == "The boundary contains \";\": use only letters, digits and '()+_,-./:=?.")
    }
}
