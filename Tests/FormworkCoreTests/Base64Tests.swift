import FormworkCore
import TestSupport
import Testing

@Suite("Base64", .timeLimit(.minutes(10)))
struct Base64Tests {
    static let rows: [Row<[UInt8], String>] = [
        Row([], "", against: "RFC 4648: padding for nothing"),
        Row(Array("f".utf8), "Zg==", against: "RFC 4648: one byte left"),
        Row(Array("fo".utf8), "Zm8=", against: "RFC 4648: two bytes left"),
        Row(Array("foo".utf8), "Zm9v", against: "RFC 4648: a whole group"),
        Row(Array("foob".utf8), "Zm9vYg==", against: "RFC 4648: a group and one byte"),
        Row(Array("fooba".utf8), "Zm9vYmE=", against: "RFC 4648: a group and two bytes"),
        Row(Array("foobar".utf8), "Zm9vYmFy", against: "RFC 4648: two groups"),
        Row([0xFF, 0xEF, 0xBE], "/+++", against: "the URL alphabet"),
        Row([0, 0, 0, 0], "AAAAAA==", against: "leading zeros that get lost"),
        Row(
            Array(0...255),
            "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+P0BBQkNERUZHSElK"
                + "S0xNTk9QUVJTVFVWV1hZWltcXV5fYGFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6e3x9fn+AgYKDhIWGh4iJiouMjY6PkJGSk5SV"
                + "lpeYmZqbnJ2en6ChoqOkpaanqKmqq6ytrq+wsbKztLW2t7i5uru8vb6/wMHCw8TFxsfIycrLzM3Oz9DR0tPU1dbX2Nna29zd3t/g"
                + "4eLj5OXm5+jp6uvs7e7v8PHy8/T19vf4+fr7/P3+/w==", against: "a wrong letter of the alphabet"),
    ]

    @Test("Bytes and their text, both ways", arguments: rows)
    func bothWays(row: Row<[UInt8], String>) {
        #expect(Base64.encode(row.given) == row.expected)
        #expect(Base64.decode(row.expected) == row.given)
    }

    static let malformed: [Row<String, Void>] = [
        Row("Z", against: "a single letter"),
        Row("Zg", against: "missing padding"),
        Row("Zg=", against: "half the padding"),
        Row("Zg===", against: "too much padding"),
        Row("Z===", against: "three of padding: six bits are no byte"),
        Row("====", against: "padding only"),
        Row("Zm9v====", against: "a group of padding at the end"),
        Row("=Zm9", against: "padding in front"),
        Row("Zg=v", against: "padding in the middle"),
        Row("Zg==Zg==", against: "two texts joined"),
        Row("Zh==", against: "bits behind the last byte, one byte left"),
        Row("Zm9=", against: "bits behind the last byte, two bytes left"),
        Row("Zm8-", against: "the URL alphabet's '-'"),
        Row("Zm8_", against: "the URL alphabet's '_'"),
        Row("Zm9v\r\nYg", against: "line ends, which MIME allows"),
        Row("Zm 9", against: "a blank"),
        Row("Zm9\0", against: "NUL"),
        Row("Zmé", against: "a letter of two bytes"),
    ]

    @Test("Malformed text is refused whole", arguments: malformed)
    func refused(row: Row<String, Void>) {
        #expect(Base64.decode(row.given) == nil)
    }
}
