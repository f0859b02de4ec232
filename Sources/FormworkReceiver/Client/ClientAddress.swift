#if Transfer
import NIOCore

/// Where a request comes from, as far as anybody that is trusted says.
package struct ClientAddress: Hashable, Sendable {
    /// `nil` where nobody knows, say of a socket of another family.
    package var address: IPAddress?
    /// For logs: with its port where that is known.
    package var text: String
    /// Whether a proxy in front says that it was spoken to by HTTPS.
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

    /// What limits count by.
    package var key: String { self.address?.key ?? "unknown" }
}
#endif
