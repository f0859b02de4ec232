import FormworkHTTP
import FormworkNIO

extension FormworkError: AbortError {
    /// 400, 408, 413, 415, 503 or 507; 500 for everything else.
    public var status: HTTPResponseStatus { HTTPResponseStatus(statusCode: ProblemDetails(self).status) }
    /// The text for the client.
    public var reason: String { ProblemDetails(self).detail ?? ProblemDetails(self).title }
}

func vaporApplication() async throws {
    let app = try await Application.make(.detect())
    app.on(.POST, "photos", body: .stream) { request in
        var limits = ParsingLimits()
        (limits.totalBytes, limits.fileBytes, limits.files) = (101 << 20, 100 << 20, 1)
        let deadlines = ReceivingDeadlines(total: .seconds(600), chunk: .seconds(30))
        let type = request.headers.first(name: "Content-Type")
        let parts = try ReceivedParts(request.body, contentType: type, limits: limits, deadlines: deadlines)
        try await parts.writeFiles(into: "/srv/uploads")
        return HTTPStatus.created
    }
    try await app.execute()
}

nonisolated extension Formwork.FormDataDecoder: ContentDecoder {
    /// Decodes a multipart or url-encoded form.
    public func decode<Form: Decodable>(_ type: Form.Type, from body: ByteBuffer, headers: HTTPHeaders) throws -> Form {
        try self.decode(type, from: body, contentType: headers.first(name: "Content-Type"))
    }
}

nonisolated struct Profile: Decodable {
    var name: String
    var photo: [UInt8]
}

func vaporContent(_ app: Application) async {
    ContentConfiguration.global.use(decoder: Formwork.FormDataDecoder(), for: .formData)
    ContentConfiguration.global.use(decoder: Formwork.FormDataDecoder(), for: .urlEncodedForm)
    app.post("profile") { request in
        let profile = try request.content.decode(Profile.self)
        print(profile.name, profile.photo.count)
        return HTTPStatus.ok
    }
}
