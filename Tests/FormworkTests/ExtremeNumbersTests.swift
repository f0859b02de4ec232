@testable import Formwork
import TestSupport
import Testing

/// Numbers that a caller, a file or a peer may give: none ends the process.
@Suite("Extreme numbers in plans, readers and received bodies", .timeLimit(.minutes(10)))
struct ExtremeNumbersTests {
    private static let type = "multipart/form-data; boundary=b"
    private static let body = "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nvalue\r\n--b--\r\n"

    private func plan(_ value: String = "value") throws -> BodyPlan {
        var form = FormData(framing: MultipartFraming(boundary: try Boundary("b")))
        form.append(name: "a", value: value)
        return try form.plan()
    }

    @Test("A read may ask for any number of bytes", arguments: [Int.max, 1 << 46, 0, -1, .min])
    func reads(count: Int) throws {
        let reader = try self.plan().makeReader()
        let bytes = try reader.read(upTo: count)
        #expect(String(decoding: bytes, as: UTF8.self) == (count > 0 ? Self.body : ""))
    }

    @Test("Chunks may have any size", arguments: [Int.max, 1 << 46, 0, -1, .min])
    func chunks(size: Int) async throws {
        var chunks: [[UInt8]] = []
        for try await chunk in try self.plan().chunks(of: size) { chunks.append(chunk) }
        #expect(String(decoding: chunks.joined(), as: UTF8.self) == Self.body)
        #expect(chunks.count == (size > 0 ? 1 : Self.body.utf8.count))
    }

    @Test("A length that somebody claims takes no memory beforehand", arguments: [Int64.max, 1 << 46])
    func claimedLengths(length: Int64) async throws {
        func source() -> BodySource { .chunks(once: ChunkSource([[1, 2, 3]]), length: length) }
        await expect(.lengthMismatch) { try await source().bytes(upTo: .max) }
        let stream = BodySource.stream(once: ShortStream(), length: length)
        expect(.lengthMismatch) { try BodyPlan(copying: stream).bytes(upTo: .max) }
    }

    private final class ShortStream: ByteStream {
        func read(into buffer: inout MutableRawSpan) -> Int { 0 }
    }

    @Test("Fewer than no parts are none")
    func negativeCount() throws {
        for isMeasured in [true, false] {
            var form = FormData(framing: MultipartFraming(boundary: try Boundary("b")))
            form.append(PartSequence(count: -1, isMeasured: isMeasured) { _ in BodyPart(name: "a", value: "") })
            #expect(try String(decoding: form.plan().bytes(upTo: 100), as: UTF8.self) == "--b--\r\n")
        }
    }

    @Test("More parts than can be counted are an error")
    func countlessParts() throws {
        let all = PartSequence(count: .max, isMeasured: false) { _ in BodyPart(name: "a", value: "") }
        var form = FormData()
        form.append(all)
        _ = try form.plan()
        var two = form
        two.append(all)
        expect(.invalidArgument) { try two.plan() }
        form.append(name: "one", value: "more")
        expect(.invalidArgument) { try form.plan() }
    }

    /// A body whose length isn't known can be begun at any offset that is; what comes then may pass the last one.
    @Test("A body that goes on behind the last offset is an error", arguments: [false, true])
    func lastOffset(hasDeclaredEnd: Bool) throws {
        var form = FormData(framing: MultipartFraming(boundary: try Boundary("b")))
        form.append(name: "a", source: .synthetic(SyntheticBytes(.zeros, count: .max - 1000)))
        form.append(name: "z", source: .stream(once: EndlessStream()))
        let plan = try form.plan()
        #expect(plan.contentLength == nil)
        let reader = try plan.makeReader(from: .max - 1000, count: hasDeclaredEnd ? 500 : nil)
        var count = 0
        func read() throws {
            while case let bytes = try reader.read(upTo: 100), !bytes.isEmpty { count += bytes.count }
        }
        if hasDeclaredEnd { try read() } else { expect(.limitExceeded) { try read() } }
        #expect(count == (hasDeclaredEnd ? 500 : 1000))
    }

    private final class EndlessStream: ByteStream {
        func read(into buffer: inout MutableRawSpan) -> Int { buffer.byteCount }
    }

    @Test("The kernel's ways don't pass the last offset either")
    func lastOffsetOfFiles() throws {
        let folder = TemporaryFolder()
        let file = folder.path.appending("f")
        var form = FormData(framing: MultipartFraming(boundary: try Boundary("b")))
        form.append(name: "a", source: .synthetic(SyntheticBytes(.zeros, count: .max - 100_000)))
        form.append(name: "s", source: .stream(once: EmptyStream()))
        let bytes = [UInt8](repeating: 7, count: 300_000)
        try BodyPlan(copying: .bytes(bytes)).write(toFile: file)
        form.append(name: "f", file: file)
        let target = folder.path.appending("out")
        expect(.limitExceeded) { try form.plan().makeReader(from: .max - 101_000).write(toFile: target) }
    }

    @Test("A stream that claims more than it was asked for is an error, also when it is looked at beforehand")
    func streamThatClaims() throws {
        for claim in [1_000_000, -1, Int.min, .max] {
            for detection in [
                MediaTypeDetection.byExtension, .init(headCount: 10) { _, _ in .init("a/b", by: .content, reason: "") },
            ] {
                var form = FormData()
                form.types = detection
                form.append(name: "a", source: .stream(once: ClaimingStream(claim: claim), length: 5), filename: "x")
                expect(.sourceUnavailable) { try form.plan().bytes(upTo: 1000) }
            }
        }
    }

    private struct ClaimingStream: ByteStream {
        var claim: Int
        func read(into buffer: inout MutableRawSpan) -> Int { self.claim }
    }

    private final class EmptyStream: ByteStream {
        func read(into buffer: inout MutableRawSpan) -> Int { 0 }
    }

    @Test(
        "A deadline may be as long as a duration, or negative",
        arguments: [Duration.seconds(Int64.max), Duration(attoseconds: .max), .seconds(1_000_000_000_000)])
    func deadlines(duration: Duration) async throws {
        let deadlines = ReceivingDeadlines(total: duration, part: duration, chunk: duration)
        var texts: [String] = []
        for try await part in try ReceivedParts(
            ChunkSource(Self.body, every: 5), contentType: Self.type, deadlines: deadlines)
        { texts.append(try await part.text(upTo: 100)) }
        #expect(texts == ["value"])
    }

    @Test("A deadline below 0 has passed")
    func negativeDeadline() async throws {
        let deadlines = ReceivingDeadlines(total: Duration(attoseconds: .min))
        await expect(.timedOut) {
            for try await _ in try ReceivedParts(
                ChunkSource([], stops: true), contentType: Self.type, deadlines: deadlines)
            {}
        }
    }

    @Test("A part collected up to fewer than no bytes is over the limit", arguments: [-1, Int.min])
    func negativeCollecting(limit: Int) async throws {
        let error = await #expect(throws: FormworkError.self) {
            for try await part in try ReceivedParts(ChunkSource(Self.body, every: 1000), contentType: Self.type) {
                _ = try await part.collect(upTo: limit)
            }
        }
        #expect(
            error?.code == .limitExceeded
                && error?.message == "the content has more than the 0 bytes that this call allows")
        var limits = CollectingLimits()
        (limits.memoryBytes, limits.fileMemoryBytes) = (limit, limit)
        await expect(.limitExceeded) {
            _ = try await ReceivedForm(
                collecting: ReceivedParts(ChunkSource(Self.body, every: 1000), contentType: Self.type), limits: limits)
        }
    }

    @Test(
        "A rate limit of any numbers is one that can be kept",
        arguments: [
            (RateLimit(packet: 0, delay: .zero), 1, .zero), (RateLimit(packet: .min, delay: .seconds(-1)), 1, .zero),
            (RateLimit(packet: .max, delay: .seconds(Int64.max)), 4_294_967_296, .seconds(1_000_000_000)),
            (.bytesPerSecond(0), 1, .seconds(1)), (.bytesPerSecond(.min), 1, .seconds(1)),
            (.bytesPerSecond(.max), 262_144, Duration(attoseconds: 28_421)),
        ] as [(RateLimit, Int, Duration)])
    func rates(limit: RateLimit, packet: Int, delay: Duration) {
        #expect(limit.packet == packet)
        #expect(limit.delay == delay)
        var limiter = RateLimiter(limit)
        let now = ContinuousClock.now
        for _ in 0..<3 { limiter.spend(limit.packet, at: now) }
        #expect(limiter.delay(at: now) == limit.delay * 3)
    }
}
