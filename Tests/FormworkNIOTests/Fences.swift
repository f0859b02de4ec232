#if NIO
import AsyncHTTPClient
import FormworkClient
import FormworkHTTP
import FormworkNIO
import HTTPTypes
import NIOCore
import NIOHTTP1
import Testing

// Every Swift fence about NIO stands here word for word, indented as it may be, so that the compiler reads what newcomers
// read. `FencesTests` compares.

func uploading(_ plan: BodyPlan, _ url: String) async throws -> String {
    let request = HTTPClientRequest(url: url)
    let options = UploadOptions(authentication: .basic(user: "harbour", password: "master"))
    let answer = try await HTTPClient.shared.upload(plan, with: request, timeout: .seconds(60), options: options)
    print(answer.status, answer.bytesSent, answer.isBodyComplete)
    let text = String(buffer: try await answer.response.body.collect(upTo: 1 << 20))
    return text
}

func readme(_ plan: BodyPlan, _ url: String) async throws {
    let request = HTTPClientRequest(url: url)
    let answer = try await HTTPClient.shared.upload(plan, with: request, timeout: .seconds(60))
    print(answer.status, answer.bytesSent)
}

func executing(_ plan: BodyPlan, _ url: String, _ client: HTTPClient) async throws -> HTTPClientResponse {
    var request = HTTPClientRequest(url: url)
    request.method = .PUT
    request.setBody(plan)
    let response = try await client.execute(request, timeout: .seconds(60))
    return response
}

func writingBuffers(_ plan: BodyPlan, _ channel: any Channel) async throws {
    for try await buffer in plan.buffers(of: 64 << 10) {
        try await channel.writeAndFlush(buffer).get()
    }
}

func writingRegions(_ plan: BodyPlan, _ channel: any Channel) async throws -> Int64 {
    let count = try await channel.writeBody(plan)
    return count
}

func writingParts(_ plan: BodyPlan, _ channel: any Channel) async throws {
    var head = HTTPRequestHead(version: .http1_1, method: .POST, uri: "/upload")
    head.headers.describeBody(plan)
    try await channel.writeAndFlush(HTTPClientRequestPart.head(head)).get()
    try await channel.writeBody(plan, as: HTTPClientRequestPart.body)
    try await channel.writeAndFlush(HTTPClientRequestPart.end(nil)).get()
}

func receiving(_ body: HTTPClientResponse.Body, _ contentType: String?) async throws {
    for try await part in try ReceivedParts(body, contentType: contentType) {
        print(part.name ?? "", part.filename ?? "")
    }
}

func describing(_ plan: BodyPlan) -> HTTPRequest {
    var request = HTTPRequest(method: .post, scheme: "https", authority: "example.com", path: "/upload")
    request.headerFields.describeBody(plan)
    return request
}

extension NIOTests {
    @Suite("Documentation of FormworkNIO", .timeLimit(.minutes(10)))
    struct NIOFencesTests {
        @Test("The fences run")
        func run() async throws {
            try await LoopbackServer.with(["/": [.status(200)]]) { server in
                let plan = try form(.bytes(noise(100))).plan()
                #expect(try await uploading(plan, server.url("/")) == "answer 200")
                #expect(try await withClient { try await executing(plan, server.url("/"), $0).status } == .ok)
                #expect(server.requests.map(\.method) == ["POST", "PUT"])
                #expect(describing(plan).headerFields[.contentLength] == "244")
            }
        }
    }
}

// MARK: Vapor, swift-openapi-runtime and Apple's HTTP API proposal, by stand-ins of their shape (FrameworkShapes.swift)

struct Profile: Decodable {
    var name: String
    var photo: [UInt8]
}

func save(_ profile: Profile) async throws {}

extension FormworkError: AbortError {
    /// 400, 408, 413, 415, 503 or 507; 500 where the client can't help it.
    public var status: HTTPResponseStatus { HTTPResponseStatus(statusCode: ProblemDetails(self).status) }
    /// What the client may know of it.
    public var reason: String { ProblemDetails(self).detail ?? ProblemDetails(self).title }
}

func vaporRoutes(_ app: RoutesBuilder) {
    app.on(.POST, "photos", body: .stream) { request in
        let contentType = request.headers.first(name: "Content-Type")
        for try await part in try ReceivedParts(request.body, contentType: contentType)
        where part.isFile && !part.isEmptyFileControl {
            try await part.write(into: "uploads")
        }
        return HTTPStatus.created
    }

    app.post("profile") { request in
        let contentType = request.headers.first(name: "Content-Type")
        let body = request.body.data ?? ByteBuffer()
        let profile = try FormDataDecoder().decode(Profile.self, from: body, contentType: contentType)
        try await save(profile)
        return HTTPStatus.ok
    }
}

extension HTTPBody {
    convenience init(_ plan: BodyPlan) {
        self.init(
            plan.chunks(), length: plan.contentLength.map { .known($0) } ?? .unknown,
            iterationBehavior: plan.isReplayable ? .multiple : .single)
    }
}

func openAPIServer(_ body: HTTPBody, _ contentType: String?) async throws -> ReceivedForm {
    let form = try await ReceivedForm(collecting: ReceivedParts(body, contentType: contentType))
    print(form["title"] ?? "untitled", form.files(named: "photo").count)
    return form
}

extension HTTPClientRequestBody where Writer: ~Copyable {
    static func plan(_ plan: BodyPlan) -> Self {
        guard plan.isReplayable, plan.contentLength != nil else {
            return .restartable(knownLength: plan.contentLength) { try await plan.write(from: 0, to: $0) }
        }
        return .seekable(knownLength: plan.contentLength) { try await plan.write(from: $0, to: $1) }
    }
}

extension BodyPlan {
    func write<Writer: CallerAsyncWriter & ~Copyable>(
        from offset: Int64, to writer: consuming Writer
    ) async throws where Writer.WriteElement == UInt8, Writer.FinalElement == HTTPFields? {
        let reader = AsyncBodyReader(try self.makeReader(from: offset))
        while let chunk = try await reader.next() {
            var buffer = UniqueArray<UInt8>(copying: chunk.span)
            try await writer.write(buffer: &buffer)
        }
        try await writer.finish(trailer: nil)
    }
}
#endif
