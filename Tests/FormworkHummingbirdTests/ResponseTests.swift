import FormworkHummingbird
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@Suite("Answers and middleware", .timeLimit(.minutes(10)))
struct ResponseTests {
    private func form(_ source: BodySource) throws -> FormData {
        var form = FormData(framing: MultipartFraming(boundary: try Boundary("harbour"), subtype: "mixed"))
        form.append(name: "a", source: source)
        return form
    }

    @Test(
        "An answer is composed of parts, its length told where it is known",
        arguments: [TestingSetup.router, .live])
    func composed(setup: TestingSetup) async throws {
        let router = Router()
        router.get("known") { _, _ in try self.form(.text("sea")) }
        router.get("unknown") { _, _ in
            let chunks = AsyncStream<[UInt8]> { continuation in
                continuation.yield(Array("sea".utf8))
                continuation.finish()
            }
            return try Response(status: .created, form: self.form(.chunks(once: chunks)))
        }
        let body =
            "--harbour\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nsea\r\n--harbour--\r\n"
        try await Application(router: router).test(setup) { client in
            try await client.execute(uri: "/known", method: .get) { response in
                #expect(response.status == .ok)
                #expect(response.headers[.contentType] == "multipart/mixed; boundary=harbour")
                #expect(response.headers[.contentLength] == "\(body.utf8.count)")
                #expect(String(buffer: response.body) == body)
            }
            try await client.execute(uri: "/unknown", method: .get) { response in
                #expect(response.status == .created)
                #expect(response.headers[.contentLength] == nil)
                #expect(String(buffer: response.body) == body)
            }
        }
    }

    @Test("A body that goes into any response has the length that is known")
    func bodyLength() throws {
        #expect(ResponseBody(try self.form(.text("sea")).plan()).contentLength == 73)
        let chunks = AsyncStream<[UInt8]> { $0.finish() }
        #expect(ResponseBody(try self.form(.chunks(once: chunks)).plan()).contentLength == nil)
    }

    @Test("A body too large is refused by its length, or at its first byte too many")
    func limit() async throws {
        _ = BodyLimitMiddleware<BasicRequestContext>(maximumBytes: -1)
        let router = Router()
        let read = Counter()
        router.add(middleware: BodyLimitMiddleware(maximumBytes: 10))
        router.post("any") { request, _ in
            for try await chunk in request.body { read.add(chunk.readableBytes) }
            return HTTPResponse.Status.noContent
        }
        try await Application(router: router).test(.live) { client in
            try await client.execute(uri: "/any", method: .post, body: ByteBuffer(string: "0123456789")) {
                #expect($0.status == .noContent)
            }
            try await client.execute(uri: "/any", method: .post, body: ByteBuffer(string: "0123456789a")) {
                #expect($0.status == .contentTooLarge)
                #expect($0.headers[.contentType] == "application/problem+json")
            }
            #expect(read.value == 10)
            try await RawClient.with(port: client.port!) { raw, channel in
                try await channel.send(
                    "POST /any HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n012345\r\n6\r\n012345\r\n"
                )
                #expect(try await raw.answer(endingWith: "}").hasPrefix("HTTP/1.1 413 "))
            }
        }
    }

    @Test("Every error has one format")
    func problems() async throws {
        struct Secret: Error {}
        let router = Router()
        router.add(middleware: ProblemDetailsMiddleware())
        router.get("http") { _, _ -> String in
            throw HTTPError(.conflict, headers: [.retryAfter: "5"], message: "taken")
        }
        router.get("any") { _, _ -> String in throw Secret() }
        router.get("form") { _, _ -> String in throw FormworkError(.timedOut, "late") }
        try await Application(router: router).test(.router) { client in
            for (uri, status, body) in [
                ("/http", 409, #"{"detail":"taken","status":409,"title":"Conflict","type":"about:blank"}"#),
                ("/any", 500, #"{"status":500,"title":"Internal Server Error","type":"about:blank"}"#),
                (
                    "/form", 408,
                    #"{"code":"timedOut","detail":"The body took too long to arrive.","status":408,"#
                        + #""title":"Request Timeout","type":"about:blank"}"#
                ),
            ] {
                try await client.execute(uri: uri, method: .get) { response in
                    #expect(response.status.code == status)
                    #expect(String(buffer: response.body) == body)
                    if status == 409 { #expect(response.headers[.retryAfter] == "5") }
                }
            }
        }
    }
}
