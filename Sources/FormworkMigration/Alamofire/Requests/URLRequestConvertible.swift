import FormworkFoundation
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A type that can be converted to a request.
public protocol URLRequestConvertible: Sendable {
    /// The request.
    /// - Throws: Any error of the conversion.
    func asURLRequest() throws -> URLRequest
}

extension URLRequestConvertible {
    /// The request; `nil` if it can't be made. ``asURLRequest()`` throws the reason.
    public var urlRequest: URLRequest? { try? self.asURLRequest() }
}

extension URLRequest: URLRequestConvertible {
    /// The request itself.
    public func asURLRequest() throws -> URLRequest { self }

    /// Creates a request with a method and these fields.
    /// - Throws: What `url` throws.
    public init(url: any URLConvertible, method: HTTPMethod, headers: HTTPHeaders? = nil) throws {
        self.init(url: try url.asURL())
        self.method = method
        if let headers { self.headers = headers }
    }

    /// The method; `URLRequest` writes the standard ones in upper case.
    public var method: HTTPMethod? {
        get { self.httpMethod.map(HTTPMethod.init) }
        set { self.httpMethod = newValue?.rawValue }
    }
}

/// A request method. Its case matters (RFC 9110 §9.1): `get` isn't ``get``.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable {
    /// The method as it is sent.
    public let rawValue: String

    /// Creates a method with any name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// `CONNECT`.
    public static let connect = HTTPMethod(rawValue: "CONNECT")
    /// `DELETE`.
    public static let delete = HTTPMethod(rawValue: "DELETE")
    /// `GET`.
    public static let get = HTTPMethod(rawValue: "GET")
    /// `HEAD`.
    public static let head = HTTPMethod(rawValue: "HEAD")
    /// `OPTIONS`.
    public static let options = HTTPMethod(rawValue: "OPTIONS")
    /// `PATCH`.
    public static let patch = HTTPMethod(rawValue: "PATCH")
    /// `POST`.
    public static let post = HTTPMethod(rawValue: "POST")
    /// `PUT`.
    public static let put = HTTPMethod(rawValue: "PUT")
    /// `QUERY`.
    public static let query = HTTPMethod(rawValue: "QUERY")
    /// `TRACE`.
    public static let trace = HTTPMethod(rawValue: "TRACE")
}

/// A type that can be converted to a URL.
public protocol URLConvertible: Sendable {
    /// The URL.
    /// - Throws: ``AFError/invalidURL(url:)`` if it isn't valid.
    func asURL() throws -> URL
}

extension String: URLConvertible {
    /// The text as a URL.
    /// - Throws: ``AFError/invalidURL(url:)`` if it isn't valid.
    public func asURL() throws -> URL {
        guard let url = URL(string: self) else { throw AFError.invalidURL(url: self) }
        return url
    }
}

extension URL: URLConvertible {
    /// The URL itself.
    public func asURL() throws -> URL { self }
}

extension URLComponents: URLConvertible {
    /// The URL of the components.
    /// - Throws: ``AFError/invalidURL(url:)`` if it isn't valid.
    public func asURL() throws -> URL {
        guard let url = self.url else { throw AFError.invalidURL(url: self) }
        return url
    }
}
