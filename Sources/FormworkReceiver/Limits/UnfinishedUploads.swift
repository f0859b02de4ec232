import Synchronization

/// The resumable uploads that each client has begun in this run.
final class UnfinishedUploads: Sendable {
    private struct State {
        var names: [String: [String]] = [:]
        /// Uploads that are being begun, and have no names yet.
        var places: [String: Int] = [:]
        /// When each client's uploads were last checked.
        var looked: [String: ContinuousClock.Instant] = [:]
        /// When names of uploads that no longer exist were last removed.
        var swept = ContinuousClock.now

        func count(of client: String) -> Int { (self.names[client]?.count ?? 0) + (self.places[client] ?? 0) }

        mutating func removePlace(of client: String) {
            self.places[client] = self.places[client].flatMap { $0 > 1 ? $0 - 1 : nil }
        }
    }

    /// A client's right to begin one upload. It counts like an upload until it is given back or an upload has it.
    final class Reservation: Sendable {
        private let uploads: UnfinishedUploads
        private let client: String
        private let isOpen = Mutex(true)

        fileprivate init(_ uploads: UnfinishedUploads, _ client: String) {
            (self.uploads, self.client) = (uploads, client)
        }

        private func close() -> Bool {
            self.isOpen.withLock { isOpen in
                defer { isOpen = false }
                return isOpen
            }
        }

        /// Counts the upload that was created instead.
        func take(_ name: String) {
            guard self.close() else { return }
            self.uploads.state.withLock { state in
                state.removePlace(of: self.client)
                if self.uploads.limit < .max { state.names[self.client, default: []].append(name) }
            }
        }

        /// Counts no more, unless an upload was created.
        func giveBack() {
            guard self.close() else { return }
            self.uploads.state.withLock { $0.removePlace(of: self.client) }
        }
    }

    /// The path under which uploads that arrive in pieces have their URLs.
    static let path = "/.uploads/"

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: Uploads of one client.
    init(limit: Int) { self.limit = limit }

    private func reserveNow(for client: String) -> Reservation? {
        self.state.withLock { state in
            guard state.count(of: client) < self.limit else { return nil }
            state.places[client, default: 0] += 1
            return Reservation(self, client)
        }
    }

    /// Lets a client begin an upload.
    /// - Parameter isThere: Whether an upload of this name exists and is unfinished; this reads files.
    /// - Returns: `nil` if the client has too many.
    func reserve(for client: String, at now: ContinuousClock.Instant = .now, isThere: (String) async -> Bool) async
        -> Reservation?
    {
        if let place = self.reserveNow(for: client) { return place }
        let (names, looked) = self.state.withLock { ($0.names[client] ?? [], $0.looked[client]) }
        // A client that asks repeatedly gets the last result for a second.
        if let looked, now - looked < .seconds(1) { return nil }
        var gone: Set<String> = []
        for name in names where !(await isThere(name)) { gone.insert(name) }
        self.remove(gone, of: client)
        let place = self.reserveNow(for: client)
        self.state.withLock { state in
            state.looked[client] = place == nil ? now : nil
            if state.looked.count > 1_000 { state.looked = state.looked.filter { now - $0.value < .seconds(1) } }
        }
        return place
    }

    /// Counts an upload no more: it is complete.
    func forget(_ name: String, of client: String) { self.remove([name], of: client) }

    private func remove(_ gone: Set<String>, of client: String) {
        self.state.withLock { state in
            state.names[client]?.removeAll { gone.contains($0) }
            if state.names[client]?.isEmpty == true { state.names[client] = nil }
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
}
