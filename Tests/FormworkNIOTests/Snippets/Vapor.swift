#if NIO
import FormworkNIO
import NIOCore
import NIOHTTP1

struct Profile: Decodable {
    var name: String
    var photo: [UInt8]
}

func save(_ profile: Profile) async throws {}

func vaporRoutes(_ app: RoutesBuilder) {
    app.on(.POST, "photos", body: .stream) { request in
        let contentType = request.headers.first(name: "Content-Type")
        for try await part in try ReceivedParts(request.body, contentType: contentType) where part.isFile {
            try await part.write(into: "uploads")
        }
        return HTTPStatus.created
    }

    app.post("profile") { request in
        let contentType = request.headers.first(name: "Content-Type")
        let body = request.body.data ?? ByteBuffer()
        let profile = try Formwork.FormDataDecoder().decode(Profile.self, from: body, contentType: contentType)
        try await save(profile)
        return HTTPStatus.ok
    }
}
#endif
