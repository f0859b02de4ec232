import Foundation
import Formwork
import Synchronization
import TestSupport
import Testing

@Suite("A file's bytes in a pipe are its planned ones, or the body is never completed", .timeLimit(.minutes(10)))
struct PipeTruthTests {
    private let folder = TemporaryFolder()

    /// More than a pipe takes, and little enough that a reader who has begun leaves room for all that is left.
    static let size = (1 << 20) + 60_000
    /// Where the file's content begins in the body.
    static let start = 49

    private func makePlan(_ folder: TemporaryFolder) throws -> (plan: BodyPlan, path: FilePath) {
        let path = try folder.file("f", [UInt8](repeating: 0x41, count: Self.size))
        var form = formB()
        form.append(name: "f", source: .file(path))
        form.append(name: "after", value: "2")
        return (try form.plan(), path)
    }

    /// Writes into a pipe whose reader takes 100,000 bytes, then lets `act` do its work, and takes the rest.
    private func intoSlowPipe(
        _ reader: sending BodyReader, _ act: (FileDescriptor) throws -> Void
    ) throws -> (got: [UInt8], error: FormworkError?) {
        let (input, output) = try FileDescriptor.pipe()
        let writer = PipeWriter(reader, output)
        var got = try input.bytes(upTo: 100_000)
        while got.count < 100_000 { got += try input.bytes(upTo: 100_000 - got.count) }
        // Who doesn't wait for the reader has written everything by now, and is content.
        writer.waitAtMost(.milliseconds(300))
        try act(input)
        while let more = try? input.bytes(upTo: 1 << 20), !more.isEmpty { got += more }
        try? input.close()
        return (got, writer.result())
    }

    @Test("Changed after the last byte went into the pipe, before it was read", arguments: Meddling.allCases)
    func changedInPipe(meddling: Meddling) throws {
        let (plan, path) = try self.makePlan(self.folder)
        let (got, error) = try self.intoSlowPipe(plan.makeReader()) { _ in try meddling.apply(to: path) }
        #expect(error?.code == .sourceChanged && error?.part == PartReference(index: 0, name: "f"), "\(error as Any)")
        #expect(error?.path == path.string && got.count <= Self.start + Self.size - 4096)
    }

    @Test("The same where the reader is to stop inside the file")
    func changedInLimitedBody() throws {
        let (plan, path) = try self.makePlan(self.folder)
        let (got, error) = try self.intoSlowPipe(plan.makeReader(from: 10, count: Int64(Self.size) - 200)) { _ in
            try Meddling.isRewritten.apply(to: path)
        }
        #expect(error?.code == .sourceChanged && got.count <= Self.size - 200 - 4096)
    }

    @Test("Left alone, the body is whole, also with packets", arguments: [nil, 70_000, 2_000_000])
    func unchanged(packet: Int?) throws {
        let (plan, _) = try self.makePlan(self.folder)
        let options = ReaderOptions(rateLimit: packet.map { RateLimit(packet: $0, delay: .zero) })
        let (got, error) = try self.intoSlowPipe(plan.makeReader(options: options)) { _ in }
        #expect(error == nil)
        #expect(try got == plan.bytes(upTo: 2 << 20))
    }

    @Test("A reader that goes away while the writer waits for it is an error")
    func readerGoes() throws {
        let (plan, _) = try self.makePlan(self.folder)
        let (_, error) = try self.intoSlowPipe(plan.makeReader()) { try $0.close() }
        #expect(error?.code == .writeFailed && error?.cause as? Errno == .brokenPipe)
    }

    @Test("With readsFiles the pipe holds copies, which nothing changes any more", arguments: [true, false])
    func copies(readsFiles: Bool) throws {
        let (plan, path) = try self.makePlan(self.folder)
        let options = ReaderOptions(readsFiles: readsFiles)
        let (got, error) = try self.intoSlowPipe(plan.makeReader(options: options)) { _ in
            let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path.string))
            try handle.write(contentsOf: Data(repeating: 0x42, count: 900_000))
            try handle.close()
        }
        #expect(error == nil || error?.code == .sourceChanged)
        #expect(got.contains(0x42) == !readsFiles, "a reference shows what is written later, a copy doesn't")
        #expect(error == nil || got.count < Self.size + Self.start)
    }

    @Test("A file that fits into the pipe is written without a reader")
    func noReader() throws {
        let path = try self.folder.file("f", [UInt8](repeating: 0x41, count: 900_000))
        var form = formB()
        form.append(name: "f", source: .file(path))
        let plan = try form.plan()
        let (input, output) = try FileDescriptor.pipe()
        defer { try? input.close() }
        try plan.write(to: output)
        try output.close()
        var got = try input.bytes(upTo: 1 << 20)
        while got.count < 900_000 { got += try input.bytes(upTo: 1 << 20) }
        #expect(try got == plan.bytes(upTo: 1 << 20))
    }
}

@Suite("What leaves no trace in a file's times", .timeLimit(.minutes(10)))
struct UnseenChangeTests {
    private let folder = TemporaryFolder()

    @Test("A file written in this tick of the clock is read when the tick is over")
    func tick() throws {
        let path = try self.folder.file("f", "content")
        // As a file system leaves it that keeps whole seconds.
        let odd = Int(Date().timeIntervalSince1970) | 1
        // The clock of file systems may be a tick behind.
        while Date().timeIntervalSince1970 < Double(odd) + 0.05 { usleep(1000) }
        try path.touch("-d", "@\(odd)")
        #expect(try BodySource.file(path).read() == Array("content".utf8))
        #expect(Int(Date().timeIntervalSince1970) > odd)
    }

    @Test("One write that is running when the file is planned is waited for", arguments: [false, true])
    func runningWrite(throughDescriptor: Bool) throws {
        let size = 200_000_000
        let path = try self.folder.file("f", [UInt8](repeating: 0x41, count: size))
        let before = try FileManager.default.attributesOfItem(atPath: path.string)[.modificationDate] as? Date
        // The new time must not be in the old one's tick.
        usleep(20_000)
        let writing = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            let new = [UInt8](repeating: 0x42, count: size)
            let descriptor = open(path.string, O_WRONLY)
            _ = unsafe new.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress!, size) }
            close(descriptor)
            writing.signal()
        }
        defer { writing.wait() }
        while try FileManager.default.attributesOfItem(atPath: path.string)[.modificationDate] as? Date == before {}
        // What the write comes to last.
        let end = Int64(size - 100)
        let descriptor = try FileDescriptor.open(path, .readOnly)
        defer { try? descriptor.close() }
        try descriptor.seek(offset: end, from: .start)
        let source: BodySource =
            throughDescriptor ? .descriptor(descriptor, length: 100) : .file(path, offset: end, length: 100)
        #expect(try source.read() == [UInt8](repeating: 0x42, count: 100))
        #expect(try descriptor.seek(offset: 0, from: .current) == end, "the caller's position stays")
    }

    @Test(
        "A time that 64 bits of nanoseconds can't hold is a time like others",
        arguments: [13_569_465_600, -11_644_473_600, 9_999_999_999, 15_032_385_535], ["/tmp", "/dev/shm"])
    func oddTimes(seconds: Int, place: String) throws {
        guard access(place, W_OK) == 0 else { return }
        let folder = TemporaryFolder(in: URL(fileURLWithPath: place))
        let path = try folder.file("f", "content")
        try path.touch("-d", "@\(seconds).000000005")
        var form = formB()
        form.append(name: "f", source: .file(path))
        let plan = try form.plan()
        #expect(try plan.bytes(upTo: 1000).count == 65)
        #expect(try plan.describe().form.plan().bytes(upTo: 1000).count == 65)
        let old = try folder.file("old", "old")
        try old.touch("-d", "@\(seconds).000000005")
        #expect(try plan.write(toFile: old, replacing: true) == 65, "the file that is replaced has such a time too")
    }
}

/// Writes a body on a thread of its own.
private final class PipeWriter: Sendable {
    private let outcome = Mutex<FormworkError?>(nil)
    private let done = DispatchSemaphore(value: 0)

    init(_ reader: sending BodyReader, _ output: FileDescriptor) {
        let once = OneReader(reader)
        Thread.detachNewThread {
            do throws(FormworkError) { try once.reader.write(to: output) } catch {
                self.outcome.withLock { $0 = error }
            }
            try? output.close()
            self.done.signal()
        }
    }

    func waitAtMost(_ time: DispatchTimeInterval) {
        if self.done.wait(timeout: .now() + time) == .success { self.done.signal() }
    }

    /// Waits for the end, and gives its error.
    func result() -> FormworkError? {
        self.done.wait()
        return self.outcome.withLock { $0 }
    }
}

// SAFETY: handed to one thread, and used by that one alone.
private struct OneReader: @unchecked Sendable {
    let reader: BodyReader
    init(_ reader: BodyReader) { self.reader = reader }
}

extension FileDescriptor {
    fileprivate func bytes(upTo count: Int) throws -> [UInt8] {
        try unsafe [UInt8](unsafeUninitializedCapacity: count) { room, filled in
            filled = try unsafe self.read(into: UnsafeMutableRawBufferPointer(room))
        }
    }
}

extension BodySource {
    fileprivate func read() throws -> [UInt8] {
        var form = formB()
        form.append(name: "f", source: self)
        let body = try form.plan().bytes(upTo: 1 << 20)
        return Array(body[49..<body.count - 9])
    }
}
