/// Where requests go: scheme, host and port (RFC 6454). Credentials for one origin aren't sent to another.
package struct Origin: Hashable, Sendable {
    /// Whether the scheme is https.
    package let isSecure: Bool
    /// A name, or an address without brackets, in lower case.
    package let host: String
    package let port: Int

    /// - Parameters:
    ///   - host: A name or an address, with or without brackets.
    ///   - port: `nil` for the scheme's own: 443 or 80.
    package init(isSecure: Bool, host: String, port: Int?) {
        self.isSecure = isSecure
        self.host = (host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host).lowercased()
        self.port = port ?? (isSecure ? 443 : 80)
    }

    /// The name, or the address without the zone that an IPv6 address may have (`fe80::1%25eth0`, RFC 6874). Only this
    /// computer knows the zone.
    package var hostWithoutZone: Substring { self.host.contains(":") ? self.host.prefix { $0 != "%" } : self.host[...] }

    /// The name, or the address as `getaddrinfo` reads it: `%` before a zone isn't escaped.
    package var address: String {
        let name = self.hostWithoutZone
        let zone = self.host.dropFirst(name.count)
        return zone.hasPrefix("%25") ? "\(name)%\(zone.dropFirst(3))" : self.host
    }

    /// `host:port`, with brackets around an IPv6 address.
    package var authority: String { (self.host.contains(":") ? "[\(self.host)]" : self.host) + ":\(self.port)" }
}
