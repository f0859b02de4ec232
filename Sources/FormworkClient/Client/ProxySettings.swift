import FormworkEssentials
import FormworkValues

/// The proxies for requests: for `http` the proxy gets the request with the whole URL, for `https` it makes a tunnel
/// (`CONNECT`, RFC 9110 section 9.3.6).
public struct ProxySettings: Hashable, Sendable {
    /// The proxy's URL for `http` requests; `nil` connects directly.
    public var http: String?
    /// The same for `https`.
    public var https: String?
    /// Hosts to connect to directly: names, which include their subdomains, addresses, IPv4 networks such as
    /// `10.0.0.0/8`, or `*` for all hosts; separated by commas or blanks.
    public var exceptions: String
}

extension ProxySettings {
    /// Creates settings with one proxy for `http` and `https`.
    public init(url: String, exceptions: String = "") {
        self.init(http: url, https: url, exceptions: exceptions)
    }

    /// Reads the environment's variables like curl: `http_proxy` only in lower case, because a CGI program gets
    /// `HTTP_PROXY` from its request's `Proxy` field; `https_proxy`, `all_proxy` and `no_proxy` in either case, lower
    /// case first.
    public init(environment: [String: String]) {
        func value(_ names: String...) -> String? {
            names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        }
        let all = value("all_proxy", "ALL_PROXY")
        self.init(
            http: value("http_proxy") ?? all, https: value("https_proxy", "HTTPS_PROXY") ?? all,
            exceptions: value("no_proxy", "NO_PROXY") ?? "")
    }

    /// The proxy for an endpoint; `nil` for a direct connection.
    func proxy(for endpoint: Origin) throws -> Proxy? {
        guard let url = endpoint.isSecure ? self.https : self.http, !url.isEmpty, !self.excepts(endpoint.host)
        else {
            return nil
        }
        return try Proxy(url)
    }

    func excepts(_ host: String) -> Bool {
        self.exceptions.split { $0 == "," || $0 == " " || $0 == "\t" }.contains { word in
            if word == "*" { return true }
            let name = word.drop { $0 == "." }.lowercased()
            if let network = IPv4Network(name), let address = IPv4Network.address(host) {
                return network.contains(address)
            }
            let bare = name.hasPrefix("[") ? String(name.dropFirst().prefix { $0 != "]" }) : name
            return !bare.isEmpty && (host == bare || host.hasSuffix(".\(bare)"))
        }
    }
}

/// A proxy, from its URL.
struct Proxy: Hashable, Sendable {
    var endpoint: Origin
    /// The value of `Proxy-Authorization`; `nil` for none.
    var authorization: String?

    init(_ url: String) throws {
        let text = url.utf8.authorityStart != nil ? url : "http://\(url)"
        guard let parsed = URL(text: text), let scheme = parsed.scheme?.lowercased(), let host = parsed.host(),
            !host.isEmpty, !parsed.hasImpossibleHost
        else {
            throw Self.invalid("the proxy isn't a URL such as http://proxy.example:3128")
        }
        guard scheme == "http" || scheme == "https" else {
            throw Self.invalid("a proxy must use http or https, not \(scheme)")
        }
        guard !parsed.hasImpossiblePort else {
            throw Self.invalid("the proxy has an invalid port: use a number from 1 to 65535")
        }
        // The same defaults as curl's.
        let port = parsed.port ?? (scheme == "https" ? 443 : 1080)
        self.endpoint = Origin(isSecure: scheme == "https", host: host, port: port)
        self.authorization = parsed.user(percentEncoded: false).map {
            BasicCredentials(user: $0, password: parsed.password(percentEncoded: false) ?? "").fieldValue
        }
    }

    private static func invalid(_ message: String) -> TransferError {
        var error = TransferError(.invalidRequest, message)
        error.isAboutProxy = true
        return error
    }
}

/// `10.0.0.0/8`.
private struct IPv4Network {
    let address: UInt32
    let bits: Int

    init?(_ text: String) {
        let words = text.split(separator: "/", omittingEmptySubsequences: false)
        guard words.count == 2, let address = Self.address(String(words[0])), let bits = Int(words[1]),
            0...32 ~= bits
        else { return nil }
        (self.address, self.bits) = (address, bits)
    }

    static func address(_ text: String) -> UInt32? {
        let bytes = text.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        guard bytes.count == 4, !bytes.contains(nil) else { return nil }
        return bytes.reduce(0) { $0 << 8 | UInt32($1 ?? 0) }
    }

    func contains(_ other: UInt32) -> Bool {
        self.bits == 0 || (self.address ^ other) >> UInt32(32 - self.bits) == 0
    }
}
