import HummingbirdCore
import Logging
import NIOCore
import NIOExtras
import NIOPosix
import ServiceLifecycle
import SystemPackage

/// Where connections come from.
enum ListeningAddress {
    case address(host: String, port: Int)
    /// The descriptor of a socket that listens.
    case socket(CInt)
}

/// Accepts connections, at an address or from a socket that listens already. Hummingbird's own server has only the first.
///
/// When asked to stop gracefully, it accepts no more, and ends when the last connection has.
struct Listener<Child: ServerChildChannel>: Service {
    let child: Child
    let place: ListeningAddress
    /// The most connections at once; more wait.
    let limit: Int
    let logger: Logger
    /// Called once, when connections are accepted.
    let onListening: @Sendable (any Channel) async throws -> Void

    func run() async throws {
        let quiescing = ServerQuiescingHelper(group: MultiThreadedEventLoopGroup.singleton)
        let server = try await self.open(quiescing)
        let (child, logger) = (self.child, self.logger)
        try await withGracefulShutdownHandler {
            try await server.executeThenClose { connections in
                try await self.onListening(server.channel)
                await withDiscardingTaskGroup { group in
                    do {
                        for try await connection in connections {
                            group.addTask { await child.handle(value: connection, logger: logger) }
                        }
                    } catch {
                        logger.error("no connection can be accepted", metadata: ["error": "\(error)"])
                    }
                }
            }
        } onGracefulShutdown: {
            quiescing.initiateShutdown(promise: nil)
        }
    }

    private func open(_ quiescing: ServerQuiescingHelper) async throws -> NIOAsyncChannel<Child.Value, Never> {
        let (limit, logger, child) = (self.limit, self.logger, self.child)
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            // The system allows fewer. A short queue would drop a burst, and its clients would try again seconds later.
            .serverChannelOption(.backlog, value: 4_096)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    let connections = MaximumAvailableConnections(limit, logger: logger)
                    try pipeline.addHandler(AvailableConnectionsChannelHandler(delegate: connections))
                    try pipeline.addHandler(quiescing.makeServerChannelHandler(channel: channel))
                }
            }
        let prepare: @Sendable (any Channel) -> EventLoopFuture<Child.Value> = { channel in
            let prepared = child.setup(channel: channel, logger: logger)
            // NIO leaves a channel open that can't be prepared.
            prepared.whenFailure { _ in channel.close(promise: nil) }
            return prepared
        }
        return switch self.place {
        case .address(let host, let port):
            try await bootstrap.bind(host: host, port: port, childChannelInitializer: prepare)
        case .socket(let descriptor): try await bootstrap.bind(descriptor, childChannelInitializer: prepare)
        }
    }
}

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
