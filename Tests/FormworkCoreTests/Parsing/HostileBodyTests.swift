import FormworkCore
import Testing

/// One test for each attack on a multipart parser that was published and concerns a machine without IO. Sizes are
/// small, because debug builds are slow; what must be linear is counted in events and retained bytes, and timed by the
/// benchmark.
@Suite struct HostileBodyTests {
    private static let delimiter = Array("\r\n--boundary".utf8)

    /// Contents that look like delimiters, or nearly.
    static let contents: [(String, [UInt8])] = [
        ("CVE-2023-46136: CR, then a long line", [0x0D] + [UInt8](repeating: 0, count: 5000)),
        ("CVE-2023-46136: LF, then a long line", [0x0A] + [UInt8](repeating: 0, count: 5000)),
        ("nothing but CR", [UInt8](repeating: 0x0D, count: 5000)),
        ("python-multipart 67: nothing but CRLF", [UInt8](repeating: [0x0D, 0x0A], count: 2500)),
        ("delimiters without their last byte", [UInt8](repeating: Array(delimiter.dropLast()), count: 400)),
        ("delimiters without their first byte", [UInt8](repeating: Array(delimiter.dropFirst()), count: 400)),
        ("delimiters with a wrong last byte", [UInt8](repeating: delimiter.dropLast() + [0x21], count: 400)),
        ("delimiters with a wrong middle", [UInt8](repeating: Array("\r\n--boXndary".utf8), count: 400)),
        ("delimiters that go on", [UInt8](repeating: delimiter + [0x58], count: 400)),
        ("delimiters with padding that go on", [UInt8](repeating: delimiter + Array(" \t \r".utf8), count: 400)),
        (
            "both anchors everywhere",
            [UInt8](repeating: [UInt8](repeating: 0x0D, count: 12) + [UInt8](repeating: 0x79, count: 12), count: 200)
        ),
    ]

    @Test(
        "Content that looks like delimiters comes back whole in linear events, and none of it is kept",
        arguments: contents.indices)
    func content(_ index: Int) throws {
        let (name, content) = Self.contents[index]
        let parser = try parser()
        let body = formBody(content)
        for chunk in [1, 7, 11, 12, 13, 64, 1000] {
            let parsed = parser.parse(body, chunk: chunk)
            #expect(parsed.failure == nil && parsed.parts.first?.content == content, "\(name) in chunks of \(chunk)")
            #expect(parsed.retained <= max(92, chunk == 1 ? 92 : 0), "\(name) keeps \(parsed.retained) bytes")
        }
        var counting = parser
        var events = 0
        for start in stride(from: 0, to: body.count, by: 100) {
            var position = start
            while try counting.next(in: body[start..<min(start + 100, body.count)], from: &position) != .needsInput {
                events += 1
            }
        }
        #expect(events <= 2 * (body.count / 100 + 1) + 3, "\(name): \(events) events")
    }

    @Test("CVE-2024-53981, CVE-2026-40347, cpp-httplib 2557: a long preamble and a long epilogue are skipped, not kept")
    func preambleAndEpilogue() throws {
        var limits = ParsingLimits()
        limits.preambleBytes = 10_000
        let parser = try parser("boundary", .default, limits)
        for filler in ["\r\n", "\r", "x", "--boundar\r\n"] {
            let noise = [UInt8](repeating: Array(filler.utf8), count: 9000 / filler.utf8.count)
            let body = noise + Array("\r\n".utf8) + formBody([0x76]) + noise
            let parsed = parser.parse(body, chunk: 100)
            #expect(
                parsed.failure == nil && parsed.parts.count == 1 && parsed.retained < 100, "\(filler.debugDescription)")
            let endless = parser.parse(noise + noise, chunk: 100)
            #expect(endless.failure?.kind == .preambleBytesLimit && endless.retained < 100)
        }
    }

    @Test("aiohttp 13652: the preamble counts into the whole body's limit")
    func preambleCounts() throws {
        var limits = ParsingLimits()
        limits.totalBytes = 100
        let parsed = try parser("boundary", .default, limits).parse([UInt8](repeating: 0x78, count: 200))
        #expect(parsed.failure?.kind == .totalBytesLimit && parsed.failureOffset == 100)
    }

    @Test(
        "CVE-2016-3092, CVE-2014-0050, CVE-2024-8925: boundaries around any buffer's size",
        arguments: [1, 2, 15, 16, 17, 69, 70, 71, 255, 4091, 4096, 8192, 65535])
    func longBoundaries(_ count: Int) throws {
        let boundary = String(repeating: "b", count: count)
        let type = "multipart/form-data; boundary=\(boundary)"
        guard count <= 70 else {
            let error = try #require(throws: FormworkError.self) { try MultipartParser(contentType: type) }
            #expect(error.parsingFailure == ParsingFailure(.boundaryLengthLimit, limit: 70))
            #expect(error.code == .limitExceeded)
            return
        }
        let body = formBody(Array("\r\n--\(boundary.dropLast())\r\n".utf8), boundary: boundary)
        let parser = try MultipartParser(contentType: type)
        let whole = parser.parse(body)
        #expect(whole.failure == nil && whole.parts.count == 1)
        #expect(parser.parse(body, chunk: 1) == whole)
    }

    @Test("CVE-2015-4024: a header of one-byte folds is refused at the header limit")
    func folds() throws {
        let body = Array("--boundary\r\nX: y".utf8) + [UInt8](repeating: Array("\r\n z".utf8), count: 10_000)
        for chunk in [1, 1000, body.count] {
            let parsed = try parser().parse(body, chunk: chunk)
            #expect(parsed.failure == ParsingFailure(.headerBytesLimit, limit: 16_384))
            #expect(parsed.retained <= 16_384)
        }
    }

    @Test(
        "CVE-2025-49007, CVE-2024-24762, CVE-2025-67725: no header value takes more than linear time",
        arguments: [";", "\"", "\\", "=", "'", "%", " ", "\";", "\\\"", "a=", "; a=\"", "\" ", "\r\n "])
    func headerValues(_ unit: String) throws {
        var limits = ParsingLimits()
        limits.headerBytes = 1 << 20
        let value = String(repeating: unit, count: 20_000 / unit.utf8.count)
        for head in ["form-data; name=", "form-data; name=\"", "form-data; name=a; filename*=", ""] {
            let body = "--boundary\r\nContent-Disposition: \(head)\(value)\r\n\r\n\r\n--boundary--"
            let started = ContinuousClock.now
            let parsed = try parser("boundary", .default, limits).parse(body)
            _ = parsed.parts.first?.header.filename
            _ = parsed.parts.first?.header.name
            #expect(ContinuousClock.now - started < .seconds(2))
            _ = try? parser("boundary\(value)")
        }
    }

    @Test("CVE-2025-48976 and five like it: endless headers fail before an empty line, the same for every cut")
    func endlessHeaders() throws {
        for line in ["X: y\r\n", "X", "X-\(String(repeating: "y", count: 100)): z\r\n"] {
            let body =
                Array("--boundary\r\n".utf8) + [UInt8](repeating: Array(line.utf8), count: 20_000 / line.utf8.count)
            let whole = try parser().parse(body)
            #expect(whole.failure?.limit != nil)
            // aspnetcore 67838: the limit is not begun anew with each chunk.
            for chunk in [1, 100, 16_384] { #expect(try parser().parse(body, chunk: chunk) == whole) }
        }
    }

    @Test("CVE-2025-47287, CVE-2023-0662: the first error is final")
    func firstErrorIsFinal() throws {
        var parser = try parser()
        let body = Array("--boundary\r\nno colon\r\n\r\nv\r\n--boundary\r\nno colon\r\n\r\n".utf8)
        var position = 0
        let first = try #require(throws: FormworkError.self) { try parser.next(in: body, from: &position) }
        for chunk in [body, formBody([]), []] {
            var position = 0
            let error = try #require(throws: FormworkError.self) { try parser.next(in: chunk, from: &position) }
            #expect(error.parsingFailure == first.parsingFailure && error.offset == first.offset)
        }
        #expect(failure(of: { try parser.finish() }) == first.parsingFailure)
    }

    @Test(
        "CVE-2022-24434: names that are members of objects elsewhere are names",
        arguments: ["__proto__", "constructor", "hasOwnProperty"])
    func objectMembers(_ name: String) throws {
        let parsed = try parser("b").parse(
            "--b\r\nContent-Disposition: form-data; name=\(name); filename=\"\(name)\"\r\n\(name): x\r\n\r\n\r\n--b--"
        )
        #expect(parsed.parts.first?.header.name == name && parsed.parts.first?.header.values(of: name) == ["x"])
    }

    @Test("leptos 4718, CVE-2023-27371, actix 4024: a malformed Content-Type is an error, never a trap")
    func contentTypes() throws {
        var generator = SplitMix64(seed: 11)
        let pieces = [
            "multipart/", "form-data", ";", "boundary", "=", "\"", "\\", "a", " ", "\r\n", "\0", "é", ",", "", "-",
        ]
        for _ in 0..<2000 {
            let text = (0..<Int.random(in: 0...9, using: &generator)).map { _ in
                pieces.randomElement(using: &generator)!
            }
            .joined()
            for profile in [ParsingProfile.default, .generic] {
                do throws(FormworkError) {
                    _ = try MultipartParser(contentType: text, profile: profile)
                } catch {
                    #expect(error.parsingFailure != nil)
                }
            }
        }
        for value in ["\"a\0b\"", "\"a\r\nb\"", "\"a \"", "\"\"", "é", "a b", "", "\" \""] {
            #expect(failure(of: { _ = try parser(value) })?.kind == .invalidBoundaryParameter, "\(value)")
        }
    }

    @Test("CVE-2017-5638: an error's text can't break a log line")
    func errorText() throws {
        let error = try #require(throws: FormworkError.self) {
            try MultipartParser(contentType: "multipart/form-data\u{1B}[2J\r\n; x=%{(#a)}")
        }
        #expect(!error.description.unicodeScalars.contains { $0.value < 0x20 })
        #expect(error.description.utf8.count < 200)
    }

    @Test("CVE-2022-48279, WAFFLED: tricks that hide a part from another receiver are errors or content, never silence")
    func smuggling() throws {
        let part = "\r\nContent-Disposition: form-data; name=\"admin\"\r\n\r\n1"
        for (line, isContent) in [
            ("\n--boundary", true), ("\r--boundary", true), ("\r\n--BOUNDARY", true), ("\r\n --boundary", true),
            ("\r\n--boundary--x", false), ("\r\n--boundary--\n", false), ("\r\n--boundary--\r\r\n", false),
        ] {
            let parsed = try parser().parse(formBody(Array("x\(line)\(part)".utf8)))
            if isContent {
                #expect(parsed.parts.map(\.content) == [Array("x\(line)\(part)".utf8)], "\(line.debugDescription)")
            } else {
                #expect(parsed.failure?.kind == .malformedBoundaryLine, "\(line.debugDescription)")
            }
        }
    }

    @Test("CVE-2024-30251, CVE-2018-16789, busboy 296: every truncation is told, with where and how far")
    func truncation() throws {
        let body = formBody(Array("value".utf8))
        for count in 0..<(body.count - 2) {
            let parsed = try parser().parse(Array(body[..<count]))
            #expect(parsed.failure?.kind == .unexpectedEnd && parsed.failureOffset == Int64(count))
        }
        var parser = try parser()
        let error = try #require(throws: FormworkError.self) { try parser.finish() }
        #expect(error.code == .truncatedBody)
        #expect(
            error.message == "The body ended after 0 bytes, without a line --boundary: is this the body's boundary?")
    }
}

extension [UInt8] {
    /// `unit` over and over.
    init(repeating unit: [UInt8], count: Int) { self = Array(repeatElement(unit, count: count).joined()) }
}
