import FormworkCore
import Testing

/// Numbers that a caller, a file or a peer may give: none ends the process.
@Suite("Extreme numbers in the core", .timeLimit(.minutes(10)))
struct ExtremeNumbersTests {
    @Test(
        "A number of floating point becomes the nearest integer towards zero",
        arguments: [
            (0.0, 0), (-0.9, 0), (1.999, 1), (-1.5, -1), (1e15, 1_000_000_000_000_000),
            (9_223_372_036_854_774_784, 9_223_372_036_854_774_784), (9_223_372_036_854_775_808, .max), (1e300, .max),
            (.infinity, .max), (-9_223_372_036_854_775_808, .min), (-1e300, .min), (-.infinity, .min), (.nan, 0),
            (.leastNonzeroMagnitude, 0),
        ] as [(Double, Int64)])
    func clamping(number: Double, integer: Int64) {
        #expect(Int64(clamping: number) == integer)
    }

    @Test("Narrow integers clamp too")
    func narrow() {
        #expect(UInt8(clamping: 255.9) == 255 && UInt8(clamping: 256.0) == 255 && UInt8(clamping: -1.0) == 0)
        #expect(Int128(clamping: 1e300) == .max)
    }

    @Test("A duration to wait for is neither negative nor longer than 10⁹ seconds")
    func waits() {
        #expect(Duration.seconds(-1).asWait == .zero)
        #expect(Duration.milliseconds(250).asWait == .milliseconds(250))
        #expect(Duration.seconds(Int64.max).asWait == .seconds(1_000_000_000))
        #expect(Duration(attoseconds: .max).asWait == .seconds(1_000_000_000))
        #expect(Duration(attoseconds: .min).asWait == .zero)
        let start = ContinuousClock.now
        #expect(ContinuousClock.Instant.after(Duration(attoseconds: .max)) - start >= .seconds(1_000_000_000))
    }

    @Test("A negative number of bytes to look at is none")
    func headCounts() {
        func count(_ number: Int) -> Int {
            MediaTypeDetection(headCount: number) { _, _ in MediaTypeChoice("a/b", by: .content, reason: "") }.headCount
        }
        #expect(count(-1) == 0 && count(.min) == 0 && count(7) == 7 && count(.max) == 67_108_864)
    }

    @Test("The last number there is names a part")
    func references() {
        #expect(
            PartReference(index: .max, name: nil, enclosing: [0, .max]).description
                == "part 1.9223372036854775808.9223372036854775808")
    }

    @Test(
        "A negative limit is one of 0, in every chunk size", arguments: [-1, .min],
        [
            "headerBytes", "totalHeaderBytes", "headerCount", "nameBytes", "parts", "fields", "files", "totalBytes",
            "preambleBytes", "fieldBytes", "fileBytes",
        ])
    func limits(value: Int, name: String) throws {
        var limits = ParsingLimits()
        switch name {
        case "headerBytes": limits.headerBytes = value
        case "totalHeaderBytes": limits.totalHeaderBytes = value
        case "headerCount": limits.headerCount = value
        case "nameBytes": limits.nameBytes = value
        case "parts": limits.parts = value
        case "fields": limits.fields = value
        case "files": limits.files = value
        case "totalBytes": limits.totalBytes = Int64(value)
        case "preambleBytes": limits.preambleBytes = Int64(value)
        case "fieldBytes": limits.fieldBytes = Int64(value)
        default: limits.fileBytes = Int64(value)
        }
        let body = Array(
            ("before\r\n--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nvalue\r\n"
                + "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"g\"\r\n\r\nfile\r\n--b--\r\n").utf8)
        for size in [1, 7, body.count] {
            var parser = MultipartParser(boundary: try Boundary("b"), limits: limits)
            let error = #expect(throws: FormworkError.self, "chunks of \(size)") {
                for start in stride(from: 0, to: body.count, by: size) {
                    let chunk = Array(body[start...].prefix(size))
                    var position = 0
                    reading: while true {
                        switch try parser.next(in: chunk.span.bytes, from: &position) {
                        case .needsInput: break reading
                        default: continue
                        }
                    }
                }
                try parser.finish()
            }
            #expect(error?.code == .limitExceeded, "\(error?.description ?? "")")
        }
    }

    @Test("Content limited to fewer than no bytes is over at its first one")
    func contentLimit() throws {
        let body = Array("--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nvalue\r\n--b--\r\n".utf8)
        for limit in [-1, Int64.min] {
            var parser = MultipartParser(boundary: try Boundary("b"))
            var position = 0
            guard case .partBegan = try parser.next(in: body.span.bytes, from: &position) else {
                Issue.record("no part")
                return
            }
            parser.limitContent(to: limit)
            #expect(throws: FormworkError.self) { try parser.next(in: body.span.bytes, from: &position) }
        }
    }
}
