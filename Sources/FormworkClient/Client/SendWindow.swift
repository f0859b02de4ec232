#if Client
import NIOCore
import NIOHTTP2

/// Ends a stream's body when the peer's window has room, and not while it is negative.
///
/// A frame that only ends the stream needs no window (RFC 9113 section 6.9.1). But a window is negative if the peer made it
/// smaller after bytes were sent (section 6.9.2), and then NIOHTTP2 crashes when it takes such a frame from its queue. The
/// frame is held back until the peer has made room again, and until the connection accepts it at once, so that it is never
/// in that queue.
final class SendWindow: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTP2Frame.FramePayload
    typealias OutboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private let settings: PeerSettings
    /// Bytes for which the peer made room in this stream, less those that were sent.
    private var room = 0
    private var held: (end: NIOAny, promise: EventLoopPromise<Void>?)?

    init(_ settings: PeerSettings) { self.settings = settings }

    func handlerAdded(context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        self.settings.whenChanged = { bound.value.0.tryLater(bound.value.1) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.settings.whenChanged = nil
        self.fail()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.fail()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .windowUpdate(let count) = self.unwrapInboundIn(data) {
            self.room += count
            self.tryLater(context)
        }
        context.fireChannelRead(data)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        self.tryLater(context)
        context.fireChannelWritabilityChanged()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .data(let content) = self.unwrapOutboundIn(data) else {
            return context.write(data, promise: promise)
        }
        self.room -= content.data.readableBytes
        if content.endStream, content.data.readableBytes == 0, !self.mayEnd(context) {
            self.held = (data, promise)
        } else {
            context.write(data, promise: promise)
        }
    }

    private func mayEnd(_ context: ChannelHandlerContext) -> Bool {
        self.settings.initialWindow + self.room >= 0 && context.channel.parent?.isWritable ?? true
    }

    /// Not at once: during a read, NIOHTTP2 would put the frame into its queue.
    private func tryLater(_ context: ChannelHandlerContext) {
        guard self.held != nil else { return }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.execute { bound.value.0.tryNow(bound.value.1) }
    }

    private func tryNow(_ context: ChannelHandlerContext) {
        guard let (end, promise) = self.held, self.mayEnd(context) else { return }
        self.held = nil
        context.writeAndFlush(end, promise: promise)
    }

    private func fail() {
        self.held?.promise?.fail(ChannelError.ioOnClosedChannel)
        self.held = nil
    }
}

/// The peer's settings that matter for sending, as far as they have arrived. In a connection's pipeline.
final class PeerSettings: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias InboundOut = HTTP2Frame

    /// The room in a new stream. The start is that of every connection (RFC 9113 section 6.9.2).
    private(set) var initialWindow = 65_535
    var whenChanged: (() -> Void)?

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .settings(.settings(let settings)) = self.unwrapInboundIn(data).payload,
            let window = settings.last(where: { $0.parameter == .initialWindowSize })
        {
            self.initialWindow = window.value
            self.whenChanged?()
        }
        context.fireChannelRead(data)
    }
}
#endif
