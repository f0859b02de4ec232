import FormworkFoundation
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import SystemPackage

/// A request, its multipart body, and the options for sending them.
///
/// `URLSession.upload(_:)` sends it, ``streamingRequest()`` is for other ways of sending, and ``write(to:durably:)``
/// writes the body to a file. All three follow ``options``: throttle, progress, digests, and the framing's check.
public struct MultipartRequest: Sendable {
    /// The request with `Content-Type` and `Content-Length`, without the body.
    public var request: URLRequest
    /// The body's bytes, without ``options``; `nil` for a form without parts, whose request is complete.
    ///
    /// To send them with another client, pass `options.reading` to it too: it contains the throttle.
    public var plan: BodyPlan?
    /// How it is sent. `options.reading.rateLimit` is the limit of
    /// ``MultipartFormBuilder/throttle(packetSize:delay:)``.
    public var options: UploadOptions

    /// The request with the body as a stream that follows ``options``. Each call makes a new stream, which can be sent
    /// once, see `URLRequest.setBody(_:options:)`.
    public func streamingRequest() -> URLRequest {
        var request = self.request
        if let plan { request.setBody(plan, options: self.options.reading) }
        return request
    }

    /// Writes the body to a file, for servers that need a length and for background sessions.
    ///
    /// The file appears or changes only when it is complete: after a failure the old one stays. A throttle slows down
    /// the writing, like in AFNetworking, and not the sending of the file.
    /// - Returns: The request, for `uploadTask(with:fromFile:)`.
    /// - Throws: `FormworkError`; ``RequestSerializationError`` for a URL that isn't a file URL.
    @discardableResult
    public func write(to url: URL, durably: Bool = false) throws -> URLRequest {
        guard url.isFileURL else { throw RequestSerializationError.badURL("Expected URL to be a file URL") }
        guard let plan else { throw FormworkError(.invalidArgument, "there is no multipart body to write") }
        try plan.write(toFile: FilePath(url.path), replacing: true, durably: durably, options: self.options.reading)
        return self.request
    }
}

extension RequestSerializer {
    /// A multipart request with the parameters, flattened as in a query, followed by the parts that `construct`
    /// appends.
    ///
    /// Without any parts it is the request that ``request(method:url:parameters:)`` makes without parameters.
    /// - Throws: What that method and `construct` throw, and `FormworkError` for GET and HEAD, which have no body, and
    ///   for parts that can't be framed.
    public func multipartFormRequest(
        method: String, url: any URLConvertible, parameters: ParameterValue? = nil,
        constructing construct: (inout MultipartFormBuilder) throws -> Void = { _ in }
    ) throws -> MultipartRequest {
        guard method != "GET", method != "HEAD" else {
            throw FormworkError(.invalidArgument, "a \(method) request has no body: use another method")
        }
        var request = try self.request(method: method, url: url)
        var builder = MultipartFormBuilder(boundary: try self.settings.boundary(), self.settings)
        if let parameters { try self.settings.append(parameters, to: &builder) }
        try construct(&builder)
        let options = UploadOptions(reading: ReaderOptions(rateLimit: builder.rateLimit))
        guard !builder.isEmpty else { return MultipartRequest(request: request, plan: nil, options: options) }
        let (plan, length) = try builder.plan()
        request.httpBody = nil
        request.setValue(plan.contentType, forHTTPHeaderField: "Content-Type")
        request.setValue(length.map(String.init), forHTTPHeaderField: "Content-Length")
        return MultipartRequest(request: request, plan: plan, options: options)
    }
}

extension RequestSettings {
    /// A new boundary. Before 1.3.4 and in 2.0 and 2.1 it was always the same, so content could end a part.
    fileprivate func boundary() throws(FormworkError) -> Boundary {
        let isFixed = self.version < "1.3.4" || ("2.0"..<"2.2").contains(self.version)
        if self.compatibility == .exact, isFixed { return try Boundary("Boundary+0xAbCdEfGbOuNdArY") }
        var generator = SystemRandomNumberGenerator()
        return .afNetworking(using: &generator)
    }

    /// Appends parameters as fields: bytes unchanged, and null as an empty field.
    fileprivate func append(
        _ parameters: ParameterValue, to builder: inout MultipartFormBuilder
    ) throws(FormworkError) {
        let encoding = self.stringEncoding
        for field in try self.dialect.leaves(of: parameters) {
            let content: Data?
            switch field.value {
            case .nothing: content = Data()
            case .text(let text): content = text.data(withoutLossIn: encoding)
            case .bytes(let bytes): content = Data(bytes)
            }
            if let content {
                try builder.append(content, name: field.name)
            } else if self.compatibility == .safe {
                throw FormworkError(.contentNotEncodable, "\"\(field.name)\" can't be written in \(encoding)")
            }
        }
    }
}

extension URLSession {
    /// Sends a request and its multipart body with ``MultipartRequest/options``, including the throttle, and returns
    /// the answer, including one that isn't 2xx.
    ///
    /// It behaves like `upload(_:with:options:)`. A form without parts has no body: its request is sent unchanged.
    /// - Throws: What `upload(_:with:options:)` throws.
    public func upload(_ upload: MultipartRequest) async throws -> (Data, HTTPURLResponse) {
        guard let plan = upload.plan else { return try await self.send(upload.request, nil, upload.options) }
        return try await self.upload(plan, with: upload.request, options: upload.options)
    }
}
