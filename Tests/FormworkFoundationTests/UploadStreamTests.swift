import Foundation
import FormworkFoundation
import FormworkMigration
import Synchronization
import TestSupport
import Testing

@Suite("A body as InputStream", .timeLimit(.minutes(10)))
struct UploadStreamTests {
    private let folder = TemporaryFolder()

    @Test("Any read size gives the same bytes, also of async sequences", arguments: [1, 7, 4096, 1 << 20])
    func readSizes(size: Int) async throws {
        let content = noise(20_000)
        let path = try self.folder.file("f", content)
        for source in [
            .file(path), .bytes(content), .stream(length: nil) { DripStream(content, from: Int($0)) },
            .chunks { _ in paused([Array(content[..<7000]), [], Array(content[7000...])]) },
        ] as [BodySource] {
            let plan = try await form(source).plan()
            var expected: [UInt8] = []
            for try await chunk in plan.chunks() { expected += chunk }
            #expect(expected.count > 20_000)
            let (body, status, error) = try await onThread {
                let stream = plan.makeInputStream()
                stream.open()
                return (drain(stream, by: size), stream.streamStatus, stream.streamError.map { "\($0)" })
            }
            #expect(body == expected)
            #expect(status == .atEnd && error == nil)
        }
    }

    @Test("A form without parts is its close delimiter")
    func empty() throws {
        let plan = try FormData().plan()
        let stream = plan.makeInputStream()
        stream.open()
        #expect(drain(stream) == Array("--\(plan.contentType.split(separator: "boundary=")[1])--\r\n".utf8))
    }

    @Test("A rate limit holds in a stream too")
    func rateLimit() async throws {
        let plan = try await form(.bytes(noise(30_000))).plan()
        let begin = ContinuousClock.now
        let body = try await onThread {
            let limit = RateLimit(packet: 1000, delay: .milliseconds(5))
            let stream = plan.makeInputStream(options: ReaderOptions(rateLimit: limit))
            stream.open()
            return drain(stream)
        }
        #expect(body == (try await plan.bytes(upTo: 40_000)))
        #expect(ContinuousClock.now - begin > .milliseconds(120))
    }

    @Test("A source that changed, shrank or fails is -1 with an error that names the part, never the end")
    func failures() async throws {
        let path = try self.folder.file("f", noise(200_000))
        let plan = try await form(.file(path)).plan()
        #expect(truncate(path.string, 100_000) == 0)
        let stream = plan.makeInputStream()
        stream.open()
        #expect(drain(stream).count < 200_000)
        #expect(stream.streamStatus == .error && stream.hasBytesAvailable)
        let error = stream.streamError as? FormworkError
        #expect(error?.code == .sourceChanged && error?.part?.name == "content" && error?.path == path.string)
        var byte: UInt8 = 0
        #expect(stream.read(&byte, maxLength: 1) == -1)
        stream.close()
        #expect((stream.streamError as? FormworkError)?.code == .sourceChanged, "closing forgets no error")

        let failing = try await form(.chunks { _ in paused([noise(10)], failure: Errno.ioError) }).plan()
        let (count, code) = try await onThread {
            let stream = failing.makeInputStream()
            stream.open()
            return (drain(stream).count, (stream.streamError as? FormworkError)?.code)
        }
        #expect(count > 10 && code == .sourceUnavailable)
    }

    @Test("Every question is safe in every status, and what streams can besides does nothing")
    func statuses() throws {
        let stream = try form(.text("x")).plan().makeInputStream()
        var byte: UInt8 = 0
        #expect(stream.streamStatus == .notOpen && stream.streamError == nil && stream.hasBytesAvailable)
        #expect(stream.read(&byte, maxLength: 1) == -1, "not open")
        for _ in 0..<2 { stream.open() }
        #expect(stream.streamStatus == .open && stream.streamError == nil)
        #expect(stream.read(&byte, maxLength: 0) == 0 && stream.hasBytesAvailable, "no room is not the end")
        #expect(stream.read(&byte, maxLength: 1) == 1 && byte == UInt8(ascii: "-"))
        stream.schedule(in: .current, forMode: .default)
        stream.remove(from: .current, forMode: .default)
        #expect(stream.property(forKey: .fileCurrentOffsetKey) == nil)
        #expect(!stream.setProperty(nil, forKey: .fileCurrentOffsetKey))
        var (pointer, length): (UnsafeMutablePointer<UInt8>?, Int) = (nil, 0)
        #expect(!stream.getBuffer(&pointer, length: &length))
        for _ in 0..<2 { stream.close() }
        #expect(stream.streamStatus == .closed && stream.streamError == nil)
        #expect(!stream.hasBytesAvailable, "who closed it waits for no more")
        #expect(stream.read(&byte, maxLength: 1) == -1, "closed before the end is not the end")
    }

    @Test("A stream that is closed has no bytes, in whatever status it was; the table of BodyInputStream holds")
    func closedStreams() throws {
        let path = try self.folder.file("f", noise(200_000))
        let plan = try form(.file(path)).plan()
        let (new, opened, whole) = (plan.makeInputStream(), plan.makeInputStream(), plan.makeInputStream())
        for stream in [opened, whole] { stream.open() }
        #expect(drain(whole).count > 200_000 && whole.streamStatus == .atEnd && !whole.hasBytesAvailable)
        var byte: UInt8 = 0
        #expect(whole.read(&byte, maxLength: 1) == 0)
        let failed = plan.makeInputStream()
        failed.open()
        #expect(truncate(path.string, 100_000) == 0)
        _ = drain(failed)
        #expect(failed.streamStatus == .error && failed.hasBytesAvailable && failed.read(&byte, maxLength: 1) == -1)
        for (stream, status) in [
            (new, Stream.Status.closed), (opened, .closed), (whole, .closed), (failed, .error),
        ] {
            stream.close()
            #expect(!stream.hasBytesAvailable && stream.streamStatus == status)
            #expect(stream.read(&byte, maxLength: 1) == -1)
            stream.open()
            #expect(stream.streamStatus == status, "a closed stream stays closed")
        }
    }

    @Test("A read is short where a stream in the body gives less, and is no end")
    func shortReads() throws {
        let plan = try form(.stream(length: 2500) { DripStream(noise(2500), from: Int($0)) }).plan()
        let stream = plan.makeInputStream()
        stream.open()
        var (counts, room): ([Int], [UInt8]) = ([], Array(repeating: 0, count: 1 << 16))
        while stream.hasBytesAvailable { counts.append(stream.read(&room, maxLength: room.count)) }
        #expect(counts.count > 1 && counts.allSatisfy { $0 > 0 })
        #expect(Int64(counts.reduce(0, +)) == plan.contentLength)
    }

    @Test("Closing ends a read that waits", .timeLimit(.minutes(10)))
    func closing() async throws {
        let plan = try await form(.chunks { _ in paused([noise(10)], stops: true) }).plan()
        let (count, status) = try await onThread {
            let stream = plan.makeInputStream()
            stream.open()
            // The stream may not cross threads, unless by those who know that it can.
            nonisolated(unsafe) let other = stream
            Thread.detachNewThread {
                Thread.sleep(forTimeInterval: 0.05)
                other.close()
            }
            return (drain(stream).count, stream.streamStatus)
        }
        #expect(count > 10 && status == .closed)
    }

    @Test("Whoever watches the progress may ask and close the stream, and can't read it", .timeLimit(.minutes(10)))
    func observing() async throws {
        let content = noise(200_000)
        for source in [.bytes(content), .chunks { _ in paused([content]) }] as [BodySource] {
            let plan = try await form(source).plan()
            let (count, seen, status, error) = try await onThread {
                let watcher = Watcher()
                let options = ReaderOptions(progress: { _ in watcher.call() }, progressInterval: .zero)
                let stream = plan.makeInputStream(options: options)
                watcher.watch(stream)
                stream.open()
                var room = [UInt8](repeating: 0, count: 1000)
                let count = stream.read(&room, maxLength: 1000)
                return (count, watcher.seen, stream.streamStatus, stream.streamError.map { "\($0)" })
            }
            #expect(count == -1 && status == .closed && error == nil)
            #expect(seen.first?.status == .open && seen.first?.count == -1)
        }
    }

    @Test("A sequence that ends because its stream is closed may ask that stream", .timeLimit(.minutes(10)))
    func termination() async throws {
        let status = try await onThread {
            let watcher = Watcher()
            let (chunks, continuation) = AsyncStream.makeStream(of: [UInt8].self)
            continuation.onTermination = { _ in watcher.call() }
            let stream = try form(.chunks(once: chunks)).plan().makeInputStream()
            watcher.watch(stream)
            stream.open()
            continuation.yield(noise(10))
            var bytes: [UInt8] = []
            while bytes.suffix(10) != noise(10)[...] {
                var room = [UInt8](repeating: 0, count: 1000)
                bytes += room[..<max(0, stream.read(&room, maxLength: 1000))]
            }
            // So that what comes next is being waited for.
            Thread.sleep(forTimeInterval: 0.1)
            stream.close()
            return stream.streamStatus
        }
        #expect(status == .closed)
    }

    @Test("A new stream each time, or an error that names the part")
    func factory() throws {
        let plan = try form(.text("x")).plan()
        let streams = BodyInputStreams(plan)
        let first = try streams.next()
        first.open()
        for _ in 0..<2 {
            let stream = try streams.next()
            stream.open()
            #expect(drain(stream) == (try plan.bytes(upTo: 1000)))
        }
        #expect(first.streamStatus == .closed && first.hasBytesAvailable, "to URLSession this is no end of a body")
        var byte: UInt8 = 0
        #expect(first.read(&byte, maxLength: 1) == -1)

        let once = BodyInputStreams(try form(.stream(once: DripStream(noise(10)))).plan())
        let only = try once.next()
        let error = #expect(throws: FormworkError.self) { try once.next() }
        #expect(error?.code == .notReplayable && error?.part?.name == "content")
        #expect(only.streamStatus == .notOpen, "the first stream lives on")
    }
}

/// Asks, reads and closes a stream each time it is called.
private final class Watcher: Sendable {
    private let action = Mutex<(@Sendable () -> Void)?>(nil)
    private let answers = Mutex<[(status: Stream.Status, count: Int)]>([])

    /// What the stream said each time.
    var seen: [(status: Stream.Status, count: Int)] { self.answers.withLock { $0 } }

    func watch(_ stream: InputStream) {
        // The stream may not cross threads, unless by those who know that it can.
        nonisolated(unsafe) let stream = stream
        self.action.withLock { action in
            action = { [unowned self] in
                let status = stream.streamStatus
                var byte: UInt8 = 0
                let count = stream.read(&byte, maxLength: 1)
                // Closing wakes who asks for these.
                self.answers.withLock { $0.append((status, count)) }
                stream.close()
            }
        }
    }

    func call() { self.action.withLock { $0 }?() }
}

/// The bytes of a pull stream in memory, a few at a time.
final class DripStream: ByteStream {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8], from offset: Int = 0) { self.rest = bytes[offset...] }

    func read(into buffer: inout MutableRawSpan) throws -> Int {
        let count = min(self.rest.count, 1000, buffer.byteCount)
        for index in 0..<count {
            buffer.storeBytes(of: self.rest[self.rest.startIndex + index], toByteOffset: index, as: UInt8.self)
        }
        self.rest.removeFirst(count)
        return count
    }
}
