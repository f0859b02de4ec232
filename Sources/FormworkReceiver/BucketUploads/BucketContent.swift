import FormworkEssentials
import Formwork
import FormworkDigests
import FormworkNIO
import FormworkResumable
import NIOCore

/// The bytes of one upload in a bucket, as one receiver adds to them.
///
/// Bytes are collected into parts, objects of their own that are sent several at a time. They count when ``sync()`` has
/// written the upload's state. The store accepts it only from the receiver that has read the current state. So of two
/// receivers one continues. The other gets ``UploadIsBusy`` with its next change, and no state names its objects.
actor BucketContent: ObservingContent {
    private enum Status {
        case open
        /// Another receiver has changed the upload, or a request has failed. What the state doesn't have is lost.
        case failed(any Error)
        case closed
    }

    private struct Sending {
        var piece: StoredPieces.Piece
        /// What was observed up to the end of the piece.
        var map: FormMap?
        var digests: [String: Data]?
        var task: Task<Void, any Error>
    }

    private let uploads: BucketUploads
    nonisolated let name: String
    /// The memory of the request that adds to it; `nil` without a limit.
    private let lease = ReceiverMemory.lease
    /// Bytes of the lease that the buffer has.
    private var leased = 0
    private var status = Status.open
    private let object: StateObject
    /// Parts that aren't in the state yet, in order.
    private var sent: [Sending] = []
    /// Bytes after the last part; `nil` if they are those of the state's tail, which hasn't been read.
    private var buffer: ByteBuffer?
    /// The digest of the buffer, if its request is signed with it; `nil` for a buffer that was read from the store, too.
    private var payload: SHA256Digest?
    private var concurrency: PartConcurrency
    /// The number of parts that are being sent.
    private var onTheWay = 0
    /// Whether the buffer is what the state's tail has.
    private var isTailCurrent = true
    private var wanted: UploadObservation?
    /// Finds a form's files; `nil` if it isn't a form, or some of its bytes weren't observed.
    private var mapper: FormMapper?
    /// Digests of all bytes: those that are wanted, and of which no bytes are missing.
    private var digests: [any SavableDigest] = []

    init(_ name: String, in uploads: BucketUploads, _ state: BucketState, tag: String) {
        (self.name, self.uploads) = (name, uploads)
        self.object = StateObject(name, in: uploads, state, tag: tag)
        self.concurrency = PartConcurrency(uploads.storage.options.partsAtOnce)
        if state.bytes.tail == nil { self.buffer = ByteBuffer() }
    }

    private var client: S3Client { self.uploads.client }
    private var state: BucketState { self.object.state }

    /// What is saved, as far as this receiver knows; `nil` if it knows that another has the upload.
    var saved: BucketState? { if case .open = self.status { self.state } else { nil } }

    /// Bytes in parts, those that are being sent included.
    private var inParts: Int64 { self.sent.reduce(self.state.bytes.inParts) { $0 + $1.piece.count } }

    /// All bytes, whether or not they count yet.
    private var count: Int64 {
        self.inParts + (self.buffer.map { Int64($0.readableBytes) } ?? self.state.bytes.tail?.count ?? 0)
    }

    // MARK: ObservingContent

    func observe(_ wanted: UploadObservation) {
        self.wanted = wanted
        self.continueObserving(self.state.bytes)
    }

    func digests(count: Int64) -> [DigestValue] {
        self.digests.filter { $0.byteCount == count }.map {
            DigestValue(algorithm: type(of: $0).algorithm, bytes: $0.finalized())
        }
    }

    /// Continues to observe after bytes that the upload has.
    /// - Parameter bytes: `nil` if it isn't known what was observed of them.
    private func continueObserving(_ bytes: BucketState.Bytes?) {
        (self.mapper, self.digests) = (nil, [])
        guard let wanted, let bytes else { return }
        let least = self.uploads.leastCopy
        if bytes.count == 0 {
            self.mapper = wanted.form.flatMap { FormMapper($0, digestsFiles: wanted.digestsFiles, least: least) }
            self.digests = wanted.algorithms.compactMap(DigestAlgorithms.digest(named:))
            return
        }
        if let form = wanted.form, let map = bytes.map, map.position.count == bytes.count {
            self.mapper = FormMapper(form, digestsFiles: wanted.digestsFiles, least: least, after: map)
        }
        self.digests = wanted.algorithms.compactMap { algorithm in
            bytes.digests?[algorithm].flatMap { DigestAlgorithms.digest(named: algorithm, saved: Array($0)) }
        }.filter { $0.byteCount == bytes.count }
    }

    // MARK: UploadContent

    func append(_ bytes: [UInt8], at offset: Int64) async throws {
        try await self.working {
            guard offset == self.count else { throw UploadIsBusy() }
            try await self.readTail()
            // With a limit, each part is as large as the memory that every upload has.
            let number = self.lease == nil ? self.state.bytes.parts.count + self.sent.count : 0
            let size = self.uploads.partSize(number: number)
            var rest = bytes[...]
            while !rest.isEmpty {
                try await self.takeMemory()
                // A receiver with larger parts may have left more than a part.
                let filled = self.buffer?.readableBytes ?? 0
                if filled == 0 { self.payload = self.client.exchange.signsContent ? SHA256Digest() : nil }
                let room = max(0, size - filled)
                self.buffer?.writeBytes(rest.prefix(room))
                rest.prefix(room).withBytes {
                    self.mapper?.update($0)
                    self.digest($0)
                }
                rest = rest.dropFirst(room)
                self.isTailCurrent = false
                if self.buffer?.readableBytes ?? 0 >= size { try await self.sendPart() }
            }
        }
    }

    /// Adds bytes to the digests of the upload, and to that of the buffer.
    private func digest(_ bytes: RawSpan) {
        let index = self.digests.firstIndex { $0 is SHA256Digest }
        var whole = index.flatMap { self.digests[$0] as? SHA256Digest }
        SHA256Digest.update(&self.payload, &whole, bytes)
        for other in self.digests.indices where other != index { self.digests[other].update(bytes) }
        if let index, let whole { self.digests[index] = whole }
    }

    func truncate(to count: Int64) async throws {
        try await self.working {
            guard count < self.count else { return }
            defer { self.object.opened = BucketState.Mark(self.state.bytes) }
            if count >= self.inParts {
                let bytes = self.bytes(with: self.sent[...])
                let marks = [self.object.opened, self.state.mark].compactMap { $0?.bytes(in: bytes) }
                self.continueObserving(marks.first { $0.count == count })
                try await self.readTail()
                self.payload = nil
                self.buffer = self.buffer?.getSlice(
                    at: self.buffer?.readerIndex ?? 0, length: Int(count - self.inParts))
                self.isTailCurrent = false
                return try await self.save()
            }
            // What isn't in the state is forgotten.
            await self.cancelParts()
            (self.buffer, self.isTailCurrent) = (nil, true)
            if count < self.state.bytes.count {
                guard let marked = self.state.marked, marked.count == count else {
                    throw FormworkError(.writeFailed, "the bytes of an upload in \(self.uploads.place) can't be cut")
                }
                try await self.object.change { $0.bytes = marked }
            }
            self.continueObserving(self.state.bytes)
            if self.state.bytes.tail == nil { self.buffer = ByteBuffer() }
        }
    }

    func sync() async throws { try await self.working { try await self.save() } }

    func finished(count: Int64) async throws -> BodySource {
        try await self.working {
            guard self.count == count else { throw UploadIsBusy() }
            try await self.save()
            let placed = try await self.object.endPlacings()
            // However few the bytes are, the storage must know what makes the file.
            self.uploads.finished(self, self.state.bytes, placed: placed)
            if self.lease != nil {
                // The buffer's memory is for what reads it.
                self.freeBuffer()
                let pieces = self.state.bytes.pieces
                return pieces.isEmpty ? .bytes(ByteBuffer()) : self.uploads.source(pieces)
            }
            guard self.inParts > 0 else {
                try await self.readTail()
                return .bytes(self.buffer ?? ByteBuffer())
            }
            return self.uploads.source(self.state.bytes.pieces)
        }
    }

    func close() async {
        await self.cancelParts()
        self.uploads.closed(self)
        self.status = .closed
        self.freeBuffer()
    }

    /// Makes sure that this receiver still has the upload, and notes what makes its file.
    func confirm(_ placing: BucketState.Placing) async throws {
        try await self.working { try await self.object.note(placing) }
    }

    // MARK: The record

    /// Replaces the record.
    func keep(_ record: [UInt8]) async throws {
        try await self.working { try await self.object.change { $0.record = Data(record) } }
    }

    /// Removes the bytes, or the whole upload.
    func discard(_ place: BucketState.Location) async throws {
        try await self.working {
            await self.cancelParts()
            let placings = place == .removed ? self.state.placings ?? [] : []
            // The keys are listed: pieces of receivers that were killed are in no state.
            try await self.object.change(removesPieces: false) { $0.clear(place) }
            await self.uploads.abort(placings)
            (self.buffer, self.isTailCurrent) = (ByteBuffer(), true)
            (self.mapper, self.digests) = (nil, [])
            await self.uploads.removeBytes(of: self.name)
        }
    }

    // MARK: Steps

    /// After an error nothing more can be done with it.
    private func working<Result>(_ body: () async throws -> Result) async throws -> Result {
        switch self.status {
        case .open: break
        case .failed(let error): throw error
        case .closed: throw CancellationError()
        }
        do { return try await body() } catch {
            await self.cancelParts()
            if case .open = self.status { (self.status, self.object.failure) = (.failed(error), error) }
            throw self.uploads.withContext(error)
        }
    }

    /// Waits for the parts, and writes the state.
    /// - Parameters:
    ///   - hasTail: Whether the bytes after the last part are saved, too.
    ///   - leaving: The number of the last parts that aren't waited for, nor saved.
    private func save(hasTail: Bool = true, leaving: Int = 0) async throws {
        guard !self.sent.isEmpty || (hasTail && !self.isTailCurrent) else { return }
        let saved = self.sent.dropLast(leaving)
        for part in saved { try await part.task.value }
        var bytes = self.bytes(with: saved)
        if hasTail, let buffer {
            bytes.tail = nil
            (bytes.map, bytes.digests) = (self.mapper?.map, self.savedDigests)
            if buffer.readableBytes > 0 {
                let tail = StoredPieces.Piece(
                    key: self.uploads.key(self.name, .piece), count: Int64(buffer.readableBytes))
                try await self.client.put(buffer, key: tail.key)
                bytes.tail = tail
            }
        }
        try await self.object.change { $0.bytes = bytes }
        // They may have been cancelled meanwhile.
        self.sent = Array(self.sent.dropFirst(saved.count))
        if hasTail { self.isTailCurrent = true }
    }

    /// The state's bytes and parts that were sent since.
    private func bytes(with sent: ArraySlice<Sending>) -> BucketState.Bytes {
        var bytes = self.state.bytes
        // The tail is the beginning of the first part that was sent.
        if let last = sent.last { (bytes.tail, bytes.map, bytes.digests) = (nil, last.map, last.digests) }
        bytes.parts += sent.map(\.piece)
        return bytes
    }

    private var savedDigests: [String: Data] {
        .init(uniqueKeysWithValues: self.digests.map { (type(of: $0).algorithm, Data($0.saved)) })
    }

    private func readTail() async throws {
        guard self.buffer == nil else { return }
        guard let tail = self.state.bytes.tail else { return self.buffer = ByteBuffer() }
        try await self.takeMemory()
        self.payload = nil
        self.buffer = try await self.client.read(tail.key, 0..<tail.count)
    }

    private func sendPart() async throws {
        guard let body = self.buffer else { return }
        guard self.state.bytes.parts.count + self.sent.count < S3Storage.maximumParts - 1 else {
            throw FormworkError(
                .limitExceeded, "an upload has more than the \(S3Storage.maximumParts, "part") that an object can have")
        }
        let atOnce = self.uploads.storage.partsAtOnce(self.concurrency)
        if self.sent.count >= max(BucketUploads.unsavedParts, atOnce) + atOnce - 1 {
            try await self.save(hasTail: false, leaving: atOnce - 1)
        }
        if self.onTheWay >= atOnce { self.concurrency.waited() }
        for part in self.sent.dropLast(atOnce - 1) { try await part.task.value }
        let piece = StoredPieces.Piece(key: self.uploads.key(self.name, .piece), count: Int64(body.readableBytes))
        // Not a child task: the part outlives the call that filled it. save() and close() wait for each.
        self.onTheWay += 1
        let task = Task { [storage = self.uploads.storage, lease, leased, sha256 = self.payload?.hex] in
            storage.partBegins()
            defer {
                storage.partEnded()
                lease?.release(leased)
                self.onTheWay -= 1
            }
            try await storage.client.put(body, sha256: sha256, key: piece.key)
            self.concurrency.stored(body.readableBytes)
        }
        self.sent.append(Sending(piece: piece, map: self.mapper?.map, digests: self.savedDigests, task: task))
        (self.buffer, self.payload, self.leased) = (ByteBuffer(), nil, 0)
    }

    /// Waits until there is memory for a part.
    private func takeMemory() async throws {
        guard let lease, self.leased == 0 else { return }
        let count = S3Storage.bufferBytes(self.uploads.partSize(number: 0))
        try await lease.take(count)
        self.leased = count
    }

    private func freeBuffer() {
        self.buffer = nil
        self.lease?.release(self.leased)
        self.leased = 0
    }

    private func cancelParts() async {
        let parts = self.sent
        self.sent = []
        for part in parts { part.task.cancel() }
        for part in parts { _ = await part.task.result }
    }
}
