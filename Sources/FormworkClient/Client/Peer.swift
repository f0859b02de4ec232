#if Client
import Formwork

/// The other end of a connection, or of a tunnel in it, as errors name it.
struct Peer: Hashable, Sendable {
    /// The server's host, or the proxy's host and port: a server may be on the same host.
    var name: String
    var isProxy: Bool

    static func server(_ endpoint: Origin) -> Self { Self(name: endpoint.host, isProxy: false) }
    static func proxy(_ endpoint: Origin) -> Self { Self(name: endpoint.authority, isProxy: true) }

    var noun: String { self.isProxy ? "proxy" : "server" }
    /// The beginning of an error that is otherwise about the only server there is.
    var prefix: String { self.isProxy ? "\(self.name): " : "" }
}
#endif
