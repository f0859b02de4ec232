import AsyncHTTPClient
import FormworkCore
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import Synchronization
import Testing

@testable import FormworkReceiver

private final class Count: Sendable {
    private let state = Mutex(0)
    var value: Int { self.state.withLock { $0 } }
    func add(_ count: Int) { self.state.withLock { $0 += count } }
}

/// Uploads to a store of our own with scripted behavior, mostly failures. Parts have 64 KiB here.
@Suite(.timeLimit(.minutes(10)))
struct S3StorageTests {
    static let part = 64 << 10

    static func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) } }

    /// Runs with a storage below `s3://bucket/in/`.
    static func with<Result>(
        _ store: FakeStore, url: String = "s3://bucket/in", stall: Duration = .seconds(20),
        parallelism: ClosedRange<Int> = 2...2,
        partSize: Int = part, attempts: Int = 3, delay: Duration = .milliseconds(1), total: Duration = .seconds(300),
        keepsPaths: Bool = false, closes: Bool = true,
        _ body: (S3Storage) async throws -> Result
    ) async throws -> Result {
        var options = S3Storage.Options()
        options.partSize = partSize
        options.partsAtOnce = parallelism
        options.keepsPaths = keepsPaths
        options.patience.attempts = attempts
        options.patience.delay = delay
        options.patience.stall = stall
        options.patience.total = total
        defer { if closes { store.close() } }
        return try await S3Storage(testing: store.endpoint, options, at: url).closing(body)
    }

    /// The error of what has to fail.
    static func failure(
        _ store: FakeStore, _ body: (S3Storage) async throws -> some Any
    ) async -> FormworkError? {
        await #expect(throws: FormworkError.self) { _ = try await Self.with(store) { try await body($0) } }
    }

    /// - Returns: The name it got.
    static func store(
        _ bytes: [UInt8], as name: String = "a.bin", type: String? = nil, chunk: Int = 10_000, in storage: S3Storage
    ) async throws -> String {
        let name = try #require(SafeFilename(name))
        let upload = try await storage.begin(IncomingFile(name: name, contentType: type))
        do {
            for start in stride(from: 0, to: bytes.count, by: chunk) {
                try await upload.write(ByteBuffer(bytes: bytes[start..<min(start + chunk, bytes.count)]))
            }
            return try await storage.finish(upload)
        } catch {
            await upload.abandon()
            throw error
        }
    }

    static func wait(_ condition: () -> Bool) async throws {
        while !condition() { try await Task.sleep(for: .milliseconds(5)) }
    }

    @Test(arguments: [0, 1, part - 1, part, part + 1, 2 * part, 3 * part, 5 * part + 7])
    func `A file arrives whole, up to one part in one request`(count: Int) async throws {
        let store = try FakeStore()
        let bytes = Self.bytes(count)
        let name = try await Self.with(store) { try await Self.store(bytes, type: "image/png", in: $0) }
        #expect(name == "a.bin")
        #expect(store.objects["in/a.bin"]?.bytes == bytes)
        #expect(store.objects["in/a.bin"]?.type == "image/png")
        #expect(store.uploads.isEmpty)
        #expect(store.count("Put") == (count <= Self.part ? 1 : 0))
        #expect(store.count("UploadPart") == (count <= Self.part ? 0 : (count + Self.part - 1) / Self.part))
    }

    @Test(arguments: [10, 2 * part])
    func `An existing object is not replaced`(count: Int) async throws {
        let store = try FakeStore()
        store.put("in/a.tar.gz")
        store.put("in/a.tar (1).gz")
        let name = try await Self.with(store) { try await Self.store(Self.bytes(count), as: "a.tar.gz", in: $0) }
        #expect(name == "a.tar (2).gz")
        #expect(store.objects["in/a.tar.gz"]?.bytes == [1])
        #expect(store.uploads.isEmpty)
    }

    /// Each sees the others' uploads, and gives way.
    @Test func `Of uploads that begin at once at several receivers one gets the name`() async throws {
        let store = try FakeStore { operation, count in operation == "Create" && count <= 4 ? .hold : nil }
        let bytes = Self.bytes(2 * Self.part)
        let names: [String] = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    try await Self.with(store, delay: .milliseconds(200), closes: false) {
                        try await Self.store(bytes, in: $0)
                    }
                }
            }
            try await Self.wait { store.held == 4 }
            store.release()
            return try await group.reduce(into: [String]()) { $0.append($1) }
        }
        store.close()
        #expect(names.sorted() == ["a (1).bin", "a (2).bin", "a (3).bin", "a.bin"], "\(store.log)")
        #expect(store.uploads.isEmpty)
    }

    @Test(arguments: [10, 2 * part])
    func `A file whose name has to be free is stored under no other`(count: Int) async throws {
        for isThere in [false, true] {
            let store = try FakeStore()
            if isThere { store.put("in/d/a.bin") }
            try await Self.with(store) { storage in
                var file = IncomingFile(try #require(SafePath("d/a.bin")))
                file.condition = .isFree
                guard !isThere else {
                    await #expect(throws: StorageRefusal.failed(.isFree)) { try await storage.begin(file) }
                    return
                }
                let (first, second) = (try await storage.begin(file), try await storage.begin(file))
                try await first.write(ByteBuffer(bytes: Self.bytes(count)))
                // Either the first holds the name, without an object, or its object is there.
                if count > Self.part {
                    await #expect(throws: StorageRefusal.reserved) {
                        try await second.write(ByteBuffer(bytes: Self.bytes(count)))
                    }
                    await second.abandon()
                }
                #expect(try await storage.finish(first) == "d/a.bin")
                if count <= Self.part {
                    try await second.write(ByteBuffer(bytes: Self.bytes(count)))
                    await #expect(throws: StorageRefusal.failed(.isFree)) { try await storage.finish(second) }
                }
            }
            #expect(store.objects.keys.sorted() == ["in/d/a.bin"])
            #expect(store.uploads.isEmpty)
        }
    }

    @Test func `A file that must replace another isn't stored under a new name`() async throws {
        let store = try FakeStore()
        store.put("in/a.bin")
        try await Self.with(store) { storage in
            var file = IncomingFile(try #require(SafePath("b.bin")))
            file.condition = .isTaken
            await #expect(throws: StorageRefusal.failed(.isTaken)) { try await storage.begin(file) }
            file.path = try #require(SafePath("a.bin"))
            await #expect(throws: StorageRefusal.irreplaceable) { try await storage.begin(file) }
        }
        #expect(store.objects.keys.sorted() == ["in/a.bin"])
    }

    @Test(arguments: [false, true])
    func `A form's record is an object beside its files, or none of them is there`(fails: Bool) async throws {
        let store = try FakeStore { operation, count in
            fails && operation == "Put" && count > 1 ? .answer(403, "AccessDenied") : nil
        }
        try await Self.with(store) { storage in
            let upload = try await storage.begin(IncomingFile(try #require(SafePath("d/a.bin"))))
            let record = FormRecord(path: try #require(SafePath("d/a.bin.form.json")), bytes: [0x7B, 0x7D])
            guard fails else {
                let names = try await storage.publish([upload]) { _ in record }
                #expect(names == ["d/a.bin", "d/a.bin.form.json"])
                return
            }
            await #expect(throws: FormworkError.self) { try await storage.publish([upload]) { _ in record } }
        }
        #expect(store.objects.keys.sorted() == (fails ? [] : ["in/d/a.bin", "in/d/a.bin.form.json"]))
        if !fails { #expect(store.objects["in/d/a.bin.form.json"]?.type == "application/json") }
    }

    @Test func `A store's own check counts if the name was taken in the meantime`() async throws {
        // HeadObject reports no object.
        let store = try FakeStore { operation, count in
            operation == "Head" && count == 1 ? .answer(404, "NotFound") : nil
        }
        store.put("in/a.bin")
        #expect(try await Self.with(store) { try await Self.store([2], in: $0) } == "a (1).bin")
        #expect(store.objects["in/a.bin"]?.bytes == [1])
    }

    @Test func `Six files of one name at a time get six names`() async throws {
        let store = try FakeStore()
        let names = try await Self.with(store) { storage in
            try await withThrowingTaskGroup(of: String.self) { group in
                for count in 1...6 {
                    group.addTask { try await Self.store(Self.bytes(count * Self.part / 2), in: storage) }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
        }
        #expect(names.count == 6)
        #expect(store.objects.count == 6)
        #expect(Set(store.objects.values.map(\.bytes.count)) == Set((1...6).map { $0 * Self.part / 2 }))
        #expect(store.uploads.isEmpty)
    }

    @Test func `A long file doesn't take the name of a short one in progress`() async throws {
        let store = try FakeStore { operation, count in operation == "Put" && count == 1 ? .hold : nil }
        let names = try await Self.with(store) { storage in
            async let short = Self.store([1], in: storage)
            try await Self.wait { store.held == 1 }
            let long = try await Self.store(Self.bytes(2 * Self.part), in: storage)
            store.release()
            // Names are given back: the store is asked again, and knows of both.
            return [try await short, long, try await Self.store([2], in: storage)]
        }
        #expect(names == ["a.bin", "a (1).bin", "a (2).bin"])
    }

    @Test func `A name that another receiver's upload takes between two checks is taken`() async throws {
        let store = try FakeStore(isConditional: false) { operation, count in
            operation == "ListUploads" && count == 1 ? .hold : nil
        }
        let name = try await Self.with(store) { storage in
            async let name = Self.store([2], in: storage)
            try await Self.wait { store.held == 1 }
            try await Task.sleep(for: .milliseconds(200))
            store.put("in/a.bin")
            store.release()
            return try await name
        }
        #expect(name == "a (1).bin")
        #expect(store.objects["in/a.bin"]?.bytes == [1])
    }

    @Test(
        arguments: ["Put", "Create", "UploadPart", "Complete", "Head", "ListUploads"],
        [FakeStore.Behaviour.answer(500, "InternalError"), .answer(503, "SlowDown"), .reset(after: 0)])
    func `A request that failed once is made again`(operation: String, behaviour: FakeStore.Behaviour) async throws {
        let store = try FakeStore { $0 == operation && $1 == 1 ? behaviour : nil }
        let bytes = Self.bytes(operation == "Put" ? 10 : 3 * Self.part)
        let name = try await Self.with(store) { try await Self.store(bytes, in: $0) }
        #expect(name == "a.bin")
        #expect(store.objects["in/a.bin"]?.bytes == bytes)
        #expect(store.count(operation) > 1)
    }

    @Test func `A connection that breaks in the middle of a part is made again`() async throws {
        let store = try FakeStore { $0 == "UploadPart" && $1 == 2 ? .reset(after: 30_000) : nil }
        let bytes = Self.bytes(4 * Self.part)
        #expect(try await Self.with(store) { try await Self.store(bytes, in: $0) } == "a.bin")
        #expect(store.objects["in/a.bin"]?.bytes == bytes)
    }

    @Test(arguments: ["Put", "Create", "Complete"])
    func `Work whose answer was lost doesn't count as a collision`(operation: String) async throws {
        let store = try FakeStore { $0 == operation && $1 == 1 ? .workAndReset : nil }
        let bytes = Self.bytes(operation == "Put" ? 10 : 2 * Self.part)
        #expect(try await Self.with(store) { try await Self.store(bytes, in: $0) } == "a.bin")
        #expect(store.objects.keys.sorted() == ["in/a.bin"])
        #expect(store.objects["in/a.bin"]?.bytes == bytes)
        #expect(store.uploads.isEmpty)
    }

    @Test func `A 200 that holds an error is an error, and one that passes is tried again`() async throws {
        let store = try FakeStore { $0 == "Complete" && $1 == 1 ? .errorInSuccess("InternalError") : nil }
        #expect(try await Self.with(store) { try await Self.store(Self.bytes(2 * Self.part), in: $0) } == "a.bin")

        let other = try FakeStore { operation, _ in operation == "Complete" ? .errorInSuccess("InvalidPart") : nil }
        _ = await Self.failure(other) { try await Self.store(Self.bytes(2 * Self.part), in: $0) }
        #expect(other.count("Complete") == 1)
        #expect(other.uploads.isEmpty)
        #expect(other.objects.isEmpty)
    }

    @Test func `A store that always fails is given up, with a report, and left clean`() async throws {
        let store = try FakeStore { operation, _ in operation == "UploadPart" ? .answer(500, "InternalError") : nil }
        let error = await Self.failure(store) { try await Self.store(Self.bytes(9 * Self.part), in: $0) }
        #expect(error?.code == .writeFailed)
        #expect(
            error?.description
                == "can't be stored in s3://bucket/in/ (UploadPart: 500 InternalError: m, request r1, tried 3 times)"
        )
        #expect(store.uploads.isEmpty)
        #expect(store.count("Abort") >= 1)
    }

    @Test func `Wrong keys are reported at once`() async throws {
        let store = try FakeStore { _, _ in .answer(403, "InvalidAccessKeyId") }
        let error = await Self.failure(store) { try await $0.sweep() }
        #expect(error?.description.contains("the store doesn't know AWS_ACCESS_KEY_ID") == true)
        #expect(store.log == ["ListUploads"])
    }

    @Test(arguments: [
        (
            "",
            "Forbidden; the store doesn't say why: check the keys, what their policy and the bucket's allow, "
                + "and this machine's clock"
        ),
        (
            "AccessDenied",
            "AccessDenied: m, request r1; the key isn't allowed to do this: check its policy, and the bucket's"
        ),
    ])
    func `A refusal is withContext as far as the store does`(code: String, words: String) async throws {
        let store = try FakeStore { operation, _ in operation == "Put" ? .answer(403, code) : nil }
        let error = await Self.failure(store) { try await Self.store([1], in: $0) }
        #expect(error?.description == "can't be stored in s3://bucket/in/ (PutObject: 403 \(words))")
    }

    @Test func `A page of some other server is neither a store's answer nor a stored file`() async throws {
        for operation in ["ListUploads", "Put"] {
            let store = try FakeStore { name, _ in name == operation ? .answer(200, "x</Code><br>") : nil }
            let error = await Self.failure(store) { storage in
                if operation == "Put" {
                    _ = try await Self.store([1], in: storage)
                } else {
                    _ = try await storage.sweep()
                }
            }
            #expect(error?.description.contains("isn't from an object store") == true, "\(error as Any)")
        }
    }

    @Test func `A store is tried until its time is over, not a number of times`() async throws {
        let recovering = try FakeStore { $0 == "Put" && $1 <= 8 ? .answer(503, "SlowDown") : nil }
        let name = try await Self.with(recovering, attempts: .max) { try await Self.store([1], in: $0) }
        #expect(name == "a.bin")
        #expect(recovering.count("Put") == 9)

        let failing = try FakeStore { operation, _ in operation == "Put" ? .answer(503, "SlowDown") : nil }
        let error = await #expect(throws: FormworkError.self) {
            try await Self.with(failing, attempts: .max, total: .milliseconds(500)) {
                _ = try await Self.store([1], in: $0)
            }
        }
        let tries = failing.count("Put")
        // The time may be over between the store's last answer and its arrival.
        let said = [tries, tries - 1].map { "503 SlowDown: m, request r1, tried \($0) times" }
        #expect(tries > 1 && said.contains { error?.description.contains($0) == true }, "\(error as Any)")
        #expect(failing.objects.isEmpty)
    }

    @Test(arguments: [
        (HTTPClientError.remoteConnectionClosed as any Error, "it closed the connection"),
        (HTTPParserError.invalidEOFState, "it closed the connection in the middle of its answer"),
        (HTTPParserError.invalidStatus, "its answer isn't HTTP"),
        (HTTPClientError.readTimeout, "it made no progress in time"),
        (HTTPClientError.deadlineExceeded, "it made no progress in time"),
        (HTTPClientError.connectTimeout, "there was no connection in time"),
        (NIOTooManyBytesError(maxBytes: 16 << 20), "its answer has more than 16777216 bytes"),
        (IOError(errnoCode: 104, reason: "read(descriptor:pointer:size:)"), "Connection reset by peer"),
    ])
    func `Why a store gave no answer is said in plain words`(error: any Error, words: String) {
        let failure = S3Error(operation: "PutObject", reason: .connection(error))
        #expect("\(failure)" == "PutObject: no answer from the store: \(words)")
    }

    @Test(arguments: [
        (429, "TooManyRequests", 503), (429, "x", 503), (503, "x", 503), (507, "x", 507), (500, "x", 502),
    ])
    func `The client learns whether the store is overloaded`(status: UInt, code: String, answer: Int) {
        let failure = S3Error(
            operation: "PutObject", reason: .answer(status: status, code: code, message: nil, requestID: nil))
        #expect(failure.publicStatus == answer)
    }

    /// The larger parts exceed the system's buffers, and there is no small part that ends first.
    @Test(arguments: [part, 24 << 20])
    func `A store that stops is given up`(partSize: Int) async throws {
        let store = try FakeStore { operation, _ in operation == "UploadPart" ? .stop : nil }
        let error = await #expect(throws: FormworkError.self) {
            try await Self.with(store, stall: .milliseconds(500), partSize: partSize) {
                let bytes = [UInt8](repeating: 7, count: partSize * 2)
                _ = try await Self.store(bytes, chunk: 1 << 20, in: $0)
            }
        }
        #expect(error?.description.contains("no answer from the store") == true)
        #expect(store.uploads.isEmpty)
    }

    @Test func `A store that stops is asked for no longer than is said`() async throws {
        let store = try FakeStore { operation, _ in operation == "Put" ? .stop : nil }
        await #expect(throws: FormworkError.self) {
            try await Self.with(store, stall: .seconds(3_600), total: .milliseconds(500)) {
                _ = try await Self.store([1], in: $0)
            }
        }
        #expect(store.count("Put") == 1)
    }

    @Test func `A slow store slows the sender, within the documented memory`() async throws {
        let store = try FakeStore { operation, _ in operation == "UploadPart" ? .hold : nil }
        let bytes = Self.bytes(8 * Self.part)
        let accepted = Count()
        try await Self.with(store, parallelism: 2...2) { storage in
            let upload = try await storage.begin(IncomingFile(name: #require(SafeFilename("a.bin"))))
            let sender = Task {
                for start in stride(from: 0, to: bytes.count, by: 4096) {
                    try await upload.write(ByteBuffer(bytes: bytes[start..<(start + 4096)]))
                    accepted.add(4096)
                }
            }
            try await Self.wait { store.held == 2 && accepted.value >= 3 * Self.part }
            try await Task.sleep(for: .milliseconds(200))
            // Two parts on their way and one in the buffer.
            #expect(accepted.value == 3 * Self.part)
            #expect(store.held == 2)
            store.release()
            try await sender.value
            #expect(try await storage.finish(upload) == "a.bin")
        }
        #expect(store.objects["in/a.bin"]?.bytes == bytes)
    }

    @Test func `An abandoned upload leaves nothing, even while parts are being sent`() async throws {
        let store = try FakeStore { operation, count in operation == "UploadPart" && count == 2 ? .hold : nil }
        try await Self.with(store) { storage in
            let upload = try await storage.begin(IncomingFile(name: #require(SafeFilename("a.bin"))))
            try await upload.write(ByteBuffer(bytes: Self.bytes(3 * Self.part)))
            try await Self.wait { store.held == 1 }
            #expect(store.uploads.count == 1)
            await upload.abandon()
            #expect(store.uploads.isEmpty)
            await #expect(throws: CancellationError.self) { try await upload.write(ByteBuffer(bytes: [1])) }
            await upload.abandon()
        }
        #expect(store.objects.isEmpty)
    }

    @Test func `A cancelled sender is woken, and can abandon all the same`() async throws {
        let store = try FakeStore { operation, _ in operation == "UploadPart" ? .hold : nil }
        try await Self.with(store) { storage in
            let task = Task { try await Self.store(Self.bytes(9 * Self.part), in: storage) }
            try await Self.wait { store.held == 2 }
            task.cancel()
            let result = await task.result
            #expect(throws: (any Error).self) { try result.get() }
            #expect(store.uploads.isEmpty)
        }
    }

    /// The store carries a request out although nobody waits for its answer any more.
    @Test(arguments: [("Put", 10), ("Create", 2 * part), ("Complete", 2 * part)])
    func `A cancelled request that makes something is ended, so that nothing is left`(operation: String, count: Int)
        async throws
    {
        let store = try FakeStore { name, number in name == operation && number == 1 ? .hold : nil }
        try await Self.with(store) { storage in
            let upload = S3Upload(IncomingFile(name: try #require(SafeFilename("a.bin"))), in: storage)
            let task = Task {
                try await upload.write(ByteBuffer(bytes: Self.bytes(count)))
                _ = try await storage.finish(upload)
            }
            try await Self.wait { store.held == 1 }
            task.cancel()
            let removal = Task {
                _ = await task.result
                await upload.withdraw()
            }
            try await Task.sleep(for: .milliseconds(200))
            store.release()
            await removal.value
            try await Task.sleep(for: .milliseconds(200))
        }
        #expect(store.objects.isEmpty && store.uploads.isEmpty, "\(store.log)")
    }

    @Test(arguments: [10, 2 * part])
    func `A finished file can be withdrawn`(count: Int) async throws {
        let store = try FakeStore()
        try await Self.with(store) { storage in
            let upload = S3Upload(IncomingFile(name: try #require(SafeFilename("a.bin"))), in: storage)
            try await upload.write(ByteBuffer(bytes: Self.bytes(count)))
            #expect(try await storage.finish(upload) == "a.bin")
            await upload.abandon()
            #expect(store.objects.count == 1)
            await upload.withdraw()
            #expect(store.objects.isEmpty)
        }
    }

    @Test func `An object of another program in a finished file's place isn't withdrawn`() async throws {
        let store = try FakeStore()
        try await Self.with(store) { storage in
            let upload = S3Upload(IncomingFile(name: try #require(SafeFilename("a.bin"))), in: storage)
            try await upload.write(ByteBuffer(bytes: Self.bytes(10)))
            #expect(try await storage.finish(upload) == "a.bin")
            store.put("in/a.bin")
            await upload.withdraw()
            #expect(store.objects["in/a.bin"]?.bytes == [1])
        }
    }

    @Test func `A long file whose name another program takes fails, and replaces nothing`() async throws {
        let store = try FakeStore(isConditional: false)
        let error = await #expect(throws: FormworkError.self) {
            try await Self.with(store) { storage in
                let upload = try await storage.begin(IncomingFile(name: #require(SafeFilename("a.bin"))))
                try await upload.write(ByteBuffer(bytes: Self.bytes(2 * Self.part)))
                store.put("in/a.bin")
                _ = try await storage.finish(upload)
            }
        }
        #expect((error?.cause as? any StorageFailure)?.publicStatus == 409)
        #expect(store.objects["in/a.bin"]?.bytes == [1])
        #expect(store.uploads.isEmpty)
    }

    @Test func `A sweep aborts only old uploads without new parts`() async throws {
        let store = try FakeStore()
        // The store's clock says 3 January.
        store.add("old", .init(key: "in/old.bin", parts: [1: [1]]))
        store.add("empty", .init(key: "in/empty.bin"))
        store.add("alive", .init(key: "in/alive.bin", partDate: "2026-01-02T12:00:00Z", parts: [1: [1]]))
        store.add("new", .init(key: "in/new.bin", initiated: "2026-01-02T12:00:00Z"))
        store.add("deeper", .init(key: "in/x/deeper.bin"))
        store.add("other", .init(key: "inside.bin"))
        // One `Character` with the slash before it.
        store.add("mark", .init(key: "in/\u{301}.bin"))
        store.add("deeper mark", .init(key: "in/x/\u{301}.bin"))
        let aborted = try await Self.with(store) { try await $0.sweep() }
        #expect(aborted.sorted() == ["in/empty.bin", "in/old.bin", "in/\u{301}.bin"].sorted())
        #expect(store.uploads.keys.sorted() == ["alive", "deeper", "deeper mark", "new", "other"])
    }

    @Test func `A sweep looks into folders where files may have some`() async throws {
        let store = try FakeStore()
        store.add("deeper", .init(key: "in/x/deeper.bin"))
        let aborted = try await Self.with(store, keepsPaths: true) { try await $0.sweep() }
        #expect(aborted == ["in/x/deeper.bin"] && store.uploads.isEmpty)
    }

    @Test func `Uploads left later are swept too, and those in progress stay`() async throws {
        let store = try FakeStore()
        try await Self.with(store) { storage in
            let upload = try await storage.begin(IncomingFile(name: #require(SafeFilename("a.bin"))))
            try await upload.write(ByteBuffer(bytes: Self.bytes(2 * Self.part)))
            #expect(store.uploads.count == 1)
            store.add("left", .init(key: "in/left.bin"))
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await storage.sweeper(olderThan: .zero, pause: .milliseconds(10)).run()
                }
                try await Self.wait { store.uploads["left"] == nil }
                store.add("again", .init(key: "in/left.bin"))
                try await Self.wait { store.uploads["again"] == nil }
                #expect(store.uploads.count == 1)
                group.cancelAll()
            }
            #expect(try await storage.finish(upload) == "a.bin")
            #expect(!storage.isUnderWay("u1"))
        }
        #expect(store.objects["in/a.bin"]?.bytes == Self.bytes(2 * Self.part))
    }

    @Test func `A key's blanks and signs are the same in a list`() async throws {
        let store = try FakeStore()
        store.add("old", .init(key: "ü & <in>/ö & %41+.bin", parts: [1: [1]]))
        try await Self.with(store, url: "s3://bucket/ü & <in>") { storage in
            #expect(try await storage.isFree("ö & %41+.bin") == false)
            let name = try await Self.store(Self.bytes(2 * Self.part), as: "ö & %41+.bin", in: storage)
            #expect(name == "ö & %41+ (1).bin")
            #expect(try await storage.sweep() == ["ü & <in>/ö & %41+.bin"])
        }
        #expect(store.objects.keys.sorted() == ["ü & <in>/ö & %41+ (1).bin"])
        #expect(store.uploads.isEmpty)
    }

    @Test func `If the keys may not list uploads, a sweep does nothing, and files are stored all the same`()
        async throws
    {
        let store = try FakeStore { operation, _ in operation == "ListUploads" ? .answer(403, "AccessDenied") : nil }
        try await Self.with(store) { storage in
            let swept = try await storage.sweep()
            #expect(swept == [])
            #expect(try await Self.store(Self.bytes(2 * Self.part), in: storage) == "a.bin")
        }
    }

    @Test func `Without a prefix nothing is swept`() async throws {
        let store = try FakeStore()
        store.add("old", .init(key: "old.bin"))
        #expect(try await Self.with(store, url: "s3://bucket") { try await $0.sweep() } == [])
        #expect(store.uploads.count == 1)
    }
}
