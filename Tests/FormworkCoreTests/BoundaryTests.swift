import FormworkCore
import Foundation
import TestSupport
import Testing

@Suite("Boundary", .timeLimit(.minutes(10)))
struct BoundaryTests {
    struct Accepted: Sendable, CustomTestStringConvertible {
        var text: String
        var parameterValue: String
        var guardsAgainst: String
        var testDescription: String { self.guardsAgainst }
    }

    static let accepted = [
        Accepted(text: "b", parameterValue: "b", guardsAgainst: "asking for two characters"),
        Accepted(text: "AaB03x", parameterValue: "AaB03x", guardsAgainst: "quoting letters and digits"),
        Accepted(
            text: "Boundary+0123456789ABCDEF", parameterValue: "Boundary+0123456789ABCDEF",
            guardsAgainst: "quoting AFNetworking's '+'"),
        Accepted(text: "a'b", parameterValue: "a'b", guardsAgainst: "quoting an apostrophe"),
        Accepted(text: "a-b_c.d", parameterValue: "a-b_c.d", guardsAgainst: "quoting '-', '_' and '.'"),
        Accepted(text: "----", parameterValue: "----", guardsAgainst: "refusing hyphens only, as browsers begin"),
        Accepted(text: "a b", parameterValue: "\"a b\"", guardsAgainst: "leaving a space bare"),
        Accepted(text: " b", parameterValue: "\" b\"", guardsAgainst: "refusing a space in front, which is legal"),
        Accepted(text: "a(b", parameterValue: "\"a(b\"", guardsAgainst: "leaving '(' bare"),
        Accepted(text: "a)b", parameterValue: "\"a)b\"", guardsAgainst: "leaving ')' bare"),
        Accepted(text: "a,b", parameterValue: "\"a,b\"", guardsAgainst: "leaving ',' bare"),
        Accepted(text: "a/b", parameterValue: "\"a/b\"", guardsAgainst: "leaving '/' bare"),
        Accepted(text: "a:b", parameterValue: "\"a:b\"", guardsAgainst: "leaving ':' bare"),
        Accepted(text: "a=b", parameterValue: "\"a=b\"", guardsAgainst: "leaving '=' bare"),
        Accepted(text: "a?b", parameterValue: "\"a?b\"", guardsAgainst: "leaving '?' bare"),
        Accepted(
            text: "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
            parameterValue: "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
            guardsAgainst: "a range that misses its first or last character"),
    ]

    @Test("A legal boundary keeps its text and is quoted only where it must be", arguments: accepted)
    func acceptance(row: Accepted) throws {
        let boundary = try Boundary(row.text)
        #expect(boundary.text == row.text)
        #expect(boundary.description == row.text)
        #expect(boundary.parameterValue == row.parameterValue)
    }

    @Test("Every length from 1 to 70 is accepted", arguments: 1...70)
    func lengths(count: Int) throws {
        let text = String(repeating: "x", count: count)
        #expect(try Boundary(text).text == text)
    }

    struct Refused: Sendable, CustomTestStringConvertible {
        var text: String
        var message: String
        var guardsAgainst: String
        var testDescription: String { self.guardsAgainst }

        /// A row whose message names one character.
        static func character(_ text: String, shownAs shown: String, _ guardsAgainst: String) -> Refused {
            Refused(
                text: text, message: "The boundary contains \"\(shown)\": use only letters, digits and '()+_,-./:=?.",
                guardsAgainst: guardsAgainst)
        }
    }

    static let refused = [
        Refused(
            text: "", message: "The boundary has 0 bytes: RFC 2046 allows 1 to 70.",
            guardsAgainst: "an empty boundary, which every '--' would match"),
        Refused(
            text: "01234567890123456789012345678901234567890123456789012345678901234567890",
            message: "The boundary has 71 bytes: RFC 2046 allows 1 to 70.", guardsAgainst: "one character too many"),
        Refused(
            text: "ééééééééééééééééééééééééééééééééééééé",
            message: "The boundary has 74 bytes: RFC 2046 allows 1 to 70.",
            guardsAgainst: "counting characters for bytes"),
        Refused(
            text: "b ", message: "The boundary ends with a space, which RFC 2046 forbids: remove it.",
            guardsAgainst: "a space at the end, which receivers trim"),
        Refused(
            text: " ", message: "The boundary ends with a space, which RFC 2046 forbids: remove it.",
            guardsAgainst: "a boundary that is a space"),
        .character("a\rb", shownAs: #"\r"#, "CR, which the delimiter search relies on"),
        .character("a\nb", shownAs: #"\n"#, "LF"),
        .character("a\r\nb", shownAs: #"\r"#, "CR LF, which Swift reads as one character"),
        .character("b\r\n", shownAs: #"\r"#, "a line end at the end"),
        .character("a\0b", shownAs: #"\0"#, "NUL"),
        .character("a\tb", shownAs: #"\t"#, "a tab taken for a space"),
        .character("a\u{1F}b", shownAs: #"\u{1F}"#, "the last control character"),
        .character("a\u{7F}b", shownAs: #"\u{7F}"#, "DEL"),
        .character("a\"b", shownAs: #"\""#, "a quote, which would end the parameter"),
        .character(#"a\b"#, shownAs: #"\\"#, "a backslash"),
        .character("a;b", shownAs: ";", "a semicolon, which would begin a parameter"),
        .character("a<b", shownAs: "<", "'<'"),
        .character("a>b", shownAs: ">", "'>'"),
        .character("a@b", shownAs: "@", "'@', next to 'A'"),
        .character("a[b", shownAs: "[", "'[', next to 'Z'"),
        .character("a]b", shownAs: "]", "']'"),
        .character("a`b", shownAs: "`", "a backtick, next to 'a'"),
        .character("a{b", shownAs: "{", "'{', next to 'z'"),
        .character("a}b", shownAs: "}", "'}'"),
        .character("a!b", shownAs: "!", "'!'"),
        .character("a#b", shownAs: "#", "'#'"),
        .character("a$b", shownAs: "$", "'$'"),
        .character("a%b", shownAs: "%", "'%'"),
        .character("a&b", shownAs: "&", "'&'"),
        .character("a*b", shownAs: "*", "'*', between ')' and '+'"),
        .character("a^b", shownAs: "^", "'^'"),
        .character("a|b", shownAs: "|", "'|'"),
        .character("a~b", shownAs: "~", "'~'"),
        .character("aéb", shownAs: "é", "a letter that isn't ASCII"),
        .character("a１b", shownAs: "１", "a digit that isn't ASCII"),
        .character("a😀b", shownAs: "😀", "a scalar of four bytes"),
        .character("a\u{301}", shownAs: "\u{301}", "a combining mark hidden in a letter"),
    ]

    @Test("An illegal boundary is refused with what is wrong", arguments: refused)
    func refusals(row: Refused) throws {
        #expect(try refusal { _ = try Boundary(row.text) } == row.message)
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
