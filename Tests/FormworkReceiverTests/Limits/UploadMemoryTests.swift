@testable import FormworkReceiver
import FormworkResumable
import Foundation
import Logging
import NIOCore
import Synchronization
import TestSupport
import Testing

/// One bound for the memory of all uploads.
@Suite(.timeLimit(.minutes(10))) struct UploadMemoryTests {
    private static let part = 64 << 10
    private static let whole = part + ReceiverMemory.readBytes

    /// A number that several tasks raise.
    private final class Count: Sendable {
        private let count = Mutex(0)
        var value: Int { self.count.withLock { $0 } }
        func add() { self.count.withLock { $0 += 1 } }
    }

    @Test func `A client may have a quarter of the uploads for which there is memory`() {
        var options = ReceiverOptions()
        options.isLoopback = false
        options.limits.uploads = 200
        #expect(options.uploadsPerClient == 50)
        options.memory = ReceiverMemory(limit: 64 << 20, least: 0)  // 16 uploads of 4 MiB
        #expect(options.uploadsPerClient == 4)
        options.memory = ReceiverMemory(limit: 4 << 20, least: 0)
        #expect(options.uploadsPerClient == 1)
    }

    /// Runs a receiver with a store of its own.
    private static func run(
        _ store: FakeStore, _ memory: ReceiverMemory, isResumable: Bool = false,
        _ test: @escaping @Sendable (TestReceiver) async throws -> Void
    ) async throws {
        let storage = try Self.storage(store)
        let uploads = isResumable ? UploadStore(storage: BucketUploads(storage)) : nil
        let result: Result<Void, any Error>
        do {
            result = .success(
                try await TestReceiver.run({ $0.memory = memory }, storage: storage, store: uploads, test))
        } catch { result = .failure(error) }
        store.release()
        await storage.close()
        store.close()
        try result.get()
    }

    private static func storage(_ store: FakeStore) throws -> S3Storage {
        var options = S3Storage.Options()
        options.partSize = Self.part
        return try S3Storage(testing: store.endpoint, options)
    }

    @Test func `What uploads have comes back, and one that waits gets it in order`() async throws {
        let memory = ReceiverMemory(limit: 2 * Self.whole + 50, least: Self.part)
        var first = await memory.admit()
        let second = try #require(await memory.admit())
        #expect(await memory.admit(within: .milliseconds(10)) == nil)
        try await first?.take(Self.part)
        try await first?.take(50)
        // More than is left: it waits until the first has ended.
        let waiting = Task {
            try await second.take(Self.part); try await second.take(40); return memory.used
        }
        while memory.used != 2 * Self.whole + 50 || second.count != Self.part {
            try await Task.sleep(for: .milliseconds(1))
        }
        first?.release(50)
        #expect(try await waiting.value == 2 * Self.whole + 40)
        second.release(40)
        first?.release(Self.part)
        first = nil
        #expect(memory.used == Self.whole)
        #expect(memory.peak == 2 * Self.whole + 50)
        await #expect(throws: (any Error).self) { try await second.take(Self.part + 1) }
    }

    @Test func `A waiting upload that is cancelled leaves the queue`() async throws {
        let memory = ReceiverMemory(limit: Self.whole, least: Self.part)
        let lease = try #require(await memory.admit())
        try await lease.take(Self.part)
        let waiting = Task { try await lease.take(10) }
        while memory.queued == 0 { try await Task.sleep(for: .milliseconds(1)) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        lease.release(Self.part)
        #expect(lease.count == 0)
        try await lease.take(Self.part)
        #expect(lease.count == Self.part)
    }

    @Test func `Files that have all their bytes give their memory to an upload that waits`() async throws {
        let limit = 3 * Self.whole
        let memory = ReceiverMemory(limit: limit, least: Self.part)
        let lease = try #require(await memory.admit())
        let files = (0..<200).map { _ in Count() }
        var taken = 0
        // As many short files as there is memory for, each with a buffer of a whole part.
        while memory.used + Self.part <= limit || lease.count == 0 {
            let file = files[taken]
            lease.fileEnded()
            try await lease.take(Self.part)
            lease.holds {
                file.add()
                lease.release(Self.part)
            }
            taken += 1
        }
        let other = try #require(await memory.admit())
        #expect(files[..<(taken - 1)].allSatisfy { $0.value == 1 })
        // The last may still get bytes.
        #expect(files[taken - 1].value == 0)
        withExtendedLifetime(other) {}
    }

    @Test func `What waits for memory leaves the file that is being written alone`() async throws {
        let memory = ReceiverMemory(limit: Self.whole + 10, least: Self.part)
        let lease = try #require(await memory.admit())
        let freed = Count()
        try await lease.take(Self.part)
        lease.holds {
            freed.add()
            lease.release(Self.part)
        }
        // Another file's part is read from the store meanwhile.
        let edge = Task { try await lease.take(20) }
        while memory.queued == 0 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(freed.value == 0)
        lease.fileEnded()
        try await edge.value
        #expect(freed.value == 1 && lease.count == 20)
        lease.release(20)
    }

    /// Sixty-four clients send files of three parts and a half, and the store answers no part. Uploads that began early may have
    /// more than one part, so that some fewer are admitted than there is room for.
    @Test(arguments: [(24, 20...24), (64, 58...64), (80, 64...64)])
    func `A store that stalls doesn't make uploads use more, and all that were admitted end`(
        room: Int, admitted: ClosedRange<Int>
    ) async throws {
        let store = try FakeStore { $0 == "UploadPart" && $1 <= 300 ? .hold : nil }
        let limit = room * Self.whole
        let memory = ReceiverMemory(limit: limit, least: Self.part)
        let body = String(repeating: "x", count: 3 * Self.part + Self.part / 2)
        let refused = Count()
        try await Self.run(store, memory) { receiver in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for index in 0..<64 {
                    group.addTask {
                        let answer = try await receiver.request("PUT /\(index)", [], body)
                        if answer.status == 503 {
                            #expect(answer.field("Retry-After") == "5")
                            refused.add()
                        }
                        return answer.status
                    }
                }
                #expect(
                    try await receiver.eventually {
                        refused.value + memory.uploads == 64 && store.held >= memory.uploads
                    })
                #expect(admitted.contains(memory.uploads), "\(memory.uploads)")
                #expect(store.held * Self.part + memory.uploads * ReceiverMemory.readBytes <= limit)
                #expect(memory.used <= limit)
                store.release()
                var stored = 0
                for try await status in group where status == 201 { stored += 1 }
                #expect(stored == 64 - refused.value)
            }
            #expect(memory.peak <= limit)
            #expect(try await receiver.eventually { memory.used == 0 })
        }
        #expect(store.objects.values.count { $0.bytes.count == body.utf8.count } == 64 - refused.value)
    }

    @Test func `Many short files of a form fit into the memory of one upload`() async throws {
        let store = try FakeStore()
        let memory = ReceiverMemory(limit: Self.whole, least: Self.part)
        let text = String(repeating: "x", count: 10_000)
        let body = formBody((0..<30).map { ("f;\($0).txt", "\($0)\(text)") })
        try await Self.run(store, memory) { receiver in
            let answer = try await receiver.request(
                "POST /", ["Content-Type: multipart/form-data; boundary=b"], body)
            #expect(answer.status == 201, "\(answer)")
            #expect(try await receiver.eventually { memory.used == 0 })
        }
        #expect(memory.peak == Self.whole)
        for index in 0..<30 { #expect(store.objects["in/\(index).txt"]?.bytes == Array("\(index)\(text)".utf8)) }
        #expect(store.uploads.isEmpty)
    }

    @Test(arguments: ["a.bin", "form"])
    func `An upload that is kept in the bucket continues and is processed in the memory of one`(name: String)
        async throws
    {
        let store = try FakeStore()
        let memory = ReceiverMemory(limit: Self.whole, least: Self.part)
        let text = String(repeating: "0123456789", count: 25_000)
        let isForm = name == "form"
        let body = Array((isForm ? formBody([("f;a.bin", text), ("g;b.bin", "b\(text)")]) : text).utf8)
        let type = Data("multipart/form-data; boundary=b".utf8).base64EncodedString()
        let metadata = "filename YS5iaW4=" + (isForm ? ",filetype \(type)" : "")
        try await Self.run(store, memory, isResumable: true) { receiver in
            let path = try await receiver.begin(
                "POST /", ["Tus-Resumable: 1.0.0", "Upload-Length: \(body.count)", "Upload-Metadata: \(metadata)"])
            for range in [0..<100_000, 100_000..<101_000, 101_000..<body.count] {
                let answer = try await receiver.request(
                    "PATCH \(path)",
                    [
                        "Tus-Resumable: 1.0.0", "Upload-Offset: \(range.lowerBound)",
                        "Content-Type: application/offset+octet-stream",
                    ], Array(body[range]))
                #expect(answer.status == 204, "\(answer)")
            }
            #expect(try await receiver.eventually { memory.used == 0 })
        }
        #expect(memory.peak == Self.whole)
        #expect(store.objects["in/a.bin"]?.bytes == Array(text.utf8))
        #expect(store.objects["in/b.bin"]?.bytes == (isForm ? Array("b\(text)".utf8) : nil))
        #expect(store.uploads.isEmpty)
    }
}
