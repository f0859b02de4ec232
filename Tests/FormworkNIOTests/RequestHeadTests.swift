#if NIO
import Formwork
import Foundation
@testable import FormworkNIO
import NIOCore
import NIOPosix
import Synchronization
import Testing

extension NIOTests {
    @Suite("A server without a framework and its clients", .timeLimit(.minutes(10)))
    struct RequestHeadTests {
        /// A body that a later request reads.
        private final class KeptBody: Sendable {
            let body = Mutex<ServerRequest.Body?>(nil)
        }

        /// The server's answer to these bytes, until it closes the connection or the client gives up.
        private func answer(
            _ request: String, bounds: ServerBounds = ServerBounds(), closes: Bool = true
        ) async throws -> String {
            let kept = KeptBody()
            let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .bind(host: "127.0.0.1", port: 0) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.configureFormServer(bounds: bounds)
                    }
                }
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await withThrowingDiscardingTaskGroup { connections in
                        try await server.executeThenClose { inbound in
                            for try await connection in inbound {
                                connections.addTask {
                                    try? await connection.serve { request in
                                        switch request.head.path {
                                        case "/keep":
                                            kept.body.withLock { $0 = request.body }
                                            return ServerResponse(status: .ok, body: ByteBuffer(string: "kept;"))
                                        case "/late":
                                            var text = ""
                                            do {
                                                for try await chunk in kept.body.withLock({ $0 })! {
                                                    text += String(buffer: chunk)
                                                }
                                            } catch let error as FormworkError { text += "\(error.code)" }
                                            return ServerResponse(status: .ok, body: ByteBuffer(string: text + ";"))
                                        default: break
                                        }
                                        var count = 0
                                        if request.head.path != "/unread" {
                                            for try await chunk in request.body { count += chunk.readableBytes }
                                        }
                                        return ServerResponse(status: .ok, body: ByteBuffer(string: "\(count);"))
                                    }
                                }
                            }
                        }
                    }
                }
                defer { group.cancelAll() }
                let client = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .channelOption(.allowRemoteHalfClosure, value: true)
                    .connect(host: "127.0.0.1", port: server.channel.localAddress!.port!) { channel in
                        channel.eventLoop.makeCompletedFuture {
                            try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                        }
                    }
                return try await client.executeThenClose { inbound, outbound in
                    // The server may have closed before everything is read.
                    try? await outbound.write(ByteBuffer(string: request))
                    var text = ""
                    do {
                        for try await buffer in inbound { text += String(buffer: buffer) }
                    } catch is IOError {
                        text += "(reset)"
                    }
                    return text
                }
            }
        }

        private func statuses(_ text: String) -> [String] {
            text.components(separatedBy: "HTTP/1.1 ").dropFirst().map { String($0.prefix(3)) }
        }

        @Test("An offer to upgrade is ignored", .timeLimit(.minutes(10)))
        func upgrade() async throws {
            let offer = "POST / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n"
            let text = try await self.answer(
                offer + "\r\n" + offer + "Content-Length: 5\r\n\r\nhello" + offer
                    + "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"
                    + "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            #expect(self.statuses(text) == ["200", "200", "200", "200"])
            #expect(
                text.components(separatedBy: "\r\n\r\n").dropFirst().map { $0.prefix(2) } == ["0;", "5;", "2;", "0;"])
        }

        @Test(
            "Heads are refused as RFC 9112 has it",
            arguments: [
                ("GET / HTTP/1.1\r\n\r\n", "400"), ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "400"),
                ("GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n", "400"),
                ("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", "501"),
                ("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n\r\n", "400"),
                ("no request\r\n\r\n", "400"), ("GET / HTTP/1.0\r\n\r\n", "200"),
            ])
        func heads(request: String, status: String) async throws {
            let text = try await self.answer(request + "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(self.statuses(text) == [status])
        }

        @Test("A body that is read after its answer gets no bytes of the next request")
        func late() async throws {
            let text = try await self.answer(
                "PUT /keep HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nfirst"
                    + "PUT /late HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\nConnection: close\r\n\r\nsecond")
            let contents = text.components(separatedBy: "\r\n\r\n").dropFirst().map { $0.prefix { $0 != ";" } }
            #expect(contents == ["kept", "truncatedBody"])
        }

        @Test("Endless chunk extensions are refused")
        func extensions() async throws {
            let extensions = String(repeating: "x", count: 1 << 20)
            let text = try await self.answer(
                "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;\(extensions)\r\nhello\r\n0\r\n\r\n")
            #expect(self.statuses(text) == ["400"])
        }

        @Test("A head that doesn't arrive, a body that stops, and a body that isn't read end the connection")
        func bounds() async throws {
            var bounds = ServerBounds()
            (bounds.headTime, bounds.idleTime) = (.milliseconds(100), .milliseconds(100))
            (bounds.drainTime, bounds.drainBytes) = (.milliseconds(100), 1_000)
            #expect(try await self.answer("GET / HT", bounds: bounds) == "")
            let stopped = "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhello"
            #expect(self.statuses(try await self.answer(stopped, bounds: bounds)) == ["408"])
            let unread = stopped.replacing("/ HTTP", with: "/unread HTTP")
            #expect(self.statuses(try await self.answer(unread, bounds: bounds)) == ["200"])
        }

        @Test("A client that sends on after an early answer gets it, and the connection ends")
        func sendingOn() async throws {
            var bounds = ServerBounds()
            bounds.drainBytes = 1_000
            let start = "PUT /unread HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000000\r\n\r\n"
            // More than the sockets of both ends hold.
            let text = try await self.answer(start + String(repeating: "x", count: 32 << 20), bounds: bounds)
            #expect(self.statuses(text) == ["200"])
        }

        @Test("A blank line is found wherever it is cut")
        func blankLines() {
            let text = "ab\r\n\rcd\r\r\n\r\nefgh\r\n\r\n\r\n\r\nij"
            let bytes = Array(text.utf8)
            // Behind the first, the second and the third, which begins where the second ended.
            let expected = [12, 20, 24]
            for size in 1...bytes.count {
                var search = BlankLineSearch()
                var found: [Int] = []
                var begin = 0
                while begin < bytes.count {
                    let piece = Array(bytes[begin..<min(begin + size, bytes.count)])
                    var from = 0
                    while let end = search.end(in: piece.span, from: from) {
                        found.append(begin + end)
                        from = end
                    }
                    begin += size
                }
                #expect(found == expected, "pieces of \(size)")
            }
        }
    }
}

/// A request's body that outlives its request.
private final class KeptBody: Sendable {
    let body = Mutex<ServerRequest.Body?>(nil)
}
#endif
