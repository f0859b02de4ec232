#if Transfer
import Formwork
import FormworkCore
import FormworkResumable
import Synchronization

/// Files of which the store copies the bytes.
extension S3Upload {
    /// Begins to copy objects' bytes in the store. ``finish()`` waits for that.
    /// - Parameters:
    ///   - range: The bytes of a form's file; `nil` for all. Of all a receiver may have made the file before it ended: then
    ///     that one is used.
    ///   - finished: The upload that the pieces are.
    /// - Throws: ``S3Error`` if the store refuses a copy, among others.
    func copy(_ pieces: StoredPieces, _ range: Range<Int64>?, _ finished: S3Storage.FinishedPieces) async throws {
        // Until the store has copied something, an error here shows that it can't.
        guard range != nil, self.storage.hasCopied.load(ordering: .relaxed) else {
            return try await self.beginCopies(pieces, range, finished)
        }
        // The form's next file needn't wait for these requests.
        self.beginning = finished.work.begin(self.file.path.text) {
            try await self.beginCopies(pieces, range, finished)
        }
    }

    func beginCopies(
        _ pieces: StoredPieces, _ range: Range<Int64>?, _ finished: S3Storage.FinishedPieces
    ) async throws {
        // A form's files have marks of their own.
        self.isShared = range == nil
        let length = range.map { Int64($0.count) } ?? pieces.count
        if range == nil, try await self.findMade(length, finished.placed) { return }
        if range == nil {
            let confirm = finished.confirm
            self.confirm = { try await confirm($0, $1, nil) }
        } else {
            self.noteItself(finished.confirm)
        }
        _ = try await self.beginParts()
        (self.length, self.sentCount) = (length, length)
        for part in pieces.parts(range ?? 0..<length) { try await self.add(part, nil, finished.work) }
    }

    /// Has the next part made.
    /// - Parameter number: Its number, if it has got one before.
    private func add(_ part: StoredPieces.Part, _ number: Int?, _ work: CopyWork) async throws {
        switch part {
        case .whole(let piece): try await self.addCopy(of: piece.key, nil, work.copies)
        case .copied(let slice): try await self.addCopy(of: slice.key, slice.range, work.copies)
        case .read(let slices): try await self.addEdge(slices, number, work.edges)
        }
    }

    /// Has the store copy the next part. The first copy of all is waited for: it shows whether the store copies.
    private func addCopy(of source: String, _ range: Range<Int64>?, _ slots: RequestSlots) async throws {
        try await self.addPart(atOnce: .max) { client, number, key, id in
            try await slots.run {
                try await Self.sources {
                    try await client.copyPart(from: source, range, number: number, key: key, id: id)
                }
            }
        }
        guard !self.storage.hasCopied.load(ordering: .relaxed) else { return }
        while !self.onTheWay.isEmpty { await self.waitForOldest() }
        try Task.checkCancellation()
        if let failure { throw failure }
        self.storage.hasCopied.store(true, ordering: .relaxed)
    }

    /// Reads bytes that are too few to be copied, and sends them as the next part.
    private func addEdge(_ slices: [S3Client.Slice], _ number: Int?, _ slots: RequestSlots) async throws {
        try await self.addPart(number, atOnce: .max) { [lease] client, number, key, id in
            try await slots.run {
                let count = slices.reduce(0) { $0 + Int(clamping: $1.count) }
                let share = min(S3Storage.bufferBytes(count), lease?.least ?? 0)
                try await lease?.take(share)
                defer { lease?.release(share) }
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

/// Files of which the store copies the bytes before their form is complete.
extension S3Upload {
    /// Begins such a file.
    /// - Parameters:
    ///   - prepare: Called before the file gets a name.
    ///   - confirm: Notes what makes it.
    func beginEarly(
        _ work: CopyWork, _ prepare: @escaping @Sendable () async throws -> Void,
        _ confirm: @escaping @Sendable (_ key: String, _ upload: String?, _ marker: String?) async throws -> Void
    ) {
        self.noteItself(confirm)
        self.beginning = work.begin(self.file.path.text) {
            try await prepare()
            _ = try await self.beginParts()
        }
    }

    /// Has the next part copied. One that is to be read only gets its number: it needs memory.
    /// - Returns: Whether the copy is on its way: ``waitForOldest()`` waits for it, after those before.
    func addEarly(_ part: StoredPieces.Part, _ work: CopyWork) async throws -> Bool {
        try await self.beginning?.value
        try self.checkOpen()
        self.early.append(part)
        guard part.copiedBytes > 0 else {
            _ = try self.nextNumber()
            return false
        }
        try await self.add(part, nil, work)
        return !self.onTheWay.isEmpty
    }

    /// Has the other parts made, now that the form is complete. ``finish()`` waits for that.
    ///
    /// If anything is wrong with what was copied before, the file is begun anew.
    func copyRest(_ pieces: StoredPieces, _ range: Range<Int64>, _ finished: S3Storage.FinishedPieces) {
        let early = self.beginning
        self.beginning = finished.work.begin(self.file.path.text) {
            do {
                try await early?.value
                try await self.addRest(pieces, range, finished)
            } catch {
                try await self.beginAnew(after: error)
                try await self.beginCopies(pieces, range, finished)
            }
        }
    }

    private func addRest(
        _ pieces: StoredPieces, _ range: Range<Int64>, _ finished: S3Storage.FinishedPieces
    ) async throws {
        let (parts, work) = (pieces.parts(range), finished.work)
        guard let multipart, parts.starts(with: self.early) else { throw CancellationError() }
        for (index, part) in self.early.enumerated() {
            if case .read = part { try await self.add(part, index + 1, work) }
        }
        for part in parts.dropFirst(self.early.count) { try await self.add(part, nil, work) }
        while !self.onTheWay.isEmpty { await self.waitForOldest() }
        try Task.checkCancellation()
        try self.checkOpen()
        // Another program had more time than usual to take the name.
        let isTaken = try await self.storage.client.head(self.storage.location.prefix + multipart.name) != nil
        if isTaken { throw CancellationError() }
        (self.length, self.sentCount) = (Int64(range.count), Int64(range.count))
        self.noteItself(finished.confirm)
    }

    /// Removes what was begun.
    /// - Throws: The error, if the file was abandoned.
    private func beginAnew(after error: any Error) async throws {
        guard case .open = self.state, !Task.isCancelled else { throw error }
        let tasks = self.onTheWay
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        let multipart = self.multipart
        (self.onTheWay, self.tags, self.early, self.failure, self.multipart) = ([], [], [], nil, nil)
        // In a separate task, as when it is abandoned.
        if let multipart { _ = await Task { await self.storage.abort(multipart, hadPartsOnTheWay: true) }.value }
    }
}
#endif
