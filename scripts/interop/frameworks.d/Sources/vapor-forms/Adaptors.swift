import FormworkHTTP
import FormworkNIO
import FormworkResumable
import HTTPTypes
import Vapor

extension Formwork.FormDataDecoder: @retroactive ContentDecoder {
    public func decode<Form: Decodable>(_ type: Form.Type, from body: ByteBuffer, headers: HTTPHeaders) throws -> Form {
        try self.decode(type, from: body, contentType: headers.first(name: "Content-Type"))
    }
}

extension FormworkError: @retroactive AbortError {
    public var status: HTTPResponseStatus { HTTPResponseStatus(statusCode: ProblemDetails(self).status) }
    public var reason: String { ProblemDetails(self).detail ?? ProblemDetails(self).title }
}

extension RoutesBuilder {
    /// Accepts resumable uploads, by the draft and by tus.
    func resumableUploads(_ path: String, into folder: String) {
        let handler = ResumableHandler(target: "/\(path)", in: UploadStore("\(folder)/unfinished")) { upload in
            let paths = try await upload.writeFiles(into: folder)
            return ResumableResponse(
                HTTPResponse(status: .created), content: Array(paths.map { "\($0)\n" }.joined().utf8))
        }
        for method in [HTTPMethod.POST, .PUT, .PATCH, .HEAD, .DELETE, .OPTIONS, .GET] {
            for path in [[path], [path, ":upload"]] {
                self.on(method, path.map { PathComponent(stringLiteral: $0) }, body: .stream) { request in
                    try await handler.response(to: request)
                }
            }
        }
    }
}

extension ResumableHandler {
    func response(to request: Request) async throws -> Response {
        var head = HTTPRequest(
            method: HTTPRequest.Method(request.method.rawValue) ?? .get, scheme: "http",
            authority: request.headers.first(name: "Host"), path: request.url.string)
        for (name, value) in request.headers {
            if let name = HTTPField.Name(name) { head.headerFields.append(HTTPField(name: name, value: value)) }
        }
        // Vapor has no way to send a 1xx response.
        switch await self.handle(head, body: request.body, inform: { _ in }) {
        case .notResumable: throw Abort(.methodNotAllowed)
        case .close: return Response(status: .badRequest, headers: ["Connection": "close"])
        case .answer(let answer):
            let headers = HTTPHeaders(answer.response.headerFields.map { ($0.name.canonicalName, $0.value) })
            return Response(
                status: HTTPStatus(statusCode: answer.response.status.code), headers: headers,
                body: .init(buffer: ByteBuffer(bytes: answer.content)))
        }
    }
}
