#if Hummingbird
import AsyncHTTPClient
import Formwork
import FormworkClient
import FormworkHummingbird
import FormworkNIO
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import NIOHTTP1
import NIOPosix
import SystemPackage
import Testing

// Every Swift fence about servers stands here word for word, indented as it may be, so that the compiler reads what
// newcomers read. `FencesTests` compares.

func readingParts() -> Router<BasicRequestContext> {
    let router = Router()
    router.post("photos") { request, _ in
        for try await part in try request.formParts() where part.isFile && !part.isEmptyFileControl {
            try await part.write(into: "uploads")
        }
        return HTTPResponse.Status.created
    }
    return router
}

func decoding(_ router: Router<BasicRequestContext>) {
    struct Profile: Decodable {
        var name: String
        var tags: [String]
        var photo: FormFile?
    }

    router.post("profile") { request, _ in
        let profile = try await request.decodeForm(as: Profile.self)
        return "Hello, \(profile.name)"
    }
}

func limiting(_ request: Request) async throws {
    var limits = ParsingLimits()
    (limits.totalBytes, limits.fileBytes, limits.files) = (50 << 20, 20 << 20, 5)
    let deadlines = ReceivingDeadlines(total: .seconds(300), chunk: .seconds(30))
    for try await part in try request.formParts(limits: limits, deadlines: deadlines) {
        try await part.skip()
    }
}

func serving(_ router: Router<BasicRequestContext>) -> some ApplicationProtocol {
    router.add(middleware: ProblemDetailsMiddleware())
    router.add(middleware: KeptFormMiddleware())
    router.group("avatars").add(middleware: BodyLimitMiddleware(maximumBytes: 1 << 20))
    let app = Application(router: router, server: .http1ExpectContinue())
    return app
}

func answering(_ router: Router<BasicRequestContext>, from folder: FilePath, url: String) {
    router.get("album") { _, _ in
        var form = FormData(framing: MultipartFraming(subtype: "mixed"))
        form.append(name: "cover", file: folder.appending("cover.jpg"))
        return form
    }
    router.post("proxy") { request, _ in
        var form = FormData()
        form.append(once: try request.formParts().filter { $0.name != "token" }.map { BodyPart($0) })
        form.append(name: "via", value: "proxy")
        let answer = try await HTTPClient.shared.upload(
            form.plan(), with: HTTPClientRequest(url: url), timeout: .seconds(60))
        return HTTPResponse.Status(code: Int(answer.status.code))
    }
}

func servingAlone() async throws {
    let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .bind(host: "127.0.0.1", port: 8080) { channel in
            channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.configureFormServer() }
        }
    try await withThrowingDiscardingTaskGroup { connections in
        try await server.executeThenClose { inbound in
            for try await connection in inbound {
                connections.addTask {
                    try? await connection.serve { request in
                        let form = try await request.collectForm()
                        return ServerResponse(status: .ok, body: ByteBuffer(string: form["title"] ?? "untitled"))
                    }
                }
            }
        }
    }
}

@Suite("Documentation of servers", .timeLimit(.minutes(10)))
struct ServerFencesTests {
    @Test("The fences run")
    func run() async throws {
        let router = readingParts()
        decoding(router)
        answering(router, from: "/nowhere", url: "http://localhost/")
        try await serving(router).test(.router) { client in
            try await client.execute(
                uri: "/profile", method: .post,
                headers: [.contentType: "application/x-www-form-urlencoded"],
                body: ByteBuffer(string: "name=Anna")
            ) { #expect(String(buffer: $0.body) == "Hello, Anna") }
        }
    }
}
#endif
