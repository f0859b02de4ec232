import FormworkFoundation
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What a request can be made of.
public protocol URLRequestConvertible: Sendable {
    /// The request.
    /// - Throws: Whatever stood in the way of making it.
    func asURLRequest() throws -> URLRequest
}

extension URLRequestConvertible {
    /// The request; `nil` when it can't be made, for which ask ``asURLRequest()``.
    public var urlRequest: URLRequest? { try? self.asURLRequest() }
}

extension URLRequest: URLRequestConvertible {
    /// The request itself.
    public func asURLRequest() throws -> URLRequest { self }

    /// A request of a method, with these fields.
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
