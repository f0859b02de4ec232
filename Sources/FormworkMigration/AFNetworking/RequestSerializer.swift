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
