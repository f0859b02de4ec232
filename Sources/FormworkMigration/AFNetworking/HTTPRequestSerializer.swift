import FormworkFoundation
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Writes parameters into the URL or into a url-encoded form, depending on the request's method: AFNetworking's
/// `AFHTTPRequestSerializer`.
public struct HTTPRequestSerializer: RequestSerializer, Codable {
    /// The settings for all requests.
    public var settings: RequestSettings

    /// Creates a serializer.
    public init(settings: RequestSettings = RequestSettings()) { self.settings = settings }

    /// A copy of the request with the default fields and parameters.
    ///
    /// For methods whose parameters don't go into the URL, an empty body is set even without parameters.
    /// - Throws: What ``RequestSerializer/serialize(_:object:)`` throws.
    public func serialize(_ request: URLRequest, object: Any?) throws -> URLRequest {
        var copy = request
        let settings = self.settings
        settings.addHeaders(to: &copy)
        let query = try object.flattened.map { object in
            let parameters = try ParameterValue(object)
            return try settings.querySerialization?(request, parameters) ?? settings.dialect.encode(parameters)
        }
        if settings.encodesInURL(request) {
            guard let query else { return copy }
            copy.url = try copy.url.map { try settings.url($0, adding: query) }
        } else if query != nil || settings.version >= "2.6.1" {
            guard let body = (query ?? "").data(withoutLossIn: settings.stringEncoding) else {
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
    /// The wrapped value, through any number of optionals; `nil` if there is none.
    var flattened: Any? {
        guard case .some(let value) = self else { return nil }
        let mirror = Mirror(reflecting: value)
        return mirror.displayStyle == .optional ? mirror.children.first.map { $0.value }.flattened : value
    }
}

extension RequestSettings {
    /// The URL with a query: AFNetworking puts it after a fragment, and writes `&` even after a `?` at the end.
    fileprivate func url(_ url: URL, adding query: String) throws -> URL {
        let isStray = query.isEmpty && self.version < "3.1"
        let place: QueryDestination =
            isStray ? .appendedEvenEmpty : self.compatibility == .safe ? .query : .appended
        guard let fitting = query.fittingQuery,
            let url = URL(string: try place.url(url.absoluteString, adding: fitting))
        else { throw AFError.invalidURL(url: "\(url.absoluteString)?\(query)") }
        return url
    }
}
