import NIOCore
import NIOHTTPTypes

/// Ends a connection after its server has closed its side, whatever the client does.
///
/// Hummingbird then waits for the client to end the connection, but reads nothing. It never sees that end if unread bytes
/// come before it, such as the rest of a body that took too long, and the connection stays open for ever. Like nginx's
/// `lingering_close`, this handler reads and discards for a short time, because closing a connection with unread bytes
/// destroys the answer on its way.
final class LingeringCloseHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// How many bytes are read and discarded.
    private static let most = 1 << 20
    /// How long to wait for the client's end.
    private static let time = TimeAmount.seconds(2)

    /// The bytes that were discarded since the output was closed; `nil` before.
    private var discarded: Int?

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .output, self.discarded == nil else { return context.close(mode: mode, promise: promise) }
        // The answer may still be waiting to be sent.
        let closed = promise ?? context.eventLoop.makePromise()
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        closed.futureResult.assumeIsolated().whenComplete { _ in
            let (handler, context) = loopBound.value
            handler.linger(context)
        }
        context.close(mode: mode, promise: closed)
    }

    private func linger(_ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        self.discarded = 0
        let channel = context.channel
        let end = context.eventLoop.scheduleTask(in: Self.time) {
            channel.close(promise: nil)
        }
        channel.closeFuture.whenComplete { _ in end.cancel() }
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let discarded else { return context.fireChannelRead(data) }
        if case .body(let bytes) = self.unwrapInboundIn(data) { self.discarded = discarded + bytes.readableBytes }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        guard let discarded else { return context.fireChannelReadComplete() }
        if discarded <= Self.most { context.read() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if self.discarded != nil, event as? ChannelEvent == .inputClosed { return context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }
}

@available(*, unavailable)
extension LingeringCloseHandler: Sendable {}
