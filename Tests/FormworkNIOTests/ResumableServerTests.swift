#if Client
import AsyncHTTPClient
import Formwork
import FormworkClient
import FormworkNIO
import FormworkResumable
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization
import SystemPackage
import TestSupport
import Testing

extension NIOTests {
    @Suite("Resumed uploads to a server without a framework", .timeLimit(.minutes(10)))
    struct ResumableServerTests {
        private final class Seen: Sendable {
            private let state = Mutex<[[UInt8]]>([])
            var all: [[UInt8]] { self.state.withLock { $0 } }
            func add(_ bytes: [UInt8]) { self.state.withLock { $0.append(bytes) } }
        }

        private struct NotNow: Error {}

        private func serve(
            cuts: [Int] = [], isDirect: Bool = false,
            _ body:
                @escaping @Sendable (_ url: String, _ seen: Seen, _ relay: CuttingRelay, FilePath) async throws -> Void
        ) async throws {
            let folder = FilePath(NSTemporaryDirectory()).appending("formwork-nio-\(UInt64.random(in: .min ... .max))")
            defer { try? FileManager.default.removeItem(atPath: folder.string) }
            let (seen, reports) = (Seen(), Seen())
            let store = UploadStore(folder.appending("unfinished"))
            let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .bind(host: "127.0.0.1", port: 0) { channel in
                    channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.configureFormServer() }
                }
            let serving = Task {
                try await withThrowingDiscardingTaskGroup { connections in
                    try await server.executeThenClose { inbound in
                        for try await connection in inbound {
                            connections.addTask {
                                try? await connection.serve { request in
                                    if let answer = try await request.resumableUpload(
                                        at: "/inbox", into: folder.appending("inbox"), in: store)
                                    {
                                        return answer
                                    }
                                    let answer = try await request.resumableUpload(at: "/files", in: store) { _ in
                                        reports.add([])
                                    } complete: { upload in
                                        if upload.contentType == "text/x-fails" { throw NotNow() }
                                        seen.add(try await upload.content.bytes(upTo: 100_000_000))
                                        return ServerResponse(status: .created, body: ByteBuffer(string: "thanks"))
                                    }
                                    return answer ?? ServerResponse(status: .notFound)
                                }
                            }
                        }
                    }
                }
            }
            defer { serving.cancel() }
            let port = try #require(server.channel.localAddress?.port)
            let relay = try CuttingRelay(to: port, cuts: cuts)
            try await body("http://127.0.0.1:\(isDirect ? port : Int(relay.port))", seen, relay, folder)
        }

        @Test("AsyncHTTPClient, cut twice", arguments: [ResumableChoice.auto, .tus])
        func goesOn(choice: ResumableChoice) async throws {
            try await self.serve(cuts: [1_000_000, 2_000_000]) { url, seen, relay, _ in
                let plan = try await form(.bytes(noise(6_000_000))).plan()
                var resuming = UploadResuming(by: choice)
                resuming.delay = .zero
                let response = try await HTTPClient.shared.upload(
                    plan, with: HTTPClientRequest(url: url + "/files"), resuming: resuming)
                #expect(relay.brokenCount == 2 && response.upload?.resumptions ?? 0 >= 2)
                #expect(response.status.code == (choice == .tus ? 204 : 201))
                #expect(try seen.all == [plan.bytes(upTo: 10_000_000)])
                if choice == .auto {
                    #expect(try await String(buffer: response.response.body.collect(upTo: 100)) == "thanks")
                }
            }
        }

        @Test("FormSender: after a 104 an ordinary request can be resumed")
        func sender() async throws {
            try await self.serve(cuts: [1_000_000]) { url, seen, relay, _ in
                let plan = try await form(.bytes(noise(6_000_000))).plan()
                var resuming = UploadResuming()
                resuming.delay = .zero
                let upload = try await FormSender().send(
                    plan, with: HTTPRequest(to: url + "/files"), resuming: resuming
                ) { _, trace in trace.upload }
                #expect(relay.brokenCount == 1 && upload?.resumptions ?? 0 >= 1)
                #expect(try seen.all == [plan.bytes(upTo: 10_000_000)])
            }
        }

        @Test("A cut upload gets no answer, and the connection is closed", arguments: ["/files", "/inbox"])
        func cut(path: String) async throws {
            try await self.serve(isDirect: true) { url, seen, _, folder in
                let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .channelOption(.allowRemoteHalfClosure, value: true)
                    .connect(host: "127.0.0.1", port: #require(URL(string: url)?.port)) { channel in
                        channel.eventLoop.makeCompletedFuture {
                            try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                                wrappingChannelSynchronously: channel,
                                configuration: .init(isOutboundHalfClosureEnabled: true))
                        }
                    }
                let answer = try await channel.executeThenClose { inbound, outbound in
                    let head = "PUT \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n"
                    try await outbound.write(ByteBuffer(string: head + "12345678"))
                    outbound.finish()
                    return try await inbound.reduce(into: "") { $0 += String(buffer: $1) }
                }
                #expect(answer == "" && seen.all.isEmpty)
                #expect(!FileManager.default.fileExists(atPath: folder.appending("inbox").string))
            }
        }

        @Test("Into a folder, other paths, other methods, and a handler that throws")
        func others() async throws {
            try await self.serve { url, _, _, folder in
                func send(_ method: HTTPMethod, _ path: String, _ type: String) async throws -> HTTPClientResponse {
                    var request = HTTPClientRequest(url: url + path)
                    request.method = method
                    request.headers = ["Content-Type": type, "Content-Disposition": "attachment; filename=a.txt"]
                    if method == .PUT { request.body = .bytes(ByteBuffer(string: "hello")) }
                    return try await HTTPClient.shared.execute(request, deadline: .now() + .seconds(60))
                }
                let first = try await send(.PUT, "/inbox", "text/plain")
                #expect(first.status == .created)
                let file = folder.appending("inbox").appending("a.txt")
                #expect(try Data(contentsOf: URL(filePath: file.string)) == Data("hello".utf8))
                #expect(try await send(.PUT, "/other", "text/plain").status == .notFound)
                #expect(try await send(.PUT, "/files/a/b", "text/plain").status == .notFound)
                #expect(try await send(.GET, "/files", "text/plain").status == .methodNotAllowed)
                #expect(try await send(.PUT, "/files", "text/x-fails").status == .internalServerError)
                // A piece must not be stored as a whole file.
                var piece = HTTPClientRequest(url: url + "/inbox")
                piece.method = .PUT
                piece.headers = ["Content-Range": "bytes 5-9/100", "Content-Type": "text/plain"]
                piece.body = .bytes(ByteBuffer(string: "hello"))
                let refused = try await HTTPClient.shared.execute(piece, deadline: .now() + .seconds(60))
                #expect(refused.status == .badRequest)
                #expect(
                    try await String(buffer: refused.body.collect(upTo: 1000)).contains(
                        "Content-Range isn't supported here: send the whole content, or use a resumable upload."))
                let inbox = folder.appending("inbox").string
                #expect(try FileManager.default.contentsOfDirectory(atPath: inbox) == ["a.txt"])
            }
        }
    }
}
#endif
