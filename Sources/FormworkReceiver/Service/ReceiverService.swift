import FormworkHummingbirdCore
import FormworkResumable
import FormworkSystem
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle

/// The upload server.
///
/// When asked to stop gracefully, it accepts nothing more and lets uploads in progress continue for
/// ``ReceiverOptions/grace``. Then it drops the rest, and keeps nothing of them.
struct ReceiverService: Service {
    private let options: ReceiverOptions
    private let responder: Responder
    private let reads = ReadSizes()
    private let certificates: SecureContext?
    private let logger: Logger
    private let onListening: @Sendable (SocketAddress) async throws -> Void

    /// Configures a server; nothing is opened yet.
    /// - Parameters:
    ///   - hooks: Asked before uploads, and notified after them; `nil` for none. It runs as a service of its own.
    ///   - metrics: Shown at `/metrics`; `nil` counts nothing.
    ///   - onListening: Called with the address once connections are accepted. If it throws, the server ends with its error.
    /// - Throws: NIOSSL's error for a certificate and a key that can't be used together.
    init(
        _ options: ReceiverOptions, storage: any ReceiverStorage, store: UploadStore? = nil, hooks: Hooks? = nil,
        metrics: MemoryMetrics? = nil, logger: Logger,
        onListening: @escaping @Sendable (SocketAddress) async throws -> Void = { _ in }
    ) throws {
        (self.options, self.logger, self.onListening) = (options, logger, onListening)
        let slots = UploadSlots(limit: options.limits.uploads, clientLimit: options.uploadsPerClient)
        let connections = Connections(
            proxies: options.access.proxies, limit: options.connectionsPerClient, total: options.connections)
        self.certificates = try options.address.tls.map { try SecureContext($0) }
        var router = RequestRouter()
        (router.isLoopback, router.isTLS) = (options.isLoopback, options.address.tls != nil)
        (router.host, router.root, router.origins) = (
            options.address.host, options.address.basePath, options.access.allowedOrigins
        )
        (router.limits, router.showsMetrics) = (options.limits, metrics != nil)
        if store != nil { router.isResumable = Exchange.isResumable }
        var intake = UploadIntake(
            storage: storage, limits: options.limits, keeping: options.keeping, memory: options.memory)
        (intake.hooks, intake.linkUses) = (hooks, options.access.linkUses)
        if let hooks, let store { hooks.watch(store) }
        store?.onRemoval { removal, remove in
            try await remove()
            logger.info("upload \(removal.reason.account.word)", metadata: ["upload": "\(removal.name)"])
        }
        let resuming = store.map { store in
            let count = options.unfinishedPerClient(of: store.options.maximumCount)
            let bytes = options.announcedPerClient(of: store.options.maximumTotalSize)
            return (store, UnfinishedUploads(limit: count, bytes: bytes))
        }
        let listing = options.access.listing ?? (options.token != nil && !options.isLoopback ? .own : .all)
        self.responder = Responder(
            router: router, access: AccessControl(options.token, options.access.linkKeys), connections: connections,
            pages: Responder.Pages(settings: options.page, listing: listing), intake: intake,
            slots: slots, resuming: resuming, metrics: metrics, logger: logger,
            readiness: Readiness { (try? await storage.room(for: .nothing)) != nil })
    }

    /// Makes `/readyz` answer 503, so that balancers send no more requests here. Uploads are accepted all the same.
    func drain() { self.responder.readiness.drain() }

    /// Ends the uploads in progress; nothing is kept of them.
    func dropUploads() {
        self.responder.slots.drop()
        self.responder.connections.cut()
    }

    /// Changes the token, the keys of links, and the certificates for new connections; uploads in progress continue.
    /// - Parameters:
    ///   - tls: `nil` keeps the current certificates.
    ///   - linkKeys: `nil` keeps the current keys.
    /// - Throws: NIOSSL's error for a certificate and a key that can't be used together; nothing has changed then.
    func reload(_ tls: ReceiverOptions.TLS?, token: AccessToken?, linkKeys: LinkKeys? = nil) throws {
        if let tls { try self.certificates?.replace(tls) }
        if let linkKeys { self.responder.access.linkKeys = linkKeys }
        self.responder.access.token = token
    }

    /// How long to wait for the cleanup of dropped uploads, since the storage may have stopped responding.
    private static let settlingTime = Duration.seconds(5)

    func run() async throws {
        let server = self.makeServer()
        // These are cancelled when the server has ended.
        async let _: Void = self.dropAfterGrace()
        async let _: Void = self.giveBackMemory()
        // Not a child, which would have to be waited for: it uses the storage, which may have stopped responding.
        let forgetting = Task { await self.forgetExpired() }
        defer { forgetting.cancel() }
        try await server.run()
        await self.responder.slots.settle(within: Self.settlingTime)
        forgetting.cancel()
        _ = await TimeLimit.result(of: forgetting, within: Self.settlingTime)
    }

    /// Removes unfinished uploads that have expired.
    private func forgetExpired() async {
        guard let store = self.responder.resuming?.store else { return }
        while !Task.isCancelled {
            await store.removeExpired()
            try? await Task.sleep(for: store.pauseBeforeSweep.asWait)
        }
    }

    /// Returns memory to the system after many connections have closed; the allocator would keep it.
    private func giveBackMemory() async {
        while !Task.isCancelled {
            let (now, peak) = self.responder.connections.takePeak()
            if peak >= 64, now <= peak / 2 { SystemMemory.giveBack() }
            try? await Task.sleep(for: .seconds(5))
        }
    }

    private func dropAfterGrace() async {
        do {
            try await gracefulShutdown()
            self.responder.slots.stop()
            let count = self.responder.slots.count
            if count > 0 {
                let grace = self.options.grace / .seconds(1)
                self.logger.notice(
                    "stopping",
                    metadata: ["uploads": .stringConvertible(count), "grace": .stringConvertible(grace)])
            }
            try await Task.sleep(for: self.options.grace.asWait)
            let dropped = self.responder.slots.drop()
            self.responder.connections.cut()
            if dropped > 0 {
                self.logger.warning("uploads dropped", metadata: ["uploads": .stringConvertible(dropped)])
            }
        } catch {
            // The server had already ended.
        }
    }

    private func makeServer() -> any Service {
        let (responder, pace, reads) = (self.responder, self.options.pace, self.reads)
        let connections = responder.connections
        var channel = HTTP1Channel.Configuration()
        channel.httpDecoder = ExchangeHandler.headLimits
        channel.additionalChannelHandlers = {
            [ExchangeHandler(pace, reads) { refusal, channel in responder.refused(refusal, channel) }]
        }
        let http1 = FramedHTTP1Channel(
            responder: { request, writer, channel in try await responder.respond(request, writer, channel) },
            configuration: channel)
        guard let certificates = self.certificates else {
            return self.listener(WatchedChannel(base: http1, pace: pace, connections: connections))
        }
        let streams = self.options.token == nil ? 2 * Connections.closedStreams : Connections.closedStreams
        let secure = SecureChannel(certificates, http1, idleTime: pace.idleTime, streams: streams)
        return self.listener(WatchedChannel(base: secure, pace: pace, connections: connections))
    }

    private func listener(_ child: some ServerChildChannel) -> any Service {
        var logger = self.logger
        // Events of connections are logged from notice up only.
        logger.logLevel = max(logger.logLevel, .notice)
        let onListening = self.onListening
        let place =
            self.options.address.socket.map { .socket($0) }
            ?? ListeningAddress.address(host: self.options.address.host, port: self.options.address.port)
        return Listener(child: child, place: place, limit: self.options.connections, logger: logger) {
            [logger] channel in
            try? await channel.eventLoop.submit {
                try channel.pipeline.syncOperations.addHandler(AcceptPause(logger), position: .first)
            }.get()
            if let address = channel.localAddress { try await onListening(address) }
        }
    }
}
