import FormworkCore
import TestSupport
import Testing

/// The form of `Fixtures/clients/README.md` as each client sent it. The field is named `näme "q" %0A` and the file
/// `flä "q" 50% \b.txt`: a row says what is left of that.
@Suite(.timeLimit(.minutes(10))) struct ClientBodyTests {
    struct Row: Sendable, CustomStringConvertible {
        var client: String
        /// The awkward field's name, read by the default profile.
        var name: String
        /// The file's name, read by the default profile.
        var filename: String
        /// Both with ``ParsingProfile/decodesPercentEscapes``, which takes the name's own `%0A` for a line feed.
        var decodedName = "näme \"q\" \n"
        var decodedFilename = #"flä "q" 50% \b.txt"#
        /// The types of fields, of the file, and of the part that no file was chosen for.
        var types: (String?, String?, String?)
        /// How that part comes: with `filename=""`, without a filename, or not at all.
        var unfilled = Unfilled.file
        var description: String { self.client }
    }

    enum Unfilled { case file, field, absent }

    private static let bytes = "application/octet-stream"
    private static let utf8 = "text/plain; charset=UTF-8"

    static let rows = [
        // Browsers, and what follows WHATWG as they do: %22, a backslash as it is.
        Row(
            client: "chromium-fetch", name: "näme %22q%22 %0A", filename: #"flä %22q%22 50% \b.txt"#,
            types: (nil, "text/plain", bytes)),
        Row(
            client: "chromium-form", name: "näme %22q%22 %0A", filename: #"flä %22q%22 50% \b.txt"#,
            types: (nil, "text/plain", bytes)),
        Row(
            client: "firefox-fetch", name: "näme %22q%22 %0A", filename: #"flä %22q%22 50% \b.txt"#,
            types: (nil, "text/plain", bytes)),
        Row(
            client: "firefox-form", name: "näme %22q%22 %0A", filename: #"flä %22q%22 50% \b.txt"#,
            types: (nil, "text/plain", bytes)),
        Row(
            client: "curl", name: "näme %22q%22 %0A", filename: #"flä %22q%22 50% \b.txt"#,
            types: (nil, "text/plain", bytes)),
        Row(
            client: "php-curl", name: "näme %22q%22 %0A", filename: #"flä %22q%22 50% \b.txt"#,
            types: (nil, "text/plain", bytes)),
        // Node leaves an empty filename out.
        Row(
            client: "node-fetch", name: "näme %22q%22 %0A", filename: #"flä %22q%22 50% \b.txt"#,
            types: (nil, "text/plain", bytes), unfilled: .field),
        Row(
            client: "requests", name: "näme %22q%22 %0A", filename: #"flä %22q%22 50% \b.txt"#,
            types: (nil, nil, nil)),
        Row(
            client: "urllib3", name: "näme %22q%22 %0A", filename: #"flä %22q%22 50% \b.txt"#,
            types: (nil, "text/plain", bytes)),
        Row(
            client: "mojolicious", name: "näme %22q%22 %0A", filename: #"flä %22q%22 50% \b.txt"#,
            types: (nil, nil, nil)),
        Row(
            client: "okhttp", name: "näme %22q%22 %0A", filename: #"flä %22q%22 50% \b.txt"#,
            types: (nil, "text/plain", bytes)),
        Row(
            client: "httparty", name: #"näme "q" %0A"#, filename: #"flä %22q%22 50% \b.txt"#,
            types: (nil, "text/plain", nil), unfilled: .absent),

        // Two rules at once: %22, and a backslash doubled. Without a `\"` nothing tells the pair from two backslashes.
        Row(
            client: "httpx", name: "näme %22q%22 %0A", filename: #"flä %22q%22 50% \\b.txt"#,
            decodedFilename: #"flä "q" 50% \\b.txt"#, types: (nil, "text/plain", nil), unfilled: .field),
        Row(
            client: "urllib3-1", name: "näme %22q%22 %0A", filename: #"flä %22q%22 50% \\b.txt"#,
            decodedFilename: #"flä "q" 50% \\b.txt"#, types: (nil, "text/plain", bytes)),

        // Quoted pairs, which come back as they were.
        Row(
            client: "curl-form-escape", name: #"näme "q" %0A"#, filename: #"flä "q" 50% \b.txt"#,
            types: (nil, "text/plain", bytes)),
        Row(
            client: "go", name: #"näme "q" %0A"#, filename: #"flä "q" 50% \b.txt"#, types: (nil, bytes, bytes)),
        Row(
            client: "net-http", name: #"näme "q" %0A"#, filename: #"flä "q" 50% \b.txt"#, types: (nil, bytes, bytes)),
        Row(
            client: "http-rb", name: #"näme "q" %0A"#, filename: #"flä "q" 50% \b.txt"#, types: (nil, bytes, bytes)),
        Row(
            client: "lwp", name: #"näme "q" %0A"#, filename: #"flä "q" 50% \b.txt"#,
            types: (nil, "text/plain", nil), unfilled: .absent),
        Row(
            client: "aiohttp-unquoted", name: #"näme "q" %0A"#, filename: #"flä "q" 50% \b.txt"#,
            types: ("text/plain; charset=utf-8", "text/plain", bytes)),
        Row(
            client: "apache-httpclient-rfc6532", name: #"näme "q" %0A"#, filename: #"flä "q" 50% \b.txt"#,
            types: (utf8, bytes, bytes)),
        Row(
            client: "apache-httpclient-browser", name: #"näme "q" %0A"#, filename: #"flä "q" 50% \b.txt"#,
            types: (nil, bytes, bytes)),
        // It lost the letters itself.
        Row(
            client: "apache-httpclient", name: #"n?me "q" %0A"#, filename: #"fl? "q" 50% \b.txt"#,
            decodedName: "n?me \"q\" \n", decodedFilename: #"fl? "q" 50% \b.txt"#, types: (utf8, bytes, bytes)),
        // Its name is name*= alone, in which %0A is %250A: nothing is left to guess.
        Row(
            client: "reqwest", name: #"näme "q" %0A"#, filename: #"flä "q" 50% \b.txt"#,
            decodedName: #"näme "q" %0A"#, types: (nil, nil, nil)),
        // It can't send the ä, and escapes a filename as in a URL: the same bytes as a file of that name.
        Row(
            client: "aiohttp", name: #"name "q" %0A"#, filename: "fl%C3%A4%20%22q%22%2050%25%20%5Cb.txt",
            decodedName: "name \"q\" \n", decodedFilename: #"fl%C3%A4%20"q"%2050%25%20%5Cb.txt"#,
            types: ("text/plain; charset=utf-8", "text/plain", bytes)),

        // Not escaped at all: a quote closes only where a parameter or nothing follows.
        Row(
            client: "wget", name: #"näme "q" %0A"#, filename: #"flä "q" 50% \b.txt"#, types: (nil, bytes, nil)),
        Row(
            client: "rest-client", name: #"näme "q" %0A"#, filename: #"flä "q" 50% \b.txt"#,
            types: (nil, "text/plain", nil), unfilled: .absent),
        Row(
            client: "multipart-post", name: #"näme "q" %0A"#, filename: #"flä "q" 50% \b.txt"#,
            types: (nil, "text/plain", bytes)),
    ]

    /// A part as far as rows speak of it.
    private struct Part: Equatable, CustomStringConvertible {
        var name: String?
        var filename: String?
        var type: String?
        var content: [UInt8]

        init(_ name: String, filename: String? = nil, type: String?, _ content: [UInt8]) {
            (self.name, self.filename, self.type, self.content) = (name, filename, type, content)
        }

        init(_ part: ParsedBody.Part) {
            (self.name, self.filename) = (part.header.name, part.header.filename)
            (self.type, self.content) = (part.header.contentType, part.content)
        }

        var description: String {
            "name \(self.name ?? "nil"), filename \(self.filename ?? "nil"), \(self.type ?? "nil"), \(self.content)"
        }
    }

    private static func parts(_ row: Row, name: String, filename: String) -> [Part] {
        let file = Array(UInt8.min...UInt8.max) + [0x0D, 0x0A, 0x2D, 0x2D]
        let (text, type, unfilledType) = row.types
        var parts = [
            Part("title", type: text, Array("Grüße & \"more\"".utf8)), Part(name, type: text, Array("awkward".utf8)),
            Part("empty", type: text, []), Part("lines", type: text, Array("one\r\ntwo\r\n\r\nthree".utf8)),
            Part("file", filename: filename, type: type, file),
        ]
        switch row.unfilled {
        case .file: parts.append(Part("nothing", filename: "", type: unfilledType, []))
        case .field: parts.append(Part("nothing", type: unfilledType, []))
        case .absent: break
        }
        // Mojolicious sorts its parts.
        return row.client == "mojolicious" ? [2, 4, 3, 5, 1, 0].map { parts[$0] } : parts
    }

    @Test("Every capture has a row, and every row a capture")
    func rowsAndCaptures() throws {
        #expect(try Set(ClientCapture.all().map(\.client)) == Set(Self.rows.map(\.client)))
    }

    @Test("A client's form is read as the client meant it, or as it can be read at all, whole and cut", arguments: rows)
    func client(_ row: Row) throws {
        let capture = try #require(try ClientCapture.all().first { $0.client == row.client })
        let body = try capture.bytes()
        let parser = try MultipartParser(contentType: capture.contentType)
        let whole = parser.parse(body)
        #expect(whole.failure == nil)
        #expect(whole.isFinished)
        #expect(whole.parts.map(Part.init) == Self.parts(row, name: row.name, filename: row.filename))
        #expect(parser.parse(body, chunk: 1) == whole, "byte by byte")
        for cut in body.indices { #expect(parser.parse(body, cut: cut) == whole, "cut before byte \(cut)") }
    }

    @Test("With percent escapes decoded, names that browsers escaped come back", arguments: rows)
    func decoded(_ row: Row) throws {
        let capture = try #require(try ClientCapture.all().first { $0.client == row.client })
        var profile = ParsingProfile.default
        profile.decodesPercentEscapes = true
        let parsed = try MultipartParser(contentType: capture.contentType, profile: profile).parse(capture.bytes())
        #expect(
            parsed.parts.map(Part.init) == Self.parts(row, name: row.decodedName, filename: row.decodedFilename))
    }

    @Test("A file's name is safe to create whatever the client wrote for its quotes and its backslash")
    func safeFilenames() throws {
        let names = try ClientCapture.all().flatMap { capture in
            try MultipartParser(contentType: capture.contentType).parse(capture.bytes()).parts
                .compactMap { $0.header.safeFilename }
        }
        // Those whose filename ends in `\b.txt`, and aiohttp's.
        #expect(Set(names) == ["b.txt", "fl%C3%A4%20%22q%22%2050%25%20%5Cb.txt"])
    }
}
