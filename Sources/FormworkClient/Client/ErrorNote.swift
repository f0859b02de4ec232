import NIOCore
import NIOHTTP1
import NIOSSL
import Synchronization

/// The first error in a pipeline, which says more than that the connection is closed.
final class ErrorNote: Sendable {
    private let state = Mutex<((error: any Error, peer: Peer)?, goAway: GoAway?)>((nil, nil))
    /// The first error, with the endpoint that it is about.
    var first: (error: any Error, peer: Peer)? { self.state.withLock { $0.0 } }
    func note(_ error: any Error, of peer: Peer) {
        self.state.withLock { if $0.0 == nil { $0.0 = (error, peer) } }
    }

    /// Notes the last `GOAWAY` of HTTP/2. It isn't an error: the answer may still come.
    func note(_ goAway: GoAway) { self.state.withLock { $0.goAway = goAway } }
    /// What ended an exchange: its error, or why the server ended the connection.
    func cause(_ error: (any Error)?) -> (any Error)? {
        guard let goAway = self.state.withLock({ $0.goAway }) else { return error }
        return goAway.dropsRequest || error == nil ? goAway : error
    }
}

/// A handler that notes what is wrong with a peer.
class PeerWatch {
    let notes: ErrorNote
    let peer: Peer
    init(_ notes: ErrorNote, of peer: Peer) { (self.notes, self.peer) = (notes, peer) }
}

/// Records the first error that passes it.
final class ErrorHandler: PeerWatch, ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let security: NIOSSLClientHandler?

    /// - Parameter security: The handler before this one, if it is TLS.
    init(_ notes: ErrorNote, of peer: Peer, _ security: NIOSSLClientHandler? = nil) {
        self.security = security
        super.init(notes, of: peer)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let shown = TransferError(untimely: self.security?.peerCertificate, of: self.peer, error) ?? error
        self.notes.note(shown, of: self.peer)
        context.fireErrorCaught(shown)
    }
}

/// What a peer did for which no library has an error.
enum ConnectionFault: Error {
    /// The connection was closed after the proxy had made the tunnel, and before TLS began in it.
    case tunnelEnded
    /// The first bytes in a tunnel weren't TLS.
    case tunnelWithoutTLS
    /// A TLS server answered bytes that aren't TLS.
    case answerInTLS
    /// A server that was taken to speak HTTP/2 doesn't.
    case noHTTP2
    /// A server sent something that HTTP/2 doesn't allow on the connection, or a head that is too long.
    case invalidHTTP2
}

/// Records the status with which a proxy refuses a tunnel.
final class TunnelWatch: PeerWatch, ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = self.unwrapInboundIn(data), !(200..<300).contains(head.status.code) {
            let fix =
                head.status.code == 407 ? ": give them in its URL, as in http://user:password@host:port" : ""
            let what = head.status.code == 407 ? "requires credentials that it accepts" : "refuses the tunnel"
            self.notes.note(
                TransferError(.proxy, "\(self.peer.name): the proxy \(what) (status \(head.status.code))\(fix)"),
                of: self.peer)
        }
        context.fireChannelRead(data)
    }
}
