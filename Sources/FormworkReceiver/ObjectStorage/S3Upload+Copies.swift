import FormworkResumable
import Synchronization

/// Files of which the store copies the bytes.
extension S3Upload {
    /// Begins to copy objects' bytes in the store. ``finish()`` waits for that.
    /// - Parameters:
    ///   - range: The bytes of a form's file; `nil` for all. Another receiver may have made the file of all before it
    ///     ended: then that one is used.
    ///   - finished: The upload that the pieces are.
    /// - Throws: ``S3Error`` if the store refuses a copy, among others.
    func copy(_ pieces: StoredPieces, _ range: Range<Int64>?, _ finished: S3Storage.FinishedPieces) async throws {
        // Until the store has copied something, an error here shows that it can't.
        guard range != nil, self.storage.knowledge.hasCopied.load(ordering: .relaxed) else {
            return try await self.beginCopies(pieces, range, finished)
        }
        // The form's next file needn't wait for these requests.
        self.parts.beginning = finished.work.begin(self.file.path.text) {
            try await self.beginCopies(pieces, range, finished)
        }
    }

    private func beginCopies(
        _ pieces: StoredPieces, _ range: Range<Int64>?, _ finished: S3Storage.FinishedPieces
    ) async throws {
        // A form's files have marks of their own.
        self.ownership.isShared = range == nil
        let length = range.map { Int64($0.count) } ?? pieces.count
        if range == nil, try await self.findMade(length, finished.placed) { return }
        if range == nil {
            let confirm = finished.confirm
            self.ownership.confirm = { try await confirm($0, $1, nil) }
        } else {
            self.recordIdentity(finished.confirm)
        }
        _ = try await self.beginParts()
        (self.parts.length, self.parts.count) = (length, length)
        for part in pieces.parts(range ?? 0..<length) {
            switch part {
            case .whole(let piece): try await self.addCopy(of: piece.key, nil, finished.work.copies)
            case .copied(let slice): try await self.addCopy(of: slice.key, slice.range, finished.work.copies)
            case .read(let slices): try await self.addEdge(slices, finished.work.edges)
            }
        }
    }

    /// Has the store copy the next part. The first copy of all is waited for: it shows whether the store copies.
    private func addCopy(of source: String, _ range: Range<Int64>?, _ slots: Gate) async throws {
        try await self.addPart(atOnce: .max) { client, number, key, id in
            try await slots.run {
                try await Self.sources {
                    try await client.copyPart(from: source, range, number: number, key: key, id: id)
                }
            }
        }
        guard !self.storage.knowledge.hasCopied.load(ordering: .relaxed) else { return }
        while !self.parts.onTheWay.isEmpty { await self.waitForOldest() }
        try Task.checkCancellation()
        if let failure = self.parts.failure { throw failure }
        self.storage.knowledge.hasCopied.store(true, ordering: .relaxed)
    }

    /// Reads bytes that are too few to be copied, and sends them as the next part.
    private func addEdge(_ slices: [S3Client.Slice], _ slots: Gate) async throws {
        try await self.addPart(atOnce: .max) { [memory] client, number, key, id in
            try await slots.run {
                let count = slices.reduce(0) { $0 + Int(clamping: $1.count) }
                let share = min(S3Storage.bufferBytes(count), memory?.least ?? 0)
                try await memory?.take(share)
                defer { memory?.release(share) }
                let bytes = try await Self.sources { try await client.read(slices) }
                return try await client.uploadPart(bytes, number: number, key: key, id: id)
            }
        }
    }

    /// Reads or copies an upload's pieces.
    /// - Throws: ``UploadIsBusy`` if one is gone: then another receiver has completed the upload, or it was removed.
    private static func sources<Result>(_ use: () async throws -> Result) async throws -> Result {
        do { return try await use() } catch let error as S3Error where error.code == "NoSuchKey" {
            throw UploadIsBusy()
        }
    }

    /// Looks for the file that another receiver has made of the same upload.
    private func findMade(_ length: Int64, _ placed: [String]) async throws -> Bool {
        // Only the objects that the state names: names in front of them may have become free again.
        for key in placed {
            guard let found = try await self.storage.client.head(key), found.marker == self.marker,
                found.length == length, let name = self.storage.location.name(ofKey: key)
            else { continue }
            self.state = .finished(name: name, versionID: found.versionID)
            return true
        }
        return false
    }
}

/// What the copies of one upload's files have in common.
final class CopyWork: Sendable {
    /// Bound the copies, and the parts that are read.
    let copies, edges: Gate
    private let beginnings = Mutex<[String: Task<Void, any Error>]>([:])

    init(_ options: S3Storage.Options) {
        self.copies = Gate(limit: options.copiesAtOnce)
        self.edges = Gate(limit: options.parallelism)
    }

    /// Begins a file after an earlier one with the same path, which gets the name.
    func begin(_ path: String, _ body: @escaping @Sendable () async throws -> Void) -> Task<Void, any Error> {
        self.beginnings.withLock { beginnings in
            let earlier = beginnings[path]
            let task = Task {
                _ = await earlier?.result
                try await body()
            }
            beginnings[path] = task
            return task
        }
    }
}

extension Gate {
    /// Runs a request when fewer than the limit are under way.
    /// - Throws: Its error; `CancellationError` if the task was cancelled before its turn.
    func run<Result>(_ request: () async throws -> Result) async throws -> Result {
        await self.enter()
        defer { self.leave() }
        try Task.checkCancellation()
        return try await request()
    }
}
