@testable import FormworkCore
import TestSupport
import Testing

@Suite("PartHeader", .timeLimit(.minutes(10)))
struct PartHeaderTests {
    static func rows() throws -> [Row<PartHeader, String>] {
        [
            Row(
                PartHeader(name: "a"), "Content-Disposition: form-data; name=\"a\"\r\n\r\n",
                against: "a missing empty line"),
            Row(
                PartHeader(name: ""), "Content-Disposition: form-data; name=\"\"\r\n\r\n",
                against: "taking an empty name for none"),
            Row(
                PartHeader(name: "f", filename: "a.txt"),
                "Content-Disposition: form-data; name=\"f\"; filename=\"a.txt\"\r\n\r\n",
                against: "a filename that needs a type"),
            Row(
                PartHeader(name: "f", filename: ""),
                "Content-Disposition: form-data; name=\"f\"; filename=\"\"\r\n\r\n",
                against: "taking an empty filename for none"),
            Row(
                PartHeader(name: "f", contentType: "text/plain; charset=utf-8"),
                "Content-Disposition: form-data; name=\"f\"\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n",
                against: "losing the type's parameters"),
            Row(
                PartHeader(
                    name: "f", filename: "é.png", contentType: "image/png",
                    fields: [try HeaderField("X-B", "2"), try HeaderField("X-A", "Grüße"), try HeaderField("X-B", "")]),
                "Content-Disposition: form-data; name=\"f\"; filename=\"é.png\"\r\nContent-Type: image/png\r\n"
                    + "X-B: 2\r\nX-A: Grüße\r\nX-B: \r\n\r\n",
                against: "sorting or joining fields, and writing filename*"),
            Row(
                PartHeader(name: "f", fields: [try HeaderField("content-type", "a/b")]),
                "Content-Disposition: form-data; name=\"f\"\r\ncontent-type: a/b\r\n\r\n",
                against: "refusing a type given as a field only"),
            Row(
                PartHeader(
                    disposition: nil,
                    fields: [
                        try HeaderField("X-A", "1"), try HeaderField("Content-Disposition", "form-data; name=\"z\""),
                    ]), "X-A: 1\r\nContent-Disposition: form-data; name=\"z\"\r\n\r\n",
                against: "moving Content-Disposition in front of the caller's own fields"),
            Row(
                PartHeader(disposition: nil, contentType: "a/b"), "Content-Type: a/b\r\n\r\n",
                against: "a disposition that nobody asked for"),
            Row(
                PartHeader(filename: "f"), "Content-Disposition: form-data; filename=\"f\"\r\n\r\n",
                against: "a filename that needs a name"),
            Row(PartHeader(), "Content-Disposition: form-data\r\n\r\n", against: "a field that has to have a name"),
            Row(
                PartHeader(
                    disposition: .attachment, name: "n", filename: "f", contentType: "a/b", transferEncoding: .base64(),
                    fields: [try HeaderField("X", "1")]),
                "Content-Disposition: attachment; name=\"n\"; filename=\"f\"\r\nContent-Type: a/b\r\n"
                    + "Content-Transfer-Encoding: base64\r\nX: 1\r\n\r\n", against: "another order than curl's"),
            Row(
                PartHeader(disposition: .inline, transferEncoding: .quotedPrintable(isMeasured: true)),
                "Content-Disposition: inline\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n",
                against: "how it is measured told to the receiver"),
            Row(PartHeader(disposition: nil), "\r\n", against: "a section without its empty line"),
        ]
    }

    @Test("A header section is these bytes", arguments: try rows())
    func bytes(row: Row<PartHeader, String>) throws {
        var bytes = Array("before".utf8)
        try row.given.append(to: &bytes, escaping: .whatwg)
        #expect(bytes == Array(("before" + row.expected).utf8))
    }

    @Test("After its delimiter a header section is the same bytes", arguments: try rows())
    func bytesAfterDelimiter(row: Row<PartHeader, String>) throws {
        var bytes = Array("before".utf8)
        try PartFramer(MultipartFraming(boundary: Boundary("b"))).appendHead(of: row.given, isFirst: false, to: &bytes)
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

    private static func noType(_ type: String, _ guardsAgainst: String) -> Row<String, String> {
        Row(type, "\"\(type)\" is not a media type: write type/subtype.", against: guardsAgainst)
    }

    static let refusedTypes: [Row<String, String>] = [
        noType("", "an empty field"),
        noType("text", "a type without a subtype"),
        noType("text/", "an empty subtype"),
        noType("/plain", "an empty type"),
        noType("/", "both empty"),
        noType("text/plain/x", "a second slash"),
        noType("text//plain", "two slashes together"),
        noType("te xt/plain", "a blank in the type"),
        noType("text /plain", "a blank before the slash"),
        noType("; charset=utf-8", "parameters only"),
        noType(" text/plain", "a blank in front"),
        noType("text/pl@in", "a character that is no token's"),
        noType("text/plåin", "a letter that isn't ASCII"),
        noType("text/plain\r\nX-Evil: 1", "a type that begins another field"),
        noType("text/plain,text/html", "a list of types"),
        Row(
            "text/plain; a=\"\r\nX-Evil: 1\"",
            #"The value of Content-Type contains the control character \r, which could end the header: remove it."#,
            against: "a line end behind the first ';'"),
        Row(
            "text/plain;a=\0",
            #"The value of Content-Type contains the control character \0, which could end the header: remove it."#,
            against: "NUL in a parameter"),
        Row(
            "text/plain ", "The value of Content-Type begins or ends with a blank: trim it.",
            against: "a blank at the end"),
    ]

    @Test("What is no media type is refused", arguments: refusedTypes)
    func refusedType(row: Row<String, String>) throws {
        let header = PartHeader(name: "f", contentType: row.given)
        #expect(try refusal { try Self.write(header) } == row.expected)
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
