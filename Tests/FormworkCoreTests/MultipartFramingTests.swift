import FormworkCore
import Testing

@Suite("MultipartFraming", .timeLimit(.minutes(10)))
struct MultipartFramingTests {
    @Test("The content type has the boundary bare, or quoted where it must be")
    func contentType() throws {
        #expect(
            try MultipartFraming(boundary: Boundary("AaB03x")).contentType == "multipart/form-data; boundary=AaB03x")
        #expect(
            try MultipartFraming(boundary: Boundary("a b"), subtype: "mixed").contentType
                == "multipart/mixed; boundary=\"a b\"")
    }

    @Test("Defaults are RFC 7578's")
    func defaults() {
        let framing = MultipartFraming()
        #expect(framing.subtype == "form-data")
        #expect(framing.escaping == .whatwg)
        #expect(framing.ending == .closeDelimiter)
        #expect(framing.emptyForm == .closeDelimiter)
    }

    struct End: Sendable, CustomTestStringConvertible {
        var ending: MultipartFraming.Ending
        var emptyForm: MultipartFraming.EmptyForm
        var hasParts: Bool
        var expected: String
        var guardsAgainst: String
        var testDescription: String { self.guardsAgainst }
    }

    static let ends = [
        End(
            ending: .closeDelimiter, emptyForm: .closeDelimiter, hasParts: true, expected: "\r\n--b--\r\n",
            guardsAgainst: "a close delimiter without its CRLFs"),
        End(
            ending: .closeDelimiter, emptyForm: .closeDelimiter, hasParts: false, expected: "--b--\r\n",
            guardsAgainst: "a CRLF in front of a body without parts"),
        End(
            ending: .closeDelimiter, emptyForm: .nothing, hasParts: true, expected: "\r\n--b--\r\n",
            guardsAgainst: "an empty form's rule that bites when there are parts"),
        End(
            ending: .closeDelimiter, emptyForm: .nothing, hasParts: false, expected: "",
            guardsAgainst: "closing what Alamofire doesn't begin"),
        End(
            ending: .delimiter, emptyForm: .nothing, hasParts: true, expected: "\r\n--b\r\n",
            guardsAgainst: "closing what Facebook leaves open"),
        End(
            ending: .delimiter, emptyForm: .nothing, hasParts: false, expected: "",
            guardsAgainst: "a delimiter for no parts"),
    ]

    @Test("A body ends as its framing says", arguments: ends)
    func endings(row: End) throws {
        let framer = try PartFramer(
            MultipartFraming(boundary: Boundary("b"), ending: row.ending, emptyForm: row.emptyForm))
        var bytes: [UInt8] = []
        framer.appendEnd(afterParts: row.hasParts, to: &bytes)
        #expect(bytes == Array(row.expected.utf8))
    }

    @Test("The first delimiter has no CRLF in front, every later one has")
    func heads() throws {
        let framer = PartFramer(MultipartFraming(boundary: try Boundary("b"), escaping: .raw))
        var bytes: [UInt8] = []
        try framer.appendHead(of: PartHeader(name: "a"), isFirst: true, to: &bytes)
        #expect(bytes == Array("--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n".utf8))
        bytes = []
        try framer.appendHead(of: PartHeader(name: "\""), isFirst: false, to: &bytes)
        #expect(bytes == Array("\r\n--b\r\nContent-Disposition: form-data; name=\"\"\"\r\n\r\n".utf8))
        bytes = []
        try framer.appendHead(of: PartHeader(disposition: nil), isFirst: true, to: &bytes)
        #expect(bytes == Array("--b\r\n\r\n".utf8))
        bytes = []
        let fields = [try HeaderField("X", "1")]
        try framer.appendHead(of: PartHeader(disposition: nil, fields: fields), isFirst: false, to: &bytes)
        #expect(bytes == Array("\r\n--b\r\nX: 1\r\n\r\n".utf8))
    }

    @Test("A framing is made from a content type in words")
    func words() throws {
        let outer = try Boundary("outer")
        let related = try MultipartFraming(
            contentType: #"Multipart/Related ; type="a;b" ; boundary="x y"; start=<1>"#, boundary: outer)
        #expect(related.subtype == "Related" && related.boundary.text == "x y")
        #expect(try related.contentType == #"multipart/Related; type="a;b"; start=<1>; boundary="x y""#)
        #expect(try MultipartFraming(contentType: "multipart/mixed", boundary: outer).boundary == outer)
        for type in ["text/plain", "multipart/", "multipart", "", "multipart/a b", "multipart/mixed; boundary=ä"] {
            #expect(throws: FormworkError.self, "\(type)") { try MultipartFraming(contentType: type) }
        }
        // Each would hide the boundary behind it from a receiver that knows quotes.
        for parameter in [#"a="b"#, #"a=b"c"#, #"a="b"c"#, #"a"b=c"#, #"a="b\""#, "a", "=b", "a=b c"] {
            #expect(throws: FormworkError.self, "\(parameter)") {
                try MultipartFraming(contentType: "multipart/mixed; \(parameter)")
            }
        }
        // Each is, or has, another boundary for some receiver: as bytes, by RFC 2231, and by PHP's search for the word.
        for parameter in [
            "boundary=\u{301}x", "boundary*=us-ascii''evil", "boundary*0=evil", "boundary*0*=us-ascii''evil",
            "x-boundary=evil",
            #"x="boundary=evil""#, "BOUNDARY*=us-ascii''evil",
        ] {
            #expect(throws: FormworkError.self, "\(parameter)") {
                try MultipartFraming(contentType: "multipart/mixed; boundary=b; \(parameter)")
            }
            let framing = MultipartFraming(boundary: outer, parameters: parameter)
            #expect(throws: FormworkError.self, "\(parameter)") { try framing.contentType }
        }
        #expect(
            try refusal { _ = try MultipartFraming(boundary: outer, parameters: "x=boundary").contentType }
                == "\"x=boundary\" in \"multipart/form-data; x=boundary\" has the word \"boundary\", after which some "
                + "receivers look for the body's boundary: remove it")
        let parameters = try MultipartFraming(contentType: #"multipart/x; a="\";"; b=text/html;"#).parameters
        #expect(parameters == #"a="\";"; b=text/html"#)
        let evil = MultipartFraming(boundary: outer, parameters: "a=b\r\nEvil: 1")
        #expect(try refusal { _ = try evil.contentType }.contains("control character"))
    }

    @Test("A subtype that is no token is refused", arguments: ["", "form data", "a/b", "x\r\nEvil: 1", "x;y"])
    func subtypes(subtype: String) throws {
        let framing = MultipartFraming(boundary: try Boundary("b"), subtype: subtype)
        #expect(try refusal { _ = try framing.contentType } == "\"\(subtype)\" is not a multipart subtype.")
    }
}
