#if Transfer
import NIOHTTP2
import NIOSSL
import Synchronization

/// The current certificate and key, for new connections.
final class SecureContext: Sendable {
    private enum State {
        case configured(TLSConfiguration)
        case ready(NIOSSLContext)
    }

    private let state: Mutex<State>

    init(_ tls: TLSConfiguration) { self.state = Mutex(.configured(tls)) }

    /// - Throws: NIOSSL's error for a certificate and a key that can't be used together.
    func check() throws { _ = try self.context }

    var context: NIOSSLContext {
        get throws {
            try self.state.withLock { state in
                switch state {
                case .ready(let context): return context
                case .configured(let tls):
                    let context = try Self.context(of: tls)
                    state = .ready(context)
                    return context
                }
            }
        }
    }

    /// Uses another certificate and key from now on.
    /// - Throws: The same; nothing has changed then.
    func replace(_ tls: TLSConfiguration) throws {
        let context = try Self.context(of: tls)
        self.state.withLock { $0 = .ready(context) }
    }

    private static func context(of tls: TLSConfiguration) throws -> NIOSSLContext {
        var tls = tls
        tls.applicationProtocols = NIOHTTP2SupportedALPNProtocols
        return try NIOSSLContext(configuration: tls)
    }
}
#endif
