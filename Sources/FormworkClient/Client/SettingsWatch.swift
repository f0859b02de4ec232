#if Client
import NIOCore

/// A server that was taken to speak HTTP/2 and doesn't.
struct NoHTTP2: Error {}

/// Notes whether a server's first frame is `SETTINGS`, with which each HTTP/2 connection begins (RFC 9113 section 3.4).
///
/// Otherwise the moment at which such a server closes would decide which error is seen.
final class SettingsWatch: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// Where a frame's header has its type (section 4.1).
    private static let typePlace = 3

    private let notes: ErrorNote
    private let peer: Peer
    private var start: [UInt8] = []
    private var isKnown = false

    init(_ notes: ErrorNote, of peer: Peer) { (self.notes, self.peer) = (notes, peer) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !self.isKnown {
            self.start += self.unwrapInboundIn(data).readableBytesView.prefix(Self.typePlace + 1 - self.start.count)
            if self.start.count > Self.typePlace {
                self.decide(self.start[Self.typePlace] == 4)
                // NIO would read the rest of what isn't a frame.
                guard self.start[Self.typePlace] == 4 else {
                    context.fireErrorCaught(NoHTTP2())
                    return context.close(promise: nil)
                }
            }
        }
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.decide(false)
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.decide(false)
        context.fireChannelInactive()
    }

    private func decide(_ isHTTP2: Bool) {
        guard !self.isKnown else { return }
        self.isKnown = true
        if !isHTTP2 { self.notes.note(NoHTTP2(), of: self.peer) }
    }
}
#endif
