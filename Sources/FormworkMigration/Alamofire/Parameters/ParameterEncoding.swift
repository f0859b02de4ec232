import FormworkFoundation
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Parameters by name, of any types that the encoding supports.
public typealias Parameters = [String: any Any & Sendable]

/// Puts parameters into a request.
public protocol ParameterEncoding: Sendable {
    /// The request with the parameters; unchanged if there are none.
    /// - Throws: Usually ``AFError/parameterEncodingFailed(reason:)``.
    func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest
}

extension URLRequest {
    /// Sets the body, and a type if there is none.
    mutating func setBody(_ body: Data, ofType contentType: String) {
        if self.value(forHTTPHeaderField: "Content-Type") == nil {
            self.setValue(contentType, forHTTPHeaderField: "Content-Type")
        }
        self.httpBody = body
    }

    static let formContentType = "application/x-www-form-urlencoded; charset=utf-8"
}

extension HTTPMethod {
    /// Whether parameters of such a request go into its URL by default.
    var hasParametersInURL: Bool { [.get, .head, .delete].contains(self) }
}
