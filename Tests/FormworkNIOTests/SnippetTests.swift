#if NIO
import AsyncHTTPClient
import Formwork
import FormworkClient
import HTTPTypes
import NIOHTTP1
import Testing

extension NIOTests {
    @Suite("Documentation of FormworkNIO", .timeLimit(.minutes(10)))
    struct NIOSnippetTests {
        @Test("The fences run")
        func run() async throws {
            try await LoopbackServer.with(["/": [.status(200)]]) { server in
                let plan = try await form(.bytes(noise(100))).plan()
                #expect(try await uploading(plan, server.url("/")) == "answer 200")
                #expect(try await withClient { try await executing(plan, server.url("/"), $0).status } == .ok)
                #expect(server.requests.map(\.method) == ["POST", "PUT"])
                #expect(describing(plan).headerFields[.contentLength] == "244")
            }
        }
    }
}
#endif
