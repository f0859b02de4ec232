#if Resumable
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import FormworkHTTP
import FormworkValues
import HTTPTypes

/// Where a request goes: an `http` or `https` URL without a fragment.
public struct UploadTarget: Sendable, Hashable {
    package var scheme: String
    package var authority: String
    package var path: String

    /// The request's own target; `nil` without a scheme and an authority.
    package init?(_ request: HTTPRequest) {
        guard let scheme = request.scheme?.lowercased(), let authority = request.authority, !authority.isEmpty
        else { return nil }
        (self.scheme, self.authority, self.path) = (scheme, authority, request.path ?? "/")
    }

    /// Reads an absolute URL.
    /// - Returns: `nil` for what is no URL of `http` or `https`.
    public init?(_ text: String) {
        guard let url = URL(string: text) else { return nil }
        self.init(url)
    }

    private init?(_ url: URL) {
        guard url.origin != nil, let scheme = url.scheme?.lowercased(), let host = url.host(percentEncoded: true)
        else { return nil }
        self.scheme = scheme
        // A colon in a host is an IPv6 address, whose brackets URL takes away.
        let bracketed = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        self.authority = bracketed + (url.port.map { ":\($0)" } ?? "")
        let path = url.path(percentEncoded: true)
        self.path = (path.isEmpty ? "/" : path) + (url.query(percentEncoded: true).map { "?\($0)" } ?? "")
    }

    /// What a `Location` of this target's answer leads to (RFC 9110 §10.2.2).
    /// - Returns: `nil` for what is no URL of HTTP, and for one without TLS in an answer that came by TLS.
    package func resolving(_ location: String) -> UploadTarget? {
        guard let base = URL(string: self.url), let url = URL(string: location, relativeTo: base)?.absoluteURL,
            let target = UploadTarget(url), self.scheme != "https" || target.scheme == "https"
        else { return nil }
        return target
    }

    /// The URL.
    public var url: String { "\(self.scheme)://\(self.authority)\(self.path)" }

    /// Whether credentials for one may be sent to the other (RFC 6454 §5).
    package func hasOrigin(of other: UploadTarget) -> Bool {
        guard let origin = URL(string: self.url)?.origin else { return false }
        return origin == URL(string: other.url)?.origin
    }
}
#endif
