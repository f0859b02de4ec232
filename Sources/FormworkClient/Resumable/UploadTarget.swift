import FormworkEssentials
import FormworkValues

/// The target of a request: an `http` or `https` URL without a fragment.
struct UploadTarget: Sendable, Hashable {
    var scheme: String
    var authority: String
    var path: String

    /// The target of a request; `nil` without a scheme and an authority.
    init?(_ request: HTTPRequest) {
        guard let scheme = request.scheme?.lowercased(), let authority = request.authority, !authority.isEmpty
        else { return nil }
        (self.scheme, self.authority, self.path) = (scheme, authority, request.path ?? "/")
    }

    /// Reads an absolute URL.
    /// - Returns: `nil` if the text isn't an `http` or `https` URL.
    init?(_ text: String) {
        guard let request = try? HTTPRequest(to: text) else { return nil }
        self.init(request)
    }

    /// Resolves a `Location` in this target's answer (RFC 9110 §10.2.2).
    /// - Returns: `nil` if it isn't an HTTP URL, or if it has no TLS although the answer came over TLS.
    func resolving(_ location: String) -> UploadTarget? {
        guard let base = URL(text: self.url), let url = URL(text: location, relativeTo: base),
            let target = UploadTarget(url.absoluteString), self.scheme != "https" || target.scheme == "https"
        else { return nil }
        return target
    }

    /// The URL.
    var url: String { "\(self.scheme)://\(self.authority)\(self.path)" }

    /// Whether credentials for one target may be sent to the other (RFC 6454 §5).
    func hasOrigin(of other: UploadTarget) -> Bool {
        guard let origin = URL(text: self.url)?.origin else { return false }
        return origin == URL(text: other.url)?.origin
    }
}
