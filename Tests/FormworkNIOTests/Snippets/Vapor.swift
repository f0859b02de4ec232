import FormworkNIO
import NIOCore
import NIOHTTP1

struct Profile: Decodable {
    var name: String
    var photo: [UInt8]
}

func save(_ profile: Profile) async throws {}

extension Formwork.FormDataDecoder: ContentDecoder {
    /// Decodes a multipart or url-encoded form.
    public func decode<Form: Decodable>(_ type: Form.Type, from body: ByteBuffer, headers: HTTPHeaders) throws -> Form {
        try self.decode(type, from: body, contentType: headers.first(name: "Content-Type"))
    }
}

func configureVapor() {
    ContentConfiguration.global.use(decoder: Formwork.FormDataDecoder(), for: .formData)
    ContentConfiguration.global.use(decoder: Formwork.FormDataDecoder(), for: .urlEncodedForm)
}

func vaporRoutes(_ app: RoutesBuilder) {
    app.on(.POST, "photos", body: .stream) { request in
        let contentType = request.headers.first(name: "Content-Type")
        try await ReceivedParts(request.body, contentType: contentType).writeFiles(into: "uploads")
        return HTTPStatus.created
    }

    app.post("profile") { request in
        let profile = try request.content.decode(Profile.self)
        try await save(profile)
        return HTTPStatus.ok
    }
}
