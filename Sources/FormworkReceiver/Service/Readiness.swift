#if Transfer
import FormworkCore
import FormworkSystem
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
    /// How long an answer is used again.
    private static let age = Duration.seconds(2)
    /// How long the storage may take to answer.
    private static let limit = Duration.seconds(5)

    init(_ ask: @escaping @Sendable () async -> Bool) { self.ask = ask }

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
        let isReady = await withTaskGroup(of: Bool.self) { group in
            group.addTask { await self.ask() }
            group.addTask {
                try? await Task.sleep(for: Self.limit.asWait)
                return false
            }
            let first = await group.next() ?? false
            group.cancelAll()
            return first
        }
        self.state.withLock { ($0.isReady, $0.known, $0.isAsking) = (isReady, .now, false) }
        return isReady
    }
}
#endif
