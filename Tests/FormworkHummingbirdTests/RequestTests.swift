import FormworkHummingbird
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

struct Profile: Decodable, Sendable {
    struct Crew: Decodable, Sendable {
        var mate: String
        var hands: [Int]
    }
    var title: String
    var crew: Crew
    var isDraft: Bool?
    var photo: FormFile?
}

struct FormContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    var requestDecoder: FormRequestDecoder { FormRequestDecoder() }
    var maxUploadSize: Int { 2000 }
    init(source: Source) { self.coreContext = CoreRequestContextStorage(source: source) }
}

func text(_ profile: Profile) async throws -> String {
    let photo = try await profile.photo?.bytes(upTo: 100)
    return "\(profile.title)|\(profile.crew.mate)|\(profile.crew.hands)|\(profile.isDraft ?? false)|"
        + "\(profile.photo?.filename ?? "-")|\(photo.map { String(decoding: $0, as: UTF8.self) } ?? "-")"
}

@Suite("Forms of a Hummingbird request", .timeLimit(.minutes(10)))
struct RequestTests {
    private func router() -> Router<FormContext> {
        let router = Router(context: FormContext.self)
        router.post("parts") { request, _ in
            var lines = ""
            for try await part in try request.formParts() {
                lines += "\(part.name ?? "")=\(try await part.text(upTo: 100));"
            }
            return lines
        }
        router.post("decode") { request, _ in try await text(request.decodeForm(as: Profile.self)) }
        router.post("context") { request, context in
            try await text(request.decode(as: Profile.self, context: context))
        }
        router.post("small") { request, _ in
            var limits = ParsingLimits()
            (limits.totalBytes, limits.fieldBytes, limits.fields) = (200, 10, 3)
            return try await request.collectForm(limits: limits)["a"] ?? "none"
        }
        router.post("disk") { _, _ -> String in
            throw FormworkError(.writeFailed, "disk full at /srv/secret", path: "/srv/secret/photo")
        }
        return router
    }

    private func post(
        _ uri: String, _ type: String?, _ body: String
    ) async throws -> (status: Int, type: String?, body: String) {
        try await Application(router: self.router()).test(.router) { client in
            var headers: HTTPFields = [:]
            headers[.contentType] = type
            headers[.contentLength] = "\(body.utf8.count)"
            return try await client.execute(
                uri: uri, method: .post, headers: headers, body: ByteBuffer(string: body)
            ) { response in
                (response.status.code, response.headers[.contentType], String(buffer: response.body))
            }
        }
    }

    @Test("Parts come one after the other")
    func parts() async throws {
        let answer = try await self.post("/parts", multipartType, multipart("a\r\n\r\n1", "b\r\n\r\nzwei"))
        #expect(answer.status == 200)
        #expect(answer.body == "a=1;b=zwei;")
    }

    @Test("A form is decoded, with files and members within members", arguments: ["/decode", "/context"])
    func decode(uri: String) async throws {
        let body = multipart(
            "title\r\n\r\nHarbour", "crew[mate]\r\n\r\nJürgen", "crew[hands][]\r\n\r\n2", "crew[hands][]\r\n\r\n3",
            "isDraft\r\n\r\non", "photo; filename=\"a.txt\"\r\n\r\nsea")
        #expect(try await self.post(uri, multipartType, body).body == "Harbour|Jürgen|[2, 3]|true|a.txt|sea")
    }

    @Test("A url-encoded form is decoded by the same rules", arguments: ["/decode", "/context"])
    func urlEncoded(uri: String) async throws {
        let body = "title=Harbour+%26+sea&crew%5Bmate%5D=J%C3%BCrgen&crew[hands][]=2&crew[hands][]=3&isDraft=on"
        let answer = try await self.post(uri, "application/x-www-form-urlencoded; charset=UTF-8", body)
        #expect(answer.body == "Harbour & sea|Jürgen|[2, 3]|true|-|-")
    }

    @Test("The answer says what is wrong, and no more")
    func problems() async throws {
        let whole = multipart("a\r\n\r\n1")
        let cases: [(String, String?, String, Int, String)] = [
            ("/parts", "text/plain", whole, 415, "invalidContentType"),
            ("/parts", nil, whole, 415, "invalidContentType"),
            ("/parts", "multipart/form-data", whole, 400, "missingBoundaryParameter"),
            ("/parts", multipartType, String(whole.dropLast(2).dropLast(3)), 400, "unexpectedEnd"),
            ("/parts", multipartType, "--x\r\nfoo\r\n\r\n1\r\n--x--\r\n", 400, "malformedHeader"),
            (
                "/small", multipartType, multipart("a\r\n\r\n" + String(repeating: "y", count: 11)), 413,
                "limit.fieldBytes"
            ),
            (
                "/small", multipartType, multipart("a\r\n\r\n" + String(repeating: "y", count: 200)), 413,
                "limit.totalBytes"
            ),
            (
                "/small", "application/x-www-form-urlencoded", "a=" + String(repeating: "y", count: 11), 413,
                "limit.fieldBytes"
            ),
            ("/small", "application/x-www-form-urlencoded", "a=1&b&c&d", 413, "limit.fields"),
            ("/decode", multipartType, whole, 400, "invalidField"),
            ("/context", multipartType, whole, 400, "invalidField"),
            (
                "/context", multipartType, multipart("a\r\n\r\n" + String(repeating: "y", count: 2000)), 413,
                "limit.totalBytes"
            ),
        ]
        for (uri, type, body, status, code) in cases {
            let answer = try await self.post(uri, type, body)
            #expect(answer.status == status, "\(uri) \(code)")
            #expect(answer.type == "application/problem+json")
            #expect(answer.body.contains("\"code\":\"\(code)\""), "\(uri): \(answer.body)")
            #expect(!answer.body.contains("Limits"))
        }
        let large = try await self.post(
            "/small", multipartType, multipart("a\r\n\r\n" + String(repeating: "y", count: 11)))
        #expect(
            large.body
                == #"{"code":"limit.fieldBytes","detail":"A field is too large: the limit is 10.","field":"a","limit":"10","status":413,"#
                + #""title":"Content Too Large","type":"about:blank"}"#)
        let missing = try await self.post(
            "/decode", multipartType, multipart("title\r\n\r\n1", "crew[hands]\r\n\r\n1"))
        #expect(missing.body.contains(#""field":"crew[mate]""#))
        let disk = try await self.post("/disk", multipartType, whole)
        #expect(disk.status == 500)
        #expect(disk.body == #"{"status":500,"title":"Internal Server Error","type":"about:blank"}"#)
    }
}
