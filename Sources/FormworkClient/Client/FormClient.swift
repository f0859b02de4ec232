import FormworkValues
import NIOCore
import NIOHTTP2
import NIOHTTPTypesHTTP2
import NIOPosix

/// The HTTP client of a ``FormSender``: how it connects, and on which threads.
///
/// Unlike other clients, it reports informational answers while the body is being sent, how many bytes the system
/// accepted, and answers that arrive before the body's end. Each connection serves one exchange.
public struct FormClient: Sendable {
    /// How it connects, and how long it waits.
    public var options: Options
    let group: any EventLoopGroup

    /// - Parameters:
    ///   - options: How it connects, and how long it waits.
    ///   - group: The threads that serve connections, each on one of them. The caller shuts it down.
    public init(
        options: Options = Options(), group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    ) {
        (self.options, self.group) = (options, group)
    }

    /// Sends a request and calls a closure with its answer; the connection is closed after that.
    ///
    /// The request gets the fields that describe the body, unless it has them. A final answer stops the sending, unless
    /// it means that the server has the body (2xx, 301 to 303). Memory is bounded at six buffers of 512 KiB.
    /// - Parameters:
    ///   - request: With scheme, authority and path. A `Host` field replaces the authority that is sent to the server.
    ///   - body: `nil` for a request without one.
    ///   - expectsContinue: Whether the server is asked before the body is sent; `nil` leaves that to the options.
    ///   - reading: Options for the body's readers, such as a rate limit or digests.
    ///   - monitor: Shows the progress.
    ///   - hooks: Control the exchange, such as with each informational answer (1xx).
    ///   - answered: Called with the final answer.
    /// - Throws: ``TransferError``; the `FormworkError` of the body's sources; `CancellationError`; `ExchangeStopped`.
    func exchange<Result: Sendable>(
        _ request: HTTPRequest, body: ExchangeBody?, expectsContinue: Bool?, reading: ReaderOptions,
        monitor: UploadMonitor?,
        hooks: ExchangeHooks, answered: (ExchangeResponse) async throws -> Result
    ) async throws -> Result {
        let endpoint = try Origin(request)
        let pipe = try body?.makePipe(reading)
        defer { pipe?.stop(CancellationError()) }
        // Otherwise the answer to an empty request could arrive before the source's error.
        if let pipe, let plan = body?.plan, plan.contentLength == 0, try await pipe.next() != nil {
            throw FormworkError(.lengthMismatch, "the body is longer than its plan", offset: 0)
        }
        let ledger = ExchangeLedger(body, monitor)
        ledger.enter(.connecting)
        let asks = expectsContinue ?? self.options.expects(body)
        let connection = try Connection(self.options, to: endpoint, ledger, hooks, asks: asks)
        let (channel, transport): (any Channel, Connection.Transport)
        do { (channel, transport) = try await connection.open(on: self.group) } catch var error as TransferError
            where error.mayExpectTLS
        {
            error.mayExpectTLS = ledger.offersLittle(asks: asks)
            throw error
        }
        let wire: ExchangeChannel
        var isHTTP2 = false
        switch transport {
        case .http1(let channel): wire = channel
        case .http2(let multiplexer):
            isHTTP2 = true
            ledger.version = .http2
            do { wire = try await Self.openStream(on: multiplexer, ledger, hooks) } catch {
                channel.close(promise: nil)
                throw connection.notes.failure(bytesSent: nil)
                    ?? TransferError(unanswered: connection.peer, connection.notes.cause(nil), bytesSent: 0)
            }
        }
        defer { channel.close(promise: nil) }
        var ready = request
        ready.describe(
            body, asks: asks && !isHTTP2, through: connection.proxy, isHTTP2: isHTTP2)
        hooks.requesting(ready, isHTTP2)
        let pump = BodyPump(wire.channel, pipe, from: body?.offset ?? 0, ledger, hooks)
        let patience = asks && !isHTTP2 ? self.options.expectationTimeout : nil
        // Before any answer is seen, and not when the pump runs: what follows on an answer mustn't depend on who is first.
        if body != nil, patience == nil { hooks.reading() }
        // Not a child task: the exchange would wait for a read from a pipe without a writer, even after its answer.
        let sending = Task { [ready] in await pump.run(ready, asking: patience) }
        defer { sending.cancel() }
        do { return try await connection.receive(wire, answered) } catch let error as TransferError
            where error.code == .receive
        {
            throw connection.notes.failure(bytesSent: error.bytesSent) ?? error
        }
    }

    /// The request as it would be sent, without connecting: with HTTP/1.1, unless the options allow only HTTP/2.
    /// - Throws: ``TransferError/Code/invalidRequest``.
    func preview(_ request: HTTPRequest, body: ExchangeBody?) throws -> HTTPRequest {
        let proxy = try self.options.proxy(for: try Origin(request))
        var ready = request
        let isHTTP2 = self.options.version == .http2
        ready.describe(
            body, asks: self.options.expects(body) && !isHTTP2, through: proxy, isHTTP2: isHTTP2)
        // The connection's encoder adds it.
        if let body, body.length == nil, !isHTTP2 { ready.headerFields[.transferEncoding] = "chunked" }
        return ready
    }

    /// Whether the server of a request, or its proxy, accepts a connection within two seconds. It is closed at once.
    func reaches(_ request: HTTPRequest) async -> Bool {
        let bootstrap = ClientBootstrap(group: self.group).connectTimeout(.seconds(2))
        do {
            if let path = self.options.unixSocket {
                try await bootstrap.connect(unixDomainSocketPath: path.string).get().close()
                return true
            }
            let endpoint = try Origin(request)
            let next = try self.options.proxy(for: endpoint)?.endpoint ?? endpoint
            for host in try self.options.hosts(of: next) {
                if (try? await bootstrap.connect(host: host, port: next.port).get().close()) != nil { return true }
            }
        } catch {}
        return false
    }

    /// Whether a proxy answers a request for this URL: not one that makes a tunnel.
    package func asksProxy(url: String) -> Bool {
        guard let request = try? HTTPRequest(to: url), let endpoint = try? Origin(request), !endpoint.isSecure else {
            return false
        }
        return (try? self.options.proxy(for: endpoint)) != nil
    }

    private static func openStream(
        on multiplexer: NIOHTTP2Handler.AsyncStreamMultiplexer<Void>, _ ledger: ExchangeLedger, _ hooks: ExchangeHooks
    ) async throws -> ExchangeChannel {
        try await multiplexer.openStream { stream in
            stream.eventLoop.makeCompletedFuture {
                let pipeline = stream.pipeline.syncOperations
                if let connection = stream.parent { try pipeline.addHandler(SendWindow(of: connection)) }
                try pipeline.addHandler(HTTP2FramePayloadToHTTPClientCodec())
                try pipeline.addHandler(ResponseHandler(ledger, hooks, asks: false))
                return try ExchangeChannel(wrappingChannelSynchronously: stream)
            }
        }
    }
}

extension FormClient {
    /// How a client connects, and how long it waits: 0 to 10⁹ seconds (31 years); other values are clamped.
    public struct Options: Sendable {
        /// The versions of HTTP to use.
        public enum Version: Sendable {
            /// HTTP/2 if TLS negotiates it, otherwise HTTP/1.1.
            case negotiated
            /// Only HTTP/1.1.
            case http1
            /// Only HTTP/2: with TLS nothing else is offered, and without TLS the connection starts with it.
            case http2
        }

        /// The versions of HTTP to use.
        public var version: Version
        /// Which certificates to trust, and the client's own.
        public var tls: TLS
        /// The proxies to use; `nil` connects directly.
        public var proxies: ProxySettings?
        /// A Unix socket to connect to, instead of the URL's host and instead of any proxy.
        public var unixSocket: FilePath?
        /// Addresses to connect to instead of resolving a name, by `host:port` in lower case; the host `*` is any.
        package var addresses: [String: String] = [:]
        /// How long connecting may take, including TLS and a proxy's tunnel. Default 5 minutes, like curl.
        public var connectTimeout: Duration
        /// How long a server may neither accept nor send anything while the client waits for it; `nil` for no limit.
        public var stallTimeout: Duration?
        /// Bodies of more bytes than this, or of unknown length, are announced with `Expect: 100-continue` (RFC 9110
        /// section 10.1.1); `nil` announces none. Default 1 MiB, like curl. HTTP/2 doesn't need it: there a server
        /// refuses a single stream, and the answer can't be lost with the connection.
        public var expectationThreshold: Int64?
        /// How long to wait for `100 Continue` before sending the body without it. Default 1 second.
        public var expectationTimeout: Duration

        /// Creates options; by default HTTP/2 or HTTP/1.1, the system's trusted certificates, and no proxy.
        public init(
            version: Version = .negotiated, tls: TLS = TLS(), proxies: ProxySettings? = nil,
            unixSocket: FilePath? = nil, connectTimeout: Duration = .seconds(300), stallTimeout: Duration? = nil,
            expectationThreshold: Int64? = 1 << 20, expectationTimeout: Duration = .seconds(1)
        ) {
            self.version = version
            self.tls = tls
            self.proxies = proxies
            self.unixSocket = unixSocket
            self.connectTimeout = connectTimeout
            self.stallTimeout = stallTimeout
            self.expectationThreshold = expectationThreshold
            self.expectationTimeout = expectationTimeout
        }

        /// Whether the server is asked before this body is sent.
        func expects(_ body: ExchangeBody?) -> Bool {
            guard let body, let threshold = self.expectationThreshold else { return false }
            return body.length.map { $0 > threshold } ?? true
        }
    }
}
