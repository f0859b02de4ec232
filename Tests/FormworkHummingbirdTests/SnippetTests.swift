import FormworkHummingbird
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@Suite("Documentation of servers", .timeLimit(.minutes(10)))
struct ServerSnippetTests {
    @Test("The fences run")
    func run() async throws {
        let router = Router()
        for add in [serving, decoding, answering, proxying, handlingUploads] { await add(router) }
        try await Application(router: router).test(.router) { client in
            try await client.execute(
                uri: "/profile", method: .post,
                headers: [.contentType: "application/x-www-form-urlencoded"],
                body: ByteBuffer(string: "name=Anna")
            ) { #expect(String(buffer: $0.body) == "Hello, Anna") }
        }
    }
}
