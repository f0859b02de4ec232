#if Transfer
import HTTPTypes
import Synchronization

/// The resumable uploads that each client has begun in this run.
final class UnfinishedUploads: Sendable {
    private struct State {
        var names: [String: [String]] = [:]
        /// When each client's uploads were last checked.
        var looked: [String: ContinuousClock.Instant] = [:]
        /// When names of uploads that no longer exist were last removed.
        var swept = ContinuousClock.now
    }

    /// The path under which uploads that arrive in pieces have their URLs.
    static let path = "/.uploads/"

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: Uploads of one client.
    init(limit: Int) { self.limit = limit }

    /// Whether a client may begin another upload.
    /// - Parameter isThere: Whether an upload of this name exists and is unfinished; this reads files.
    func hasRoom(for client: String, at now: ContinuousClock.Instant = .now, isThere: (String) async -> Bool) async
        -> Bool
    {
        let (names, looked) = self.state.withLock { ($0.names[client] ?? [], $0.looked[client]) }
        guard names.count >= self.limit else { return true }
        // A client that asks repeatedly gets the last result for a second.
        if let looked, now - looked < .seconds(1) { return false }
        var left: [String] = []
        for name in names where await isThere(name) { left.append(name) }
        let gone = Set(names).subtracting(left)
        return self.state.withLock { [left] state in
            state.names[client]?.removeAll { gone.contains($0) }
            if state.names[client]?.isEmpty == true { state.names[client] = nil }
            state.looked[client] = left.count < self.limit ? nil : now
            if state.looked.count > 1_000 { state.looked = state.looked.filter { now - $0.value < .seconds(1) } }
            return left.count < self.limit
        }
    }

    /// The number of names known, for tests.
    var count: Int { self.state.withLock { $0.names.values.reduce(0) { $0 + $1.count } } }

    /// Forgets uploads that no longer exist. Does nothing if that was done in the last minute.
    /// - Parameter existing: The names of all uploads, or `nil` if they can't be listed; this reads a folder.
    func sweep(at now: ContinuousClock.Instant = .now, existing: () async -> [String]?) async {
        // An upload that begins meanwhile isn't in the list, so the names are read first.
        let known = self.state.withLock { state -> Set<String> in
            guard !state.names.isEmpty, now - state.swept >= .seconds(60) else { return [] }
            state.swept = now
            return Set(state.names.values.joined())
        }
        guard !known.isEmpty, let existing = await existing() else { return }
        let gone = known.subtracting(existing)
        guard !gone.isEmpty else { return }
        self.state.withLock { state in
            state.names = state.names.compactMapValues { names in
                let left = names.filter { !gone.contains($0) }
                return left.isEmpty ? nil : left
            }
        }
    }

    /// Records an upload whose URL an answer, or a 104, gives to its client.
    func note(_ fields: HTTPFields, of client: String) {
        // Below an upload link the path has another one in front.
        guard self.limit < .max, let location = fields[.location], let path = location.firstRange(of: Self.path) else {
            return
        }
        let name = String(location[path.upperBound...])
        self.state.withLock { state in
            guard state.names[client]?.contains(name) != true else { return }
            state.names[client, default: []].append(name)
        }
    }
}
#endif
