@testable import FormworkCore
import TestSupport
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

    @Test("A quote is escaped at every place of names of every length", arguments: [false, true])
    func quotes(inFilename: Bool) throws {
        let framer = PartFramer(MultipartFraming(boundary: try Boundary("b")))
        for count in 0...20 {
            for place in 0...count {
                let (start, rest) = (String(repeating: "a", count: place), String(repeating: "é", count: count - place))
                let (name, escaped) = ("\(start)\"\(rest)", "\(start)%22\(rest)")
                var bytes: [UInt8] = []
                let header = inFilename ? PartHeader(name: "n", filename: name) : PartHeader(name: name)
                try framer.appendHead(of: header, isFirst: true, to: &bytes)
                let parameters = inFilename ? "name=\"n\"; filename=\"\(escaped)\"" : "name=\"\(escaped)\""
                #expect(bytes == Array("--b\r\nContent-Disposition: form-data; \(parameters)\r\n\r\n".utf8))
            }
        }
    }

    struct Name: Sendable, CustomTestStringConvertible {
        var name: String
        var escaping: ParameterEscaping
        /// `nil` if it is refused.
        var written: String?
        var testDescription: String { "\(self.name.debugDescription) \(self.escaping)" }
    }

    static let writtenNames =
        ["", "field0000000", "a b!", "häfen", "~", "#", "eight888", "sixteen_sixteen_"].flatMap { name in
            ParameterEscaping.allCases.map { Name(name: name, escaping: $0, written: name) }
        } + [
            Name(name: "C:\\eight88", escaping: .whatwg, written: "C:\\eight88"),
            Name(name: "C:\\eight88", escaping: .backslash, written: "C:\\\\eight88"),
            Name(name: "C:\\eight88", escaping: .refuse, written: nil),
            Name(name: "eight888\u{0}", escaping: .whatwg, written: nil),
            Name(name: "eight888\u{0}", escaping: .raw, written: "eight888\u{0}"),
            Name(name: "eight888\n", escaping: .whatwg, written: "eight888%0A"),
            Name(name: "eight888\r", escaping: .backslash, written: nil),
            Name(name: "\"", escaping: .raw, written: "\""),
        ]

    @Test("Names are written by the rule, as name and as filename", arguments: writtenNames)
    func names(row: Name) throws {
        let framer = PartFramer(MultipartFraming(boundary: try Boundary("b"), escaping: row.escaping))
        for isFilename in [false, true] {
            let header = isFilename ? PartHeader(name: "n", filename: row.name) : PartHeader(name: row.name)
            guard let written = row.written else {
                var bytes: [UInt8] = []
                #expect(throws: FormworkError.self) { try framer.appendHead(of: header, isFirst: true, to: &bytes) }
                continue
            }
            var bytes: [UInt8] = []
            try framer.appendHead(of: header, isFirst: true, to: &bytes)
            let parameters = isFilename ? "name=\"n\"; filename=\"\(written)\"" : "name=\"\(written)\""
            #expect(bytes == Array("--b\r\nContent-Disposition: form-data; \(parameters)\r\n\r\n".utf8))
        }
    }

    @Test("A usual head and its text are appended in one step, and counted before")
    func usual() throws {
        let framer = PartFramer(MultipartFraming(boundary: try Boundary("b")))
        let file = PartHeader(name: "n", filename: "f.txt", contentType: "text/plain")
        var bytes = Array("before".utf8)
        #expect(framer.usualHeadCount(of: file, isFirst: true) == 93)
        #expect(framer.appendUsual(file, "text", isFirst: true, to: &bytes) == 93)
        let head = "Content-Disposition: form-data; name=\"n\"; filename=\"f.txt\"\r\nContent-Type: text/plain\r\n\r\n"
        #expect(bytes == Array("before--b\r\n\(head)text".utf8))
        bytes = []
        #expect(framer.usualHeadCount(of: PartHeader(name: "n"), isFirst: false) == 51)
        #expect(framer.appendUsual(PartHeader(name: "n"), isFirst: false, to: &bytes) == 51)
        #expect(bytes == Array("\r\n--b\r\nContent-Disposition: form-data; name=\"n\"\r\n\r\n".utf8))
    }

    static let unusualHeaders: [PartHeader] =
        [
            PartHeader(name: "a\""), PartHeader(name: "n", filename: "a\""), PartHeader(filename: "f"), PartHeader(),
            PartHeader(disposition: nil), PartHeader(disposition: .attachment, name: "n"),
            PartHeader(name: "n", transferEncoding: .binary),
            PartHeader(name: "n", contentType: "text/plain; charset=x"),
            PartHeader(name: "n", contentType: "text"), PartHeader(name: "n", contentType: ""),
            PartHeader(name: "n", contentType: "text/plain/x"),
        ] + ((try? HeaderField("X", "1")).map { [PartHeader(name: "n", fields: [$0])] } ?? [])

    @Test("An unusual head is neither counted nor appended in one step", arguments: unusualHeaders)
    func unusual(header: PartHeader) throws {
        let framer = PartFramer(MultipartFraming(boundary: try Boundary("b")))
        var bytes: [UInt8] = []
        #expect(framer.usualHeadCount(of: header, isFirst: false) == nil)
        #expect(framer.appendUsual(header, isFirst: false, to: &bytes) == nil)
        #expect(bytes.isEmpty)
    }

    @Test("Token bytes are those of RFC 9110")
    func tokens() {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$%&'*+-.^_`|~"
        #expect((0...UInt8.max).filter(\.isTokenByte) == letters.utf8.sorted())
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
        for type in ["multipart/mixed; boundary=a; boundary=b", "multipart/mixed; boundary=a; Boundary=\"a\""] {
            #expect(
                try refusal { _ = try MultipartFraming(contentType: type) }
                    == "\"\(type)\" has a boundary twice: leave one out")
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
