import FormworkEssentials
import Formwork

extension URL {
    /// Where a request for this URL goes; `nil` for one that isn't of http or https, has no host, or a host or port that can't be.
    package var origin: Origin? {
        guard let scheme = self.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let host = self.host(percentEncoded: true), !host.isEmpty, !self.hasImpossibleHost, !self.hasImpossiblePort
        else { return nil }
        return Origin(isSecure: scheme == "https", host: host, port: self.port)
    }

    /// Whether the host has a character that no host can have (WHATWG URL, forbidden host code points). Foundation takes
    /// `http://[bad`.
    package var hasImpossibleHost: Bool {
        guard let host = self.host(percentEncoded: false), !host.contains(":") else { return false }
        return host.unicodeScalars.contains {
            $0.value <= 0x20 || $0.value == 0x7F || "#/<>?@[\\]^|%".unicodeScalars.contains($0)
        }
    }

    /// Whether the URL has a port that isn't a number from 1 to 65535. Foundation gives `nil` for a port of twenty digits, as
    /// if there were none.
    package var hasImpossiblePort: Bool {
        let text = self.absoluteString
        guard text.utf8.authorityStart != nil else { return false }
        let authority = text.utf8.authority
        let user = authority.lastIndex(of: UInt8(ascii: "@"))
        let place = authority[(user.map { authority.index(after: $0) } ?? authority.startIndex)...]
        let afterAddress = place[(place.lastIndex(of: UInt8(ascii: "]")) ?? place.startIndex)...]
        guard let colon = afterAddress.lastIndex(of: UInt8(ascii: ":")) else { return false }
        let port = Substring(afterAddress[afterAddress.index(after: colon)...])
        return !port.isEmpty && !(UInt16(port).map { $0 > 0 } ?? false)
    }
}

extension Redirection {
    /// - Parameters:
    ///   - url: The URL that was asked.
    ///   - location: The answer's `Location` (RFC 9110 section 10.2.2).
    ///   - isTrusted: Whether credentials may follow to another origin.
    /// - Returns: `nil` for a status that is not a redirect, and for a location that isn't a URL of http or https.
    package init?(status: Int, method: String, of url: URL?, location: String?, isTrusted: Bool) {
        guard let url, let location, !location.isEmpty, let origin = url.origin,
            let target = URL(text: location, relativeTo: url), let targetOrigin = target.origin
        else { return nil }
        self.init(
            status: status, method: method, from: origin, to: (target.absoluteString, targetOrigin),
            isTrusted: isTrusted)
    }
}
