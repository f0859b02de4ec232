import FormworkHummingbirdCore
import NIOCore
import NIOHTTP2

/// Gives a stream's client room for its body: the 64 KiB of every new stream until the service reads the body, and 1 MiB from
/// then on. So an upload that waits, for a hook or for memory, holds no more than that.
///
/// NIOHTTP2's own window has one size for all streams, and must be 0, so that only this handler gives room.
final class BodyWindow: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTP2Frame.FramePayload
    typealias OutboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    /// How much the client may send before it is read.
    static let size = 1 << 20

    /// Bytes that the client may send at the moment. The start is that of every stream (RFC 9113 section 6.9.2).
    private var room = 65_535
    private var isWanted = false
    private var isComplete = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch self.unwrapInboundIn(data) {
        case .data(let content):
            // Padding counts too, with the byte that has its length (section 6.9.1).
            self.room -= content.data.readableBytes + (content.paddingBytes.map { $0 + 1 } ?? 0)
            self.isComplete = self.isComplete || content.endStream
        case .headers(let headers): self.isComplete = self.isComplete || headers.endStream
        default: break
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        self.makeRoom(context)
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is BodyWanted else { return context.triggerUserOutboundEvent(event, promise: promise) }
        self.isWanted = true
        self.makeRoom(context)
        promise?.succeed()
    }

    private func makeRoom(_ context: ChannelHandlerContext) {
        guard self.isWanted, !self.isComplete, self.room <= Self.size / 2, context.channel.isActive else { return }
        let count = Self.size - self.room
        self.room = Self.size
        context.writeAndFlush(self.wrapOutboundOut(.windowUpdate(windowSizeIncrement: count)), promise: nil)
    }
}

@available(*, unavailable)
extension BodyWindow: Sendable {}
