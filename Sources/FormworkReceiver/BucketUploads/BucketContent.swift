import FormworkEssentials
import FormworkDigests
import FormworkResumable
import NIOCore

/// The bytes of one upload in a bucket, as one receiver adds to them.
///
/// Bytes are collected into parts, objects of their own that are sent several at a time. They count when ``sync()`` has
/// written the upload's state. The store accepts it only from the receiver that has read the current state. So of two
/// receivers one continues. The other gets ``UploadIsBusy`` with its next change, and no state names its objects.
actor BucketContent: UploadContent {
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

    /// What is found out of the bytes while they arrive.
    private struct Observer {
        var wanted: UploadObservation?
        /// Finds a form's files; `nil` if it isn't a form, or some of its bytes weren't observed.
        var mapper: FormMapper?
        /// Digests of all bytes: those that are wanted, and of which no bytes are missing.
        var digests: [any SavableDigest] = []
    }

    /// How parts are sent.
    private struct Sender {
        var concurrency: PartConcurrency
        /// The number of parts that are being sent.
        var onTheWay = 0
    }

    private let uploads: BucketUploads
    nonisolated let name: String
    /// The memory of the request that adds to it; `nil` without a limit.
    private let memory: (any UploadMemory)?
    private var status = Status.open
    private let object: StateObject
    /// Parts that aren't in the state yet, in order.
    private var sent: [Sending] = []
    /// Bytes after the last part; `nil` if they are those of the state's tail, which hasn't been read.
    private var buffer: PartBuffer?
    private var sender: Sender
    /// Whether the buffer is what the state's tail has.
    private var isTailCurrent = true
    private var observer = Observer()

    init(
        _ name: String, in uploads: BucketUploads, _ state: BucketState, tag: String, _ memory: (any UploadMemory)?
    ) {
        (self.name, self.uploads, self.memory) = (name, uploads, memory)
        self.object = StateObject(name, in: uploads, state, tag: tag)
        self.sender = Sender(concurrency: PartConcurrency(uploads.storage.options.partsAtOnce))
        if state.bytes.tail == nil { self.buffer = PartBuffer() }
    }

    private var client: S3Client { self.uploads.client }
    private var state: BucketState { self.object.state }

    /// What is saved, as far as this receiver knows; `nil` if it knows that another has the upload.
    var saved: BucketState? { if case .open = self.status { self.state } else { nil } }

    /// Bytes in parts, those that are being sent included.
    private var inParts: Int64 { self.sent.reduce(self.state.bytes.inParts) { $0 + $1.piece.count } }

    /// All bytes, whether or not they count yet.
    private var count: Int64 {
        self.inParts + (self.buffer.map { Int64($0.bytes.readableBytes) } ?? self.state.bytes.tail?.count ?? 0)
    }

    // MARK: Observing

    func observe(_ wanted: UploadObservation) -> Bool {
        self.observer.wanted = wanted
        self.continueObserving(self.state.bytes)
        return true
    }

    func digests(count: Int64) -> [DigestValue] {
        self.observer.digests.filter { $0.byteCount == count }.map {
            DigestValue(algorithm: type(of: $0).algorithm, bytes: $0.finalized())
        }
    }

    /// Continues to observe after bytes that the upload has.
    /// - Parameter bytes: `nil` if it isn't known what was observed of them.
    private func continueObserving(_ bytes: BucketState.Bytes?) {
        (self.observer.mapper, self.observer.digests) = (nil, [])
        guard let wanted = self.observer.wanted, let bytes else { return }
        let least = self.uploads.leastCopy
        if bytes.count == 0 {
            self.observer.mapper = wanted.form.flatMap {
                FormMapper($0, digestsFiles: wanted.digestsFiles, least: least)
            }
            self.observer.digests = wanted.algorithms.compactMap(DigestAlgorithms.digest(named:))
            return
        }
        if let form = wanted.form, let map = bytes.map, map.position.count == bytes.count {
            self.observer.mapper = FormMapper(form, digestsFiles: wanted.digestsFiles, least: least, after: map)
        }
        self.observer.digests = wanted.algorithms.compactMap { algorithm in
            bytes.digests?[algorithm].flatMap { DigestAlgorithms.digest(named: algorithm, saved: Array($0)) }
        }.filter { $0.byteCount == bytes.count }
    }

    // MARK: UploadContent

    func append(_ bytes: [UInt8], at offset: Int64) async throws {
        try await self.working {
            guard offset == self.count else { throw UploadIsBusy() }
            try await self.readTail()
            // With a limit, each part is as large as the memory that every upload has.
            let number = self.memory == nil ? self.state.bytes.parts.count + self.sent.count : 0
            let size = self.uploads.partSize(number: number)
            var rest = bytes[...]
            while !rest.isEmpty {
                if self.buffer?.leased == 0 {
                    let taken = try await self.takeMemory()
                    if self.buffer == nil { self.memory?.release(taken) }
                    self.buffer?.leased = taken
                }
                // A buffer with two owners would be copied. A closed upload has no buffer.
                guard var buffer = self.buffer.take() else { throw CancellationError() }
                if buffer.bytes.readableBytes == 0 {
                    buffer.payload = self.client.exchange.signsContent ? SHA256Digest() : nil
                }
                // A receiver with larger parts may have left more than a part.
                let added = rest.prefix(max(0, size - buffer.bytes.readableBytes))
                buffer.bytes.writeBytes(added)
                added.withBytes {
                    self.observer.mapper?.update($0)
                    self.digest($0, &buffer.payload)
                }
                rest = rest.dropFirst(added.count)
                (self.buffer, self.isTailCurrent) = (buffer, false)
                if buffer.bytes.readableBytes >= size { try await self.sendPart() }
            }
        }
    }

    /// Adds bytes to the digests of the upload, and to that of the buffer.
    private func digest(_ bytes: RawSpan, _ payload: inout SHA256Digest?) {
        let index = self.observer.digests.firstIndex { $0 is SHA256Digest }
        var whole = index.flatMap { self.observer.digests[$0] as? SHA256Digest }
        SHA256Digest.update(&payload, &whole, bytes)
        for other in self.observer.digests.indices where other != index { self.observer.digests[other].update(bytes) }
        if let index, let whole { self.observer.digests[index] = whole }
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
                if var buffer = self.buffer.take() {
                    buffer.payload = nil
                    buffer.bytes.moveWriterIndex(to: buffer.bytes.readerIndex + Int(count - self.inParts))
                    self.buffer = buffer
                }
                self.isTailCurrent = false
                return try await self.save()
            }
            // What isn't in the state is forgotten.
            await self.cancelParts()
            self.freeBuffer()
            self.isTailCurrent = true
            if count < self.state.bytes.count {
                guard let marked = self.state.marked, marked.count == count else {
                    throw FormworkError(.writeFailed, "the bytes of an upload in \(self.uploads.place) can't be cut")
                }
                try await self.object.change { $0.bytes = marked }
            }
            self.continueObserving(self.state.bytes)
            if self.state.bytes.tail == nil { self.buffer = PartBuffer() }
        }
    }

    func empty() async throws { try await self.truncate(to: 0) }

    func sync() async throws { try await self.working { try await self.save() } }

    func finished(count: Int64) async throws -> BodySource {
        try await self.working {
            guard self.count == count else { throw UploadIsBusy() }
            try await self.save()
            let placed = try await self.object.endPlacings()
            // However few the bytes are, the storage must know what makes the file.
            self.uploads.finished(self, self.state.bytes, placed: placed)
            if self.memory != nil {
                // The buffer's memory is for what reads it.
                self.freeBuffer()
                let pieces = self.state.bytes.pieces
                return pieces.isEmpty ? .bytes(ByteBuffer()) : self.uploads.source(pieces)
            }
            guard self.inParts > 0 else {
                try await self.readTail()
                return .bytes(self.buffer?.bytes ?? ByteBuffer())
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
            self.freeBuffer()
            (self.buffer, self.isTailCurrent) = (PartBuffer(), true)
            (self.observer.mapper, self.observer.digests) = (nil, [])
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
        if hasTail, let buffer = self.buffer?.bytes {
            bytes.tail = nil
            (bytes.map, bytes.digests) = (self.observer.mapper?.map, self.savedDigests)
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
        .init(uniqueKeysWithValues: self.observer.digests.map { (type(of: $0).algorithm, Data($0.saved)) })
    }

    private func readTail() async throws {
        guard self.buffer == nil else { return }
        var buffer = PartBuffer()
        if let tail = self.state.bytes.tail {
            buffer.leased = try await self.takeMemory()
            do { buffer.bytes = try await self.client.read([tail.slice]) } catch {
                self.memory?.release(buffer.leased)
                // A receiver that continued the upload removes what its state doesn't need.
                throw try await self.object.isCurrent() ? error : UploadIsBusy()
            }
        }
        self.buffer = buffer
    }

    private func sendPart() async throws {
        guard self.state.bytes.parts.count + self.sent.count < S3Storage.maximumParts - 1 else {
            throw FormworkError(
                .limitExceeded, "an upload has more than the \(S3Storage.maximumParts, "part") that an object can have")
        }
        let atOnce = self.uploads.storage.partsAtOnce(self.sender.concurrency)
        if self.sent.count >= max(BucketUploads.unsavedParts, atOnce) + atOnce - 1 {
            try await self.save(hasTail: false, leaving: atOnce - 1)
        }
        if self.sender.onTheWay >= atOnce { self.sender.concurrency.waited() }
        for part in self.sent.dropLast(atOnce - 1) { try await part.task.value }
        let part = self.buffer?.take() ?? PartBuffer()
        let piece = StoredPieces.Piece(
            key: self.uploads.key(self.name, .piece), count: Int64(part.bytes.readableBytes))
        // Not a child task: the part outlives the call that filled it. save() and close() wait for each.
        self.sender.onTheWay += 1
        let task = Task { [storage = self.uploads.storage, memory] in
            storage.partBegins()
            defer {
                storage.partEnded()
                memory?.release(part.leased)
                self.sender.onTheWay -= 1
            }
            try await storage.client.put(part.bytes, sha256: part.payload?.hex, key: piece.key)
            self.sender.concurrency.stored(part.bytes.readableBytes)
        }
        self.sent.append(
            Sending(piece: piece, map: self.observer.mapper?.map, digests: self.savedDigests, task: task))
    }

    /// Waits until there is memory for a part.
    /// - Returns: Its bytes; 0 without a limit.
    private func takeMemory() async throws -> Int {
        guard let memory else { return 0 }
        let count = S3Storage.bufferBytes(self.uploads.partSize(number: 0))
        try await memory.take(count)
        return count
    }

    private func freeBuffer() {
        self.memory?.release(self.buffer?.leased ?? 0)
        self.buffer = nil
    }

    private func cancelParts() async {
        let parts = self.sent
        self.sent = []
        for part in parts { part.task.cancel() }
        for part in parts { _ = await part.task.result }
    }
}
