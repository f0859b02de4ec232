import NIOCore
import NIOSSL
import NIOTLS

/// Ends a connection whose certificate isn't the host's. What is written before that is known waits here.
///
/// NIOSSL has a callback for it, which only a name with an underscore reaches: its next version may not have it.
final class HostCheck: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let host: HostIdentity
    private let peer: Peer
    private let security: NIOSSLClientHandler
    private var isPassed = false
    private var waiting: [(data: NIOAny, promise: EventLoopPromise<Void>?)] = []

    /// - Parameter security: The handler before this one.
    init(_ host: HostIdentity, of peer: Peer, _ security: NIOSSLClientHandler) {
        (self.host, self.peer, self.security) = (host, peer, security)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent, !self.isPassed {
            guard let certificate = self.security.peerCertificate, self.host.isNamed(in: certificate) else {
                context.fireErrorCaught(TransferError(otherHost: self.peer))
                return context.close(promise: nil)
            }
            self.isPassed = true
            for (data, promise) in self.waiting { context.write(data, promise: promise) }
            self.waiting = []
            context.flush()
        }
        context.fireUserInboundEventTriggered(event)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !self.isPassed else { return context.write(data, promise: promise) }
        self.waiting.append((data, promise))
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        for (_, promise) in self.waiting { promise?.fail(ChannelError.ioOnClosedChannel) }
        self.waiting = []
    }
}
