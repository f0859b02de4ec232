import Synchronization

/// Whether the storage can be reached, as of a moment ago: anybody may ask, as often as they like.
final class Readiness: Sendable {
    private struct State {
        var isReady = true
        var isDraining = false
        var known: ContinuousClock.Instant?
        var isAsking = false
    }

    private let state = Mutex(State())
    private let ask: @Sendable () async -> Bool
    /// How long the storage may take to answer.
    private let limit: Duration
    /// How long an answer is used again.
    private static let age = Duration.seconds(2)

    init(limit: Duration = .seconds(5), _ ask: @escaping @Sendable () async -> Bool) {
        (self.limit, self.ask) = (limit, ask)
    }

    /// Whether balancers should send no more requests here.
    var isDraining: Bool { self.state.withLock { $0.isDraining } }
    func drain() { self.state.withLock { $0.isDraining = true } }

    /// Asks the storage, or uses the last answer if it isn't old, or if the storage is being asked.
    func isReady() async -> Bool {
        let asks = self.state.withLock { state in
            guard !state.isAsking, state.known.map({ ContinuousClock.now - $0 >= Self.age }) ?? true else {
                return false
            }
            state.isAsking = true
            return true
        }
        guard asks else { return self.state.withLock { $0.isReady } }
        // Not children of the request's task: a disk that has stopped responding would hold the connection, and with it the
        // service.
        let asking = Task { await self.ask() }
        return await Task {
            if let isReady = await TimeLimit.result(of: asking, within: self.limit) { return self.learn(isReady) }
            self.state.withLock { $0.isReady = false }
            asking.cancel()
            // The call may hang all the same. The storage isn't asked again before it ends.
            Task { self.learn(await asking.value) }
            return false
        }.value
    }

    @discardableResult
    private func learn(_ isReady: Bool) -> Bool {
        self.state.withLock { ($0.isReady, $0.known, $0.isAsking) = (isReady, .now, false) }
        return isReady
    }
}
