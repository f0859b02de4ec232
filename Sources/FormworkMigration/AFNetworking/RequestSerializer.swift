import FormworkFoundation
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Puts parameters into requests, like AFNetworking's request serializers.
///
/// ```swift
/// var serializer = HTTPRequestSerializer()
/// serializer.settings.setAuthorization(bearerToken: "abc")
/// let request = try serializer.request(method: "GET", url: url, parameters: ["page": 1, "tags": ["a", "b"]])
/// ```
@dynamicMemberLookup
public protocol RequestSerializer: Sendable {
    /// The settings that don't depend on the parameters' format.
    var settings: RequestSettings { get set }

    /// A copy of the request with the default fields and parameters.
    /// - Parameters:
    ///   - request: The request. Its own fields are kept; versions before 2.0.1 replace them.
    ///   - object: A value of Foundation or Swift, or a `ParameterValue`; `nil` for no parameters.
    /// - Throws: ``RequestSerializationError``, `FormworkError`, or what Foundation's serializers and
    ///   ``RequestSettings/querySerialization`` throw.
    func serialize(_ request: URLRequest, object: Any?) throws -> URLRequest
}

extension RequestSerializer {
    /// The setting at a key path.
    public subscript<Value>(dynamicMember path: WritableKeyPath<RequestSettings, Value>) -> Value {
        get { self.settings[keyPath: path] }
        set { self.settings[keyPath: path] = newValue }
    }

    /// A copy of the request with the default fields and parameters.
    /// - Throws: What ``serialize(_:object:)`` throws.
    public func serialize(_ request: URLRequest, parameters: ParameterValue?) throws -> URLRequest {
        try self.serialize(request, object: parameters)
    }

    /// A request with the properties that were set, the default fields and parameters.
    /// - Throws: What ``serialize(_:object:)`` throws; ``AFError/invalidURL(url:)`` for an invalid URL.
    public func request(
        method: String, url: any URLConvertible, parameters: ParameterValue? = nil
    ) throws -> URLRequest {
        try self.request(method: method, url: url, object: parameters)
    }

    /// A request with the properties that were set, the default fields and parameters.
    /// - Throws: What ``request(method:url:parameters:)`` throws.
    public func request(method: String, url: any URLConvertible, object: Any?) throws -> URLRequest {
        try self.serialize(self.settings.request(method: method, url: url.asURL()), object: object)
    }
}

extension RequestSettings {
    /// A copy of the request with the default fields and a body; without parameters, with neither body nor type. Parameters of
    /// a method without a body are in the URL.
    /// - Parameters:
    ///   - type: The body's type.
    ///   - body: Makes the body from an object of Foundation for the request; `nil` for the request's own.
    func serialize(
        _ request: URLRequest, object: Any?, as type: String, body: (Any, URLRequest) throws -> Data?
    ) throws -> URLRequest {
        guard !self.encodesInURL(request) else {
            return try HTTPRequestSerializer(settings: self).serialize(request, object: object)
        }
        var copy = request
        self.addHeaders(to: &copy)
        guard let value = object.flattened else { return copy }
        self.setContentType(type, .utf8, plainSince: "2.5", of: &copy)
        if let body = try body(self.foundationObject(value), copy) { copy.httpBody = body }
        return copy
    }
}

/// Why a request couldn't be made. As an `NSError` it has AFNetworking's domain, code and keys.
public struct RequestSerializationError: Error, LocalizedError, CustomNSError {
    /// AFNetworking's code.
    public var code: URLError.Code
    /// The reason, in AFNetworking's words.
    public var reason: String
    /// The request that failed; `nil` if there was none yet.
    public var request: URLRequest?
    /// The system's error, unchanged; for invalid JSON a ``FormworkError``, which names the value.
    public var cause: (any Error)?

    static func invalidJSON(_ object: Any, _ request: URLRequest) -> Self {
        Self(
            code: .cannotDecodeContentData, reason: "The `parameters` argument is not valid JSON.", request: request,
            cause: ObjectCheck.jsonError(object))
    }

    static func badURL(_ reason: String, cause: (any Error)? = nil) -> Self {
        Self(code: .badURL, reason: reason, cause: cause)
    }

    /// AFNetworking's error domain for requests.
    public static let errorDomain = "com.alamofire.error.serialization.request"
    /// The key of the request in ``errorUserInfo``.
    public static let requestKey = "com.alamofire.serialization.request.error.response"

    /// The code's number.
    public var errorCode: Int { self.code.rawValue }
    /// The reason, the request and the cause.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedFailureReasonErrorKey: self.reason]
        if let request { info[Self.requestKey] = request }
        if let cause { info[NSUnderlyingErrorKey] = cause }
        return info
    }
    /// The reason.
    public var failureReason: String? { self.reason }
    /// The reason, and for invalid JSON which value it is.
    public var errorDescription: String? {
        (self.cause as? FormworkError).map { "\(self.reason) (\($0.message))" } ?? self.reason
    }
}
