import FormworkFoundation
import Foundation

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
