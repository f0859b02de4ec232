import NIOCore
import NIOHTTP2
import NIOHTTPTypes
import NIOPosix
import NIOSSL

typealias ExchangeChannel = NIOAsyncChannel<HTTPResponsePart, HTTPRequestPart>

/// The connection of one exchange: directly, through a proxy, or to a Unix socket, with or without TLS, for the negotiated
/// version of HTTP.
struct Connection: Sendable {
    enum Transport: Sendable {
        case http1(ExchangeChannel)
        case http2(NIOHTTP2Handler.AsyncStreamMultiplexer<Void>)
    }

    let options: FormClient.Options
    let endpoint: Origin
    let proxy: Proxy?
    /// For TLS with the server; `nil` without.
    let context: NIOSSLContext?
    /// For TLS with the proxy; `nil` without.
    let proxyContext: NIOSSLContext?
    /// Gets what the connection takes of the body.
    let ledger: ExchangeLedger
    let hooks: ExchangeHooks
    /// Whether the server is asked before the body is sent. HTTP/2 doesn't need that.
    let asks: Bool
    /// The reasons why it closed.
    let notes = ErrorNote()

    /// - Throws: ``TransferError``.
    init(
        _ options: FormClient.Options, to endpoint: Origin, _ ledger: ExchangeLedger, _ hooks: ExchangeHooks, asks: Bool
    ) throws {
        (self.options, self.endpoint, self.ledger) = (options, endpoint, ledger)
        (self.hooks, self.asks) = (hooks, asks)
        self.proxy = try options.proxy(for: endpoint)
        self.context = try options.tls.context(options.version.protocols, for: endpoint)
        self.proxyContext = try self.proxy.flatMap { try options.tls.context(["http/1.1"], for: $0.endpoint) }
    }

    /// Who answers requests. That is the proxy, if there is one and it makes no tunnel.
    var peer: Peer {
        guard let proxy, !self.endpoint.isSecure else { return .server(self.endpoint) }
        return .proxy(proxy.endpoint)
    }

    /// Who is connected to.
    private var first: Peer { self.proxy.map { .proxy($0.endpoint) } ?? .server(self.endpoint) }

    /// Whether to use HTTP/2 without negotiation by TLS, or nothing else with it.
    var isHTTP2: Bool { self.options.version == .http2 }

    /// Makes the connection.
    /// - Throws: ``TransferError``.
    func open(on group: any EventLoopGroup) async throws -> (channel: any Channel, transport: Transport) {
        let deadline = ContinuousClock.Instant.after(self.options.connectTimeout)
        let place = self.proxy.map { "the proxy \($0.endpoint.authority)" } ?? self.endpoint.authority
        let late = TransferError(.timedOut, "no connection to \(place) within \(self.options.connectTimeout.text)")
            .about(self.first)
        // The wrapper of a channel has to live until the channel is closed.
        let lost: @Sendable ((channel: any Channel, transport: Transport)) -> Void = { opened in
            opened.channel.closeFuture.whenComplete { _ in withExtendedLifetime(opened) {} }
            opened.channel.close(promise: nil)
        }
        return try await Race.run(until: deadline, late: late, lost: lost) {
            let (channel, ready) = try await self.connect(on: group)
            do {
                // A future doesn't react to cancellation, and a silent peer never completes this one.
                let transport = try await withTaskCancellationHandler {
                    try await ready.get()
                } onCancel: {
                    channel.close(promise: nil)
                }
                return (channel, transport)
            } catch {
                channel.close(promise: nil)
                let (error, peer) = self.notes.first ?? (error, .server(self.endpoint))
                throw TransferError(
                    opening: peer, through: self.endpoint.isSecure ? self.proxy?.endpoint.authority : nil, error)
            }
        }
    }

    /// - Returns: The channel, and a future that succeeds when a request can be written.
    private func connect(
        on group: any EventLoopGroup
    ) async throws -> (any Channel, EventLoopFuture<Transport>) {
        let timeout = TimeAmount(self.options.connectTimeout.asWait)
        let bootstrap = ClientBootstrap(group: group).connectTimeout(timeout)
        let initialize: @Sendable (any Channel) -> EventLoopFuture<(any Channel, EventLoopFuture<Transport>)> = {
            channel in
            channel.eventLoop.makeCompletedFuture { (channel, try self.prepare(channel)) }
        }
        let next = self.proxy?.endpoint ?? self.endpoint
        do {
            if let path = self.options.unixSocket {
                return try await bootstrap.connect(
                    unixDomainSocketPath: path.string, channelInitializer: initialize)
            }
            var failure: (any Error)?
            for host in try self.options.hosts(of: next) {
                do {
                    return try await bootstrap.connect(host: host, port: next.port, channelInitializer: initialize)
                } catch { failure = failure ?? error }
            }
            throw failure ?? ChannelError.connectTimeout(timeout)
        } catch {
            if TransferError.isReset(error) { throw self.failure(ofReset: error) }
            throw TransferError(
                connecting: self.options.unixSocket?.string ?? next.authority, isProxy: self.proxy != nil, error)
        }
    }

    /// The error for a connection that is reset right after it was accepted. It equals the error of a later reset, because
    /// timing decides which of the two happens.
    func failure(ofReset error: any Error) -> TransferError {
        guard !self.endpoint.isSecure else {
            return TransferError(opening: self.first, through: self.proxy?.endpoint.authority, error)
        }
        guard !self.isHTTP2 else { return TransferError(noHTTP2: self.peer) }
        var failure = TransferError(unanswered: self.peer, error, bytesSent: 0)
        failure.mayExpectTLS = self.proxy == nil
        return failure
    }
}

extension FormClient.Options {
    /// The proxy for an endpoint; `nil` for a direct connection, or one to a Unix socket.
    func proxy(for endpoint: Origin) throws -> Proxy? {
        self.unixSocket == nil ? try self.proxies?.proxy(for: endpoint) : nil
    }

    /// What to connect to, one after the other. `localhost` and the names in it mean this computer (RFC 6761 section 6.3) with
    /// both families of addresses, whatever the system's files say.
    func hosts(of endpoint: Origin) throws -> [String] {
        let host = self.address(of: endpoint)
        if host.hasSuffix(".localhost") { return ["127.0.0.1", "::1"] }
        if host == "localhost" { return [host, "127.0.0.1", "::1"] }
        // The C library looks for a zone's name only if the address is link-local.
        guard host.contains(":"), let sign = host.lastIndex(of: "%") else { return [host] }
        let zone = host[host.index(after: sign)...].lowercased()
        let device = try System.enumerateDevices().first { $0.name.lowercased() == zone }
        return [device.map { "\(host[...sign])\($0.interfaceIndex)" } ?? host]
    }

    /// What to connect to for a host: its name, or the address that replaces it.
    private func address(of endpoint: Origin) -> String {
        self.addresses["\(endpoint.host):\(endpoint.port)"] ?? self.addresses["*:\(endpoint.port)"]
            ?? endpoint.address
    }
}

extension FormClient.Options.Version {
    /// Their names for TLS.
    fileprivate var protocols: [String] {
        switch self {
        case .negotiated: ["h2", "http/1.1"]
        case .http1: ["http/1.1"]
        case .http2: ["h2"]
        }
    }
}

/// The other end of a connection, or of a tunnel in it, as errors name it.
struct Peer: Hashable, Sendable {
    /// The server's host, or the proxy's host and port: a server may be on the same host.
    var name: String
    var isProxy: Bool

    static func server(_ endpoint: Origin) -> Self { Self(name: endpoint.host, isProxy: false) }
    static func proxy(_ endpoint: Origin) -> Self { Self(name: endpoint.authority, isProxy: true) }

    var noun: String { self.isProxy ? "proxy" : "server" }
    /// The beginning of an error that is otherwise about the only server there is.
    var prefix: String { self.isProxy ? "\(self.name): " : "" }
}
