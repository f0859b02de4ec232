import AsyncHTTPClient
import FormworkClient
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

extension NIOTests {
    @Suite("Documentation of FormworkNIO", .timeLimit(.minutes(10)))
    struct NIOSnippetTests {
        @Test("The fences run")
        func run() async throws {
            let server = try UploadServer(["/": [.status(200)]])
            let plan = try await form(.bytes(noise(100))).plan()
            #expect(try await executing(plan, server.address("/")).status == .ok)
            #expect(server.requests.map(\.method) == ["PUT"])
            #expect(await describing(plan).headerFields[.contentLength] == "244")
        }

        @Test("A form is received on a connection of NIO's, and one that is cut leaves nothing")
        func receivesAlone() async throws {
            let folder = TemporaryFolder()
            let port = Int(try LoopbackListener.freePort())
            let server = Task { try await receivingAlone(port: port, into: folder.path) }
            defer { server.cancel() }
            let url = "http://127.0.0.1:\(port)/"
            // Until it listens.
            let retry = RetryPolicy(count: 1_000, delay: .milliseconds(20))
            let options = UploadOptions(retry: retry, timeout: .seconds(300))
            let photo = FormData().appending(name: "photo", source: .bytes(noise(3_000_000)), filename: "../a.jpg")
            try await withClient { client in
                let answer = try await client.upload(photo.plan(), with: HTTPClientRequest(url: url), options: options)
                #expect(answer.status == .created)
                var cut = HTTPClientRequest(url: url)
                cut.method = .POST
                cut.headers = ["Content-Type": "multipart/form-data; boundary=x"]
                cut.body = .bytes(
                    ByteBuffer(string: "--x\r\nContent-Disposition: form-data; name=a; filename=b\r\n\r\nsea"))
                #expect(try await client.execute(cut, timeout: .seconds(300)).status == .badRequest)
            }
            #expect(folder.names == ["a.jpg"])
            #expect(try contents(of: folder.path.appending("a.jpg")) == noise(3_000_000))
        }
    }
}
