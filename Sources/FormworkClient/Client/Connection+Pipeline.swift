import NIOCore
import NIOExtras
import NIOHTTP1
import NIOHTTP2
import NIOHTTPTypesHTTP1
import NIOSSL

// Puts the handlers into its pipeline, on its event loop.
extension Connection {
    /// The longest head of HTTP/2: as long as the longest field of HTTP/1.1.
    private static let headSize = NIOHTTPDecoderLimitConfiguration().maxHeaderFieldSize
    /// The most bytes that the decoder may keep of a head or a trailer section: the longest field that it accepts, and what
    /// is around it. It keeps blanks, too, and its own limits don't count them.
    private static let keptBytes = NIOHTTPDecoderLimitConfiguration().maxHeaderFieldSize + (1 << 10)

    /// - Returns: A future that succeeds when a request can be written.
    func prepare(_ channel: any Channel) throws -> EventLoopFuture<Transport> {
        try channel.pipeline.syncOperations.addHandler(WireMeter(self.ledger))
        if let proxy, let proxyContext {
            try self.addTLS(proxyContext, proxy.endpoint, .proxy(proxy.endpoint), to: channel)
        }
        guard let proxy, self.endpoint.isSecure else { return try self.finish(channel) }
        let head = NIOLoopBound(ResponseHeadHandler(nil), eventLoop: channel.eventLoop)
        return try self.tunnel(channel, proxy, head.value).flatMap { _ in
            // TLS would find that, too, unless the connection has ended in the meantime.
            guard head.value.mayBeginTLS else {
                return channel.eventLoop.makeFailedFuture(ConnectionFault.tunnelWithoutTLS)
            }
            let finished: EventLoopFuture<Transport>
            do { finished = try self.finish(channel) } catch {
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
        _ channel: any Channel, _ proxy: Proxy, _ head: ResponseHeadHandler
    ) throws -> EventLoopFuture<Void> {
        let promise = channel.eventLoop.makePromise(of: Void.self)
        let encoder = HTTPRequestEncoder()
        let decoder = ByteToMessageHandler(
            HTTPResponseDecoder(leftOverBytesStrategy: .forwardBytes), maximumBufferSize: Self.keptBytes)
        let watch = TunnelWatch(self.notes, of: .proxy(proxy.endpoint))
        var fields = HTTPHeaders([("Host", self.endpoint.authority)])
        if let authorization = proxy.authorization { fields.add(name: "Proxy-Authorization", value: authorization) }
        let connect = NIOHTTP1ProxyConnectHandler(
            targetHost: self.endpoint.host.contains(":") ? "[\(self.endpoint.host)]" : self.endpoint.host,
            targetPort: self.endpoint.port, headers: fields, deadline: .distantFuture, promise: promise)
        let pipeline = channel.pipeline.syncOperations
        let errors = ErrorHandler(self.notes, of: .proxy(proxy.endpoint))
        try pipeline.addHandlers([encoder, head, decoder, watch, connect, errors])
        let handlers = NIOLoopBound((encoder, decoder, watch, errors), eventLoop: channel.eventLoop)
        return promise.futureResult
            .flatMap { channel.pipeline.syncOperations.removeHandler(handlers.value.2) }
            .flatMap { channel.pipeline.syncOperations.removeHandler(handlers.value.1) }
            .flatMap { channel.pipeline.syncOperations.removeHandler(handlers.value.0) }
            // What fails in the tunnel isn't about the proxy.
            .flatMap { channel.pipeline.syncOperations.removeHandler(handlers.value.3) }
    }

    private func finish(_ channel: any Channel) throws -> EventLoopFuture<Transport> {
        guard let context = self.context else {
            guard self.isHTTP2 else { return try self.http1(channel) }
            try channel.pipeline.syncOperations.addHandler(SettingsWatch(self.notes, of: self.peer))
            return self.http2(channel)
        }
        try self.addTLS(context, self.endpoint, .server(self.endpoint), to: channel)
        return channel.configureHTTP2AsyncSecureUpgrade(
            http1ConnectionInitializer: { channel in
                do {
                    guard !self.isHTTP2 else {
                        throw TransferError(.tls, "the server doesn't support HTTP/2, and nothing else was offered")
                    }
                    return try self.http1(channel)
                } catch { return channel.eventLoop.makeFailedFuture(error) }
            },
            http2ConnectionInitializer: { self.http2($0) }
        ).flatMap { $0 }.map { negotiated in
            switch negotiated {
            case .http1_1(let transport), .http2(let transport): transport
            }
        }
    }

    /// Its handlers end a connection whose certificate isn't the endpoint's.
    private func addTLS(_ context: NIOSSLContext, _ endpoint: Origin, _ peer: Peer, to channel: any Channel) throws {
        let host = HostIdentity(String(endpoint.hostWithoutZone))
        let handler = try NIOSSLClientHandler(context: context, serverHostname: host.serverName)
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(handler)
        if self.options.tls.verifiesServer { try pipeline.addHandler(HostCheck(host, of: peer, handler)) }
        try pipeline.addHandler(ErrorHandler(self.notes, of: peer, handler))
    }

    private func http1(_ channel: any Channel) throws -> EventLoopFuture<Transport> {
        let pipeline = channel.pipeline.syncOperations
        let answer = ResponseHandler(self.ledger, self.hooks, asks: self.asks)
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

    private func http2(_ channel: any Channel) -> EventLoopFuture<Transport> {
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
            try pipeline.addHandler(HTTP2Watch(self.notes, of: self.peer))
            return .http2(streams)
        }
    }
}
