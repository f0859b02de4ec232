#if Resumable
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import FormworkHTTP
import FormworkValues
import HTTPTypes

/// The target of a request: an `http` or `https` URL without a fragment.
public struct UploadTarget: Sendable, Hashable {
    package var scheme: String
    package var authority: String
    package var path: String

    /// The target of a request; `nil` without a scheme and an authority.
    package init?(_ request: HTTPRequest) {
        guard let scheme = request.scheme?.lowercased(), let authority = request.authority, !authority.isEmpty
        else { return nil }
        (self.scheme, self.authority, self.path) = (scheme, authority, request.path ?? "/")
    }

    /// Reads an absolute URL.
    /// - Returns: `nil` if the text isn't an `http` or `https` URL.
    public init?(_ text: String) {
        guard let url = URL(text: text) else { return nil }
        self.init(url)
    }

    private init?(_ url: URL) {
        guard url.origin != nil, let scheme = url.scheme?.lowercased(), let host = url.host(percentEncoded: true)
        else { return nil }
        self.scheme = scheme
        // A host with a colon is an IPv6 address; URL removes its brackets.
        let bracketed = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        self.authority = bracketed + (url.port.map { ":\($0)" } ?? "")
        let path = url.path(percentEncoded: true)
        self.path = (path.isEmpty ? "/" : path) + (url.query(percentEncoded: true).map { "?\($0)" } ?? "")
    }

    /// Resolves a `Location` in this target's answer (RFC 9110 §10.2.2).
    /// - Returns: `nil` if it isn't an HTTP URL, or if it has no TLS although the answer came over TLS.
    package func resolving(_ location: String) -> UploadTarget? {
        guard let base = URL(text: self.url), let url = URL(text: location, relativeTo: base),
            let target = UploadTarget(url), self.scheme != "https" || target.scheme == "https"
        else { return nil }
        return target
    }

    /// The URL.
    public var url: String { "\(self.scheme)://\(self.authority)\(self.path)" }

    /// Whether credentials for one target may be sent to the other (RFC 6454 §5).
    package func hasOrigin(of other: UploadTarget) -> Bool {
        guard let origin = URL(text: self.url)?.origin else { return false }
        return origin == URL(text: other.url)?.origin
    }
}
#endif
