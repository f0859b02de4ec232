@testable import FormworkResumable
@testable import FormworkReceiver
import Logging
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct ReadinessTests {
    @Test func `The storage is asked once for all who ask within a moment`() async {
        let count = Atomic(0)
        let readiness = Readiness {
            count.add(1, ordering: .relaxed)
            return false
        }
        #expect(await readiness.isReady() == false)
        for _ in 0..<100 { #expect(await readiness.isReady() == false) }
        #expect(count.load(ordering: .relaxed) == 1)
    }

    @Test func `While the storage is being asked, the last answer counts`() async throws {
        let (answers, continuation) = AsyncStream<Bool>.makeStream()
        let asked = Local(false)
        let readiness = Readiness {
            asked.value = true
            for await answer in answers { return answer }
            return false
        }
        async let first = readiness.isReady()
        while !asked.value { try await Task.sleep(for: .milliseconds(1)) }
        #expect(await readiness.isReady())
        continuation.yield(false)
        #expect(await first == false)
        #expect(await readiness.isReady() == false)
    }

    @Test func `A storage that hangs isn't ready, and holds no request`() async throws {
        let (answers, continuation) = AsyncStream<Void>.makeStream()
        let count = Atomic(0)
        let readiness = Readiness(limit: .milliseconds(20)) {
            count.add(1, ordering: .relaxed)
            // As a call that can't be cancelled.
            await Task { for await _ in answers {} }.value
            return true
        }
        for _ in 0..<20 { #expect(await readiness.isReady() == false) }
        #expect(count.load(ordering: .relaxed) == 1)
        continuation.finish()
        while await !readiness.isReady() { try await Task.sleep(for: .milliseconds(1)) }
        #expect(count.load(ordering: .relaxed) == 1)
    }

    /// Unfinished uploads on a disk that doesn't answer.
    private struct HangingUploads: UploadStorage {
        let answers: AsyncStream<Void>
        let isAsked = Local(false)

        func hang() async throws -> Never {
            self.isAsked.value = true
            await Task { for await _ in self.answers {} }.value
            throw CancellationError()
        }
        func create(_ name: String, record: [UInt8]) async throws { try await self.hang() }
        func record(of name: String) async throws -> [UInt8]? { try await self.hang() }
        func keep(_ record: [UInt8], of name: String) async throws { try await self.hang() }
        func count(of name: String) async throws -> Int64 { try await self.hang() }
        func open(_ name: String, for memory: (any UploadMemory)?) async throws -> (any UploadContent)? {
            try await self.hang()
        }
        func discardBytes(of name: String) async throws { try await self.hang() }
        func discard(_ name: String) async throws { try await self.hang() }
        func names() async throws -> [String] { try await self.hang() }
    }

    @Test func `A receiver ends while a disk hangs on which it looks for expired uploads`() async throws {
        let (answers, continuation) = AsyncStream<Void>.makeStream()
        let uploads = HangingUploads(answers: answers)
        try await TestReceiver.run(store: UploadStore(storage: uploads)) { receiver in
            let isSo = try await receiver.eventually { uploads.isAsked.value }
            #expect(isSo)
        }
        continuation.finish()
    }

    @Test func `A receiver is ready while its folder can be written to`() async throws {
        try await TestReceiver.run { receiver in
            let health = try await receiver.request("GET /healthz", ["Host: 10.0.0.7"])
            #expect(health.body == "ok\n")
            let readiness = try await receiver.request("GET /readyz")
            #expect(readiness.body == "ready\n")
        }
    }

    @Test func `A receiver whose bucket doesn't answer is alive, and not ready`() async throws {
        var options = S3Storage.Options()
        options.patience.total = .milliseconds(200)
        // A port on which nothing listens.
        let storage = try S3Storage(testing: "http://127.0.0.1:1", options)
        try await TestReceiver.run(storage: storage) { receiver in
            #expect(try await receiver.status("GET /healthz") == 200)
            let answer = try await receiver.request("GET /readyz")
            #expect(answer.status == 503 && answer.body.contains("The storage can't be reached."))
        }
        await storage.close()
    }
}
