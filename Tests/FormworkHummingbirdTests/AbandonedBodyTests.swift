import Foundation
import FormworkHummingbird
import Hummingbird
import HummingbirdTesting
import NIOCore
import Synchronization
import Testing

/// A task that reads a form after its route has answered: the server reads the same connection then.
@Suite("A body that is still read after the answer", .timeLimit(.minutes(10)), .serialized)
struct AbandonedBodyTests {
    /// What the abandoned tasks got.
    private final class Outcomes: Sendable {
        private let all = Mutex<[Result<Int, any Error>]>([])
        func add(_ outcome: Result<Int, any Error>) { self.all.withLock { $0.append(outcome) } }
        var values: [Result<Int, any Error>] { self.all.withLock { $0 } }
    }

    private func router(_ outcomes: Outcomes) -> Router<BasicRequestContext> {
        let router = Router()
        router.post("abandon") { request, _ in
            let parts = try request.formParts()
            // Detached: nothing that depends on the route's task may be needed.
            Task.detached {
                do {
                    var count = 0
                    for try await part in parts {
                        for try await piece in part.content {
                            count += piece.readableBytes
                            try await Task.sleep(for: .milliseconds(Int.random(in: 0...2)))
                        }
                    }
                    outcomes.add(.success(count))
                } catch { outcomes.add(.failure(error)) }
            }
            if Bool.random() { try await Task.sleep(for: .milliseconds(Int.random(in: 0...5))) }
            return "answered"
        }
        router.post("twice") { request, _ in
            let (one, other) = (try request.formParts(), try request.formParts())
            for try await part in one { try await part.skip() }
            for try await part in other { try await part.skip() }
            return "read"
        }
        return router
    }

    @Test("gets an error, or was at its end; the connection answers the next request")
    func abandoned() async throws {
        let outcomes = Outcomes()
        let app = Application(router: self.router(outcomes), server: .http1ExpectContinue())
        let rounds = 60
        try await app.test(.live) { client in
            for round in 0..<rounds {
                let content = String(repeating: "x", count: [1_000, 50_000, 3_000_000][round % 3])
                let body = multipart("a; filename=\"f\"\r\n\r\n\(content)")
                try await client.execute(
                    uri: "/abandon", method: .post, headers: [.contentType: multipartType],
                    body: ByteBuffer(string: body)
                ) { answer in
                    #expect(String(buffer: answer.body) == "answered")
                }
            }
            for _ in 0..<500 where outcomes.values.count < rounds { try await Task.sleep(for: .milliseconds(10)) }
        }
        #expect(outcomes.values.count == rounds)
        var refused = 0
        for case .failure(let error) in outcomes.values {
            #expect((error as? FormworkError)?.code == .invalidArgument, "\(error)")
            #expect("\(error)".contains("the request was answered before its body was read to the end"))
            refused += 1
        }
        #expect(refused > 0)
    }

    @Test("A second reader of a body gets an error, with Expect too", arguments: [false, true])
    func twice(expects: Bool) async throws {
        let app = Application(router: self.router(Outcomes()), server: .http1ExpectContinue())
        try await app.test(.live) { client in
            let body = multipart("a\r\n\r\n1")
            try await RawClient.with(port: client.port!) { client, channel in
                let head =
                    "POST /twice HTTP/1.1\r\nHost: a\r\nContent-Type: \(multipartType)\r\nConnection: close\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\(expects ? "Expect: 100-continue\r\n" : "")\r\n"
                try await channel.send(head + body)
                #expect(try await client.lastAnswer().contains("HTTP/1.1 500 "))
            }
        }
    }
}
