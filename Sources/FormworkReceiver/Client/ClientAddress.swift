#if Transfer
import NIOCore

/// The origin of a request, as far as it is known from trusted sources.
package struct ClientAddress: Hashable, Sendable {
    /// `nil` if unknown, for example for a socket of another family.
    package var address: IPAddress?
    /// For logs: with its port if that is known.
    package var text: String
    /// Whether a proxy in front reports that the client used HTTPS.
    package var isSecure = false

    package init(_ address: IPAddress?, text: String) { (self.address, self.text) = (address, text) }

    /// The other end of a connection.
    init(_ socket: SocketAddress?) {
        guard let socket, let host = socket.ipAddress else {
            self.init(nil, text: "unknown")
            return
        }
        self.init(
            IPAddress(host), text: host.contains(":") ? "[\(host)]:\(socket.port ?? 0)" : "\(host):\(socket.port ?? 0)")
    }

    /// The key by which limits count.
    package var key: String { self.address?.key ?? "unknown" }
}
#endif
