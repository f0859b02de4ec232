import Foundation
@testable import FormworkClient
@testable import FormworkNIO
import TestSupport
import Testing

// Answers that end an upload, and those that only seem to.
extension NIOTests.ResumableSendTests {
    /// A body larger than any socket accepts at once.
    private func large() throws -> BodyPlan { try form(.bytes(Array(repeating: 7, count: 30_000_000))).plan() }

    /// Answers while the body is under way.
    /// - Parameter drains: Whether it reads the rest of the body then.
    private func early(
        _ answer: String, behind count: Int = 1000, _ before: String = "", drains: Bool = true
    ) -> Script {
        { server, connection in
            var (head, body) = connection.readHead()
            server.note(head)
            connection.write(before)
            while body.count < count { body += connection.read() }
            connection.write(answer)
            if drains { connection.waitForEnd() } else { usleep(300_000) }
        }
    }

    @Test("A redirect of an upload that is half there is a failure, and what is kept stays")
    func redirectedUpload() async throws {
        let kept = Kept()
        let server = try ScriptedServer([
            self.cutting(kept, behind: 500_000, Self.offer),
            self.answering(Self.ok("204 No Content", "Upload-Offset: 500000", "Upload-Complete: ?0")),
            self.answering(Self.ok("302 Found", "Location: /login")),
            self.answering(Self.ok("200 OK")),
        ])
        let saved = NIOTests.Told()
        let error = await #expect(throws: TransferError.self) {
            try await self.send(
                self.plan(1_000_000), to: server.url(), ResumingOptions(.auto), saved: saved)
        }
        #expect(error?.code == .redirects)
        #expect(
            error?.description
                == "the server redirects to /login (302), where the upload can't continue: it may require credentials")
        #expect(saved.words == ["/u/1"])
        #expect(server.requests.count == 3)
    }

    @Test("An answer of draft -01 that says all is there, before it can be, is believed no more than another's")
    func earlyDraft3() async throws {
        let server = try ScriptedServer([
            self.answering(Self.ok("400 Bad Request", "Upload-Draft-Interop-Version: 3")),
            self.early(Self.ok("201 Created", "Upload-Incomplete: ?0", "Upload-Offset: 1000"), drains: false),
        ])
        let error = await #expect(throws: FormworkError.self) {
            try await self.send(self.large(), to: server.url(), ResumingOptions(.auto))
        }
        #expect(error?.message == "the server answered 201 before it had all of the body")
    }

    @Test("A part that is acknowledged early, without an offer before it, is gone on from")
    func earlyPart() async throws {
        let kept = Kept()
        let server = try ScriptedServer([
            self.early(
                Self.ok("201 Created", "Upload-Complete: ?0", "Upload-Offset: 1000", "Location: /u/1")),
            self.answering(Self.ok("200 OK", "Upload-Complete: ?1"), kept),
        ])
        let plan = try self.large()
        let seen = try await self.send(plan, to: server.url(), ResumingOptions(.auto))
        #expect(seen.status == 200)
        #expect(try kept.bytes == Array(self.bytes(plan).dropFirst(1000)))
    }

    @Test func `An upload whose answer was cut is kept`() async throws {
        let cut = "HTTP/1.1 200 OK\r\nUpload-Complete: ?1\r\nContent-Length: 9\r\n\r\nsto"
        let server = try ScriptedServer([self.answering(Self.offer + cut)])
        let saved = NIOTests.Told()
        await #expect(throws: TransferError.self) {
            try await self.send(self.plan(1000), to: server.url(), ResumingOptions(.auto), saved: saved)
        }
        #expect(saved.words == ["/u/1"])
    }

    @Test("The sender's number of redirects counts")
    func numberOfRedirects() async throws {
        let redirect = Self.ok("307 Temporary Redirect", "Location: /there")
        let server = try ScriptedServer([
            self.answering(redirect), self.answering(redirect), self.answering(redirect),
        ])
        let seen = try await self.send(
            self.plan(1000), to: server.url(), ResumingOptions(.auto),
            sender: FormSender(options: .init(maximumRedirects: 0)))
        #expect(seen.status == 307 && seen.trace.requests == 1)
        let error = await #expect(throws: TransferError.self) {
            try await self.send(
                self.plan(1000), to: server.url(), ResumingOptions(.auto),
                sender: FormSender(options: .init(maximumRedirects: 1)))
        }
        #expect(error?.code == .redirects)
        let there = server.url("/there")
        #expect(error?.description == "more than 1 redirect: \(there) redirects to \(there)")
    }

    @Test("417 has the body sent without asking, and costs no try")
    func refusedExpectation() async throws {
        let kept = Kept()
        let refusing: Script = replyingEarly("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n")
        let server = try ScriptedServer([refusing, self.answering(Self.ok("200 OK"), kept)])
        var options = ResumingOptions(.auto)
        options.maximumAttempts = 1
        let plan = try self.plan(1000)
        let seen = try await self.send(plan, to: server.url(), options, asksFrom: 100)
        #expect(seen.status == 200 && seen.trace.retries == 0)
        #expect(try kept.bytes == self.bytes(plan))
        #expect(server.requests[0].contains("100-continue") && !server.requests[1].contains("100-continue"))

        let tus = try ScriptedServer([
            self.answering(Self.ok("201 Created", "Location: /t/1")), refusing,
            self.answering(Self.ok("200 OK", "Upload-Offset: 0")),
            self.answering(Self.ok("204 No Content", "Upload-Offset: 1144"), kept),
        ])
        options = ResumingOptions(.tus)
        options.maximumAttempts = 1
        #expect(try await self.send(plan, to: tus.url(), options, asksFrom: 100).status == 204)
    }

    @Test(
        "An ordinary server that answers without reading is believed as in a plain transfer",
        arguments: [196, 101 << 10, 1_300_000])
    func ordinaryServer(count: Int) async throws {
        for isKept in [false, true] {
            let server = try ScriptedServer(
                .init(
                    repeating: { _, connection in
                        _ = connection.readHead()
                        connection.write(Self.ok("200 OK"))
                        if isKept { usleep(20_000) }
                    }, count: 10))
            for _ in 0..<10 {
                let seen = try await self.send(self.plan(count), to: server.url(), ResumingOptions(.auto))
                #expect(seen.status == 200 && seen.trace.requests == 1)
            }
        }
    }

    @Test("A large body that an ordinary server never reads is an error at once, which says so")
    func unreadByOrdinaryServer() async throws {
        let server = try ScriptedServer([self.early(Self.ok("200 OK"), behind: 0, drains: false)])
        let error = await #expect(throws: FormworkError.self) {
            try await self.send(self.large(), to: server.url(), ResumingOptions(.auto))
        }
        #expect(error?.code == .writeFailed)
        #expect(error?.message == "the server answered 200 before it had all of the body")
    }

    @Test("A redirect before the whole body, which drops it, is not a success")
    func earlyRedirect() async throws {
        for before in ["", Self.offer] {
            let server = try ScriptedServer([
                self.early(Self.ok("303 See Other", "Location: /login"), behind: 1000, before, drains: false),
                self.answering(Self.ok("200 OK")),
            ])
            let error = await #expect(throws: FormworkError.self) {
                try await self.send(self.large(), to: server.url(), ResumingOptions(.auto))
            }
            #expect(error?.code == .writeFailed)
            #expect(
                error?.message
                    == "the server answered 303 before it had all of the body, and redirects to \(server.url("/login"))"
            )
        }
    }

    @Test("The page after a finished upload is fetched with a plain GET, also from a PATCH")
    func page() async throws {
        let kept = Kept()
        let server = try ScriptedServer([
            self.cutting(kept, behind: 1000, Self.offer),
            self.answering(Self.ok("204 No Content", "Upload-Offset: 1000", "Upload-Complete: ?0")),
            self.answering(Self.ok("302 Found", "Upload-Complete: ?1", "Location: /done")),
            self.answering(Self.ok("200 OK")),
        ])
        let saved = NIOTests.Told()
        let seen = try await self.send(
            self.plan(10_000), to: server.url(), ResumingOptions(.auto), saved: saved,
            fields: [.accept: "*/*"])
        #expect(seen.status == 200 && saved.words == ["/u/1", "over"])
        let page = try #require(server.requests.last)
        #expect(page.hasPrefix("GET /done HTTP/1.1\r\n") && page.contains("Accept: */*"))
        #expect(!page.lowercased().contains("upload-"))
    }

    @Test("Whether everything was sent refers to the whole body, not to the last request")
    func partSent() async throws {
        let refused = "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"
        let created = self.answering(Self.ok("201 Created", "Location: /t/1"))
        let server = try ScriptedServer([
            self.answering(refused), created, self.answering(refused), created, self.answering(refused),
        ])
        var options = ResumingOptions(.tus)
        #expect(try await !self.send(self.plan(1000), to: server.url(), options).isBodyComplete)
        #expect(try await self.send(self.plan(1000), to: server.url(), options).isBodyComplete)
        options.maximumAppendSize = 1000
        #expect(try await !self.send(self.plan(1000), to: server.url(), options).isBodyComplete)
    }
}
