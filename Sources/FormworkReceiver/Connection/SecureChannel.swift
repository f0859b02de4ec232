import FormworkClient
import FormworkHummingbirdCore
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP2
import NIOHTTPTypesHTTP2
import NIOSSL
import Synchronization

/// TLS connections, which negotiate HTTP/2 or HTTP/1.1.
///
/// Hummingbird's own channel keeps HTTP/2's windows at 64 KiB (RFC 9113 section 6.9.2). A client can then send only
/// that much per round trip, a hundredth of what HTTP/1.1 allows.
struct SecureChannel: ServerChildChannel {
    typealias Stream = HTTP1Channel.Value
    typealias Streams = NIOHTTP2Handler.AsyncStreamMultiplexer<Stream>
    typealias Negotiated = NIONegotiatedHTTPVersion<Stream, Streams>

    /// A connection that may not have finished negotiating.
    struct Value: ServerChildChannelValue {
        let negotiated: EventLoopFuture<Negotiated>
        let channel: any Channel
    }

    /// How many bytes all of a connection's streams may send before NIOHTTP2 has their frames. ``BodyWindow`` limits each.
    private static let connectionWindow = 4 << 20

    /// The longest head that is decoded, also counting 32 bytes for each field (RFC 9113 section 6.5.2). A longer one ends the
    /// connection, and one that is too long for the receiver is answered.
    private static let decodedHead = 2 * ExchangeHandler.headLimits.maxHeaderListSize

    private let certificates: SecureContext
    private let http1: FramedHTTP1Channel
    private let idleTime: TimeAmount
    private let streamLimit: Int

    /// - Parameter streams: The number of streams that a new connection may have at once.
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
        configuration.stream.targetWindowSize = 0
        configuration.connection.initialSettings = [
            HTTP2Setting(parameter: .maxHeaderListSize, value: Self.decodedHead)
        ]
        try channel.pipeline.syncOperations.addHandler(FrameGate(isServer: true))
        let streams = try channel.pipeline.syncOperations.configureAsyncHTTP2Pipeline(
            mode: .server, streamDelegate: manager.http2StreamDelegate, configuration: configuration
        ) { stream in
            stream.eventLoop.makeCompletedFuture {
                let pipeline = stream.pipeline.syncOperations
                if let connection = stream.parent { try pipeline.addHandler(SendWindow(of: connection)) }
                try pipeline.addHandlers([BodyWindow(), HTTP2FramePayloadToHTTPServerCodec()])
                try pipeline.addHandlers(self.http1.configuration.additionalChannelHandlers())
                try pipeline.addHandler(HTTPConnectionStateHandler(logger: logger))
                return try Stream(wrappingChannelSynchronously: stream)
            }
        }
        try channel.pipeline.syncOperations.addHandlers([PeerSettings(), manager, ConnectionEnd()])
        // The client has to know it before it applies.
        let setting = HTTP2Setting(parameter: .maxConcurrentStreams, value: self.streamLimit)
        let frame = HTTP2Frame(streamID: .rootStream, payload: .settings(.settings([setting])))
        channel.writeAndFlush(frame, promise: nil)
        return streams
    }

    func handle(value: Value, logger: Logger) async {
        do {
            switch try await value.negotiated.get() {
            case .http1_1(let connection): await self.http1.handle(value: connection, logger: logger)
            case .http2(let streams):
                try await withThrowingDiscardingTaskGroup { group in
                    for try await stream in streams.inbound {
                        // A stream has one request, and ends after it.
                        group.addTask { await self.http1.handle(value: stream, logger: logger) }
                    }
                }
            }
        } catch {
            logger.debug("a connection ended", metadata: ["error": "\(error)"])
        }
    }
}

/// Closes an HTTP/2 connection whose other side has stopped sending, or sends something invalid; its streams end with
/// it. The server's sockets are left half-open after the client's end for the sake of HTTP/1.1.
private final class ConnectionEnd: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        // These concern one stream, which has been reset. curl sends a body that it gave up like this.
        case is NIOHTTP2Errors.ContentLengthViolated, is NIOHTTP2Errors.StreamError: break
        default: context.close(promise: nil)
        }
    }
}

/// The current certificate and key, for new connections.
final class SecureContext: Sendable {
    private let state: Mutex<NIOSSLContext>

    /// - Throws: NIOSSL's error for a certificate and a key that can't be used together.
    init(_ tls: TLSConfiguration) throws { self.state = Mutex(try Self.context(of: tls)) }

    var context: NIOSSLContext { self.state.withLock { $0 } }

    /// Uses another certificate and key from now on.
    /// - Throws: The same; nothing has changed then.
    func replace(_ tls: TLSConfiguration) throws {
        let context = try Self.context(of: tls)
        self.state.withLock { $0 = context }
    }

    private static func context(of tls: TLSConfiguration) throws -> NIOSSLContext {
        var tls = tls
        tls.applicationProtocols = NIOHTTP2SupportedALPNProtocols
        return try NIOSSLContext(configuration: tls)
    }
}
