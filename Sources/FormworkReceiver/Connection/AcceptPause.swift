#if Transfer
import Logging
import NIOCore
import SystemPackage

/// Stops accepting for a second if the system has no descriptor for another connection.
///
/// NIO's own handler delays the next read, but leaves the socket registered. The socket stays readable, so the event
/// loop spins.
final class AcceptPause: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = any Channel

    private static let pause = TimeAmount.seconds(1)

    private let logger: Logger
    private var isPaused = false

    init(_ logger: Logger) { self.logger = logger }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? IOError else { return context.fireErrorCaught(error) }
        // After any other error, such as a client that is gone already, the next connection can be accepted at once.
        let lacks: [Errno] = [.tooManyOpenFiles, .tooManyOpenFilesInSystem, .noBufferSpace, .noMemory]
        guard lacks.contains(Errno(rawValue: error.errnoCode)), !self.isPaused else { return }
        self.isPaused = true
        self.logger.warning("no connection can be accepted for a second", metadata: ["reason": "\(error)"])
        _ = try? context.channel.syncOptions?.setOption(.autoRead, value: false)
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: Self.pause) {
            let (handler, context) = loopBound.value
            handler.isPaused = false
            _ = try? context.channel.syncOptions?.setOption(.autoRead, value: true)
        }
    }
}

@available(*, unavailable)
extension AcceptPause: Sendable {}
#endif
