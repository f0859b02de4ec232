import NIOCore
import NIOHTTP2
import NIOHTTPTypes
import NIOPosix
import NIOSSL

typealias ExchangeChannel = NIOAsyncChannel<HTTPResponsePart, HTTPRequestPart>

/// A connection that is ready for a request.
struct Connection: Sendable {
    enum Transport: Sendable {
        /// With the requested handler as the last in the pipeline.
        case http1(ExchangeChannel)
        case http2(NIOHTTP2Handler.AsyncStreamMultiplexer<Void>)
    }

    var channel: any Channel
    var transport: Transport
    /// The `Proxy-Authorization` field of every request; `nil` without a proxy, or through a tunnel.
    var proxyAuthorization: String?
    /// The one that answers requests.
    var peer: Peer
    /// The reasons why it closed.
    var notes: ErrorNote
}

/// Makes connections: directly, through a proxy, or to a Unix socket, with or without TLS, for the negotiated version
/// of HTTP.
struct Connector: Sendable {
    let options: FormClient.Options
    let group: any EventLoopGroup

    /// The result of an initializer: more may have to happen before the connection is ready.
    private struct Opening: Sendable {
        var channel: any Channel
        var ready: EventLoopFuture<Connection.Transport>
        var notes: ErrorNote
    }

    /// - Parameters:
    ///   - ledger: Gets what the connection takes of the body.
    ///   - makeHandler: Makes the handler for the answer's parts on an HTTP/1.1 connection.
    /// - Throws: ``TransferError``.
    func connect(
        to endpoint: Origin, _ ledger: ExchangeLedger,
        _ makeHandler: @escaping @Sendable () -> ResponseHandler
    ) async throws -> Connection {
        let proxy = self.options.unixSocket == nil ? try self.options.proxies?.proxy(for: endpoint) : nil
        let context = try self.options.tls.context(self.protocols, for: endpoint)
        let proxyContext = try proxy.flatMap { try self.options.tls.context(["http/1.1"], for: $0.endpoint) }
        let setup = ConnectionSetup(
            endpoint: endpoint, proxy: proxy, context: context, proxyContext: proxyContext,
            verifiesServer: self.options.tls.verifiesServer, isHTTP2: self.options.version == .http2,
            ledger: ledger, makeHandler: makeHandler)
        let deadline = ContinuousClock.Instant.after(self.options.connectTimeout)
        let place = proxy.map { "the proxy \($0.endpoint.authority)" } ?? endpoint.authority
        var late = TransferError(.timedOut, "no connection to \(place) within \(self.options.connectTimeout.text)")
        late.isAboutProxy = proxy != nil
        // The wrapper of a channel has to live until the channel is closed.
        let lost: @Sendable (Connection) -> Void = { connection in
            connection.channel.closeFuture.whenComplete { _ in withExtendedLifetime(connection) {} }
            connection.channel.close(promise: nil)
        }
        return try await Race.run(until: deadline, late: late, lost: lost) {
            let opening = try await self.open(proxy?.endpoint ?? endpoint, setup)
            do {
                // A future doesn't react to cancellation, and a silent peer never completes this one.
                let transport = try await withTaskCancellationHandler {
                    try await opening.ready.get()
                } onCancel: {
                    opening.channel.close(promise: nil)
                }
                return Connection(
                    channel: opening.channel, transport: transport,
                    proxyAuthorization: endpoint.isSecure ? nil : proxy?.authorization, peer: setup.peer,
                    notes: opening.notes)
            } catch {
                opening.channel.close(promise: nil)
                let (error, peer) = opening.notes.first ?? (error, .server(endpoint))
                throw TransferError(
                    opening: peer, through: endpoint.isSecure ? proxy?.endpoint.authority : nil, error)
            }
        }
    }

    /// Whether a connection can be made within two seconds. It is closed at once.
    func reaches(_ endpoint: Origin) async -> Bool {
        let bootstrap = ClientBootstrap(group: self.group).connectTimeout(.seconds(2))
        do {
            if let path = self.options.unixSocket {
                try await bootstrap.connect(unixDomainSocketPath: path.string).get().close()
                return true
            }
            let next = try self.options.proxies?.proxy(for: endpoint)?.endpoint ?? endpoint
            for host in try self.hosts(of: next) {
                if (try? await bootstrap.connect(host: host, port: next.port).get().close()) != nil { return true }
            }
        } catch {}
        return false
    }

    /// What to connect to, one after the other. `localhost` and the names in it mean this computer (RFC 6761 section 6.3) with
    /// both families of addresses, whatever the system's files say.
    private func hosts(of endpoint: Origin) throws -> [String] {
        let host = self.options.address(of: endpoint)
        if host.hasSuffix(".localhost") { return ["127.0.0.1", "::1"] }
        if host == "localhost" { return [host, "127.0.0.1", "::1"] }
        // The C library looks for a zone's name only if the address is link-local.
        guard host.contains(":"), let sign = host.lastIndex(of: "%") else { return [host] }
        let zone = host[host.index(after: sign)...].lowercased()
        let device = try System.enumerateDevices().first { $0.name.lowercased() == zone }
        return [device.map { "\(host[...sign])\($0.interfaceIndex)" } ?? host]
    }

    private var protocols: [String] {
        switch self.options.version {
        case .negotiated: ["h2", "http/1.1"]
        case .http1: ["http/1.1"]
        case .http2: ["h2"]
        }
    }

    private func open(_ endpoint: Origin, _ setup: ConnectionSetup) async throws -> Opening {
        let timeout = TimeAmount(self.options.connectTimeout.asWait)
        let bootstrap = ClientBootstrap(group: self.group).connectTimeout(timeout)
        let initialize: @Sendable (any Channel) -> EventLoopFuture<Opening> = { channel in
            channel.eventLoop.makeCompletedFuture {
                let notes = ErrorNote()
                return Opening(channel: channel, ready: try setup.prepare(channel, notes), notes: notes)
            }
        }
        do {
            if let path = self.options.unixSocket {
                return try await bootstrap.connect(
                    unixDomainSocketPath: path.string, channelInitializer: initialize)
            }
            var failure: (any Error)?
            for host in try self.hosts(of: endpoint) {
                do {
                    return try await bootstrap.connect(
                        host: host, port: endpoint.port, channelInitializer: initialize)
                } catch { failure = failure ?? error }
            }
            throw failure ?? ChannelError.connectTimeout(timeout)
        } catch {
            if TransferError.isReset(error) { throw setup.failure(ofReset: error) }
            throw TransferError(
                connecting: self.options.unixSocket?.string ?? endpoint.authority, isProxy: setup.proxy != nil, error)
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
