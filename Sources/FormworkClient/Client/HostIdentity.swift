import NIOCore
import NIOSSL

/// The host of a URL, as a server's certificate must name it (RFC 9525 section 6).
///
/// NIO's own check also accepts a certificate that has the address of the connection's other end, whatever host was
/// asked for. Then a false answer of DNS would be enough to send a body to the owner of any address with a certificate, and
/// a proxy could pose as any host. It also refuses the right certificate of an address that is reached through a proxy.
struct HostIdentity: Sendable {
    /// A name, or an address without brackets and zone.
    private let host: String
    /// `nil` for a name.
    private let address: SocketAddress?

    init(_ host: String) {
        self.host = Self.withoutEndDot(host.lowercased())
        self.address = try? SocketAddress(ipAddress: host, port: 0)
    }

    /// The name for SNI; `nil` for an address, which isn't valid there.
    var serverName: String? { self.address == nil ? self.host : nil }

    /// Whether a certificate that NIO accepts is the host's.
    func isNamed(in certificate: NIOSSLCertificate) -> Bool {
        let names = certificate._subjectAlternativeNames()
        guard let address else {
            // Without any alternative name, NIO has compared the common name.
            return names.isEmpty
                || names.contains {
                    $0.nameType == .dnsName && self.matches(String(decoding: $0.contents, as: UTF8.self))
                }
        }
        return names.contains {
            $0.nameType == .ipAddress
                && (try? SocketAddress(packedIPAddress: ByteBuffer(bytes: $0.contents), port: 0)) == address
        }
    }

    private func matches(_ pattern: String) -> Bool {
        let pattern = Self.withoutEndDot(pattern.lowercased())
        guard pattern.hasPrefix("*.") else { return pattern == self.host }
        guard let dot = self.host.firstIndex(of: "."), dot > self.host.startIndex else { return false }
        return pattern.dropFirst() == self.host[dot...]
    }

    private static func withoutEndDot(_ name: String) -> String { name.hasSuffix(".") ? String(name.dropLast()) : name }
}
