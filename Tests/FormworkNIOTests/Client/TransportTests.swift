import AsyncHTTPClient
@testable import FormworkClient
import NIOHTTP1
import TestSupport
import Testing

extension NIOTests {
    /// The same servers for each client that performs the steps of an upload: the results are equal, row by row.
    @Suite("What all clients do alike", .timeLimit(.minutes(10)))
    struct TransportTests {
        enum Transport: CaseIterable { case own, asyncHTTPClient }

        private struct Outcome {
            var status: Int
            var url: String
            var bytesSent: Int64
            var isBodyComplete: Bool
            var retries: Int
        }

        private func upload(
            _ plan: BodyPlan, to url: String, by transport: Transport, _ options: UploadOptions = UploadOptions(),
            fields: [(String, String)] = [], method: HTTPMethod = .POST
        ) async throws -> Outcome {
            var options = options
            options.timeout = .seconds(300)
            switch transport {
            case .own:
                // AsyncHTTPClient doesn't ask the server before a body, either.
                let client = FormClient(options: FormClient.Options(expectationThreshold: nil))
                var request = try HTTPRequest(HTTPRequest.Method(method.rawValue) ?? .post, to: url)
                for (name, value) in fields { request.headerFields[HTTPField.Name(name)!] = value }
                return try await FormSender(client: client, options: options).send(plan, with: request) {
                    answer, trace in
                    _ = try await answer.body.collect(upTo: 1000)
                    return Outcome(
                        status: answer.head.status.code, url: trace.url,
                        bytesSent: trace.hasBody ? answer.bytesSent : 0, isBodyComplete: answer.isBodyComplete,
                        retries: trace.retries)
                }
            case .asyncHTTPClient:
                var configuration = HTTPClient.Configuration()
                configuration.redirectConfiguration = .disallow
                return try await withClient(configuration) { [options] client in
                    var request = HTTPClientRequest(url: url)
                    (request.method, request.headers) = (method, HTTPHeaders(fields))
                    let answer = try await client.upload(plan, with: request, options: options)
                    _ = try await answer.response.body.collect(upTo: 1000)
                    return Outcome(
                        status: Int(answer.status.code), url: answer.url, bytesSent: answer.bytesSent,
                        isBodyComplete: answer.isBodyComplete, retries: answer.retries)
                }
            }
        }

        private static let (count, checksum): (Int, UInt32) = (500_000, 0x6d8b_22d5)

        private func plan() throws -> BodyPlan { try form(.bytes(noise(Self.count))).plan() }

        private func once() throws -> BodyPlan {
            try form(.chunks(once: ChunkSource([noise(Self.count)]))).plan()
        }

        @Test(
            "Retries send the same bytes, as often as allowed, and not after the time-out",
            arguments: Transport.allCases)
        func retries(_ transport: Transport) async throws {
            let again = ["Retry-After: 0"]
            let answers: [String: [UploadServer.Answer]] = [
                "/busy": [.status(503, again), .status(429, again), .status(200)],
                "/cut": [.cut(after: 100_000), .cut(after: 0), .status(200)],
                "/never": [.status(503, again)], "/wrong": [.status(400)], "/early": [.early(503), .status(200)],
                "/moved": [.status(307, ["Location: /busy2"])], "/busy2": [.status(502), .status(200)],
                "/later": [.status(503, ["Retry-After: 1000"]), .status(200)],
            ]
            let server = try UploadServer(answers)
            let options = UploadOptions(retry: RetryPolicy(count: 2, delay: .milliseconds(1)))
            for (path, status, retries, requests) in [
                ("/busy", 200, 2, 3), ("/cut", 200, 2, 3), ("/never", 503, 2, 3), ("/wrong", 400, 0, 1),
                ("/early", 200, 1, 2), ("/moved", 200, 1, 3), ("/later", 503, 0, 1),
            ] {
                let before = server.requests.count
                let answer = try await self.upload(self.plan(), to: server.address(path), by: transport, options)
                #expect(answer.status == status && answer.retries == retries, "\(path)")
                let sent = server.requests.dropFirst(before)
                #expect(sent.count == requests, "\(path)")
                #expect(sent.filter(\.isWhole).allSatisfy { $0.crc == Self.checksum }, "\(path)")
            }
            let unasked = try await self.upload(self.plan(), to: server.address("/never"), by: transport)
            #expect(unasked.status == 503 && unasked.retries == 0)
        }

        @Test("307 and 308 send the same body again, byte for byte", arguments: Transport.allCases)
        func redirectWithBody(_ transport: Transport) async throws {
            let answers: [String: [UploadServer.Answer]] = [
                "/307": [.status(307, ["Location: /b?c=d"])], "/308": [.status(308, ["Location: /b?c=d"])],
                "/b?c=d": [.status(200)],
            ]
            let server = try UploadServer(answers)
            for (path, length) in [("/307", UploadOptions.Length.whenKnown), ("/308", .chunked)] {
                let answer = try await self.upload(
                    self.plan(), to: server.address(path), by: transport, UploadOptions(length: length),
                    fields: [("Authorization", "x"), ("Cookie", "y")])
                #expect(answer.status == 200 && answer.url == server.address("/b?c=d") && answer.isBodyComplete)
                let sent = server.requests.suffix(2)
                #expect(sent.map(\.method) == ["POST", "POST"] && sent.map(\.target) == [path, "/b?c=d"])
                #expect(sent.allSatisfy { $0.isWhole && $0.crc == Self.checksum })
                #expect(sent.allSatisfy { $0.fields("Authorization") == ["x"] }, "the same origin")
            }
        }

        @Test("301, 302 and 303 make POST a GET without a body; other methods only 303", arguments: Transport.allCases)
        func redirectWithoutBody(_ transport: Transport) async throws {
            for (status, method, next) in [
                (301, HTTPMethod.POST, "GET"), (302, .POST, "GET"), (303, .POST, "GET"), (301, .PUT, "PUT"),
                (302, .PUT, "PUT"), (303, .PUT, "GET"), (303, .HEAD, "HEAD"),
            ] {
                let answers: [String: [UploadServer.Answer]] = [
                    "/a": [.status(status, ["Location: /b"])], "/b": [.status(200)],
                ]
                let server = try UploadServer(answers)
                let answer = try await self.upload(
                    form(.text("x")).plan(), to: server.address("/a"), by: transport, method: method)
                #expect(answer.status == 200 && answer.url == server.address("/b") && answer.isBodyComplete)
                let request = try #require(server.requests.last)
                #expect(server.requests.count == 2 && request.method == next && request.target == "/b")
                #expect((request.count > 0) == (next == "PUT") && (answer.bytesSent > 0) == (next == "PUT"))
                guard next == "GET" else { return }
                for name in ["Content-Type", "Content-Length", "Transfer-Encoding"] {
                    #expect(request.fields(name) == [])
                }
            }
        }

        @Test(
            "Another origin gets the body and no credentials, unless the caller trusts redirects",
            arguments: Transport.allCases)
        func otherOrigin(_ transport: Transport) async throws {
            for isTrusted in [false, true] {
                let other = try UploadServer(["/b": [.status(401), .status(200)]])
                let moved = [UploadServer.Answer.status(307, ["Location: \(other.address("/b"))"])]
                let server = try UploadServer(["/a": moved])
                let options = UploadOptions(
                    trustsRedirects: isTrusted, authentication: .basic(user: "user", password: "secret"))
                let answer = try await self.upload(
                    form(.text("x")).plan(), to: server.address("/a"), by: transport, options,
                    fields: [("Authorization", "x"), ("Cookie", "y"), ("Accept", "z")])
                #expect(answer.status == (isTrusted ? 200 : 401), "its 401 is answered only if it is trusted")
                let sent = other.requests
                #expect(
                    sent.map { $0.fields("Authorization") }
                        == (isTrusted ? [["x"], ["Basic dXNlcjpzZWNyZXQ="]] : [[]]))
                #expect(sent.allSatisfy { $0.fields("Cookie") == (isTrusted ? ["y"] : []) })
                #expect(sent.allSatisfy { $0.isWhole && $0.count > 0 && $0.fields("Accept") == ["z"] })
                #expect(sent.allSatisfy { $0.fields("Host") == ["127.0.0.1:\(other.port)"] })
            }
        }

        @Test("A 401 is answered once, with the whole body", arguments: Transport.allCases)
        func authentication(_ transport: Transport) async throws {
            let server = try UploadServer(["/": [.status(401), .status(200)], "/no": [.status(401)]])
            let options = UploadOptions(authentication: .basic(user: "ü", password: "p:q"))
            let answer = try await self.upload(self.plan(), to: server.address("/"), by: transport, options)
            #expect(answer.status == 200)
            let sent = server.requests
            #expect(sent.map(\.isWhole) == [true, true] && sent.map(\.crc) == [Self.checksum, Self.checksum])
            #expect(sent[1].fields("Authorization") == ["Basic w7w6cDpx"])
            let again = try await self.upload(self.plan(), to: server.address("/no"), by: transport, options)
            #expect(again.status == 401)
            #expect(server.requests.count == 4, "the same credentials are not tried twice")
            let colon = UploadOptions(authentication: .basic(user: "a:b", password: "c"))
            let error = await #expect(throws: FormworkError.self) {
                _ = try await self.upload(self.plan(), to: server.address("/no"), by: transport, colon)
            }
            #expect(error?.code == .invalidArgument)
        }

        @Test("A body that can be read once is never sent twice, unless it is collected", arguments: Transport.allCases)
        func oneShot(_ transport: Transport) async throws {
            let answers: [String: [UploadServer.Answer]] = [
                "/307": [.status(307, ["Location: /"])], "/401": [.status(401), .status(200)],
                "/": [.status(200)], "/busy": [.status(503), .status(200)],
            ]
            for path in ["/307", "/401"] {
                var options = UploadOptions(authentication: .basic(user: "u", password: "p"))
                let server = try UploadServer(answers)
                let error = await #expect(throws: FormworkError.self) {
                    _ = try await self.upload(self.once(), to: server.address(path), by: transport, options)
                }
                #expect(error?.code == .notReplayable && error?.part?.name == "content")
                let advice = ": send Authorization with the first request, or"
                #expect(path == "/307" || error?.message.contains(advice) == true)
                #expect(server.requests.count == 1)
                (options.length, options.memoryThreshold) = (.fixed, 100)
                let other = try UploadServer(answers)
                let answer = try await self.upload(self.once(), to: other.address(path), by: transport, options)
                #expect(answer.status == 200)
                #expect(other.requests.map(\.crc) == [Self.checksum, Self.checksum])
            }
            let server = try UploadServer(answers)
            let options = UploadOptions(retry: RetryPolicy(count: 2, delay: .zero))
            let answer = try await self.upload(self.once(), to: server.address("/busy"), by: transport, options)
            #expect(answer.status == 503 && answer.retries == 0 && server.requests.count == 1)
        }

        @Test(
            "Chunks go out where they are wanted, or the length is unknown; fixed collects",
            arguments: Transport.allCases)
        func lengths(_ transport: Transport) async throws {
            let server = try UploadServer(["/": [.status(200)]])
            for (length, isKnown, isChunked) in [
                (.whenKnown, true, false), (.whenKnown, false, true), (.chunked, true, true),
                (.chunked, false, true),
                (.fixed, false, false),
            ] as [(UploadOptions.Length, Bool, Bool)] {
                let answer = try await self.upload(
                    isKnown ? self.plan() : self.once(), to: server.address("/"), by: transport,
                    UploadOptions(length: length, memoryThreshold: 1000))
                let request = try #require(server.requests.last)
                #expect(answer.status == 200 && answer.isBodyComplete && answer.bytesSent == 500_144)
                #expect(request.isWhole && request.count == 500_144 && request.crc == Self.checksum)
                #expect(request.fields("Transfer-Encoding") == (isChunked ? ["chunked"] : []))
                #expect(request.fields("Content-Length") == (isChunked ? [] : ["500144"]))
            }
        }

        @Test("An early 200 to a short body is the answer, every time", arguments: Transport.allCases)
        func earlySuccess(_ transport: Transport) async throws {
            let server = try UploadServer(["/": [.early(200)]])
            for count in [200, 100_000, 1_300_000] {
                let plan = try await form(.synthetic(SyntheticBytes(.zeros, count: Int64(count)))).plan()
                for _ in 0..<5 {
                    let answer = try await self.upload(plan, to: server.address("/"), by: transport)
                    #expect(answer.status == 200 && answer.isBodyComplete)
                }
            }
        }
    }
}
