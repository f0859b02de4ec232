import FormworkCore
import Testing

/// Published attacks on the time that a parser takes to find the end of something.
///
/// No test asserts a time: what must be linear runs over inputs on which a quadratic parser would not come back within
/// the limit, and what is retained and told is counted.
@Suite("Advisories: scanning", .timeLimit(.minutes(10))) struct ScanningAdvisoryTests {
    private static let delimiter = "\r\n--boundary"

    @Test("CVE-2023-46136: a part that begins with CR or LF and has no other is not looked at twice")
    func leadingLineEnd() throws {
        for first: UInt8 in [0x0D, 0x0A] {
            try expectLinear([first] + [UInt8](repeating: 0, count: hostileSize), "\(first), then zeros")
        }
    }

    @Test(
        "multipart-kit 5: chunks that end within what could be a delimiter are not kept",
        arguments: [
            ("\r", "CR"), ("\n", "LF"), (String(delimiter.dropLast()), "delimiters without their last byte"),
            ("\n--boundary", "delimiters without their first byte"),
            ("\(delimiter.dropLast())!", "delimiters with a wrong last byte"),
            ("\r\n--boXndary", "delimiters with a wrong middle"), ("\(delimiter)X", "delimiters that go on"),
            ("\(delimiter) \t \rX", "delimiters with padding that go on"),
            ("\r\r\r\r\r\r\r\r\r\r\r\ryyyyyyyyyyyy", "both anchors of the search everywhere"),
        ])
    func partialDelimiters(_ unit: String, _ what: String) throws {
        try expectLinear([UInt8](filling: hostileSize / 4, with: unit), what)
        // Each chunk ends in the same half delimiter.
        let half = unit.utf8.count / 2 + 1
        try expectLinear([UInt8](filling: 1 << 14, with: unit), chunk: half, "\(what) in chunks of \(half)")
    }

    @Test("python-multipart 67: content of CRLF alone gives no event for each line")
    func lineBreaks() throws {
        for chunk in [63, 64, 4096] {
            try expectLinear([UInt8](filling: hostileSize / 2, with: "\r\n"), chunk: chunk, "CRLF")
        }
    }

    /// What stood before the first or behind the last delimiter there.
    private static let noise = ["\r\n", "\r", "\n", "x", "--boundar\r\n", "\r\n--boundary!"]

    @Test("CVE-2024-53981, CVE-2026-40347: a long epilogue is skipped without a word", arguments: noise)
    func epilogue(_ unit: String) throws {
        let parsed = try parser("boundary", .default, .none)
            .parse(formBody([0x76]) + [UInt8](filling: hostileSize, with: unit), chunk: 4096)
        #expect(parsed.failure == nil && parsed.isFinished && parsed.parts.map(\.content) == [[0x76]])
        // Less than a chunk of it: nothing of the epilogue.
        #expect(parsed.retained < 100)
    }

    @Test(
        "CVE-2024-53981, CVE-2026-40347: a long preamble is skipped, and an error as soon as a limit says so",
        arguments: noise)
    func preamble(_ unit: String) throws {
        let noise = [UInt8](filling: hostileSize, with: unit)
        let body = noise + Array("\r\n".utf8) + formBody([0x76])
        // Lines that begin with the delimiter and aren't one are refused unless this is asked for.
        var profile = ParsingProfile.default
        profile.skipsPreambleDelimiters = true
        let skipped = try parser("boundary", profile, .none).parse(body, chunk: 4096)
        #expect(skipped.failure == nil && skipped.parts.map(\.content) == [[0x76]] && skipped.retained < 100)
        let refused = try parser().parse(body, chunk: 4096)
        #expect(refused.failure == ParsingFailure(.preambleBytesLimit, limit: 16_384))
        #expect(try #require(refused.failureOffset) <= 16_384 + 2, "the CRLF of a body's start is a delimiter's")
    }

    @Test("cpp-httplib 2557: a body in which the boundary never stands is neither kept nor looked at again")
    func noBoundary() throws {
        let body = [UInt8](filling: hostileSize, with: "\r\n--boundarx")
        let parsed = try parser("boundary", .default, .none).parse(body, chunk: hostileChunk)
        #expect(parsed.failure?.kind == .unexpectedEnd && parsed.parts.isEmpty && parsed.retained <= 12)
        #expect(try parser().parse(body, chunk: hostileChunk).failure?.kind == .preambleBytesLimit)
    }

    @Test("aiohttp 13652: the preamble counts into the whole body's limit and has one of its own")
    func preambleCounts() throws {
        var limits = ParsingLimits()
        limits.totalBytes = 100
        let total = try parser("boundary", .default, limits).parse([UInt8](repeating: 0x78, count: 200))
        #expect(total.failure == ParsingFailure(.totalBytesLimit, limit: 100) && total.failureOffset == 100)
        limits.preambleBytes = 50
        let own = try parser("boundary", .default, limits).parse([UInt8](repeating: 0x78, count: 200))
        #expect(own.failure == ParsingFailure(.preambleBytesLimit, limit: 50) && own.failureOffset == 50)
    }

    @Test(
        "CVE-2016-3092, CVE-2014-0050, CVE-2024-8925: a boundary around any buffer's size is refused, or read like another",
        arguments: [69, 70, 71, 255, 4091, 4096, 8192, 65535])
    func longBoundaries(_ count: Int) throws {
        let boundary = String(repeating: "b", count: count)
        let type = "multipart/form-data; boundary=\(boundary)"
        if count > 70 {
            let error = try #require(throws: FormworkError.self) { try MultipartParser(contentType: type) }
            #expect(error.parsingFailure == ParsingFailure(.boundaryLengthLimit, limit: 70))
            #expect(error.code == .limitExceeded)
        }
        var limits = ParsingLimits()
        limits.boundaryLength = 65535
        let parser = try MultipartParser(contentType: type, limits: limits)
        let content = Array("\r\n--\(boundary.dropLast())\r\n".utf8)
        let body = formBody(content, boundary: boundary)
        let whole = parser.parse(body)
        #expect(whole.failure == nil && whole.parts.map(\.content) == [content])
        for chunk in [1, 4096] { #expect(parser.parse(body, chunk: chunk) == whole) }
    }

    @Test(
        "CVE-2015-4024: a header folded over countless lines is refused at the limit, and joined in linear time below it"
    )
    func folds() throws {
        let section = "Content-Disposition: form-data; name=a\r\nX: y"
        let folds = [UInt8](filling: hostileSize, with: "\r\n z")
        for chunk in [1, 1000, hostileSize] {
            let parsed = try parser().parse(Array("--boundary\r\n\(section)".utf8) + folds, chunk: chunk)
            #expect(parsed.failure == ParsingFailure(.headerBytesLimit, limit: 16_384))
            #expect(parsed.retained <= 16_384)
        }
        let body = Array("--boundary\r\n\(section)".utf8) + folds + Array("\r\n\r\n\r\n--boundary--".utf8)
        let joined = try parser("boundary", .default, .none).parse(body, chunk: 4096)
        let values = try #require(joined.parts.first).header.values(of: "x")
        #expect(values.map(\.utf8.count) == [1 + 2 * (folds.count / 4)])
    }

    /// What regular expressions for parameters went back and forth over.
    private static let units = [
        ";", "\"", "\\", "=", "'", "%", " ", "\t", ",", "\";", "\\\"", "a=", "; a=\"", "\" ", "; ", "\\\\", "\r\n ",
    ]

    @Test(
        "CVE-2025-49007, CVE-2022-44570, CVE-2022-44571, CVE-2022-44572: no Content-Disposition takes long",
        arguments: units)
    func dispositions(_ unit: String) throws {
        let value = String(decoding: [UInt8](filling: hostileSize / 8, with: unit), as: UTF8.self)
        for head in ["form-data; name=", "form-data; name=\"", "form-data; name=a; filename*=", ""] {
            let body = "--boundary\r\nContent-Disposition: \(head)\(value)\r\n\r\n\r\n--boundary--"
            for profile in [ParsingProfile.default, .whatwg] {
                let parsed = try parser("boundary", profile, .none).parse(body)
                // Whatever it is, it is told: a part or an error.
                #expect((parsed.failure == nil) == (parsed.parts.count == 1))
                _ = parsed.parts.first.map { ($0.header.filename, $0.header.name, $0.header.safeFilename) }
            }
        }
    }

    @Test("CVE-2024-24762: no Content-Type takes long", arguments: units)
    func contentTypes(_ unit: String) {
        let value = String(decoding: [UInt8](filling: hostileSize / 8, with: unit), as: UTF8.self)
        for type in ["multipart/form-data\(value)", "multipart/form-data; boundary=\(value)", value] {
            #expect(failure(of: { _ = try MultipartParser(contentType: type, limits: .default) }) != nil)
        }
    }

    @Test("CVE-2025-67725, CVE-2025-67726: thousands of header lines and thousands of parameters are read once each")
    func manyParameters() throws {
        let lines = [UInt8](filling: hostileSize / 4, with: "X-A: b\r\n")
        let parameters = String(decoding: [UInt8](filling: hostileSize / 4, with: "; x=\"y\""), as: UTF8.self)
        let head = Array("--boundary\r\n".utf8) + lines
        let tail = Array("Content-Disposition: form-data; name=a\(parameters)\r\n\r\n\r\n--boundary--".utf8)
        for chunk in [hostileChunk, hostileSize] {
            let parsed = try parser("boundary", .default, .none).parse(head + tail, chunk: chunk)
            #expect(parsed.failure == nil && parsed.parts.map(\.header.name) == ["a"])
        }
        #expect(try parser().parse(head + tail).failure == ParsingFailure(.headerCountLimit, limit: 32))
    }

    @Test("fastify/busboy 72: a header line without a colon is an error, however long it is")
    func noColon() throws {
        for line in ["a", " ", "a ", ":", "\t"] {
            let body =
                Array("--boundary\r\n".utf8) + [UInt8](filling: hostileSize, with: line) + Array("\r\n\r\n".utf8)
            #expect(try parser("boundary", .default, .none).parse(body).failure?.kind == .malformedHeader)
            #expect(try parser().parse(body).failure?.kind == .headerBytesLimit)
        }
    }

    @Test(
        "CVE-2026-53538, CVE-2026-53539, CVE-2026-53540: what a part says of its length is not believed",
        arguments: ["-1", "0", "18446744073709551616", "1e9", "5, 6", ""])
    func contentLength(_ length: String) throws {
        let parsed = try parser("b").parse(
            "--b\r\nContent-Disposition: form-data; name=a\r\nContent-Length: \(length)\r\n\r\nvalue\r\n--b--")
        #expect(parsed.failure == nil && parsed.parts.map(\.content) == [Array("value".utf8)])
    }
}
