import HummingbirdCore
import Logging
import NIOCore

/// Closes an idle connection: one that doesn't negotiate TLS, or an HTTP/2 connection without streams.
/// ``ExchangeHandler`` supervises exchanges.
///
/// It is the pipeline's first handler, so that closing doesn't wait for TLS to shut down.
final class ConnectionWatch: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// The event that cuts a connection.
    struct Cut: Sendable {}

    private let (idleTime, headTime): (TimeAmount, TimeAmount)
    private let connections: Connections
    private var exchanges = 0
    private var hadExchange = false
    private var idleSince = NIODeadline.now()
    private var isStopping = false
    private var context: ChannelHandlerContext?
    private var timer: RepeatedTask?
    private var lastCall: Scheduled<Void>?

    init(_ pace: ReceivingPace, _ connections: Connections) {
        (self.idleTime, self.headTime) = (TimeAmount(pace.idleTime), TimeAmount(pace.headTime))
        self.connections = connections
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        self.idleSince = .now()
        let step = TimeAmount.nanoseconds(max(1_000_000, self.headTime.nanoseconds / 4))
        let loopBound = NIOLoopBound(self, eventLoop: context.eventLoop)
        self.timer = context.eventLoop.scheduleRepeatedTask(initialDelay: step, delay: step) { _ in
            loopBound.value.check()
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.timer?.cancel()
        self.lastCall?.cancel()
        self.context = nil
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is Cut { return context.close(promise: nil) }
        // HTTP/2 sends GOAWAY, and closes once the client has received it.
        context.fireUserInboundEventTriggered(event)
        guard event is ChannelShouldQuiesceEvent else { return }
        self.isStopping = true
        if self.exchanges == 0 { self.closeLater() }
    }

    /// An exchange begins: a stream, or a whole HTTP/1 connection, which says itself when it has a request.
    func began(isStream: Bool) {
        self.exchanges += 1
        self.hadExchange = true
        self.lastCall?.cancel()
        if isStream { self.hasRequest(true) }
    }

    /// A request's head is complete, or everything of the request is.
    func hasRequest(_ hasRequest: Bool) {
        if let channel = self.context?.channel {
            self.connections.set(idleSince: hasRequest ? nil : .now(), of: channel)
        }
    }

    func ended() {
        self.exchanges -= 1
        self.idleSince = .now()
        if self.exchanges == 0 { self.hasRequest(false) }
        if self.isStopping, self.exchanges == 0 { self.closeLater() }
    }

    private func check() {
        // A client that had an exchange first gets HTTP/2's GOAWAY at the end of the idle time, from another handler.
        let limit = self.hadExchange ? self.idleTime + ExchangeHandler.drainTime : self.headTime
        if self.exchanges == 0, .now() - self.idleSince >= limit { self.context?.close(promise: nil) }
    }

    private func closeLater() {
        guard let context = self.context else { return }
        guard self.hadExchange else { return context.close(promise: nil) }
        let loopBound = NIOLoopBound(self, eventLoop: context.eventLoop)
        self.lastCall?.cancel()
        self.lastCall = context.eventLoop.scheduleTask(in: ExchangeHandler.drainTime) {
            loopBound.value.context?.close(promise: nil)
        }
    }
}

/// The client already has its maximum number of connections, so another is closed.
private struct TooManyConnections: Error {}

/// Connections of any kind, each with a ``ConnectionWatch`` from the beginning.
struct WatchedChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    let pace: ReceivingPace
    let connections: Connections

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        do {
            guard self.connections.opened(channel, logger) else { throw TooManyConnections() }
            try channel.pipeline.syncOperations.addHandler(ConnectionWatch(self.pace, self.connections))
            if self.connections.isFromProxy(channel) {
                let connections = self.connections
                try channel.pipeline.syncOperations.addHandler(
                    ProxyProtocolHandler { [weak channel] client in
                        if let channel { connections.set(client, of: channel) }
                    } failed: { [weak channel] error in
                        if let channel { connections.closing(channel, because: error, logger) }
                    })
            }
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        return self.base.setup(channel: channel, logger: logger)
    }

    func handle(value: Base.Value, logger: Logger) async { await self.base.handle(value: value, logger: logger) }
}
