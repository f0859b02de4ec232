import NIOCore
import NIOExtras
import NIOHTTP1
import NIOHTTP2
import NIOHTTPTypesHTTP1
import NIOSSL
import Synchronization

/// Puts the handlers of one connection into its pipeline, on its event loop.
struct ConnectionSetup: Sendable {
    let endpoint: Origin
    let proxy: Proxy?
    /// For TLS with the server; `nil` without.
    let context: NIOSSLContext?
    /// For TLS with the proxy; `nil` without.
    let proxyContext: NIOSSLContext?
    let verifiesServer: Bool
    /// Whether to use HTTP/2 without negotiation by TLS.
    let isHTTP2: Bool
    let ledger: ExchangeLedger
    let makeHandler: @Sendable () -> ResponseHandler

    /// Who answers requests. That is the proxy, if there is one and it makes no tunnel.
    var peer: Peer {
        guard let proxy, !self.endpoint.isSecure else { return .server(self.endpoint) }
        return .proxy(proxy.endpoint)
    }

    /// The longest head of HTTP/2: as long as the longest field of HTTP/1.1.
    private static let headSize = NIOHTTPDecoderLimitConfiguration().maxHeaderFieldSize
    /// The most bytes that the decoder may keep of a head or a trailer section: the longest field that it accepts, and what
    /// is around it. It keeps blanks, too, and its own limits don't count them.
    private static let keptBytes = NIOHTTPDecoderLimitConfiguration().maxHeaderFieldSize + (1 << 10)

    /// The error for a connection that is reset right after it was accepted. It equals the error of a later reset, because
    /// timing decides which of the two happens.
    func failure(ofReset error: any Error) -> TransferError {
        guard !self.endpoint.isSecure else {
            let first = self.proxy.map { Peer.proxy($0.endpoint) } ?? .server(self.endpoint)
            return TransferError(opening: first, through: self.proxy?.endpoint.authority, error)
        }
        guard !self.isHTTP2 else { return TransferError(noHTTP2: self.peer) }
        var failure = TransferError(unanswered: self.peer, error, bytesSent: 0)
        failure.mayExpectTLS = self.proxy == nil
        return failure
    }

    /// - Returns: A future that succeeds when a request can be written.
    func prepare(_ channel: any Channel, _ notes: ErrorNote) throws -> EventLoopFuture<Connection.Transport> {
        try channel.pipeline.syncOperations.addHandler(WireMeter(self.ledger))
        if let proxy, let proxyContext {
            try self.addTLS(proxyContext, proxy.endpoint, .proxy(proxy.endpoint), to: channel)
            try channel.pipeline.syncOperations.addHandler(ErrorHandler(notes, of: .proxy(proxy.endpoint)))
        }
        guard let proxy, self.endpoint.isSecure else { return try self.finish(channel, notes) }
        let head = NIOLoopBound(ResponseHeadHandler(nil), eventLoop: channel.eventLoop)
        return try self.tunnel(channel, proxy, head.value, notes).flatMap { _ in
            // TLS would find that, too, unless the connection has ended in the meantime.
            guard head.value.mayBeginTLS else {
                return channel.eventLoop.makeFailedFuture(ConnectionFault.tunnelWithoutTLS)
            }
            let finished: EventLoopFuture<Connection.Transport>
            do { finished = try self.finish(channel, notes) } catch {
                finished = channel.eventLoop.makeFailedFuture(error)
            }
            // Only now TLS can read what came after the proxy's head.
            channel.pipeline.syncOperations.removeHandler(head.value, promise: nil)
            return finished.flatMapErrorThrowing { error in
                throw error is ChannelError ? ConnectionFault.tunnelEnded : error
            }
        }
    }

    /// Asks the proxy for a tunnel, and removes the handlers for that afterwards, but for the one that has what follows the
    /// proxy's head.
    private func tunnel(
        _ channel: any Channel, _ proxy: Proxy, _ head: ResponseHeadHandler, _ notes: ErrorNote
    ) throws -> EventLoopFuture<Void> {
        let promise = channel.eventLoop.makePromise(of: Void.self)
        let encoder = HTTPRequestEncoder()
        let decoder = ByteToMessageHandler(
            HTTPResponseDecoder(leftOverBytesStrategy: .forwardBytes), maximumBufferSize: Self.keptBytes)
        let watch = TunnelWatch(notes, of: .proxy(proxy.endpoint))
        var fields = HTTPHeaders([("Host", self.endpoint.authority)])
        if let authorization = proxy.authorization { fields.add(name: "Proxy-Authorization", value: authorization) }
        let connect = NIOHTTP1ProxyConnectHandler(
            targetHost: self.endpoint.host.contains(":") ? "[\(self.endpoint.host)]" : self.endpoint.host,
            targetPort: self.endpoint.port, headers: fields, deadline: .distantFuture, promise: promise)
        let pipeline = channel.pipeline.syncOperations
        let errors = ErrorHandler(notes, of: .proxy(proxy.endpoint))
        try pipeline.addHandlers([encoder, head, decoder, watch, connect, errors])
        let handlers = NIOLoopBound((encoder, decoder, watch, errors), eventLoop: channel.eventLoop)
        return promise.futureResult
            .flatMap { channel.pipeline.syncOperations.removeHandler(handlers.value.2) }
            .flatMap { channel.pipeline.syncOperations.removeHandler(handlers.value.1) }
            .flatMap { channel.pipeline.syncOperations.removeHandler(handlers.value.0) }
            // What fails in the tunnel isn't about the proxy.
            .flatMap { channel.pipeline.syncOperations.removeHandler(handlers.value.3) }
    }

    private func finish(_ channel: any Channel, _ notes: ErrorNote) throws -> EventLoopFuture<Connection.Transport> {
        guard let context = self.context else {
            guard self.isHTTP2 else { return try self.http1(channel) }
            try channel.pipeline.syncOperations.addHandler(SettingsWatch(notes, of: self.peer))
            return self.http2(channel, notes)
        }
        try self.addTLS(context, self.endpoint, .server(self.endpoint), to: channel)
        try channel.pipeline.syncOperations.addHandler(ErrorHandler(notes, of: .server(self.endpoint)))
        return channel.configureHTTP2AsyncSecureUpgrade(
            http1ConnectionInitializer: { channel in
                do {
                    guard !self.isHTTP2 else {
                        throw TransferError(.tls, "the server doesn't support HTTP/2, and nothing else was offered")
                    }
                    return try self.http1(channel)
                } catch { return channel.eventLoop.makeFailedFuture(error) }
            },
            http2ConnectionInitializer: { self.http2($0, notes) }
        ).flatMap { $0 }.map { negotiated in
            switch negotiated {
            case .http1_1(let transport), .http2(let transport): transport
            }
        }
    }

    private func addTLS(_ context: NIOSSLContext, _ endpoint: Origin, _ peer: Peer, to channel: any Channel) throws {
        let host = String(endpoint.hostWithoutZone)
        let handler = try NIOSSLClientHandler(context: context, serverHostname: HostIdentity(host).serverName)
        try channel.pipeline.syncOperations.addHandler(handler)
        guard self.verifiesServer else { return }
        try channel.pipeline.syncOperations.addHandler(HostCheck(host, of: peer, handler))
    }

    private func http1(_ channel: any Channel) throws -> EventLoopFuture<Connection.Transport> {
        let pipeline = channel.pipeline.syncOperations
        let answer = self.makeHandler()
        try pipeline.addHandler(HTTPRequestEncoder())
        try pipeline.addHandler(ResponseHeadHandler(answer))
        try pipeline.addHandler(
            ByteToMessageHandler(
                HTTPResponseDecoder(informationalResponseStrategy: .forward), maximumBufferSize: Self.keptBytes))
        try pipeline.addHandler(HTTP1ToHTTPClientCodec(absoluteForm: self.proxy != nil && !self.endpoint.isSecure))
        try pipeline.addHandler(answer)
        let wrapped = try ExchangeChannel(wrappingChannelSynchronously: channel)
        return channel.eventLoop.makeSucceededFuture(.http1(wrapped))
    }

    private func http2(_ channel: any Channel, _ notes: ErrorNote) -> EventLoopFuture<Connection.Transport> {
        channel.eventLoop.makeCompletedFuture {
            var configuration = NIOHTTP2Handler.Configuration()
            var settings = configuration.connection.initialSettings.filter { $0.parameter != .maxHeaderListSize }
            settings.append(HTTP2Setting(parameter: .maxHeaderListSize, value: Self.headSize))
            configuration.connection.initialSettings = settings
            let pipeline = channel.pipeline.syncOperations
            self.ledger.usesWindows()
            try pipeline.addHandler(FrameGate(isServer: false))
            let streams = try pipeline.configureAsyncHTTP2Pipeline(
                mode: .client, streamDelegate: nil, frameDelegate: DataFrameMeter(ledger: self.ledger),
                configuration: configuration
            ) {
                // The settings already tell the server not to push.
                $0.eventLoop.makeSucceededVoidFuture()
            }
            try pipeline.addHandler(PeerSettings())
            try pipeline.addHandler(HTTP2Watch(notes, of: self.peer))
            return .http2(streams)
        }
    }
}

/// The first error in a pipeline, which says more than that the connection is closed.
final class ErrorNote: Sendable {
    private let state = Mutex<(error: any Error, peer: Peer)?>(nil)
    private let farewell = Mutex<GoAway?>(nil)
    /// The first error, with the endpoint that it is about.
    var first: (error: any Error, peer: Peer)? { self.state.withLock { $0 } }
    func note(_ error: any Error, of peer: Peer) {
        self.state.withLock { if $0 == nil { $0 = (error, peer) } }
    }

    /// The last `GOAWAY` of HTTP/2. It isn't an error: the answer may still come.
    var goAway: GoAway? { self.farewell.withLock { $0 } }
    func note(_ goAway: GoAway) { self.farewell.withLock { $0 = goAway } }
    /// What ended an exchange: its error, or why the server ended the connection.
    func cause(_ error: (any Error)?) -> (any Error)? {
        guard let goAway = self.goAway else { return error }
        return goAway.dropsRequest || error == nil ? goAway : error
    }
}

/// A handler that notes what is wrong with a peer.
class PeerWatch {
    let notes: ErrorNote
    let peer: Peer
    init(_ notes: ErrorNote, of peer: Peer) { (self.notes, self.peer) = (notes, peer) }
}

/// Records the first error that passes it.
final class ErrorHandler: PeerWatch, ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.notes.note(error, of: self.peer)
        context.fireErrorCaught(error)
    }
}

/// What a peer did for which no library has an error.
enum ConnectionFault: Error {
    /// The connection was closed after the proxy had made the tunnel, and before TLS began in it.
    case tunnelEnded
    /// The first bytes in a tunnel weren't TLS.
    case tunnelWithoutTLS
    /// A TLS server answered bytes that aren't TLS.
    case answerInTLS
    /// A server that was taken to speak HTTP/2 doesn't.
    case noHTTP2
    /// A server sent something that HTTP/2 doesn't allow on the connection, or a head that is too long.
    case invalidHTTP2
}

/// Records the status with which a proxy refuses a tunnel.
final class TunnelWatch: PeerWatch, ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = self.unwrapInboundIn(data), !(200..<300).contains(head.status.code) {
            let fix =
                head.status.code == 407 ? ": give them in its URL, as in http://user:password@host:port" : ""
            let what = head.status.code == 407 ? "requires credentials that it accepts" : "refuses the tunnel"
            self.notes.note(
                TransferError(.proxy, "\(self.peer.name): the proxy \(what) (status \(head.status.code))\(fix)"),
                of: self.peer)
        }
        context.fireChannelRead(data)
    }
}
