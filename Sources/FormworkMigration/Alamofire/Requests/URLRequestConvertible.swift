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
