import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Writes parameters into the URL or into a url-encoded form, by the request's method: AFNetworking's
/// `AFHTTPRequestSerializer`.
public struct HTTPRequestSerializer: RequestSerializer {
    /// Which requests are made.
    public var settings: RequestSettings

    /// A serializer of these settings.
    public init(settings: RequestSettings = RequestSettings()) { self.settings = settings }

    /// A copy of the request with the default fields and parameters.
    ///
    /// A body is set even without parameters, an empty one, for methods whose parameters don't go into the URL.
    /// - Throws: What ``RequestSerializer/serialize(_:object:)`` says.
    public func serialize(_ request: URLRequest, object: Any?) throws -> URLRequest {
        var copy = request
        let settings = self.settings
        settings.addHeaders(to: &copy)
        let query = try object.flattened.map { object in
            let parameters = try ParameterValue(object)
            return try settings.querySerialization?(request, parameters) ?? settings.dialect.encode(parameters)
        }
        if settings.encodesInURL(request) {
            guard let query, settings.version < "3.1" || !query.isEmpty else { return copy }
            copy.url = try copy.url.map { try $0.appending(query: query, settings.compatibility) }
        } else if query != nil || settings.version >= "2.6.1" {
            guard let body = (query ?? "").data(using: settings.stringEncoding) else {
                throw FormworkError(
                    .contentNotEncodable, "the form's text can't be written in \(settings.stringEncoding)")
            }
            settings.setContentType(
                "application/x-www-form-urlencoded", settings.stringEncoding, plainSince: "2.4", of: &copy)
            copy.httpBody = body
        }
        return copy
    }
}

extension Any? {
    /// What is in it, however often it was wrapped; `nil` when there is nothing in it.
    var flattened: Any? {
        guard case .some(let value) = self else { return nil }
        guard let inner = value as? any AnyOptional else { return value }
        return inner.content.flattened
    }
}

/// An `Optional` of any type.
private protocol AnyOptional { var content: Any? { get } }

extension Optional: AnyOptional { fileprivate var content: Any? { self.map { $0 as Any } } }

extension URL {
    /// The URL with more behind its query.
    ///
    /// AFNetworking puts it behind a fragment, and `&` behind a `?` that has nothing behind it.
    fileprivate func appending(query: String, _ compatibility: Compatibility) throws -> URL {
        let text = self.absoluteString
        let end = compatibility == .safe ? text.firstIndex(of: "#") ?? text.endIndex : text.endIndex
        let head = text[..<end]
        let isBegun = compatibility == .safe && (head.hasSuffix("?") || head.hasSuffix("&") && self.query != nil)
        let separator = self.query == nil ? "?" : isBegun ? "" : "&"
        let result = "\(head)\(separator)\(query)\(text[end...])"
        guard let url = URL(string: result) else { throw AFError.invalidURL(url: result) }
        return url
    }
}
