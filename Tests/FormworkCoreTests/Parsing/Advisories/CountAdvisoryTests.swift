import FormworkCore
import Testing

/// Published attacks by number: of parts, of header fields, of bytes that have to be kept.
@Suite("Advisories: counts", .timeLimit(.minutes(10))) struct CountAdvisoryTests {
    private static func field(_ name: String, _ value: String = "v") -> String {
        "--boundary\r\nContent-Disposition: form-data; name=\(name)\r\n\r\n\(value)\r\n"
    }

    /// The header of a part, in its delimiter's line.
    private static let head = "--boundary\r\nContent-Disposition: form-data; name=a"

    @Test("CVE-2023-24998, CVE-2023-25577, GHSA-qjxf-f2mg-c6mc: part 1,001 is one too many before its header is read")
    func parts() throws {
        let body = [UInt8](repeating: Array(Self.field("a").utf8), count: 1000) + Array("--boundary\r\n\0".utf8)
        let parsed = try parser().parse(body, chunk: 4096)
        #expect(parsed.failure == ParsingFailure(.partsLimit, limit: 1000))
        // All that came before was delivered, and the error is at the byte behind the delimiter.
        #expect(parsed.parts.count(where: \.isWhole) == 1000 && parsed.failureOffset == Int64(body.count - 1))
    }

    @Test("CVE-2023-30798: files and fields have limits of their own")
    func fieldsAndFiles() throws {
        var limits = ParsingLimits()
        (limits.fields, limits.files) = (2, 1)
        let parser = try parser("boundary", .default, limits)
        let (field, file) = (Self.field("a"), Self.field("a; filename=f"))
        #expect(parser.parse(field + file + field + "--boundary--").failure == nil)
        #expect(parser.parse(field + file + field + field).failure == ParsingFailure(.fieldsLimit, limit: 2))
        #expect(parser.parse(field + file + file).failure == ParsingFailure(.filesLimit, limit: 1))
    }

    @Test("CVE-2025-47287, CVE-2023-0662: the first error is the last thing that is told")
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
        "CVE-2024-29025, netty 13905: countless fields without an end to their chunk are bounded in number and in memory"
    )
    func bufferedFields() throws {
        let body = [UInt8](repeating: Array(Self.field("a", "").utf8), count: 2000)
        for chunk in [1, hostileChunk] {
            let parsed = try parser().parse(body, chunk: chunk)
            #expect(parsed.failure?.kind == .partsLimit)
            // One header section that isn't whole yet, or one delimiter.
            #expect(parsed.retained <= 43)
        }
    }

    @Test(
        "CVE-2025-48976, CVE-2026-42561, Deno 36096, CVE-2026-34516, GHSA-wpv5-97wm-hp9c: headers without an end fail without one",
        arguments: [
            ("X: y\r\n", ParsingFailure(.headerCountLimit, limit: 32)),
            ("X", ParsingFailure(.headerBytesLimit, limit: 16_384)),
            ("X-\(String(repeating: "y", count: 1000)): z\r\n", ParsingFailure(.headerBytesLimit, limit: 16_384)),
        ])
    func endlessHeaders(_ line: String, _ failure: ParsingFailure) throws {
        let parsed = try parser().parse("--boundary\r\n" + String(repeating: line, count: 30_000 / line.utf8.count))
        #expect(parsed.failure == failure && parsed.parts.isEmpty)
    }

    @Test(
        "aspnetcore 67838: a header limit is not begun anew with each chunk",
        arguments: ["X: y\r\n", "X", "X: yyyyyyyyy"])
    func limitsAreCumulative(_ line: String) throws {
        let body = [UInt8](Array("--boundary\r\n".utf8)) + [UInt8](filling: 20_000, with: line)
        let whole = try parser().parse(body)
        #expect(whole.failure?.limit != nil)
        for chunk in [1, 100, 4096, 16_383, 16_384] { #expect(try parser().parse(body, chunk: chunk) == whole) }
    }

    @Test("commons-fileupload 425: the header sections of all parts together have a limit")
    func totalHeaderBytes() throws {
        // 200 parts of 8 KiB each: no part is above its own limit.
        let padding = String(repeating: "x", count: 8150)
        let body = [UInt8](repeating: Array("\(Self.head)\r\nX: \(padding)\r\n\r\nv\r\n".utf8), count: 200)
        let parsed = try parser().parse(body, chunk: 4096)
        #expect(parsed.failure == ParsingFailure(.totalHeaderBytesLimit, limit: 1_048_576))
        #expect(parsed.parts.count == 127)
    }

    @Test("GHSA-p543-xpfm-54cp: a preamble is never stored")
    func preambleIsNotStored() throws {
        let body = [UInt8](repeating: 0x78, count: hostileSize) + Array("\r\n".utf8)
        let parsed = try parser("boundary", .default, .none).parse(body, chunk: 4096)
        #expect(parsed.retained <= 2 && parsed.failure?.kind == .unexpectedEnd)
    }

    @Test(
        """
        GHSA-w9pc-fmgc-vxvw, CVE-2024-47874, CVE-2023-26048, CVE-2026-34517, CVE-2024-49767: a field without a filename \
        fails at the first byte too many, not at its end
        """)
    func fieldBytes() throws {
        let start = Array("\(Self.head)\r\n\r\n".utf8)
        let body = start + [UInt8](repeating: 0x76, count: 1_048_577)
        for chunk in [4096, body.count] {
            let parsed = try parser().parse(body, chunk: chunk)
            #expect(parsed.failure == ParsingFailure(.fieldBytesLimit, limit: 1_048_576))
            #expect(parsed.failureOffset == Int64(start.count + 1_048_576))
            #expect(parsed.parts.map(\.content.count) == [1_048_576])
        }
    }

    @Test("multer 62, apollo router 9959: what a source lends is not kept, however much it has ready")
    func nothingPilesUp() throws {
        var parser = try parser("boundary", .default, .none)
        // Small parts with much header, which piled up, and one file.
        let parts = [UInt8](
            repeating: Array("\(Self.head)\r\nX: \(String(repeating: "y", count: 500))\r\n\r\nv\r\n".utf8), count: 500)
        let body = parts + formBody([UInt8](repeating: 0, count: hostileSize / 4))
        for start in stride(from: 0, to: body.count, by: 4096) {
            let chunk = body[start..<min(start + 4096, body.count)]
            var position = start
            // After each event: a caller that stops here holds one chunk and one header section.
            while try parser.next(in: chunk, from: &position) != .needsInput { #expect(parser.retainedBytes <= 562) }
            #expect(parser.retainedBytes <= 562)
        }
        try parser.finish()
    }
}
