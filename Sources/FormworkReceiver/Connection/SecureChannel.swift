#if Transfer
import FormworkHummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP2
import NIOHTTPTypes
import NIOHTTPTypesHTTP2
import NIOSSL

/// Connections with TLS, which agree on HTTP/2 or HTTP/1.1.
///
/// Hummingbird's own leaves HTTP/2's windows at 64 KiB (RFC 9113 section 6.9.2): a client gets that much through in one
/// round trip, a hundredth of what it gets by HTTP/1.1.
struct SecureChannel: ServerChildChannel {
    typealias Stream = HTTP1Channel.Value
    typealias Streams = NIOHTTP2Handler.AsyncStreamMultiplexer<Stream>
    typealias Negotiated = NIONegotiatedHTTPVersion<Stream, Streams>

    /// A connection that may not have agreed yet.
    struct Value: ServerChildChannelValue {
        let negotiated: EventLoopFuture<Negotiated>
        let channel: any Channel
    }

    /// What a stream may send before it is read: what an upload holds in memory at most while its storage is slow.
    private static let streamWindow = 1 << 20
    /// The same for all of a connection's streams together.
    private static let connectionWindow = 4 << 20

    private let certificates: SecureContext
    private let http1: FramedHTTP1Channel
    private let idleTime: TimeAmount
    private let streamLimit: Int

    /// - Parameter streams: Streams of a connection at once, at its beginning.
    init(_ certificates: SecureContext, _ http1: FramedHTTP1Channel, idleTime: Duration, streams: Int) {
        (self.certificates, self.http1, self.streamLimit) = (certificates, http1, streams)
        self.idleTime = TimeAmount(idleTime)
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        do {
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: self.certificates.context))
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        return channel.configureHTTP2AsyncSecureUpgrade(
            http1ConnectionInitializer: { self.http1.setup(channel: $0, logger: logger) },
            http2ConnectionInitializer: { channel in
                channel.eventLoop.makeCompletedFuture { try self.streams(of: channel, logger) }
            }
        ).map { Value(negotiated: $0, channel: channel) }
    }

    private func streams(of channel: any Channel, _ logger: Logger) throws -> Streams {
        let manager = NIOHTTP2ServerConnectionManagementHandler(
            eventLoop: channel.eventLoop,
            configuration: .init(maxIdleTime: self.idleTime, maxAge: nil, maxGraceTime: nil, keepalive: nil))
        var configuration = NIOHTTP2Handler.Configuration()
        configuration.connection.targetWindowSize = Self.connectionWindow
        configuration.stream.targetWindowSize = Self.streamWindow
        var settings = configuration.connection.initialSettings.filter { $0.parameter != .maxConcurrentStreams }
        settings.append(HTTP2Setting(parameter: .maxConcurrentStreams, value: self.streamLimit))
        settings.append(HTTP2Setting(parameter: .initialWindowSize, value: Self.streamWindow))
        configuration.connection.initialSettings = settings
        let streams = try channel.pipeline.syncOperations.configureAsyncHTTP2Pipeline(
            mode: .server, streamDelegate: manager.http2StreamDelegate, configuration: configuration
        ) { stream in
            stream.eventLoop.makeCompletedFuture {
                let pipeline = stream.pipeline.syncOperations
                try pipeline.addHandler(HTTP2FramePayloadToHTTPServerCodec())
                try pipeline.addHandlers(self.http1.configuration.additionalChannelHandlers())
                try pipeline.addHandler(HTTPConnectionStateHandler(logger: logger))
                return try Stream(wrappingChannelSynchronously: stream)
            }
        }
        try channel.pipeline.syncOperations.addHandlers([manager, ConnectionEnd()])
        return streams
    }

    func handle(value: Value, logger: Logger) async {
        do {
            switch try await value.negotiated.get() {
            case .http1_1(let connection): await self.http1.handle(value: connection, logger: logger)
            case .http2(let streams):
                try await withThrowingDiscardingTaskGroup { group in
                    for try await stream in streams.inbound {
                        // Its requests are one: behind that the stream ends.
                        group.addTask { await self.http1.handle(value: stream, logger: logger) }
                    }
                }
            }
        } catch {
            logger.debug("a connection ended", metadata: ["error": "\(error)"])
        }
    }
}

/// Closes a connection of HTTP/2 whose other side sends no more, or sends what is none: its streams end with it. The
/// server's sockets stay open for writing when their client is done, which is for HTTP/1.1.
private final class ConnectionEnd: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
#endif
