import Foundation
import Formwork
import Synchronization
import TestSupport
import Testing

/// Published ways to bring down those who collect a form, or to find what they left on disk.
@Suite("Advisories: the collector", .timeLimit(.minutes(10)))
struct CollectorAdvisoryTests {
    private let folder = TemporaryFolder()
    static let type = "multipart/form-data; boundary=b"

    private static func part(_ parameters: String, _ more: String = "", _ content: String) -> String {
        "--b\r\nContent-Disposition: form-data; \(parameters)\r\n\(more)\r\n\(content)\r\n"
    }

    /// Collects with files of more than 5 bytes on disk.
    private func collect(
        _ source: ChunkSource, memory: Int = 8 << 20, in folder: FilePath, _ limits: ParsingLimits = .default
    ) async throws -> ReceivedForm {
        var collecting = CollectingLimits()
        (collecting.memoryBytes, collecting.fileMemoryBytes, collecting.folder) = (memory, 5, folder)
        let parts = try ReceivedParts(source, contentType: Self.type, limits: limits)
        return try await ReceivedForm(collecting: parts, limits: collecting)
    }

    // MARK: memory

    @Test(
        "CVE-2022-41725, CVE-2023-24536: names, header sections and each part's overhead count as memory",
        arguments: [
            (Self.part("name=a", "", ""), 296), (Self.part("name=a; filename=f", "", ""), 308),
            (Self.part("name=\(String(repeating: "n", count: 1000))", "", ""), 1295),
            (Self.part("name=a", "X: \(String(repeating: "x", count: 5000))\r\n", ""), 5301),
            (Self.part("name=a", "", "12345"), 301),
        ])
    func memory(part: String, cost: Int) async throws {
        let body = String(repeating: part, count: 100) + "--b--"
        let form = try await self.collect(ChunkSource(body, every: 4096), memory: 100 * cost, in: self.folder.path)
        #expect(form.count == 100)
        let error = await #expect(throws: FormworkError.self) {
            try await self.collect(ChunkSource(body, every: 4096), memory: 100 * cost - 1, in: self.folder.path)
        }
        #expect(error?.parsingFailure == ParsingFailure(.memoryBytesLimit, limit: Int64(100 * cost - 1)))
        #expect(error?.part?.index == 99)
    }

    @Test("CVE-2022-41725: a small file goes to disk when memory is short, but its part still counts")
    func smallFiles() async throws {
        let body = String(repeating: Self.part("name=a; filename=f", "", "12345"), count: 100) + "--b--"
        // A part is 52 bytes of section and 256 more.
        for (memory, inMemory) in [(31_300, 100), (31_299, 99), (31_295, 99)] {
            let form = try await self.collect(ChunkSource(body, every: 4096), memory: memory, in: self.folder.path)
            #expect(form.count { $0.content.inMemory != nil } == inMemory)
        }
        await expect(.limitExceeded) {
            try await self.collect(ChunkSource(body, every: 4096), memory: 31_294, in: self.folder.path)
        }
    }

    @Test("CVE-2022-41725, CVE-2023-24536: a thousand files on disk take one descriptor and no name")
    func files() async throws {
        let body = String(repeating: Self.part("name=a; filename=f", "", "on disk"), count: 1000) + "--b--"
        let form = try await self.collect(ChunkSource(body, every: 4096), in: self.folder.path)
        #expect(form.allSatisfy { $0.content.inMemory == nil && $0.content.count == 7 })
        #expect(openDescriptors(leadingInto: self.folder.path) == 1)
        #expect(self.folder.names == [])
    }

    @Test("multer 62, apollo router 9959: a source that always has a chunk ready is never read ahead")
    func readAhead() async throws {
        let head = String(
            repeating: Self.part("name=a", "X: \(String(repeating: "x", count: 400))\r\n", "v"), count: 200)
        let body = "\(head)\(Self.part("name=f; filename=f", "", String(repeating: "\r\n--", count: 50_000)))--b--"
        let source = ChunkSource(body, every: 64)
        // What the consumer has been given, delimiters and header sections counted.
        var given = 0
        for try await part in try ReceivedParts(source, contentType: Self.type) {
            given += 5 + part.header.bytes.count + 2
            // One chunk, and what of a delimiter and a header section may stand in it and before it.
            #expect(source.log.pulled * 64 <= given + 64)
            let pulled = source.log.pulled
            for _ in 0..<3 { await Task.yield() }
            #expect(source.log.pulled == pulled)
            for try await piece in part.content {
                given += piece.count
                // As much again as a line end that may begin a delimiter.
                #expect(source.log.pulled * 64 <= given + 64 + 5)
            }
            given += 2
        }
        #expect(given > 200_000)
    }

    // MARK: whose thread

    /// One thread, which the caller's actor runs on and nothing else.
    private final class OneThread: SerialExecutor {
        private let jobs = Mutex<[UnownedJob]>([])
        private let isReady = DispatchSemaphore(value: 0)

        init() {
            Thread.detachNewThread { [weak self, isReady] in
                while true {
                    isReady.wait()
                    guard let self else { return }
                    guard let job = self.jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return }
                    unsafe job.runSynchronously(on: self.asUnownedSerialExecutor())
                }
            }
        }

        deinit { self.isReady.signal() }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            self.jobs.withLock { $0.append(job) }
            self.isReady.signal()
        }
    }

    /// A caller whose thread's own writes the kernel counts.
    private actor Caller {
        private let executor = OneThread()
        nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe self.executor.asUnownedSerialExecutor() }

        /// Bytes that this thread has given to write(2) and its like.
        private func written() throws -> Int {
            let counters = try String(contentsOfFile: "/proc/thread-self/io", encoding: .utf8)
            let line = try #require(counters.split(separator: "\n").first { $0.hasPrefix("wchar: ") })
            return try #require(Int(line.dropFirst(7)))
        }

        /// Bytes written on this thread while `body` runs on this actor.
        func bytesWritten(_ body: @Sendable (isolated Caller) async throws -> Void) async throws -> Int {
            let before = try self.written()
            try await body(self)
            return try self.written() - before
        }

        func write(_ path: FilePath, _ count: Int) throws {
            try Data(repeating: 0x66, count: count).write(to: URL(fileURLWithPath: path.string))
        }
    }

    @Test("CVE-2025-54121: what goes to disk is written on another thread than the caller's")
    func otherThread() async throws {
        let path = self.folder.path
        let size = 4 << 20
        let body = "\(Self.part("name=f; filename=f", "", String(repeating: "f", count: size)))--b--"
        let caller = Caller()
        // The counter sees what the caller writes itself.
        let own = try await caller.bytesWritten { try $0.write(path.appending("own"), size) }
        #expect(own >= size)
        let collecting = try await caller.bytesWritten { _ in
            let form = try await self.collect(ChunkSource(body, every: 64 << 10), in: path)
            #expect(form.map(\.content.count) == [Int64(size)])
            #expect(form[0].content.inMemory == nil)
            try await form[0].content.write(toFile: path.appending("copied"))
        }
        #expect(collecting == 0)
        let streaming = try await caller.bytesWritten { _ in
            let parts = try ReceivedParts(ChunkSource(body, every: 64 << 10), contentType: Self.type)
            for try await part in parts { try await part.write(toFile: path.appending("streamed")) }
        }
        #expect(streaming == 0)
        #expect(self.folder.names == ["copied", "own", "streamed"])
    }

    // MARK: what is left

    private static let mixed =
        part("name=a", "", "x") + part("name=f; filename=f", "", "123456") + part("name=g; filename=g", "", "1234567")
        + part("name=last; filename=h", "X: 1234567890\r\n", "1") + part("name=b", "", "text") + "--b--\r\n"

    private struct Gone: Error {}

    private func expectNothingLeft(_ folder: TemporaryFolder, _ source: ChunkSource, _ what: String) {
        #expect(folder.names == [], "\(what)")
        #expect(openDescriptors(leadingInto: folder.path) == 0, "\(what)")
        #expect(source.log.iterators == 0, "\(what)")
    }

    @Test(
        "CVE-2025-47935, CVE-2025-47944, CVE-2025-48997: a body that breaks off at any byte leaves no file and no source",
        arguments: [1, 100_000])
    func brokenOff(size: Int) async throws {
        let folder = TemporaryFolder()
        // The last line end may be missing.
        for count in 0..<(Self.mixed.utf8.count - 2) {
            let start = String(decoding: Self.mixed.utf8.prefix(count), as: UTF8.self)
            let failing = ChunkSource(start, every: size, failure: Gone())
            await #expect(throws: Gone.self) { try await self.collect(failing, in: folder.path) }
            self.expectNothingLeft(folder, failing, "an error behind byte \(count)")
            let ending = ChunkSource(start, every: size)
            await expect(.truncatedBody) { try await self.collect(ending, in: folder.path) }
            self.expectNothingLeft(folder, ending, "the end behind byte \(count)")
            let path = folder.path.appending("f")
            let writing = ChunkSource(start, every: size, failure: Gone())
            await #expect(throws: Gone.self) {
                for try await part in try ReceivedParts(writing, contentType: Self.type) where part.name == "last" {
                    try await part.write(toFile: path)
                    try FileManager.default.removeItem(atPath: path.string)
                }
            }
            self.expectNothingLeft(folder, writing, "an error behind byte \(count), writing")
        }
    }

    @Test("CVE-2025-47935, CVE-2023-41835: a reader that is cancelled at any byte leaves no file and no source")
    func cancelled() async throws {
        let folder = TemporaryFolder()
        for count in stride(from: 0, to: Self.mixed.utf8.count - 4, by: 3) {
            let source = ChunkSource(
                String(decoding: Self.mixed.utf8.prefix(count), as: UTF8.self), every: 50, stops: true)
            let (path, test) = (folder.path, self)
            let task = Task { _ = try await test.collect(source, in: path) }
            while source.log.pulled < source.chunks.count + 1 { await Task.yield() }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            self.expectNothingLeft(folder, source, "cancelled behind byte \(count)")
        }
    }

    @Test("CVE-2023-41835, CVE-2023-34396: a limit that is crossed behind files on disk leaves none of them")
    func limits() async throws {
        let folder = TemporaryFolder()
        let changes: [(inout ParsingLimits) -> Void] = [
            { $0.fileBytes = 6 }, { $0.fieldBytes = 3 }, { $0.files = 2 }, { $0.parts = 4 }, { $0.fields = 1 },
            { $0.totalBytes = Int64(Self.mixed.utf8.count - 1) }, { $0.headerBytes = 60 }, { $0.nameBytes = 1 },
        ]
        for (index, change) in changes.enumerated() {
            var limits = ParsingLimits()
            change(&limits)
            let source = ChunkSource(Self.mixed, every: 7)
            await expect(.limitExceeded) { try await self.collect(source, in: folder.path, limits) }
            self.expectNothingLeft(folder, source, "change \(index)")
        }
        // Many fields that are small each: memory has a limit of its own.
        let fields = String(repeating: Self.part("name=a", "", "v"), count: 500)
        let source = ChunkSource("\(Self.part("name=f; filename=f", "", "on disk"))\(fields)--b--", every: 4096)
        await expect(.limitExceeded) { try await self.collect(source, memory: 100_000, in: folder.path) }
        self.expectNothingLeft(folder, source, "memory")
    }

    @Test(
        """
        CVE-2025-46653, CVE-2022-29622, CVE-2023-33251, CVE-2023-0482: what is kept on disk has no name to guess, and its \
        owner alone may open it
        """)
    func modes() async throws {
        let form = try await self.collect(ChunkSource(Self.mixed, every: 50), in: self.folder.path)
        let input = try FileDescriptor.open("/dev/null", .readOnly)
        defer { try? input.close() }
        let spool = try await BodySpool(collecting: input, in: self.folder.path)
        #expect(self.folder.names == [])
        var statuses: [stat] = []
        for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
            guard target?.hasPrefix("\(self.folder.path)/") ?? false, let number = Int32(name) else { continue }
            var status = stat()
            try #require(fstat(number, &status) == 0)
            statuses.append(status)
        }
        #expect(statuses.map(\.st_nlink) == [0, 0])
        #expect(statuses.map { $0.st_mode & 0o7777 } == [0o600, 0o600])
        withExtendedLifetime((form, spool)) {}
    }

    // MARK: names

    @Test("CVE-2022-31019: a name nests as deep as the decoder allows and no deeper, however long it is")
    func nesting() async throws {
        struct Tree: Decodable { var a: [String: [String: String]]? }
        let named = { (name: String) in
            var limits = ParsingLimits()
            (limits.headerBytes, limits.nameBytes) = (1 << 20, 1 << 20)
            let body = "\(Self.part("name=\"\(name)\"", "", "v"))--b--"
            return try await self.collect(ChunkSource(body, every: 4096), in: self.folder.path, limits)
        }
        var decoder = FormDataDecoder()
        decoder.nameDepth = 2
        #expect(try decoder.decode(Tree.self, from: try await named("a[b][c]")).a == ["b": ["c": "v"]])
        for depth in [3, 100, 100_000] {
            let form = try await named("a" + String(repeating: "[b]", count: depth))
            let error = #expect(throws: FormworkError.self) { try decoder.decode(Tree.self, from: form) }
            #expect(error?.parsingFailure == ParsingFailure(.nameDepthLimit, limit: 2))
        }
        // Even without a limit nothing is called deeper than the stack allows.
        decoder.nameDepth = .max
        let form = try await named("a" + String(repeating: "[b]", count: 100_000))
        let error = #expect(throws: FormworkError.self) { try decoder.decode(Tree.self, from: form) }
        #expect(error?.parsingFailure == ParsingFailure(.nameDepthLimit, limit: 512))
    }
}
