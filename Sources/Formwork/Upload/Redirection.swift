/// What a redirect makes of a request (RFC 9110 section 15.4, and fetch).
package struct Redirection: Hashable, Sendable {
    /// The URL to ask next.
    package let target: String
    /// Whether the method stays and the body is sent again. Otherwise the request becomes a `GET` without a body, or stays a
    /// `HEAD`.
    package let keepsBody: Bool
    /// Whether it leads from https to http.
    package let leavesTLS: Bool
    private let leavesOrigin: Bool
    private let isTrusted: Bool

    /// - Parameter isTrusted: Whether the caller trusts every target with its credentials.
    /// - Returns: `nil` for a status that is not a redirect.
    package init?(
        status: Int, method: String, from origin: Origin, to target: (url: String, origin: Origin), isTrusted: Bool
    ) {
        guard Self.statuses.contains(status) else { return nil }
        self.target = target.url
        self.keepsBody = !Self.dropsBody(status: status, method: method)
        self.leavesTLS = origin.isSecure && !target.origin.isSecure
        self.leavesOrigin = origin != target.origin
        self.isTrusted = isTrusted
    }

    package static let statuses: Set<Int> = [301, 302, 303, 307, 308]

    /// 301 and 302 drop the body of `POST`, 303 that of every method, 307 and 308 none.
    package static func dropsBody(status: Int, method: String) -> Bool {
        switch status {
        case 301, 302: method == "POST"
        case 303: true
        default: false
        }
    }

    /// Whether a field of the request is sent again.
    package func keeps(field name: String) -> Bool {
        if self.leavesOrigin, Self.staysAtOrigin(name, isTrusted: self.isTrusted) { return false }
        return self.keepsBody || !Self.describesBody(name)
    }

    /// Whether a field isn't sent to another origin.
    /// - Parameter isTrusted: Whether the caller trusts every target with its credentials.
    package static func staysAtOrigin(_ name: String, isTrusted: Bool) -> Bool {
        // These two name the first origin: to another one they would be wrong.
        ["host", "origin"].contains(name.lowercased()) || !isTrusted && self.carriesCredentials(name)
    }

    /// Whether a field carries credentials, as far as its name shows: `Authorization`, `Cookie`, and fields of a
    /// service's own, such as `X-Api-Key`, `X-Passwd` and `Private-Token`.
    package static func carriesCredentials(_ name: String) -> Bool {
        let name = name.lowercased()
        // A key that identifies a request, or belongs to no account.
        guard !["idempotency-key", "sec-websocket-key"].contains(name) else { return false }
        return name.split { $0 == "-" || $0 == "_" }.contains { self.credentialWords.contains(String($0)) }
            || self.credentialParts.contains { name.contains($0) }
    }

    /// Words of a name, separated by hyphens and underscores.
    private static let credentialWords: Set<String> = [
        "auth", "key", "otp", "pass", "passcode", "pwd", "saml", "session", "sessionid", "sid", "sig", "sso", "totp",
    ]

    /// Texts anywhere in a name.
    private static let credentialParts = [
        "apikey", "accesskey", "assertion", "authentication", "authorization", "bearer", "cookie", "credential", "jwt",
        "oauth", "passphrase", "passwd", "password", "secret", "signature", "token", "userpwd",
    ]

    private static func describesBody(_ name: String) -> Bool {
        let name = name.lowercased()
        return name.hasPrefix("content-")
            || ["transfer-encoding", "trailer", "expect", "repr-digest"].contains(name)
    }
}

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
