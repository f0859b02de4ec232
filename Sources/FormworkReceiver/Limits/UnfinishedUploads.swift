import Synchronization

/// The resumable uploads that each client has begun in this run.
final class UnfinishedUploads: Sendable {
    private struct Entry {
        var id: Int
        var client: String
        /// `nil` for an upload that is being begun.
        var name: String?
        /// The bytes that it announced; 0 if it didn't.
        var length: Int64
    }

    private struct State {
        var entries: [Entry] = []
        var lastID = 0
        /// When each client's uploads were last checked.
        var looked: [String: ContinuousClock.Instant] = [:]
        /// When names of uploads that no longer exist were last removed.
        var swept = ContinuousClock.now

        mutating func remove(_ names: Set<String>) {
            self.entries.removeAll { entry in entry.name.map(names.contains) ?? false }
        }
    }

    /// A client's right to begin one upload. It counts like an upload until it is given back or an upload has it.
    struct Reservation: Sendable {
        fileprivate let uploads: UnfinishedUploads
        fileprivate let id: Int

        /// Counts the upload that was created instead.
        func take(_ name: String) {
            self.uploads.state.withLock { state in
                guard self.uploads.limit < .max || self.uploads.bytes < .max else {
                    return state.entries.removeAll { $0.id == self.id }
                }
                guard let index = state.entries.firstIndex(where: { $0.id == self.id }) else { return }
                state.entries[index].name = name
            }
        }

        /// Counts no more, unless an upload was created.
        func giveBack() {
            self.uploads.state.withLock { $0.entries.removeAll { $0.id == self.id && $0.name == nil } }
        }
    }

    /// The path under which uploads that arrive in pieces have their URLs.
    static let path = "/.uploads/"

    private let limit: Int
    /// The bytes that all uploads of one client together may announce.
    let bytes: Int64
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: Uploads of one client.
    ///   - bytes: The bytes that they may announce together.
    init(limit: Int, bytes: Int64 = .max) { (self.limit, self.bytes) = (limit, bytes) }

    private func reserveNow(_ length: Int64, for client: String) -> Reservation? {
        self.state.withLock { state in
            let entries = state.entries.filter { $0.client == client }
            let left = entries.reduce(self.bytes) { $0 - min($1.length, $0) }
            guard entries.count < self.limit, length <= left else { return nil }
            state.lastID += 1
            state.entries.append(Entry(id: state.lastID, client: client, length: length))
            return Reservation(uploads: self, id: state.lastID)
        }
    }

    /// Lets a client begin an upload.
    /// - Parameters:
    ///   - length: The bytes that the upload announces, 0 or more.
    ///   - isThere: Whether an upload of this name exists and is unfinished; this reads files.
    /// - Returns: `nil` if the client has too many, or they have announced too many bytes.
    func reserve(
        _ length: Int64 = 0, for client: String, at now: ContinuousClock.Instant = .now,
        isThere: (String) async -> Bool
    ) async -> Reservation? {
        if let place = self.reserveNow(length, for: client) { return place }
        let (names, looked) = self.state.withLock { state in
            (state.entries.filter { $0.client == client }.compactMap(\.name), state.looked[client])
        }
        // A client that asks repeatedly gets the last result for a second.
        if let looked, now - looked < .seconds(1) { return nil }
        var gone: Set<String> = []
        for name in names where !(await isThere(name)) { gone.insert(name) }
        self.state.withLock { [gone] in $0.remove(gone) }
        let place = self.reserveNow(length, for: client)
        self.state.withLock { state in
            state.looked[client] = place == nil ? now : nil
            if state.looked.count > 1_000 { state.looked = state.looked.filter { now - $0.value < .seconds(1) } }
        }
        return place
    }

    /// Counts an upload no more: it is complete.
    func forget(_ name: String) { self.state.withLock { $0.remove([name]) } }

    /// The number of names known, for tests.
    var count: Int { self.state.withLock { $0.entries.count { $0.name != nil } } }

    /// Forgets uploads that no longer exist. Does nothing if that was done in the last minute.
    /// - Parameter existing: The names of all uploads, or `nil` if they can't be listed; this reads a folder.
    func sweep(at now: ContinuousClock.Instant = .now, existing: () async -> [String]?) async {
        // An upload that begins meanwhile isn't in the list, so the names are read first.
        let known = self.state.withLock { state -> Set<String> in
            guard !state.entries.isEmpty, now - state.swept >= .seconds(60) else { return [] }
            state.swept = now
            return Set(state.entries.compactMap(\.name))
        }
        guard !known.isEmpty, let existing = await existing() else { return }
        let gone = known.subtracting(existing)
        guard !gone.isEmpty else { return }
        self.state.withLock { $0.remove(gone) }
    }
}
