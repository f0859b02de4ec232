@testable import FormworkCore
import TestSupport
import Testing

@Suite("PartHeader", .timeLimit(.minutes(10)))
struct PartHeaderTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var header: PartHeader
        var expected: String
        var guardsAgainst: String
        var testDescription: String { self.guardsAgainst }
    }

    static func rows() throws -> [Row] {
        [
            Row(
                header: PartHeader(name: "a"), expected: "Content-Disposition: form-data; name=\"a\"\r\n\r\n",
                guardsAgainst: "a missing empty line"),
            Row(
                header: PartHeader(name: ""), expected: "Content-Disposition: form-data; name=\"\"\r\n\r\n",
                guardsAgainst: "taking an empty name for none"),
            Row(
                header: PartHeader(name: "f", filename: "a.txt"),
                expected: "Content-Disposition: form-data; name=\"f\"; filename=\"a.txt\"\r\n\r\n",
                guardsAgainst: "a filename that needs a type"),
            Row(
                header: PartHeader(name: "f", filename: ""),
                expected: "Content-Disposition: form-data; name=\"f\"; filename=\"\"\r\n\r\n",
                guardsAgainst: "taking an empty filename for none"),
            Row(
                header: PartHeader(name: "f", contentType: "text/plain; charset=utf-8"),
                expected:
                    "Content-Disposition: form-data; name=\"f\"\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n",
                guardsAgainst: "losing the type's parameters"),
            Row(
                header: PartHeader(
                    name: "f", filename: "é.png", contentType: "image/png",
                    fields: [try HeaderField("X-B", "2"), try HeaderField("X-A", "Grüße"), try HeaderField("X-B", "")]),
                expected:
                    "Content-Disposition: form-data; name=\"f\"; filename=\"é.png\"\r\nContent-Type: image/png\r\n"
                    + "X-B: 2\r\nX-A: Grüße\r\nX-B: \r\n\r\n",
                guardsAgainst: "sorting or joining fields, and writing filename*"),
            Row(
                header: PartHeader(name: "f", fields: [try HeaderField("content-type", "a/b")]),
                expected: "Content-Disposition: form-data; name=\"f\"\r\ncontent-type: a/b\r\n\r\n",
                guardsAgainst: "refusing a type given as a field only"),
            Row(
                header: PartHeader(
                    disposition: nil,
                    fields: [
                        try HeaderField("X-A", "1"), try HeaderField("Content-Disposition", "form-data; name=\"z\""),
                    ]),
                expected: "X-A: 1\r\nContent-Disposition: form-data; name=\"z\"\r\n\r\n",
                guardsAgainst: "moving Content-Disposition in front of the caller's own fields"),
            Row(
                header: PartHeader(disposition: nil, contentType: "a/b"), expected: "Content-Type: a/b\r\n\r\n",
                guardsAgainst: "a disposition that nobody asked for"),
            Row(
                header: PartHeader(filename: "f"), expected: "Content-Disposition: form-data; filename=\"f\"\r\n\r\n",
                guardsAgainst: "a filename that needs a name"),
            Row(
                header: PartHeader(), expected: "Content-Disposition: form-data\r\n\r\n",
                guardsAgainst: "a field that has to have a name"),
            Row(
                header: PartHeader(
                    disposition: .attachment, name: "n", filename: "f", contentType: "a/b", transferEncoding: .base64(),
                    fields: [try HeaderField("X", "1")]),
                expected: "Content-Disposition: attachment; name=\"n\"; filename=\"f\"\r\nContent-Type: a/b\r\n"
                    + "Content-Transfer-Encoding: base64\r\nX: 1\r\n\r\n",
                guardsAgainst: "another order than curl's"),
            Row(
                header: PartHeader(disposition: .inline, transferEncoding: .quotedPrintable(isMeasured: true)),
                expected: "Content-Disposition: inline\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n",
                guardsAgainst: "how it is measured told to the receiver"),
            Row(
                header: PartHeader(disposition: nil), expected: "\r\n",
                guardsAgainst: "a section without its empty line"),
        ]
    }

    @Test("A header section is these bytes", arguments: try rows())
    func bytes(row: Row) throws {
        var bytes = Array("before".utf8)
        try row.header.append(to: &bytes, escaping: .whatwg)
        #expect(bytes == Array(("before" + row.expected).utf8))
    }

    @Test("After its delimiter a header section is the same bytes", arguments: try rows())
    func bytesAfterDelimiter(row: Row) throws {
        var bytes = Array("before".utf8)
        try PartFramer(MultipartFraming(boundary: Boundary("b"))).appendHead(of: row.header, isFirst: false, to: &bytes)
        #expect(bytes == Array(("before\r\n--b\r\n" + row.expected).utf8))
    }

    @Test("Name and filename are both escaped by the rule")
    func escaping() throws {
        var bytes: [UInt8] = []
        try PartHeader(name: "a\"\r\nb", filename: "c\"d").append(to: &bytes, escaping: .whatwg)
        #expect(
            bytes == Array("Content-Disposition: form-data; name=\"a%22%0D%0Ab\"; filename=\"c%22d\"\r\n\r\n".utf8))
        bytes = []
        try PartHeader(name: "a\"", filename: "c\\").append(to: &bytes, escaping: .backslash)
        #expect(bytes == Array(#"Content-Disposition: form-data; name="a\""; filename="c\\""#.utf8) + [13, 10, 13, 10])
    }

    struct RefusedType: Sendable, CustomTestStringConvertible {
        var type: String
        var message: String
        var guardsAgainst: String
        var testDescription: String { self.guardsAgainst }

        init(_ type: String, message: String? = nil, _ guardsAgainst: String) {
            self.type = type
            self.message = message ?? "\"\(type)\" is not a media type: write type/subtype."
            self.guardsAgainst = guardsAgainst
        }
    }

    static let refusedTypes = [
        RefusedType("", "an empty field"),
        RefusedType("text", "a type without a subtype"),
        RefusedType("text/", "an empty subtype"),
        RefusedType("/plain", "an empty type"),
        RefusedType("/", "both empty"),
        RefusedType("text/plain/x", "a second slash"),
        RefusedType("text//plain", "two slashes together"),
        RefusedType("te xt/plain", "a blank in the type"),
        RefusedType("text /plain", "a blank before the slash"),
        RefusedType("; charset=utf-8", "parameters only"),
        RefusedType(" text/plain", "a blank in front"),
        RefusedType("text/pl@in", "a character that is no token's"),
        RefusedType("text/plåin", "a letter that isn't ASCII"),
        RefusedType("text/plain\r\nX-Evil: 1", "a type that begins another field"),
        RefusedType("text/plain,text/html", "a list of types"),
        RefusedType(
            "text/plain; a=\"\r\nX-Evil: 1\"",
            message:
                #"The value of Content-Type contains the control character \r, which could end the header: remove it."#,
            "a line end behind the first ';'"),
        RefusedType(
            "text/plain;a=\0",
            message:
                #"The value of Content-Type contains the control character \0, which could end the header: remove it."#,
            "NUL in a parameter"),
        RefusedType(
            "text/plain ", message: "The value of Content-Type begins or ends with a blank: trim it.",
            "a blank at the end"),
    ]

    @Test("What is no media type is refused", arguments: refusedTypes)
    func refusedType(row: RefusedType) throws {
        let header = PartHeader(name: "f", contentType: row.type)
        #expect(try refusal { try Self.write(header) } == row.message)
    }

    @Test(
        "Legal media types are accepted",
        arguments: ["a/b", "application/vnd.api+json", "image/svg+xml", "text/html;charset=utf-8;x=\"a; b/c\"", "*/*"])
    func acceptedType(type: String) throws {
        try Self.write(PartHeader(name: "f", contentType: type))
    }

    @Test("A field that the header writes itself is refused in any case")
    func duplicates() throws {
        let disposition = PartHeader(name: "f", fields: [try HeaderField("content-DISPOSITION", "inline")])
        #expect(
            try refusal { try Self.write(disposition) }
                == "The field content-DISPOSITION is written from the part's disposition, type or encoding too: give "
                + "it once."
        )
        let encoding = PartHeader(
            transferEncoding: .binary, fields: [try HeaderField("Content-transfer-encoding", "base64")])
        #expect(
            try refusal { try Self.write(encoding) }
                == "The field Content-transfer-encoding is written from the part's disposition, type or encoding too: "
                + "give it once.")
        let type = PartHeader(disposition: nil, contentType: "a/b", fields: [try HeaderField("content-type", "c/d")])
        #expect(
            try refusal { try Self.write(type) }
                == "The field content-type is written from the part's disposition, type or encoding too: give it once."
        )
    }

    @Test("A name without a disposition is refused, not dropped")
    func nameWithoutDisposition() throws {
        #expect(
            try refusal { try Self.write(PartHeader(disposition: nil, name: "a")) }
                == "A part with a name or filename needs a disposition: add one.")
        #expect(
            try refusal { try Self.write(PartHeader(disposition: nil, filename: "a.txt")) }
                == "A part with a name or filename needs a disposition: add one.")
    }

    private static func write(_ header: PartHeader) throws {
        var bytes: [UInt8] = []
        try header.append(to: &bytes, escaping: .whatwg)
    }
}
