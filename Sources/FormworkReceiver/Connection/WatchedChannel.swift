#if Transfer
import HummingbirdCore
import Logging
import NIOCore

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
            try channel.pipeline.syncOperations.addHandler(ConnectionWatch(self.pace))
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
#endif
