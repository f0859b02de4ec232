#if NIO
import AsyncHTTPClient
import Formwork
import FormworkHTTP
import FormworkResumable
import FormworkNIO
import FormworkClient
import Glibc
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NIOPosix
import Synchronization
import Testing

extension NIOTests {
    @Suite("A server without a framework", .timeLimit(.minutes(10)))
    struct ServerTests {
        private struct Note: Decodable { var title: String }

        private static let failures = Mutex<[FormworkError.Code?]>([])

        private static func answer(_ request: ServerRequest) async throws -> ServerResponse {
            switch request.head.path {
            case "/parts":
                var lines = ""
                for try await part in try request.formParts() {
                    lines += "\(part.name ?? "")=\(try await part.text(upTo: 100));"
                }
                return ServerResponse(status: .ok, body: ByteBuffer(string: lines))
            case "/decode":
                return ServerResponse(
                    status: .ok, body: ByteBuffer(string: try await request.decodeForm(as: Note.self).title))
            case "/composed":
                _ = try await request.collectForm()
                return ServerResponse(body: try await form(.text("sea")).plan())
            case "/chunks":
                let (chunks, source) = AsyncStream.makeStream(of: [UInt8].self)
                source.yield(Array("sea".utf8))
                source.finish()
                return ServerResponse(body: try await form(.chunks(once: chunks)).plan())
            case "/slow":
                _ = try await request.collectForm(deadlines: ReceivingDeadlines(chunk: .milliseconds(50)))
                return ServerResponse(status: .ok)
            case "/note":
                do { _ = try await request.collectForm() } catch {
                    self.failures.withLock { $0.append((error as? FormworkError)?.code) }
                    throw error
                }
                return ServerResponse(status: .ok)
            case "/twice":
                _ = try await request.collectForm()
                do { _ = try await request.collectForm() } catch let error as FormworkError {
                    return ServerResponse(status: .ok, body: ByteBuffer(string: "\(error.code): \(error)"))
                }
                return ServerResponse(status: .ok)
            case "/last": return ServerResponse(status: .ok, headerFields: [.connection: "close"])
            case "/fail": throw FormworkError(.writeFailed, "disk full", path: "/srv/secret")
            default: return ServerResponse(status: .notFound)
            }
        }

        private func serve(_ body: @escaping @Sendable (String) async throws -> Void) async throws {
            let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .bind(host: "127.0.0.1", port: 0) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.configureFormServer()
                    }
                }
            let url = "http://127.0.0.1:\(server.channel.localAddress!.port!)"
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await withThrowingDiscardingTaskGroup { connections in
                        try await server.executeThenClose { inbound in
                            for try await connection in inbound {
                                connections.addTask { try? await connection.serve(Self.answer) }
                            }
                        }
                    }
                }
                try await body(url)
                group.cancelAll()
            }
        }

        @Test("Forms are read, decoded and composed, on one connection", .timeLimit(.minutes(10)))
        func forms() async throws {
            try await self.serve { url in
                try await withClient { client in
                    func post(_ path: String, _ plan: BodyPlan) async throws -> (Int, String?, String) {
                        let answer = try await client.upload(
                            plan, with: HTTPClientRequest(url: url + path),
                            options: UploadOptions(timeout: .seconds(300)))
                        let text = String(buffer: try await answer.response.body.collect(upTo: 10_000))
                        return (Int(answer.status.code), answer.response.headers.first(name: "Content-Type"), text)
                    }
                    let plan = try await form(.text("sea")).plan()
                    for _ in 1...2 {
                        let (status, _, text) = try await post("/parts", plan)
                        #expect(status == 200)
                        #expect(text == "field=grüße;content=sea;")
                    }
                    let composed = try await post("/composed", plan)
                    #expect(composed.1 == "multipart/form-data; boundary=harbour")
                    #expect(composed.2 == String(decoding: try plan.bytes(upTo: 1000), as: UTF8.self))
                    let missing = try await post("/decode", plan)
                    #expect(missing.0 == 400)
                    #expect(missing.1 == "application/problem+json")
                    #expect(missing.2.contains(#""field":"title""#))
                    let failed = try await post("/fail", plan)
                    #expect(failed.0 == 500)
                    #expect(failed.2 == #"{"status":500,"title":"Internal Server Error","type":"about:blank"}"#)
                    #expect(try await post("/none", plan).0 == 404)

                    var request = HTTPClientRequest(url: url + "/decode")
                    request.method = .POST
                    request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
                    request.body = .bytes(ByteBuffer(string: "title=a+b"))
                    let answer = try await client.execute(request, timeout: .seconds(300))
                    #expect(String(buffer: try await answer.body.collect(upTo: 100)) == "a b")

                    request = HTTPClientRequest(url: url + "/slow")
                    request.method = .POST
                    request.headers.add(name: "Content-Type", value: "multipart/form-data; boundary=x")
                    request.body = .stream(
                        AsyncStream<ByteBuffer> { $0.yield(ByteBuffer(string: "--x\r\n")) }, length: .unknown)
                    #expect(try await client.execute(request, timeout: .seconds(300)).status == .requestTimeout)
                }
            }
        }

        /// The bytes that a server sends until it closes.
        ///
        /// - Parameters:
        ///   - resets: Whether the client resets the connection instead.
        ///   - ends: Whether the client ends its side after the text.
        private func answers(
            to text: String, from url: String, resets: Bool = false, ends: Bool = false
        ) async throws -> String {
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(host: "127.0.0.1", port: Int(url.split(separator: ":").last ?? "")!) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                            wrappingChannelSynchronously: channel,
                            configuration: .init(isOutboundHalfClosureEnabled: true))
                    }
                }
            return try await channel.executeThenClose { inbound, outbound in
                try await outbound.write(ByteBuffer(string: text))
                if ends { outbound.finish() }
                guard !resets else {
                    let options = try #require(channel.channel as? any SocketOptionProvider)
                    try await options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
                    return ""
                }
                var got = ""
                for try await buffer in inbound { got += String(buffer: buffer) }
                return got
            }
        }

        @Test(
            "The connection ends behind a request or an answer that says so", .timeLimit(.minutes(10)),
            arguments: [
                "GET /none HTTP/1.0\r\n\r\n", "GET /none HTTP/1.1\r\nHost: a\r\nConnection: Close, TE\r\n\r\n",
                "GET /last HTTP/1.1\r\nHost: a\r\n\r\n",
            ])
        func ends(request: String) async throws {
            try await self.serve { url in
                let text = try await self.answers(to: request, from: url)
                #expect(text.hasPrefix("HTTP/1.1 ") && text.hasSuffix("\r\n\r\n"))
            }
        }

        @Test("An answer of unknown length is framed for its client", .timeLimit(.minutes(10)))
        func framing() async throws {
            let type = "Content-Type: multipart/form-data; boundary=harbour\r\n"
            let last = "GET /last HTTP/1.1\r\nHost: a\r\n\r\n"
            let lastAnswer = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
            try await self.serve { url in
                // A last chunk would begin the next answer.
                let head = try await self.answers(to: "HEAD /chunks HTTP/1.1\r\nHost: a\r\n\r\n" + last, from: url)
                #expect(head == "HTTP/1.1 200 OK\r\n\(type)\r\n\(lastAnswer)")
                let chunked = try await self.answers(
                    to: "GET /chunks HTTP/1.1\r\nHost: a\r\n\r\n" + last, from: url)
                #expect(chunked.hasPrefix("HTTP/1.1 200 OK\r\n\(type)Transfer-Encoding: chunked\r\n\r\n"))
                #expect(chunked.hasSuffix("\r\n0\r\n\r\n\(lastAnswer)"))
                // An HTTP/1.0 client recognizes the end by the connection's, and expects nothing.
                let old = try await self.answers(
                    to: "GET /chunks HTTP/1.0\r\nConnection: keep-alive\r\nExpect: 100-continue\r\n\r\n", from: url)
                #expect(old.hasPrefix("HTTP/1.1 200 OK\r\n\(type)Connection: close\r\n\r\n--harbour\r\n"))
                #expect(old.hasSuffix("sea\r\n--harbour--\r\n"))
                let kept = try await self.answers(
                    to: "GET /none HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /none HTTP/1.0\r\n\r\n", from: url)
                let none = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n"
                #expect(kept == "\(none)Connection: keep-alive\r\n\r\n\(none)\r\n")
            }
        }

        private func note(length: Int = 9) -> String {
            "POST /decode HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n"
                + "Content-Length: \(length)\r\n\r\ntitle=a+b"
        }

        @Test("A client that ends its side gets its answers", .timeLimit(.minutes(10)))
        func halfClosed() async throws {
            let answer = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\na b"
            try await self.serve { url in
                #expect(try await self.answers(to: self.note(), from: url, ends: true) == answer)
                #expect(try await self.answers(to: self.note() + self.note(), from: url, ends: true) == answer + answer)
                let cut = try await self.answers(to: self.note() + self.note(length: 10), from: url, ends: true)
                #expect(cut.hasPrefix(answer + "HTTP/1.1 400 Bad Request\r\n"))
                #expect(cut.contains(#""code":"truncatedBody""#))
                #expect(try await self.answers(to: "", from: url, ends: true) == "")
            }
        }

        @Test("Chunks that are cut before the end of their trailer section are a cut body", .timeLimit(.minutes(10)))
        func cutTrailer() async throws {
            let body = "--x\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nsea\r\n--x--\r\n"
            let trailer = "\r\n0\r\nX-Sum: 1\r\n\r\n"
            try await self.serve { url in
                for path in ["/decode", "/parts"] {
                    let request =
                        "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=x\r\n"
                        + "Transfer-Encoding: chunked\r\n\r\n\(String(body.utf8.count, radix: 16))\r\n\(body)"
                    for cut in 0..<trailer.utf8.count {
                        let part = String(decoding: trailer.utf8.prefix(cut), as: UTF8.self)
                        let text = try await self.answers(to: request + part, from: url, ends: true)
                        #expect(text.hasPrefix("HTTP/1.1 400 ") && text.contains("truncatedBody"), "\(cut): \(text)")
                    }
                    let text = try await self.answers(to: request + trailer, from: url, ends: true)
                    #expect(text.hasPrefix("HTTP/1.1 200 "), "\(text)")
                }
            }
        }

        @Test("A client that resets the connection has cut its body", .timeLimit(.minutes(10)))
        func reset() async throws {
            try await self.serve { url in
                let head = "POST /note HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n"
                _ = try await self.answers(
                    to: head + "Content-Type: multipart/form-data; boundary=x\r\n\r\n--x\r\n", from: url,
                    resets: true)
                while Self.failures.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(10)) }
                #expect(Self.failures.withLock { $0 } == [.truncatedBody])
            }
        }

        @Test("A second reader of a body gets an error that says so", .timeLimit(.minutes(10)))
        func readTwice() async throws {
            try await self.serve { url in
                let request = self.note().replacing("/decode", with: "/twice")
                    .replacing("Host: a", with: "Host: a\r\nConnection: close")
                let text = try await self.answers(to: request, from: url)
                #expect(
                    text.hasSuffix(
                        "\r\n\r\nnotReplayable: the request's body was already read: read it once, and pass on what was read"
                    ), "\(text)")
            }
        }

        private func head(expects: Bool) -> HTTPRequestPart {
            .head(
                HTTPRequest(
                    method: .post, scheme: "http", authority: "a", path: "/",
                    headerFields: expects ? [.expect: "100-Continue"] : [:]))
        }

        private func statuses(_ channel: EmbeddedChannel) throws -> [String] {
            var seen: [String] = []
            while let part = try channel.readOutbound(as: HTTPResponsePart.self) {
                if case .head(let head) = part {
                    seen.append("\(head.status.code)\(head.headerFields[.connection].map { " \($0)" } ?? "")")
                }
            }
            return seen
        }

        @Test("100 goes out once, when the body is wanted and was waited for")
        func continues() async throws {
            let channel = EmbeddedChannel(handler: ExpectContinueHandler())
            let wanted = ExpectContinueHandler.BodyWanted()
            // It isn't expected.
            try channel.writeInbound(self.head(expects: false))
            try await channel.triggerUserOutboundEvent(wanted).get()
            #expect(try self.statuses(channel) == [])
            try channel.writeInbound(HTTPRequestPart.end(nil))
            try self.answer(channel)
            #expect(try self.statuses(channel) == ["200"])
            // Wanted, and again.
            try channel.writeInbound(self.head(expects: true))
            try await channel.triggerUserOutboundEvent(wanted).get()
            try await channel.triggerUserOutboundEvent(wanted).get()
            #expect(try self.statuses(channel) == ["100"])
            try channel.writeInbound(HTTPRequestPart.end(nil))
            try self.answer(channel)
            #expect(try self.statuses(channel) == ["200"])
            // The body came without it.
            try channel.writeInbound(self.head(expects: true))
            try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "a")))
            try await channel.triggerUserOutboundEvent(wanted).get()
            #expect(try self.statuses(channel) == [])
            try channel.writeInbound(HTTPRequestPart.end(nil))
            try self.answer(channel)
            #expect(try self.statuses(channel) == ["200"])
            // It arrived after another request, which is answered first, and has a body that is read late.
            try channel.writeInbound(self.head(expects: false))
            try channel.writeInbound(HTTPRequestPart.end(nil))
            try channel.writeInbound(self.head(expects: true))
            try await channel.triggerUserOutboundEvent(wanted).get()
            try self.answer(channel)
            #expect(try self.statuses(channel) == ["200"])
            try await channel.triggerUserOutboundEvent(wanted).get()
            #expect(try self.statuses(channel) == ["100"])
            try channel.writeInbound(HTTPRequestPart.end(nil))
            try self.answer(channel)
            #expect(try self.statuses(channel) == ["200"])
            // Answered before it was wanted.
            try channel.writeInbound(self.head(expects: true))
            try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
            try await channel.triggerUserOutboundEvent(wanted).get()
            #expect(try self.statuses(channel) == ["200 close"])
        }

        private func answer(_ channel: EmbeddedChannel) throws {
            try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
            try channel.writeOutbound(HTTPResponsePart.end(nil))
        }
    }
}
#endif
