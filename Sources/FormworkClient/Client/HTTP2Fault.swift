#if Client
import NIOCore
import NIOHTTP2

/// A server announced that it ends the connection (RFC 9113 section 6.8).
struct GoAway: Error {
    /// The last stream that it serves.
    var last: HTTP2StreamID
    /// Why (section 7).
    var code: Int

    /// Whether it doesn't serve the first stream of the connection, which has no other.
    var dropsRequest: Bool { self.last == .rootStream }
}

/// A server sent something that HTTP/2 doesn't allow on the connection, or a head that is too long.
struct HTTP2Fault: Error {
    /// Closes the connection, which NIO leaves open after such an error: the server may not close it either.
    final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTP2Frame
        private let notes: ErrorNote
        private let peer: Peer
        init(_ notes: ErrorNote, of peer: Peer) { (self.notes, self.peer) = (notes, peer) }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            // NIO says of each stream that the frame drops that it was cancelled.
            if case .goAway(let last, let code, _) = self.unwrapInboundIn(data).payload {
                self.notes.note(GoAway(last: last, code: code.networkCode))
            }
            context.fireChannelRead(data)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            guard error is any NIOHTTP2Error else { return context.fireErrorCaught(error) }
            self.notes.note(HTTP2Fault(), of: self.peer)
            context.close(promise: nil)
        }
    }
}
#endif
