#if Hummingbird
import AsyncHTTPClient
import Formwork
import FormworkClient
import FormworkHummingbird
import FormworkNIO
import FormworkResumable
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

func resuming(_ form: FormData, to url: String) async throws {
    let monitor = UploadMonitor()
    let answer = try await HTTPClient.shared.upload(
        form.plan(), with: HTTPClientRequest(url: url), resuming: UploadResuming(file: "upload.state"),
        options: UploadOptions(monitor: monitor))
    print(answer.status, answer.upload?.resumptions ?? 0)
}

func resumingAlone(_ form: FormData, to url: String) async throws -> HTTPResponse.Status {
    let status = try await Sender().send(
        form.plan(), with: HTTPRequest(to: url), resuming: UploadResuming(file: "upload.state")
    ) { answer, trace in
        answer.head.status
    }
    return status
}

func receivingPieces() -> some ApplicationProtocol {
    let router = Router()
    router.resumableUploads("files", into: "inbox")
    var options = UploadStoreOptions()
    options.limits.maxSize = 10 << 30
    router.resumableUploads("albums", in: UploadStore("unfinished", options: options)) { upload, context in
        let form = try await upload.form()
        try await form.files(named: "photo").first?.write(into: "albums")
        return "Thanks for \(form["title"] ?? "the album")"
    }
    let app = Application(router: router, server: .http1ExpectContinue())
    return app
}

func receivingPiecesAlone(_ connection: ServerConnection) async throws {
    let store = UploadStore("unfinished")
    try await connection.serve { request in
        let answer = try await request.resumableUpload(at: "/files", in: store) { upload in
            try await upload.writeFiles(into: "inbox")
            return ServerResponse(status: .created)
        }
        return answer ?? ServerResponse(status: .notFound)
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

/// A type of the shape of swift-openapi-runtime's.
struct HTTPBody: AsyncSequence, Sendable {
    enum Length: Sendable, Equatable {
        case known(Int64)
        case unknown
    }
    enum IterationBehavior: Sendable, Equatable {
        case single
        case multiple
    }
    typealias Element = ArraySlice<UInt8>

    let length: Length
    let iterationBehavior: IterationBehavior
    private let makeStream: @Sendable () -> AsyncThrowingStream<ArraySlice<UInt8>, any Error>

    init<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks, length: Length, iterationBehavior: IterationBehavior
    ) where Chunks.Element == ArraySlice<UInt8> {
        (self.length, self.iterationBehavior) = (length, iterationBehavior)
        self.makeStream = {
            AsyncThrowingStream { continuation in
                Task {
                    do {
                        for try await chunk in chunks { continuation.yield(chunk) }
                        continuation.finish()
                    } catch { continuation.finish(throwing: error) }
                }
            }
        }
    }

    func makeAsyncIterator() -> AsyncThrowingStream<ArraySlice<UInt8>, any Error>.AsyncIterator {
        self.makeStream().makeAsyncIterator()
    }
}

func upload(_ body: HTTPBody, contentType: String?) async throws -> [String] {
    var names: [String] = []
    for try await part in try ReceivedParts(body, contentType: contentType) { names.append(part.name ?? "") }
    return names
}

func body(of plan: BodyPlan) -> HTTPBody {
    HTTPBody(
        plan.chunks().map { $0[...] }, length: plan.contentLength.map { .known($0) } ?? .unknown,
        iterationBehavior: plan.isReplayable ? .multiple : .single)
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

    @Test("A body of swift-openapi's shape is read and made")
    func openAPI() async throws {
        var form = FormData()
        form.append(name: "a", value: "1")
        form.append(name: "b", value: "2")
        let plan = try form.plan()
        let made = body(of: plan)
        #expect(made.length == .known(plan.contentLength ?? -1))
        #expect(made.iterationBehavior == .multiple)
        #expect(try await upload(made, contentType: plan.contentType) == ["a", "b"])
    }
}
#endif
