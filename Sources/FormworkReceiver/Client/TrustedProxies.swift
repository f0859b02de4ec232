import FormworkResumable
import NIOCore

/// Proxies in front that are trusted to name their clients: by `Forwarded` (RFC 7239), `X-Forwarded-For` and
/// `X-Forwarded-Proto`, and by version 2 of the PROXY protocol.
struct TrustedProxies: Sendable, Hashable {
    private let blocks: [AddressBlock]

    init(_ blocks: [AddressBlock] = []) { self.blocks = blocks }

    func contains(_ address: IPAddress?) -> Bool {
        address.map { address in self.blocks.contains { $0.contains(address) } } ?? false
    }

    /// The client of a request from `peer`: the last address on the way that isn't a trusted proxy.
    ///
    /// A proxy that sets one of the fields may pass on the other as its client sent it. So if both are present and
    /// differ, both are ignored.
    func client(of peer: ClientAddress, _ fields: HTTPFields) -> ClientAddress {
        guard self.contains(peer.address) else { return peer }
        let forwarded = Self.forwarded(fields)
        let listed = Self.list(fields, .xForwardedFor).map { Hop(text: $0) }
        guard forwarded.isEmpty || listed.isEmpty || forwarded.map({ $0.address }) == listed.map({ $0.address }) else {
            return peer
        }
        var client = peer
        for hop in (forwarded.isEmpty ? listed : forwarded).reversed() {
            guard self.contains(client.address), let address = hop.address else { break }
            client.address = address
            client.text = hop.text
            if hop.scheme == "https" { client.isSecure = true }
        }
        if let scheme = Self.list(fields, .xForwardedProto).last?.lowercased(), forwarded.isEmpty {
            client.isSecure = scheme == "https"
        }
        return client
    }

    /// A step on the request's way.
    private struct Hop {
        var text = ""
        var scheme: String?

        /// `nil` for an obfuscated or unreadable address.
        var address: IPAddress? {
            var host = self.text[...]
            if host.hasPrefix("["), let end = host.firstIndex(of: "]") {
                host = host[host.index(after: host.startIndex)..<end]
            } else if host.count(where: { $0 == ":" }) == 1 {
                host = host.prefix { $0 != ":" }
            }
            return IPAddress(host)
        }
    }

    /// The members of a list. Scalar by scalar: what a client ends its own list with, such as U+0600, can be one `Character`
    /// with the comma that its proxy adds, and would hide the proxy's address of it.
    private static func list(_ fields: HTTPFields, _ name: HTTPField.Name) -> [String] {
        fields[values: name].flatMap { $0.unicodeScalars.split(separator: ",", omittingEmptySubsequences: false) }
            .map(self.trimmed)
    }

    /// Without spaces and tabs at its ends, cut to the length that an address can have.
    private static func trimmed(_ text: Substring.UnicodeScalarView) -> String {
        String(Substring(Substring(text).utf8.trimmingBlanks).unicodeScalars.prefix(200))
    }

    private static func forwarded(_ fields: HTTPFields) -> [Hop] {
        self.list(fields, .forwarded).map { element in
            var hop = Hop()
            for pair in element.unicodeScalars.split(separator: ";") {
                let words = pair.split(separator: "=", maxSplits: 1).map(self.trimmed)
                guard words.count == 2 else { continue }
                let value = String(words[1].unicodeScalars.filter { $0 != "\"" })
                switch words[0].lowercased() {
                case "for": hop.text = value
                case "proto": hop.scheme = value.lowercased()
                default: continue
                }
            }
            return hop
        }
    }
}

/// The origin of a request, as far as it is known from trusted sources.
struct ClientAddress: Hashable, Sendable {
    /// `nil` if unknown, for example for a socket of another family.
    var address: IPAddress?
    /// For logs: with its port if that is known.
    var text: String
    /// Whether a proxy in front reports that the client used HTTPS.
    var isSecure = false

    init(_ address: IPAddress?, text: String) { (self.address, self.text) = (address, text) }

    /// The other end of a connection.
    init(_ socket: SocketAddress?) {
        guard let socket, let host = socket.ipAddress else {
            self.init(nil, text: "unknown")
            return
        }
        self.init(IPAddress(host), text: (host.contains(":") ? "[\(host)]" : host) + ":\(socket.port ?? 0)")
    }

    /// The key by which limits count.
    var key: String { self.address?.key ?? "unknown" }
}
