import FormworkCore
import Testing

@Suite("Base64", .timeLimit(.minutes(10)))
struct Base64Tests {
    struct Row: Sendable, CustomTestStringConvertible {
        var bytes: [UInt8]
        var text: String
        var guardsAgainst: String
        var testDescription: String { self.guardsAgainst }
    }

    static let rows = [
        Row(bytes: [], text: "", guardsAgainst: "RFC 4648: padding for nothing"),
        Row(bytes: Array("f".utf8), text: "Zg==", guardsAgainst: "RFC 4648: one byte left"),
        Row(bytes: Array("fo".utf8), text: "Zm8=", guardsAgainst: "RFC 4648: two bytes left"),
        Row(bytes: Array("foo".utf8), text: "Zm9v", guardsAgainst: "RFC 4648: a whole group"),
        Row(bytes: Array("foob".utf8), text: "Zm9vYg==", guardsAgainst: "RFC 4648: a group and one byte"),
        Row(bytes: Array("fooba".utf8), text: "Zm9vYmE=", guardsAgainst: "RFC 4648: a group and two bytes"),
        Row(bytes: Array("foobar".utf8), text: "Zm9vYmFy", guardsAgainst: "RFC 4648: two groups"),
        Row(bytes: [0xFF, 0xEF, 0xBE], text: "/+++", guardsAgainst: "the URL alphabet"),
        Row(bytes: [0, 0, 0, 0], text: "AAAAAA==", guardsAgainst: "leading zeros that get lost"),
        Row(
            bytes: Array(0...255),
            text: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+P0BBQkNERUZHSElK"
                + "S0xNTk9QUVJTVFVWV1hZWltcXV5fYGFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6e3x9fn+AgYKDhIWGh4iJiouMjY6PkJGSk5SV"
                + "lpeYmZqbnJ2en6ChoqOkpaanqKmqq6ytrq+wsbKztLW2t7i5uru8vb6/wMHCw8TFxsfIycrLzM3Oz9DR0tPU1dbX2Nna29zd3t/g"
                + "4eLj5OXm5+jp6uvs7e7v8PHy8/T19vf4+fr7/P3+/w==",
            guardsAgainst: "a wrong letter of the alphabet"),
    ]

    @Test("Bytes and their text, both ways", arguments: rows)
    func bothWays(row: Row) {
        #expect(Base64.encode(row.bytes) == row.text)
        #expect(Base64.decode(row.text) == row.bytes)
    }

    struct Malformed: Sendable, CustomTestStringConvertible {
        var text: String
        var guardsAgainst: String
        var testDescription: String { self.guardsAgainst }
    }

    static let malformed = [
        Malformed(text: "Z", guardsAgainst: "a single letter"),
        Malformed(text: "Zg", guardsAgainst: "missing padding"),
        Malformed(text: "Zg=", guardsAgainst: "half the padding"),
        Malformed(text: "Zg===", guardsAgainst: "too much padding"),
        Malformed(text: "Z===", guardsAgainst: "three of padding: six bits are no byte"),
        Malformed(text: "====", guardsAgainst: "padding only"),
        Malformed(text: "Zm9v====", guardsAgainst: "a group of padding at the end"),
        Malformed(text: "=Zm9", guardsAgainst: "padding in front"),
        Malformed(text: "Zg=v", guardsAgainst: "padding in the middle"),
        Malformed(text: "Zg==Zg==", guardsAgainst: "two texts joined"),
        Malformed(text: "Zh==", guardsAgainst: "bits behind the last byte, one byte left"),
        Malformed(text: "Zm9=", guardsAgainst: "bits behind the last byte, two bytes left"),
        Malformed(text: "Zm8-", guardsAgainst: "the URL alphabet's '-'"),
        Malformed(text: "Zm8_", guardsAgainst: "the URL alphabet's '_'"),
        Malformed(text: "Zm9v\r\nYg", guardsAgainst: "line ends, which MIME allows"),
        Malformed(text: "Zm 9", guardsAgainst: "a blank"),
        Malformed(text: "Zm9\0", guardsAgainst: "NUL"),
        Malformed(text: "Zmé", guardsAgainst: "a letter of two bytes"),
    ]

    @Test("Malformed text is refused whole", arguments: malformed)
    func refused(row: Malformed) {
        #expect(Base64.decode(row.text) == nil)
    }
}
