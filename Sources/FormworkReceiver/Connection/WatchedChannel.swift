#if Transfer
import HummingbirdCore
import Logging
import NIOCore

/// Connections of any kind, with a ``ConnectionWatch`` each, from their first moment on.
struct WatchedChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    let pace: ReceivingPace
    let connections: Connections

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        do {
            try channel.pipeline.syncOperations.addHandler(ConnectionWatch(self.pace))
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        self.connections.opened(channel)
        return self.base.setup(channel: channel, logger: logger)
    }

    func handle(value: Base.Value, logger: Logger) async { await self.base.handle(value: value, logger: logger) }
}
#endif
