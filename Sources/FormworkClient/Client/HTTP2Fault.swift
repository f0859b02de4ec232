#if Client
import NIOCore
import NIOHTTP2

/// A server sent something that HTTP/2 doesn't allow on the connection, or a head that is too long.
struct HTTP2Fault: Error {
    /// Closes the connection, which NIO leaves open after such an error: the server may not close it either.
    final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTP2Frame
        private let notes: ErrorNote
        private let peer: Peer
        init(_ notes: ErrorNote, of peer: Peer) { (self.notes, self.peer) = (notes, peer) }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            guard error is any NIOHTTP2Error else { return context.fireErrorCaught(error) }
            self.notes.note(HTTP2Fault(), of: self.peer)
            context.close(promise: nil)
        }
    }
}
#endif
