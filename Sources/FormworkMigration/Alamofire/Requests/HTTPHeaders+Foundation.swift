import FormworkFoundation
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLRequest {
    /// The request's fields. Setting them replaces all previous ones.
    public var headers: HTTPHeaders {
        get { HTTPHeaders(self.allHTTPHeaderFields ?? [:]) }
        set { self.allHTTPHeaderFields = newValue.dictionary }
    }
}

extension HTTPURLResponse {
    /// The response's fields.
    public var headers: HTTPHeaders { HTTPHeaders(self.allHeaderFields as? [String: String] ?? [:]) }
}

extension URLSessionConfiguration {
    /// The fields of every request of the session.
    public var headers: HTTPHeaders {
        get { HTTPHeaders(self.httpAdditionalHeaders as? [String: String] ?? [:]) }
        set { self.httpAdditionalHeaders = newValue.dictionary }
    }
}
