import NIOCore
import NIOHTTP2

/// Ends a stream's body when the peer's window has room, and not while it is negative.
///
/// A frame that only ends the stream needs no window (RFC 9113 section 6.9.1). But a window is negative if the peer made it
/// smaller after bytes were sent (section 6.9.2), and then NIOHTTP2 crashes when it takes such a frame from its queue. The
/// frame is held back until the peer has made room again, and until the connection accepts it at once, so that it is never
/// in that queue.
package final class SendWindow: ChannelDuplexHandler {
    package typealias InboundIn = HTTP2Frame.FramePayload
    package typealias OutboundIn = HTTP2Frame.FramePayload

    private let settings: PeerSettings
    /// Bytes for which the peer made room in this stream, less those that were sent.
    private var room = 0
    /// Whether the peer has made windows smaller. Only then this one can be negative.
    private var hasShrunk = false
    private var held: (end: NIOAny, promise: EventLoopPromise<Void>?)?

    /// - Parameter connection: Its pipeline has ``PeerSettings``.
    package init(of connection: any Channel) throws {
        self.settings = try connection.pipeline.syncOperations.handler(type: PeerSettings.self)
    }

    package func handlerAdded(context: ChannelHandlerContext) {
        self.settings.watchers[ObjectIdentifier(self)] = { [self] isSmaller in
            if isSmaller { self.hasShrunk = true }
            self.tryLater(context)
        }
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        self.settings.watchers[ObjectIdentifier(self)] = nil
        self.fail()
    }

    package func channelInactive(context: ChannelHandlerContext) {
        self.fail()
        context.fireChannelInactive()
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .windowUpdate(let count) = self.unwrapInboundIn(data) {
            self.room += count
            self.tryLater(context)
        }
        context.fireChannelRead(data)
    }

    package func channelWritabilityChanged(context: ChannelHandlerContext) {
        self.tryLater(context)
        context.fireChannelWritabilityChanged()
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
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
        let isNegative = self.hasShrunk && self.settings.initialWindow + self.room < 0
        return !isNegative && context.channel.parent?.isWritable ?? true
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
package final class PeerSettings: ChannelInboundHandler {
    package typealias InboundIn = HTTP2Frame

    /// The room in a new stream. The start is that of every connection (RFC 9113 section 6.9.2).
    fileprivate var initialWindow = 65_535
    /// What the streams do after that has changed; called with whether it is smaller now.
    fileprivate var watchers: [ObjectIdentifier: (_ isSmaller: Bool) -> Void] = [:]

    package init() {}

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .settings(.settings(let settings)) = self.unwrapInboundIn(data).payload,
            let window = settings.last(where: { $0.parameter == .initialWindowSize })
        {
            let isSmaller = window.value < self.initialWindow
            self.initialWindow = window.value
            for watcher in self.watchers.values { watcher(isSmaller) }
        }
        context.fireChannelRead(data)
    }
}

/// Notes whether a server's first frame is `SETTINGS`, with which each HTTP/2 connection begins (RFC 9113 section 3.4).
///
/// Otherwise the moment at which such a server closes would decide which error is seen.
final class SettingsWatch: PeerWatch, ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// Where a frame's header has its type (section 4.1).
    private static let typePlace = 3

    private var start: [UInt8] = []
    private var isKnown = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !self.isKnown {
            self.start += self.unwrapInboundIn(data).readableBytesView.prefix(Self.typePlace + 1 - self.start.count)
            if self.start.count > Self.typePlace {
                self.decide(self.start[Self.typePlace] == 4)
                // NIO would read the rest of what isn't a frame.
                guard self.start[Self.typePlace] == 4 else {
                    context.fireErrorCaught(ConnectionFault.noHTTP2)
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
        if !isHTTP2 { self.notes.note(ConnectionFault.noHTTP2, of: self.peer) }
    }
}
