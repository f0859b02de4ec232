#if Transfer
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
        let settings = try AWSSettings(environment: [
            "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_ENDPOINT_URL_S3": "http://127.0.0.1:1",
        ])
        let storage = try S3Storage(
            location: S3Location("s3://bucket/in"), settings: settings, smallestPart: 1, options: options,
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
        try await TestReceiver.run(storage: storage) { receiver in
            let health = try await receiver.request("GET /healthz")
            #expect(health.status == 200)
            let answer = try await receiver.request("GET /readyz")
            #expect(answer.status == 503 && answer.body.contains("The storage can't be reached."))
        }
        await storage.close()
    }
}
#endif
