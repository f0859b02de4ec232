import Dispatch
import Foundation
@testable import Formwork
import Synchronization
import TestSupport
import Testing

@Suite("Async sources and readers", .timeLimit(.minutes(10)))
struct AsyncTests {
    private let folder = TemporaryFolder()

    private func collect(_ chunks: BodyChunks) async throws -> [UInt8] {
        var body: [UInt8] = []
        for try await chunk in chunks {
            #expect(!chunk.isEmpty)
            body += chunk
        }
        return body
    }

    @Test("An async reader gives the same bytes", arguments: UInt64(400)..<408, [1000, 1 << 20])
    func sameBytes(seed: UInt64, size: Int) async throws {
        let (form, body) = try generatedForm(seed: seed, in: self.folder)
        #expect(try await self.collect(form.plan().chunks(of: size)) == body)
    }

    @MainActor
    @Test("Planning looks at files without holding up the actor that it is called on")
    func planning() async throws {
        let gate = DispatchSemaphore(value: 0)
        let wasOpened = Mutex(false)
        let form = FormData(
            [BodyPart(name: "f", file: try self.folder.file("f", "x"))],
            types: MediaTypeDetection(headCount: 1) { _, _ in
                wasOpened.withLock { $0 = gate.wait(timeout: .now() + 20) == .success }
                return MediaTypeChoice("a/b", by: .given, reason: "")
            })
        Task { @MainActor in gate.signal() }
        #expect(try await form.plan().layout[1].contentType?.mediaType == "a/b")
        #expect(wasOpened.withLock { $0 })
    }

    /// Gives one byte after its gate was opened.
    private struct Held: ByteStream {
        let gate: DispatchSemaphore
        var hasGiven = false

        mutating func read(into buffer: inout MutableRawSpan) throws -> Int {
            guard !self.hasGiven else { return 0 }
            guard self.gate.wait(timeout: .now() + 20) == .success else { throw Errno.timedOut }
            self.hasGiven = true
            buffer.storeBytes(of: 65, as: UInt8.self)
            return 1
        }
    }

    private static func sequence(of part: BodyPart) -> AsyncStream<BodyPart> {
        AsyncStream { continuation in
            continuation.yield(part)
            continuation.finish()
        }
    }

    private enum Blocking: CaseIterable { case content, contentOfArriving, typeOfArriving }

    @Test("What blocks has a thread of its own: readers don't hold up other tasks", arguments: Blocking.allCases)
    private func blocking(what: Blocking) async throws {
        let path = try self.folder.file("f", "A")
        let readers = ProcessInfo.processInfo.activeProcessorCount + 2
        let gate = DispatchSemaphore(value: 0)
        let bodies = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<readers {
                group.addTask {
                    var form = formB()
                    let part = BodyPart(name: "a", source: .stream(once: Held(gate: gate)))
                    switch what {
                    case .content: form.append(part)
                    case .contentOfArriving: form.append(once: Self.sequence(of: part))
                    case .typeOfArriving:
                        form.types = MediaTypeDetection(headCount: 1) { _, _ in
                            let isOpen = gate.wait(timeout: .now() + 20) == .success
                            return MediaTypeChoice(isOpen ? "a/b" : "a/late", by: .given, reason: "")
                        }
                        form.append(once: Self.sequence(of: BodyPart(name: "a", file: path, filename: "")))
                    }
                    let body = try await self.collect(form.plan().chunks())
                    return body.count
                }
            }
            // It needs a thread of the pool.
            group.addTask {
                try await Task.sleep(for: .milliseconds(200))
                for _ in 0..<readers { gate.signal() }
                return 0
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let count = what == .typeOfArriving ? 91 : 59
        #expect(bodies.filter { $0 > 0 } == Array(repeating: count, count: readers))
    }

    @Test("Chunks of any size make the content, empty ones too")
    func chunks() async throws {
        let chunks = ChunkSource([Array("he".utf8), [], Array("llo, wor".utf8), Array("ld".utf8), []])
        for length in [nil, 12] as [Int64?] {
            var form = formB()
            form.append(name: "c", source: .chunks(length: length) { _ in chunks })
            form.append(name: "t", value: "x")
            form.append(name: "d", source: .concatenation([.text(">"), .chunks { _ in chunks }]))
            let plan = try await form.plan()
            #expect(plan.isReplayable)
            for size in [1, 5, 1000] {
                let body = String(decoding: try await self.collect(plan.chunks(of: size)), as: UTF8.self)
                #expect(
                    body == """
                        --b\r\nContent-Disposition: form-data; name="c"\r\n\r\nhello, world\
                        \r\n--b\r\nContent-Disposition: form-data; name="t"\r\n\r\nx\
                        \r\n--b\r\nContent-Disposition: form-data; name="d"\r\n\r\n>hello, world\
                        \r\n--b--\r\n
                        """)
            }
        }
    }

    @Test("Chunks inside a lazy sequence of parts are awaited too")
    func lazyChunks() async throws {
        let chunks = ChunkSource([Array("ab".utf8), Array("c".utf8)])
        var form = formB()
        form.append(PartSequence(count: 2) { BodyPart(name: "\($0)", source: .chunks(length: 3) { _ in chunks }) })
        let plan = try await form.plan()
        let body = try await self.collect(plan.chunks(of: 4))
        #expect(plan.contentLength == Int64(body.count))
        #expect(
            String(decoding: body, as: UTF8.self) == """
                --b\r\nContent-Disposition: form-data; name="0"\r\n\r\nabc\
                \r\n--b\r\nContent-Disposition: form-data; name="1"\r\n\r\nabc\r\n--b--\r\n
                """)
    }

    private struct Slow: ByteStream {
        var rest = 20

        mutating func read(into buffer: inout MutableRawSpan) throws -> Int {
            self.rest -= 1
            buffer.storeBytes(of: 65, as: UInt8.self)
            return self.rest < 0 ? 0 : 1
        }
    }

    @Test("Small chunks take little memory", arguments: [nil, 20] as [Int64?])
    func smallChunks(length: Int64?) async throws {
        let arriving = BodySource.chunks(length: length) { _ in ChunkSource(Array(repeating: [65], count: 20)) }
        for source in [arriving, .stream(once: Slow(), length: length)] {
            var body: [[UInt8]] = []
            for try await chunk in try BodyPlan(copying: source).chunks() { body.append(chunk) }
            #expect(body.flatMap(\.self) == [UInt8](repeating: 65, count: 20))
            #expect(body.reduce(0) { $0 + $1.capacity } <= 20 * 64)
        }
    }

    @Test("Chunks are held to their declared length")
    func lengths() async throws {
        let chunks = ChunkSource([[1, 2, 3], [4, 5, 6]])
        func body(_ length: Int64, ignoringSurplus: Bool = false) async throws -> Int {
            var form = formB()
            form.append(name: "c", source: .chunks(length: length, ignoringSurplus: ignoringSurplus) { _ in chunks })
            return try await self.collect(form.plan().chunks()).count
        }
        #expect(try await body(6) == 64)
        #expect(try await body(4, ignoringSurplus: true) == 62)
        await expect(.lengthMismatch) { try await body(5) }
        await expect(.lengthMismatch) { try await body(7) }
    }

    @Test("A failing sequence keeps its cause; a one-shot one refuses a second pass")
    func failures() async throws {
        var form = formB()
        form.append(name: "c", source: .chunks(once: ChunkSource([[1]], failure: Errno.ioError)))
        let plan = try await form.plan()
        do {
            _ = try await self.collect(plan.chunks())
            Issue.record("no error")
        } catch let error as FormworkError {
            #expect(error.cause as? Errno == .ioError)
            #expect(error.part?.name == "c")
        }
        await expect(.notReplayable) { try await self.collect(plan.chunks()) }
    }

    @Test("A reader that can't wait says so")
    func synchronously() throws {
        var form = formB()
        form.append(name: "c", source: .chunks { _ in ChunkSource([[1]]) })
        let error = #expect(throws: FormworkError.self) { try form.plan().bytes(upTo: 1000) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains("AsyncBodyReader") == true)
        let null = try FileDescriptor.open("/dev/null", .writeOnly)
        defer { try? null.close() }
        expect(.invalidArgument) { try form.plan().write(to: null) }
    }

    @Test("Cancelling ends it")
    func cancellation() async throws {
        var form = formB()
        form.append(name: "z", source: .synthetic(SyntheticBytes(.zeros, count: 1 << 40)))
        let chunks = try await form.plan().chunks(of: 1000)
        let task = Task {
            var count = 0
            for try await chunk in chunks { count += chunk.count }
            return count
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    private enum Waiting: CaseIterable { case stream, streamWithLength, sleeping }

    @Test("A sequence that ends because its reader was cancelled has not ended", arguments: Waiting.allCases)
    private func cancelledWait(how: Waiting) async throws {
        let (bytes, content) = AsyncStream<[UInt8]>.makeStream()
        let (asked, asking) = AsyncStream<Void>.makeStream()
        let source: BodySource =
            switch how {
            case .stream: .chunks(once: bytes)
            case .streamWithLength: .chunks(once: bytes, length: 100)
            case .sleeping:
                .chunks(
                    once: AsyncThrowingStream<[UInt8], any Error> {
                        asking.yield()
                        try await Task.sleep(for: .seconds(600))
                        return nil
                    })
            }
        var form = formB()
        form.append(name: "a", source: source)
        let reader = AsyncBodyReader(try await form.plan().makeReader())
        if how != .sleeping {
            content.yield([65])
            _ = try await reader.next()
        }
        let task = Task { while try await reader.next() != nil {} }
        if how == .sleeping {
            _ = await asked.first { _ in true }
        } else {
            try await Task.sleep(for: .milliseconds(50))
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        content.finish()
        let error = await #expect(throws: FormworkError.self) { try await reader.next() }
        #expect(error?.code == .sourceUnavailable)
        #expect(error?.message.contains("was cancelled") == true)
    }

    @Test("A rate limit suspends instead of blocking: many readers wait at once on two threads")
    func rateLimit() async throws {
        var form = formB()
        form.append(name: "z", source: .synthetic(SyntheticBytes(.zeros, count: 1000)))
        let plan = try await form.plan()
        let options = ReaderOptions(rateLimit: RateLimit(packet: 200, delay: .milliseconds(50)))
        let sizes = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<50 { group.addTask { try await self.collect(plan.chunks(options: options)).count } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(sizes == Array(repeating: 1058, count: 50))
    }

    @Test("A plan is Sendable: many tasks read it at once")
    func concurrentReaders() async throws {
        var form = formB()
        form.append(name: "f", file: try self.folder.file("f", [UInt8](repeating: 9, count: 200_000)))
        form.append(PartSequence(count: 3000) { BodyPart(name: "n", value: "\($0)") })
        let plan = try await form.plan()
        let body = try await plan.bytes(upTo: 1 << 20)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<16 {
                group.addTask {
                    let offset = index * 20_000
                    return try readAll(plan.makeReader(from: Int64(offset)), by: 5000) == Array(body[offset...])
                }
            }
            for try await isEqual in group { #expect(isEqual) }
        }
    }

    @Test("A second task that reads is an error, and takes nothing from the first")
    func twoTasks() async throws {
        let (asked, asking) = AsyncStream<Void>.makeStream()
        let (contents, content) = AsyncStream<[UInt8]>.makeStream()
        var form = formB()
        form.append(
            name: "a",
            source: .chunks(
                once: AsyncStream<[UInt8]> {
                    asking.yield()
                    return await contents.first { _ in true }
                }))
        let reader = AsyncBodyReader(try await form.plan().makeReader())
        let first = Task {
            var bytes: [UInt8] = []
            while let chunk = try await reader.next() { bytes += chunk }
            return bytes
        }
        _ = await asked.first { _ in true }
        let error = await #expect(throws: FormworkError.self) { _ = try await reader.next() }
        #expect(error?.code == .invalidArgument)
        content.yield(Array("content".utf8))
        content.finish()
        let body = "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\ncontent\r\n--b--\r\n"
        #expect(try await first.value == Array(body.utf8))
    }
}
