import Foundation
import Formwork
import TestSupport
import Testing

/// What blocks has an asynchronous function of the same name, which async code calls: it doesn't block a thread that all tasks
/// share, takes bodies with async sources, and ends when its task is cancelled.
@Suite(.timeLimit(.minutes(10))) struct AsyncWritingTests {
    private let folder = TemporaryFolder()
    private static let content = [UInt8]((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) })

    private func form(_ folder: TemporaryFolder) throws -> FormData {
        var form = formB()
        form.append(name: "a", source: .file(try folder.file("big", Self.content)), filename: "")
        form.append(name: "b", source: .chunks { ChunkSource([[65], [66, 67]]) })
        return form
    }

    private static let head = Array(
        "--b\r\nContent-Disposition: form-data; name=\"a\"; filename=\"\"\r\nContent-Type: application/octet-stream\r\n\r\n"
            .utf8)
    private static let tail = Array(
        "\r\n--b\r\nContent-Disposition: form-data; name=\"b\"\r\n\r\nABC\r\n--b--\r\n".utf8)
    private static var body: [UInt8] { self.head + self.content + self.tail }

    @Test func `A body with an async source goes to memory, a file, a pipe and a socket in one call`() async throws {
        let plan = try await self.form(self.folder).plan()
        #expect(plan.contentLength == nil)
        #expect(try await plan.bytes(upTo: 4_000_000) == Self.body)
        await expect(.limitExceeded) { try await plan.bytes(upTo: 3_000_000) }
        let path = self.folder.path.appending("out")
        #expect(try await plan.write(toFile: path, durably: true) == Int64(Self.body.count))
        #expect(try contents(of: path) == Self.body)
        for (input, output) in [try FileDescriptor.pipe(), try Sink.socketPair()].map({ ($0.0, $0.1) }) {
            let collected = Sink.collect(input, pausing: true)
            #expect(try await plan.write(to: output) == Int64(Self.body.count))
            try output.close()
            #expect(collected() == Self.body)
            try input.close()
        }
    }

    @Test func `Tasks that write don't hold up the tasks that read`() async throws {
        let plan = try await self.form(self.folder).plan()
        let pipes = try (0..<ProcessInfo.processInfo.activeProcessorCount + 2).map { _ in try FileDescriptor.pipe() }
        let counts = try await withThrowingTaskGroup(of: Int64.self) { group in
            for pipe in pipes {
                group.addTask {
                    defer { try? pipe.writeEnd.close() }
                    return try await plan.write(to: pipe.writeEnd)
                }
            }
            for pipe in pipes {
                group.addTask {
                    defer { try? pipe.readEnd.close() }
                    return Int64(try await BodySource.descriptor(pipe.readEnd).bytes(upTo: 4_000_000).count)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts == Array(repeating: Int64(Self.body.count), count: pipes.count * 2))
    }

    enum Wait: CaseIterable {
        case readFIFO, readPipe, spoolPipe, writePipe, writeFileToPipe, writeSocket, writeFIFO, sequenceToFile
    }

    @Test(arguments: Wait.allCases)
    func `A task that waits for another program ends when it is cancelled`(wait: Wait) async throws {
        let fifo = self.folder.path.appending("fifo")
        try #require(unsafe mkfifo(fifo.string, 0o600) == 0)
        let pipe = try FileDescriptor.pipe()
        let sockets = try Sink.socketPair()
        defer { for end in [pipe.readEnd, pipe.writeEnd, sockets.0, sockets.1] { try? end.close() } }
        let plan = try BodyPlan(copying: .bytes(Self.content))
        let file = try BodyPlan(copying: .file(self.folder.file("big", Self.content)))
        let (stream, source) = AsyncStream.makeStream(of: [UInt8].self)
        source.yield([1])
        let late = try BodyPlan(copying: .chunks(once: stream))
        let task = Task {
            switch wait {
            case .readFIFO: for try await _ in try BodySource.file(fifo).chunks() {}
            case .readPipe: _ = try await BodySource.descriptor(pipe.readEnd).bytes(upTo: 100)
            case .spoolPipe: _ = try await BodySpool(collecting: pipe.readEnd)
            case .writePipe: _ = try await plan.write(to: pipe.writeEnd)
            case .writeFileToPipe: _ = try await file.write(to: pipe.writeEnd)
            case .writeSocket: _ = try await plan.write(to: sockets.1)
            case .writeFIFO: _ = try await plan.write(toFile: fifo)
            case .sequenceToFile: _ = try await late.write(toFile: self.folder.path.appending("none"))
            }
        }
        try await Task.sleep(for: .milliseconds(200))
        let start = ContinuousClock.now
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(start.duration(to: .now) < .seconds(20))
        #expect(try self.folder.traces == ["big", "fifo"])
    }

    @Test func `A FIFO is read to the end of its writer, however late the writer comes`() async throws {
        let fifo = self.folder.path.appending("fifo")
        try #require(unsafe mkfifo(fifo.string, 0o600) == 0)
        async let read = BodySource.file(fifo).bytes(upTo: 10_000_000)
        try await Task.sleep(for: .milliseconds(200))
        try await BodyPlan(copying: .bytes(Self.content)).write(toFile: fifo)
        #expect(try await read == Self.content)
        async let empty = BodySource.file(fifo).bytes(upTo: 1)
        try await Task.sleep(for: .milliseconds(200))
        try await BodyPlan(copying: .bytes([])).write(toFile: fifo)
        #expect(try await empty == [])
    }

    @Test func `Snapshots, descriptions and types are the same in async code`() async throws {
        let path = try self.folder.file("f.txt", "content")
        var form = formB()
        form.append(name: "f", file: path)
        let described = try await form.plan().describe()
        #expect(try described == synchronously { try form.plan().describe() })
        try await form.snapshotFiles(in: self.folder.path)
        let spool = try await BodySpool(snapshotOf: path, in: self.folder.path)
        try self.folder.file("f.txt", "another")
        #expect(try await String(decoding: form.plan().bytes(upTo: 200), as: UTF8.self).contains("\r\n\r\ncontent\r\n"))
        #expect(try await spool.source.bytes(upTo: 10) == Array("content".utf8))
        let choice = try await MediaTypeDetection.byExtension.choice(of: .file(path), filename: "f.txt")
        #expect(choice.mediaType == "text/plain")
        var missing = formB()
        missing.append(name: "g", file: self.folder.path.appending("missing"))
        let before = missing
        await expect(.sourceUnavailable) { try await missing.snapshotFiles() }
        #expect(missing == before)
    }
}

/// Calls the synchronous function of two that have one name.
private func synchronously<Result>(_ body: () throws -> Result) rethrows -> Result { try body() }
