import HTTPTypes
import Logging
import NIOCore
import NIOHTTP2
import Synchronization

/// The open connections and their clients.
final class Connections: Sendable {
    private struct Entry {
        var channel: any Channel
        var client: ClientAddress
        /// Since when it has no request; `nil` while it has one.
        var idleSince: NIODeadline? = .now()
        /// Whether it may have many streams, because it has presented the token.
        var isOpened = false
    }

    private struct State {
        /// The open connections, and those that ended a moment ago.
        var entries: [ObjectIdentifier: Entry] = [:]
        /// The number of open connections.
        var open = 0
        /// The number of connections of each client; those of trusted proxies aren't counted.
        var counts: [String: Int] = [:]
        /// The most connections at once since the last query.
        var peak = 0
        /// The number of connections that were closed at once, because their clients had their maximum.
        var refused = 0
        /// When that was last logged.
        var lastNotice: ContinuousClock.Instant?
        /// When a malformed header of a proxy was last logged.
        var lastMalformed: ContinuousClock.Instant?

        /// Whether a line is to be logged: at most one a minute, because a client could fill the log.
        static func isDue(_ last: inout ContinuousClock.Instant?) -> Bool {
            let now = ContinuousClock.now
            if let last, last.duration(to: now) < .seconds(60) { return false }
            last = now
            return true
        }
    }

    /// Streams of an HTTP/2 connection at once before the token was presented: a page has four addresses.
    static let closedStreams = 8
    /// Streams at once after that; RFC 9113 section 6.5.2 recommends at least 100.
    static let openStreams = 100

    private let proxies: TrustedProxies
    private let limit: Int
    let total: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: Connections of one client at once.
    ///   - total: Connections at once. The one that has been without a request for the longest gives way to the last of them.
    init(proxies: TrustedProxies = TrustedProxies(), limit: Int = .max, total: Int = .max) {
        (self.proxies, self.limit, self.total) = (proxies, limit, total)
    }

    /// Registers a connection.
    /// - Returns: Whether its client may have another connection.
    func opened(_ channel: any Channel, _ logger: Logger) -> Bool {
        let id = ObjectIdentifier(channel)
        let client = ClientAddress(channel.remoteAddress)
        let isCounted = !self.proxies.contains(client.address)
        let key = client.key
        let isTaken = self.state.withLock { state in
            guard !isCounted || state.counts[key, default: 0] < self.limit else { return false }
            state.entries[id] = Entry(channel: channel, client: client)
            if isCounted { state.counts[key, default: 0] += 1 }
            state.open += 1
            state.peak = max(state.peak, state.open)
            return true
        }
        guard isTaken else {
            self.refused(client, logger)
            return false
        }
        self.makeRoom()
        channel.closeFuture.whenComplete { _ in
            self.state.withLock { state in
                state.open -= 1
                guard isCounted, let count = state.counts[key] else { return }
                state.counts[key] = count > 1 ? count - 1 : nil
            }
            // A closed channel has no address, but a request of it may still have to be logged.
            _ = channel.eventLoop.scheduleTask(in: .seconds(1)) {
                self.state.withLock { $0.entries[id] = nil }
            }
        }
        return true
    }

    /// Closes the connection that has had no request for the longest, if there are as many as may be: heads that never end
    /// must not keep others out.
    private func makeRoom() {
        let oldest = self.state.withLock { state -> (any Channel)? in
            guard state.open >= self.total else { return nil }
            return state.entries.values.lazy.filter(\.channel.isActive)
                .compactMap { entry in entry.idleSince.map { (since: $0, channel: entry.channel) } }
                .min { $0.since < $1.since }?.channel
        }
        oldest?.pipeline.fireUserInboundEventTriggered(ConnectionWatch.Cut())
    }

    /// Counts a connection that a client may not have, and logs that.
    private func refused(_ client: ClientAddress, _ logger: Logger) {
        let isLogged = self.state.withLock { state in
            state.refused += 1
            return State.isDue(&state.lastNotice)
        }
        guard isLogged else { return }
        logger.notice(
            "a client has too many connections, so another was closed",
            metadata: ["peer": "\(client.text)", "limit": .stringConvertible(self.limit)])
    }

    /// The number of connections that were closed at once, because their clients had their maximum.
    var refusedCount: Int { self.state.withLock { $0.refused } }

    /// Whether the PROXY protocol is accepted from the other end.
    func isFromProxy(_ channel: any Channel) -> Bool {
        self.proxies.contains(ClientAddress(channel.remoteAddress).address)
    }

    /// Logs that a connection is closed because of its header of the PROXY protocol.
    func closing(_ channel: any Channel, because error: ProxyProtocolHandler.Malformed, _ logger: Logger) {
        guard self.state.withLock({ State.isDue(&$0.lastMalformed) }) else { return }
        logger.warning(
            "a connection with a malformed PROXY header was closed",
            metadata: ["peer": "\(self.client(of: channel).text)", "reason": "\(error.reason)"])
    }

    /// Registers the client that a proxy names for its connection.
    func set(_ client: ClientAddress, of channel: any Channel) {
        self.state.withLock { $0.entries[ObjectIdentifier(channel)]?.client = client }
    }

    /// Notes since when a connection has no request; `nil` if it has one.
    func set(idleSince: NIODeadline?, of channel: any Channel) {
        self.state.withLock { $0.entries[ObjectIdentifier(channel)]?.idleSince = idleSince }
    }

    /// The client of a connection, or of a stream's connection.
    func client(of channel: any Channel) -> ClientAddress {
        let connection = Self.connection(of: channel)
        return self.state.withLock { $0.entries[ObjectIdentifier(connection)]?.client }
            ?? ClientAddress(connection.remoteAddress)
    }

    /// The client of a request.
    func client(of channel: any Channel, _ fields: HTTPFields) -> ClientAddress {
        self.proxies.client(of: self.client(of: channel), fields)
    }

    /// Allows an HTTP/2 connection the full number of streams, because it has presented the token.
    func open(_ channel: any Channel) {
        guard channel.isHTTP2Stream else { return }
        let connection = Self.connection(of: channel)
        let isNew = self.state.withLock { state in
            let id = ObjectIdentifier(connection)
            guard state.entries[id]?.isOpened == false else { return false }
            state.entries[id]?.isOpened = true
            return true
        }
        guard isNew else { return }
        let setting = HTTP2Setting(parameter: .maxConcurrentStreams, value: Self.openStreams)
        connection.writeAndFlush(
            HTTP2Frame(streamID: .rootStream, payload: .settings(.settings([setting]))), promise: nil)
    }

    /// The number of open connections.
    var count: Int { self.state.withLock { $0.open } }

    /// The number of connections now, and the most since the last call.
    func takePeak() -> (now: Int, peak: Int) {
        self.state.withLock { state in
            defer { state.peak = state.open }
            return (state.open, state.peak)
        }
    }

    /// Closes all connections at once.
    func cut() {
        let channels = self.state.withLock { state in state.entries.values.map(\.channel) }
        for channel in channels { channel.pipeline.fireUserInboundEventTriggered(ConnectionWatch.Cut()) }
    }

    private static func connection(of channel: any Channel) -> any Channel {
        if channel.isHTTP2Stream, let parent = channel.parent { return parent }
        return channel
    }
}
