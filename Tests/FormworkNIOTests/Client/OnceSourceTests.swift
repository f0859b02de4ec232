@testable import FormworkResumable
@testable import FormworkClient
@testable import FormworkNIO
import Foundation
import TestSupport
import Testing

extension NIOTests {
    /// A source that was asked for bytes is used up, even if it had none yet when the server answered.
    @Suite("A body that can be read once, and an answer before any of it", .timeLimit(.minutes(10)))
    struct OnceSourceTests {
        private func endless() throws -> BodyPlan {
            try BodyPlan(
                content: .chunks(once: ChunkSource([], stops: true)), contentType: "application/octet-stream")
        }

        private func answering(_ status: String, _ fields: String = "") -> Script {
            replyingEarly("HTTP/1.1 \(status)\r\n\(fields)Content-Length: 2\r\nConnection: close\r\n\r\nok")
        }

        /// - Parameter asks: Whether the body waits for `100 Continue`.
        private func sender(asks: Bool) -> FormSender {
            var options = FormClient.Options()
            options.expectationThreshold = asks ? 0 : nil
            options.expectationTimeout = .seconds(300)
            return FormSender(
                client: FormClient(options: options),
                options: .init(retry: .init(count: 2, delay: .milliseconds(1))))
        }

        private func send(_ server: ScriptedServer, _ sender: FormSender) async throws -> Int {
            try await sender.send(self.endless(), with: HTTPRequest(to: server.url())) { answer, _ in
                answer.head.status.code
            }
        }

        @Test("A status that is tried again is the answer, unless the server was asked first")
        func unavailable() async throws {
            let server = try ScriptedServer([
                self.answering("503 Service Unavailable"), self.answering("503 Service Unavailable"),
                self.answering("403 Forbidden"),
            ])
            #expect(try await self.send(server, self.sender(asks: false)) == 503)
            #expect(server.requests.count == 1)
            // Nothing was read, so the second try has all of it.
            #expect(try await self.send(server, self.sender(asks: true)) == 403)
            #expect(server.requests.count == 3)
        }

        @Test("A redirect and a 401 name the part before another request")
        func again() async throws {
            let server = try ScriptedServer([
                self.answering("307 Temporary Redirect", "Location: /b\r\n"),
                self.answering("401 Unauthorized", "WWW-Authenticate: Basic realm=\"x\"\r\n"),
            ])
            let redirected = await #expect(throws: FormworkError.self) {
                try await self.send(server, self.sender(asks: false))
            }
            #expect(redirected?.code == .notReplayable)
            #expect(redirected?.message.hasPrefix("the server redirects to \(server.url("/b")), but ") == true)
            var authorized = self.sender(asks: false)
            authorized.options.authentication = .basic(user: "u", password: "p")
            let refused = await #expect(throws: FormworkError.self) { try await self.send(server, authorized) }
            #expect(refused?.code == .notReplayable)
            let text = try #require(refused?.message)
            #expect(
                text.hasPrefix("the server answered 401, but ")
                    && text.hasSuffix(
                        ": send Authorization with the first request, or give a source that can be opened again"),
                "\(text)")
            #expect(server.requests.count == 2)
        }

        @Test("A connection that ends is the error, and says why nothing else was tried")
        func cut() async throws {
            let server = try ScriptedServer([
                { server, connection in server.note(connection.readHead().head) }, self.answering("200 OK"),
            ])
            let error = await #expect(throws: TransferError.self) {
                try await self.send(server, self.sender(asks: false))
            }
            #expect(error?.message.contains("; not tried again, as ") == true, "\(String(describing: error))")
            #expect(server.requests.count == 1)
        }

        @Test("With resuming, the answer and the connection's end are the result, too")
        func resuming() async throws {
            let server = try ScriptedServer([
                self.answering("503 Service Unavailable"),
                { server, connection in server.note(connection.readHead().head) },
            ])
            var options = ResumingOptions(.auto)
            options.repeatsUnanswered = true
            options.delays = [.milliseconds(1)]
            let resuming = options
            @Sendable func send() async throws -> Int {
                try await self.sender(asks: false).send(
                    self.endless(), with: HTTPRequest(to: server.url()), resuming: resuming
                ) { answer, _ in answer.head.status.code }
            }
            #expect(try await send() == 503)
            let failure = await #expect(throws: TransferError.self) { try await send() }
            #expect(
                failure?.message
                    == "the connection broke after 0 bytes, and the server had not offered to resume, and the body can't be "
                    + "read again")
            #expect(server.requests.count == 2)
        }
    }
}
