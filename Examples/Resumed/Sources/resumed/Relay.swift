import NIOCore
import NIOPosix
import Synchronization

/// Passes bytes on to the server, and breaks connections after a number of bytes, for a number of times.
struct Relay {
    let port: Int

    /// - Parameters:
    ///   - target: The server's port.
    ///   - cut: The number of bytes from a client after which its connection breaks.
    ///   - left: The number of connections to break.
    init(to target: Int, cut: Int, left: Int) async throws {
        let left = Left(left)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { client in
                ClientBootstrap(group: client.eventLoop).connect(host: "127.0.0.1", port: target)
                    .flatMapThrowing { server in
                        try server.pipeline.syncOperations.addHandler(Hand(to: client, cut: .max, left))
                        try client.pipeline.syncOperations.addHandler(Hand(to: server, cut: cut, left))
                        try client.syncOptions?.setOption(.autoRead, value: true)
                    }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        self.port = channel.localAddress?.port ?? 0
    }
}

/// The number of cuts that are left.
private final class Left: Sendable {
    private let count: Mutex<Int>
    init(_ count: Int) { self.count = Mutex(count) }

    func take() -> Bool {
        self.count.withLock { count in
            count -= 1
            return count >= 0
        }
    }
}

private final class Hand: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let peer: any Channel
    private let cut: Int
    private let left: Left
    private var total = 0

    init(to peer: any Channel, cut: Int, _ left: Left) { (self.peer, self.cut, self.left) = (peer, cut, left) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = self.unwrapInboundIn(data)
        let before = self.total
        self.total += buffer.readableBytes
        self.peer.writeAndFlush(buffer, promise: nil)
        if before < self.cut, self.total >= self.cut, self.left.take() { context.close(promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) { self.peer.close(promise: nil) }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
