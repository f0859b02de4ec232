@testable import FormworkClient
@testable import FormworkNIO
import NIOCore
import Foundation
import TestSupport
import Testing

extension NIOTests {
    @Suite("Sending until it has arrived", .timeLimit(.minutes(10)))
    struct SenderTests {

        private func answering(_ status: String, _ fields: String = "") -> Script {
            { server, connection in
                let (head, body) = connection.readRequest()
                server.note(head)
                server.note(body.count)
                connection.write("HTTP/1.1 \(status)\r\n\(fields)Content-Length: 2\r\n\r\nok")
            }
        }

        private func send(
            _ plan: BodyPlan, to url: String, _ sender: FormSender = FormSender(), fields: HTTPFields = [:]
        ) async throws -> (status: Int, trace: FormSender.Trace) {
            try await sender.send(plan, with: HTTPRequest(to: url, headerFields: fields)) { answer, trace in
                _ = try await answer.body.collect(upTo: 100)
                return (answer.head.status.code, trace)
            }
        }

        private var plan: BodyPlan { get throws { try form(.bytes(noise(1000))).plan() } }

        /// The error of an upload that needs a tunnel through a proxy.
        private func failure(through proxy: ScriptedServer) async -> TransferError? {
            let options = FormClient.Options(proxies: ProxySettings(url: "http://127.0.0.1:\(proxy.port)"))
            return await #expect(throws: TransferError.self) {
                try await self.send(
                    self.plan, to: "https://upload.invalid/a", FormSender(client: FormClient(options: options)))
            }
        }

        @Test("An empty body whose source has content is an error before any request", arguments: 0..<20)
        func contentOfAnEmptyBody(_: Int) async throws {
            let server = try ScriptedServer([replyingEarly("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")])
            let sources: [BodySource] = [
                .file("/proc/self/status"),
                .stream(length: 0) { _ in try BodyPlan(copying: .bytes([1])).makeReader() },
            ]
            for (source, code) in zip(sources, [FormworkError.Code.sourceUnavailable, .lengthMismatch]) {
                let plan = try BodyPlan(content: source, contentType: "text/plain")
                #expect(plan.contentLength == 0)
                let request = try HTTPRequest(to: server.url())
                let sent = await #expect(throws: FormworkError.self) { try await self.send(plan, to: server.url()) }
                let exchanged = await #expect(throws: FormworkError.self) {
                    try await FormClient().exchange(request, body: ExchangeBody(plan)) { $0.head.status.code }
                }
                #expect(sent?.code == code && exchanged?.code == code)
                for choice in [ResumableChoice.auto, .ietf, .tus] {
                    let resumed = await #expect(throws: FormworkError.self) {
                        try await FormSender().send(plan, with: request, resuming: UploadResuming(by: choice)) {
                            answer, _ in answer.head.status.code
                        }
                    }
                    #expect(resumed?.code == code)
                }
            }
            #expect(server.requests == [])
        }

        @Test("A body that can be read only once isn't sent again after a cut, and the part is named")
        func oneShot() async throws {
            let server = try ScriptedServer([{ _, connection in _ = connection.readRequest() }])
            let sender = FormSender(options: .init(retry: .init(count: 3, delay: .milliseconds(1))))
            let plan = try await form(.chunks(once: ChunkSource([noise(1000)]), length: 1000)).plan()
            let cut = await #expect(throws: TransferError.self) { try await self.send(plan, to: server.url(), sender) }
            #expect(
                cut?.message.contains("not tried again, as part 2 \"content\"") == true,
                "\(String(describing: cut))")
        }

        @Test(
            "A redirect that can't be followed is no answer",
            arguments: [
                ("307 Temporary Redirect", "ftp://x/", "forms are sent with http or https, not ftp", true),
                ("308 Permanent Redirect", "foo://x/", "forms are sent with http or https, not foo", true),
                ("307 Temporary Redirect", "http://127.0.0.1:99999/", "it isn't a valid URL", true),
                ("303 See Other", "http://[::", "it isn't a valid URL", false),
            ])
        func unfollowable(status: String, location: String, fault: String, isLeft: Bool) async throws {
            let scripts = [self.answering(status, "Location: \(location)\r\n")]
            for resuming in [false, true] {
                let server = try ScriptedServer(scripts)
                let error = await #expect(throws: TransferError.self) {
                    guard resuming else { return _ = try await self.send(self.plan, to: server.url()) }
                    return try await FormSender().send(
                        self.plan, with: HTTPRequest(to: server.url()), resuming: ResumingOptions(.auto)
                    ) { _, _ in }
                }
                let end = isLeft ? "the body was not delivered" : "it isn't known whether the body was delivered"
                #expect(error?.code == .redirects)
                #expect(
                    error?.description
                        == "the server redirects (\(status.prefix(3))) to \(location), which can't be followed; "
                        + "\(end) (\(fault))"
                )
            }
            let server = try ScriptedServer(scripts)
            let answer = try await self.send(
                self.plan, to: server.url(), FormSender(options: .init(maximumRedirects: 0)))
            #expect(answer.status == Int(status.prefix(3)))
        }

        @Test("A 303 that doesn't say where it leads is the answer; a 307 has not taken the body")
        func noLocation() async throws {
            let server = try ScriptedServer([
                self.answering("307 Temporary Redirect"), self.answering("308 Permanent Redirect", "Location: \r\n"),
                self.answering("303 See Other", "Location: \r\n"),
            ])
            for _ in 1...2 {
                let error = await #expect(throws: TransferError.self) {
                    try await self.send(self.plan, to: server.url())
                }
                #expect(error?.code == .redirects)
            }
            #expect(try await self.send(self.plan, to: server.url()).status == 303)
        }

        @Test("A redirect to another page before the whole body is not a success; with 0 redirects it is the answer")
        func earlyRedirect() async throws {
            let server = try ScriptedServer([
                replyingEarly("HTTP/1.1 302 Found\r\nLocation: /login\r\nContent-Length: 0\r\n\r\n"),
                self.answering("200 OK"),
            ])
            let plan = try await form(.bytes(noise(30_000_000))).plan()
            var sender = FormSender(client: FormClient(options: .init(expectationThreshold: nil)))
            let error = await #expect(throws: FormworkError.self) {
                try await self.send(plan, to: server.url(), sender)
            }
            #expect(
                error?.message
                    == "the server answered 302 before it had all of the body, and redirects to \(server.url("/login"))"
            )
            #expect(error?.offset ?? -1 >= 0)

            sender.options.maximumRedirects = 0
            for choice in [ResumableChoice.off, .auto] {
                let again = try ScriptedServer([
                    replyingEarly("HTTP/1.1 302 Found\r\nLocation: /login\r\nContent-Length: 0\r\n\r\n")
                ])
                let request = try HTTPRequest(to: again.url())
                let answer = try await sender.send(plan, with: request, resuming: UploadResuming(by: choice)) {
                    (status: $0.head.status.code, isBodyComplete: $0.isBodyComplete, requests: $1.requests)
                }
                #expect(answer.status == 302 && !answer.isBodyComplete && answer.requests == 1)
            }
        }

        @Test("A redirect after a form's last boundary, before the last chunk, comes after the whole body")
        func redirectBeforeLastChunk() async throws {
            let server = try ScriptedServer([
                { _, connection in
                    var (_, body) = connection.readHead()
                    while !String(decoding: body, as: UTF8.self).contains("--harbour--\r\n") {
                        body += connection.read()
                    }
                    connection.write("HTTP/1.1 303 See Other\r\nLocation: /done\r\n\r\n")
                    connection.waitForEnd()
                },
                self.answering("200 OK"),
            ])
            let plan = try await form(.chunks(once: ChunkSource([noise(1000)]))).plan()
            let sender = FormSender(client: FormClient(options: .init(expectationThreshold: nil)))
            #expect(try await self.send(plan, to: server.url(), sender).status == 200)
        }

        @Test("417 has the body sent without asking")
        func refusedExpectation() async throws {
            let server = try ScriptedServer([
                replyingEarly("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n"),
                self.answering("200 OK"),
            ])
            var options = FormClient.Options()
            options.expectationThreshold = 100
            let result = try await self.send(
                self.plan, to: server.url(), FormSender(client: FormClient(options: options)))
            #expect(result.status == 200)
            #expect(server.requests[0].contains("100-continue") && !server.requests[1].contains("100-continue"))
        }

        @Test(
            "Times may be as long as a duration",
            arguments: [Duration.seconds(Int64.max), Duration(attoseconds: .max), .seconds(1_000_000_000_000)])
        func longestTimes(time: Duration) async throws {
            let length = try #require(try self.plan.contentLength)
            let server = try ScriptedServer([
                { _, connection in
                    var count = connection.readHead().body.count
                    connection.write("HTTP/1.1 100 Continue\r\n\r\n")
                    while count < length { count += connection.read().count }
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                }
            ])
            var options = FormClient.Options()
            (options.connectTimeout, options.stallTimeout, options.expectationTimeout) = (time, time, time)
            options.expectationThreshold = 100
            let sender = FormSender(
                client: FormClient(options: options),
                options: .init(retry: RetryPolicy(count: 1, delay: time, maximumDelay: time), timeout: time))
            #expect(try await self.send(self.plan, to: server.url(), sender).status == 200)
        }

        @Test(
            "A pause may be as long as a duration, or a server's Retry-After",
            arguments: [
                (Duration.seconds(Int64.max), ""), (Duration(attoseconds: .max), ""),
                (.zero, "Retry-After: 9223372036854775807\r\n"),
                (.zero, "Retry-After: Fri, 31 Dec 9999 23:59:59 GMT\r\n"),
            ] as [(Duration, String)])
        func longestPause(delay: Duration, field: String) async throws {
            let server = try ScriptedServer([self.answering("503 Service Unavailable", field)])
            let (pauses, continuation) = AsyncStream.makeStream(of: Duration.self)
            let plan = try self.plan
            let sending = Task {
                let observer = FormSender.Observer(retrying: { continuation.yield($1) })
                let retry = RetryPolicy(count: 1, delay: delay, maximumRetryAfter: .seconds(Int64.max))
                _ = try await FormSender(options: .init(retry: retry)).send(
                    plan, with: HTTPRequest(to: server.url()), observer: observer
                ) { answer, _ in answer.head.status.code }
            }
            let pause = await pauses.first { _ in true }
            let isDate = field.contains("9999")
            #expect(isDate ? pause ?? .zero > .seconds(900_000_000) : pause == .seconds(1_000_000_000))
            // It waits, and doesn't end the process.
            try await Task.sleep(for: .milliseconds(200))
            sending.cancel()
            await #expect(throws: CancellationError.self) { try await sending.value }
        }

        @Test("An answer collected up to fewer than no bytes is cut", arguments: [-1, Int.min])
        func negativeCollecting(limit: Int) async throws {
            let server = try ScriptedServer([self.answering("200 OK")])
            let isTruncated = try await FormSender().send(self.plan, with: HTTPRequest(to: server.url())) { answer, _ in
                let (bytes, isTruncated) = try await answer.body.collect(upTo: limit)
                return bytes.readableBytes == 0 && isTruncated
            }
            #expect(isTruncated)
        }

        @Test("Buffers may have any size", arguments: [Int.max, 1 << 40, 0, -1, .min])
        func bufferSizes(size: Int) async throws {
            var count = 0
            for try await buffer in try self.plan.buffers(of: size) { count += buffer.readableBytes }
            #expect(Int64(count) == (try self.plan.contentLength))
        }

        @Test("All of it in time, or not at all")
        func maximumTime() async throws {
            let server = try ScriptedServer([{ _, connection in connection.waitForEnd() }])
            let error = await #expect(throws: TransferError.self) {
                try await self.send(
                    self.plan, to: server.url(), FormSender(options: .init(timeout: .milliseconds(200))))
            }
            #expect(error?.code == .timedOut)
        }

        @Test("A proxy gets http with the whole URL and its credentials, and https as a tunnel that it may refuse")
        func proxy() async throws {
            let server = try ScriptedServer([
                self.answering("200 OK"),
                replyingEarly("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n"),
            ])
            var options = FormClient.Options()
            options.proxies = ProxySettings(url: "http://me:secret@127.0.0.1:\(server.port)")
            let sender = FormSender(client: FormClient(options: options))
            #expect(try await self.send(self.plan, to: "http://upload.invalid/a", sender).status == 200)
            #expect(server.requests[0].hasPrefix("POST http://upload.invalid/a HTTP/1.1\r\n"))
            #expect(server.requests[0].contains("Proxy-Authorization: Basic bWU6c2VjcmV0"))
            let error = await #expect(throws: TransferError.self) {
                try await self.send(self.plan, to: "https://upload.invalid/a", sender)
            }
            #expect(error?.code == .proxy && error?.message.contains("407") == true)
            #expect(server.requests[1].hasPrefix("CONNECT upload.invalid:443 HTTP/1.1\r\n"))
        }

        @Test("A proxy's answer may have lines that end with LF alone, and folded fields")
        func looseProxy() async throws {
            let server = try ScriptedServer([
                replyingEarly("HTTP/1.1 407 Proxy Authentication Required\nX-A: b\n c\nContent-Length: 0\n\n"),
                { server, connection in
                    _ = connection.readHead()
                    connection.write("HTTP/1.1 200 Connected\nX-A: b\n c\n\n")
                    // The first byte of a TLS handshake.
                    server.note(Int(connection.read(upTo: 1).first ?? 0))
                },
            ])
            #expect(
                await self.failure(through: server)?.message
                    == "127.0.0.1:\(server.port): the proxy requires credentials that it accepts (status 407): give them in "
                    + "its URL, as in http://user:password@host:port")
            _ = await self.failure(through: server)
            #expect(server.counts == [0x16])
        }

        @Test(
            "A proxy that closes or resets the connection is one error, whenever that is noticed",
            arguments: [
                ("", false, "PROXY: the proxy closed the connection while the tunnel was made"),
                (connected, false, "upload.invalid: the connection through PROXY ended during the TLS handshake"),
                // Which of the two messages it is depends on the time, but not the code.
                (connected, true, nil),
            ])
        func endingProxy(answer: String, resets: Bool, message: String?) async throws {
            for _ in 0..<40 {
                let server = try ScriptedServer([
                    { _, connection in
                        _ = connection.readHead()
                        if !answer.isEmpty { connection.write(answer) }
                        if resets { connection.resetOnClose() }
                    }
                ])
                let error = await self.failure(through: server)
                #expect(error?.code == .proxy, "\(String(describing: error))")
                guard let message else { continue }
                #expect(error?.message == message.replacing("PROXY", with: "127.0.0.1:\(server.port)"))
            }
        }

        private static let connected = "HTTP/1.1 200 OK\r\n\r\n"

        @Test(
            "A reset while the tunnel is made is named like an end of the connection, and one in it is about both ends",
            arguments: [
                ("p:1", "p:1: the proxy closed the connection while the tunnel was made"),
                ("h", "h: the connection through p:1 ended during the TLS handshake"),
            ])
        func resetTunnel(name: String, message: String) {
            let error = TransferError(
                opening: Peer(name: name, isProxy: name == "p:1"), through: "p:1",
                IOError(errnoCode: 104, reason: "read(descriptor:pointer:size:)"))
            #expect(error.code == .proxy && "\(error)" == message)
        }

        @Test func `A connection that ends during the TLS handshake is tried again`() async throws {
            let ending: Script = { server, connection in
                _ = connection.read()
                server.note("ended")
            }
            let server = try ScriptedServer([ending, ending, ending])
            let options = UploadOptions(retry: RetryPolicy(count: 2, delay: .zero))
            let error = await #expect(throws: TransferError.self) {
                try await self.send(
                    self.plan, to: "https" + server.url().dropFirst(4), FormSender(options: options))
            }
            #expect(error?.code == .tls)
            #expect(server.requests == ["ended", "ended", "ended"])
        }

        @Test("The environment's proxies, as curl reads them")
        func environment() {
            let settings = ProxySettings(environment: [
                "HTTP_PROXY": "http://evil:1", "HTTPS_PROXY": "http://a:1", "https_proxy": "http://b:1",
                "NO_PROXY": "example.com, .internal 10.0.0.0/8,[::1]",
            ])
            #expect(settings.http == nil && settings.https == "http://b:1")
            for host in ["example.com", "www.example.com", "x.internal", "10.1.2.3", "::1"] {
                #expect(settings.excepts(host), "\(host)")
            }
            for host in ["badexample.com", "11.1.2.3", "example.org"] {
                #expect(!settings.excepts(host), "\(host)")
            }
            #expect(ProxySettings(environment: ["ALL_PROXY": "p:1"]).http == "p:1")
        }
    }
}
