import FormworkFoundation
import Foundation

/// What a URL can be made of.
public protocol URLConvertible: Sendable {
    /// The URL.
    /// - Throws: ``AFError/invalidURL(url:)`` when there is none.
    func asURL() throws -> URL
}

extension String: URLConvertible {
    /// The URL that the text is.
    /// - Throws: ``AFError/invalidURL(url:)`` when it is none.
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
    /// The URL that the components make.
    /// - Throws: ``AFError/invalidURL(url:)`` when they make none.
    public func asURL() throws -> URL {
        guard let url = self.url else { throw AFError.invalidURL(url: self) }
        return url
    }
}
