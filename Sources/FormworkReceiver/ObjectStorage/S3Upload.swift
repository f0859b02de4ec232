import FormworkDigests
import FormworkResumable
import NIOCore
import FormworkEssentials

/// A file that is being uploaded to an object store. One caller at a time writes; ``abandon()`` may be called from
/// another task.
///
/// It holds the parts that are being sent, as many as ``PartConcurrency`` says, and one that is being filled.
actor S3Upload: StorageUpload {
    enum State {
        /// Accepts bytes. → finishing, ended
        case open
        /// Has all bytes. → finished, ended
        case finishing
        /// The object exists. → ended
        case finished(name: String, versionID: String?)
        /// Nothing is left of it, as far as it could be removed.
        case ended
    }

    /// A multipart upload, which reserves its name.
    struct Multipart: Sendable {
        var name: String
        var id: String
    }

    /// The parts of a multipart upload.
    struct Parts {
        /// `nil` before it is begun.
        var multipart: Multipart?
        /// Entity tags, by part number less one.
        var tags: [String?] = []
        var onTheWay: [Task<Void, Never>] = []
        /// Begins the copies of its bytes. ``finish()`` and ``abandon()`` wait for it.
        var beginning: Task<Void, any Error>?
        /// Sends the last bytes early, because memory is short. ``finish()`` and ``abandon()`` wait for it.
        var sendingRest: Task<Void, Never>?
        var failure: (any Error)?
        /// Bytes in parts, copied ones included.
        var count: Int64 = 0
        /// Bytes of the file.
        var length: Int64 = 0
        var concurrency: PartConcurrency
    }

    /// Whose the object is, and the names that it has in the store.
    struct Ownership {
        /// The name under which an object may exist, even if the answer to the request that makes it was lost.
        fileprivate var attempted: String?
        /// The name that the file reserves among the uploads of its process.
        fileprivate var held: String?
        /// Whether another receiver may make an object with the same mark.
        var isShared = false
        /// Notes what makes the object, once it is begun, and before it is made. If it is made by one request, the upload is
        /// `nil`.
        var confirm: (@Sendable (_ key: String, _ upload: String?) async throws -> Void)?
    }

    let storage: S3Storage
    let file: IncomingFile
    /// Marks the object as this upload's.
    nonisolated let marker: String
    nonisolated var trace: Notice.Trace { Notice.Trace(path: self.file.path.text, mark: self.marker) }
    /// The memory of the request that it belongs to; `nil` without a limit.
    let memory: ReceiverMemory.Lease?
    var state = State.open
    var ownership = Ownership()
    private var buffer = PartBuffer()
    var parts: Parts

    /// - Parameter marker: Marks the object as this upload's. Another receiver that stores the same file uses the same.
    init(
        _ file: IncomingFile, in storage: S3Storage, _ memory: ReceiverMemory.Lease? = nil,
        marker: String = UUID().uuidString.lowercased()
    ) {
        (self.file, self.storage, self.memory, self.marker) = (file, storage, memory, marker)
        self.parts = Parts(concurrency: PartConcurrency(storage.options.partsAtOnce))
    }

    private var partSize: Int { self.storage.partSize(for: self.file.length) }

    /// The media type. One that isn't a valid field value (RFC 9110 section 5.5) would make each request fail.
    private var contentType: String? {
        self.file.contentType.flatMap { $0.utf8.allSatisfy { 0x20..<0x7F ~= $0 } ? $0 : nil }
    }

    /// Adds the next bytes; waits while the maximum number of parts is being sent.
    /// - Throws: ``FormworkError/Code/writeFailed`` if the store doesn't accept them, or didn't accept those of an
    ///   earlier call; ``FormworkError/Code/limitExceeded`` after 10,000 parts; `CancellationError`. After an error
    ///   only ``abandon()`` may be called.
    func write(_ buffer: ByteBuffer, digest: inout SHA256Digest?) async throws {
        var rest = buffer
        let size = self.partSize
        while rest.readableBytes > 0 {
            try self.checkOpen()
            // A full part is sent when more bytes come: a file of exactly one part needs no multipart upload.
            if self.buffer.bytes.readableBytes == size { try await self.sendPart() }
            let count = min(rest.readableBytes, size - self.buffer.bytes.readableBytes)
            guard var piece = rest.readSlice(length: count) else { break }
            if self.buffer.bytes.capacity == 0 {
                try await self.takeMemory()
                self.buffer.bytes = self.storage.buffers.take()
                self.buffer.payload = self.storage.client.exchange.signsContent ? SHA256Digest() : nil
                if self.parts.multipart != nil { self.buffer.bytes.reserveCapacity(size) }
            }
            SHA256Digest.update(&self.buffer.payload, &digest, piece.readableBytesSpan)
            self.buffer.bytes.writeBuffer(&piece)
            self.parts.length += Int64(count)
        }
    }

    /// Creates the object.
    /// - Returns: Its final name: the key without the prefix.
    /// - Throws: ``FormworkError/Code/writeFailed``; `CancellationError`. Nothing is left of the file then.
    func finish() async throws -> String {
        if case .finished(let name, _) = self.state { return name }
        if case .open = self.state { self.state = .finishing }
        await self.parts.sendingRest?.value
        do {
            try await self.parts.beginning?.value
            try self.checkOpen()
            let made = try await self.parts.multipart == nil ? self.putWhole() : self.completeParts()
            try self.checkOpen()
            self.state = .finished(name: made.name, versionID: made.object.versionID)
            self.releaseName()
            // Its form may take much longer, with many files.
            self.freeBuffer()
            return made.name
        } catch {
            await self.abandon()
            // The client can complete the upload again.
            self.storage.notesRefusal(error)
            throw self.withContext(error)
        }
    }

    /// Removes the file, also if the task was cancelled, and waits until the store has answered.
    func abandon() async {
        guard self.isOpen else { return }
        self.state = .ended
        self.parts.sendingRest?.cancel()
        await self.parts.sendingRest?.value
        self.parts.beginning?.cancel()
        _ = await self.parts.beginning?.result
        let tasks = self.parts.onTheWay
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        self.freeBuffer()
        defer { self.releaseName() }
        // An object with a shared mark may be one that another receiver made, after it had aborted this upload.
        let (multipart, attempted) = (self.parts.multipart, self.ownership.isShared ? nil : self.ownership.attempted)
        guard multipart != nil || attempted != nil else { return }
        // In a separate task: the requests of a cancelled task would be cancelled too, but these must be made.
        await Task {
            if let multipart { await self.storage.abort(multipart, hadPartsOnTheWay: !tasks.isEmpty) }
            if let attempted { await self.storage.delete(attempted, markedWith: self.marker) }
        }.value
    }

    /// Checks that no other receiver has taken over this file's form.
    /// - Returns: Whether that can be known.
    /// - Throws: ``UploadIsBusy`` if one has.
    func isStillOwned() async throws -> Bool {
        let multipart = self.parts.multipart
        // A file that is the whole upload is used by the receiver that takes over.
        guard let confirm = self.ownership.confirm, let name = multipart?.name ?? self.ownership.attempted,
            !self.ownership.isShared
        else { return false }
        try await confirm(self.storage.location.prefix + name, multipart?.id)
        return true
    }

    /// Has it noted what makes the object, under its own mark.
    func recordIdentity(
        _ note: @escaping @Sendable (_ key: String, _ upload: String?, _ marker: String?) async throws -> Void
    ) {
        let marker = self.marker
        self.ownership.confirm = { try await note($0, $1, marker) }
    }

    /// Removes the file, because another one of its form failed, for example. A file that has replaced it since then stays.
    func withdraw() async {
        guard case .finished(let name, let versionID) = self.state else { return await self.abandon() }
        self.state = .ended
        // As in abandon().
        await Task { await self.storage.delete(name, markedWith: self.marker, versionID: versionID) }.value
    }

    private func freeBuffer() {
        let last = self.buffer.take()
        self.storage.buffers.give(last.bytes)
        self.memory?.release(last.leased)
    }

    private var isOpen: Bool {
        switch self.state {
        case .open, .finishing: true
        case .finished, .ended: false
        }
    }

    func checkOpen() throws {
        guard self.isOpen else { throw CancellationError() }
        if let failure = self.parts.failure { throw self.withContext(failure) }
    }

    /// The same error, with the location; ``UploadIsBusy`` if another receiver has taken the upload, and aborted what was to
    /// make the file.
    func withContext(_ error: any Error) -> any Error {
        if self.ownership.confirm != nil, (error as? S3Error)?.code == "NoSuchUpload" { return UploadIsBusy() }
        return self.storage.withContext(error)
    }

    /// Whether a name is free. If it is, it is reserved.
    private func hold(_ name: String) async throws -> Bool {
        self.releaseName()
        // An upload that was abandoned in the meantime reserves nothing more.
        try self.checkOpen()
        guard self.storage.hold(name) else { return false }
        self.ownership.held = name
        return try await self.storage.isFree(name)
    }

    private func releaseName() {
        guard let held = self.ownership.held else { return }
        self.ownership.held = nil
        self.storage.releaseName(held)
    }

    // MARK: One request

    private func putWhole() async throws -> (name: String, object: S3Client.Made) {
        let client = self.storage.client
        for name in ObjectNames(self.file) where try await self.hold(name) {
            try self.checkOpen()
            try await self.ownership.confirm?(self.storage.location.prefix + name, nil)
            try self.checkOpen()
            self.ownership.attempted = name
            let made = try await client.put(
                self.buffer.bytes, sha256: self.buffer.payload?.hex, key: self.storage.location.prefix + name,
                contentType: self.contentType, marker: self.marker, metadata: self.file.metadata)
            if let made { return (name, made) }
            self.ownership.attempted = nil
        }
        throw try await self.noNameLeft()
    }

    // MARK: Parts

    private func sendPart() async throws {
        // Taken out before anything is waited for: nothing may be added to them then.
        let part = self.buffer.take()
        self.parts.count += Int64(part.bytes.readableBytes)
        do {
            try await self.addPart { [storage, memory] client, number, key, id in
                storage.partBegins()
                defer {
                    memory?.release(part.leased)
                    storage.partEnded()
                }
                let sha256 = part.payload?.hex
                let tag = try await client.uploadPart(part.bytes, sha256: sha256, number: number, key: key, id: id)
                storage.buffers.give(part.bytes)
                await self.stored(part.bytes.readableBytes)
                return tag
            }
        } catch {
            self.storage.buffers.give(part.bytes)
            self.memory?.release(part.leased)
            throw error
        }
    }

    private func stored(_ count: Int) { self.parts.concurrency.stored(count) }

    /// Waits until there is memory for a part.
    private func takeMemory() async throws {
        guard let memory, self.buffer.leased == 0 else { return }
        let count = S3Storage.bufferBytes(min(self.partSize, self.file.length.map { Int(clamping: $0) } ?? .max))
        try await memory.take(count)
        self.buffer.leased = count
        // It may have been abandoned meanwhile.
        do { try self.checkOpen() } catch {
            self.freeBuffer()
            throw error
        }
        memory.holds { [weak self] in await self?.sendRest() }
    }

    /// Sends what there is, so that its memory is free. All bytes must have come: a part in the middle can't be short.
    private func sendRest() async {
        guard case .open = self.state, self.buffer.bytes.readableBytes > 0, self.parts.sendingRest == nil else {
            return
        }
        let sending = Task {
            do {
                try await self.sendPart()
                while !self.parts.onTheWay.isEmpty { await self.waitForOldest() }
            } catch { if self.parts.failure == nil { self.parts.failure = error } }
        }
        self.parts.sendingRest = sending
        await sending.value
    }

    /// Begins to make the next part, when fewer than `limit` are being made.
    /// - Parameter limit: `nil` for as many as make it quicker.
    func addPart(
        atOnce limit: Int? = nil,
        _ make:
            @escaping @Sendable (_ client: S3Client, _ number: Int, _ key: String, _ id: String) async throws -> String
    ) async throws {
        let multipart: Multipart
        if let begun = self.parts.multipart {
            multipart = begun
        } else {
            do { multipart = try await self.beginParts() } catch { throw self.withContext(error) }
        }
        while self.parts.onTheWay.count >= limit ?? self.storage.partsAtOnce(self.parts.concurrency) {
            self.parts.concurrency.waited()
            await self.waitForOldest()
        }
        try Task.checkCancellation()
        try self.checkOpen()
        let number = try self.nextNumber()
        let (client, key) = (self.storage.client, self.storage.location.prefix + multipart.name)
        // Not a child task: a part outlives the call that filled it, and no scope covers all calls. finish() and
        // abandon() wait for each.
        self.parts.onTheWay.append(
            Task {
                do {
                    self.parts.tags[number - 1] = try await make(client, number, key, multipart.id)
                } catch {
                    if self.parts.failure == nil { self.parts.failure = error }
                    for task in self.parts.onTheWay { task.cancel() }
                }
            })
    }

    /// The number of a new part.
    private func nextNumber() throws -> Int {
        let number = self.parts.tags.count + 1
        guard number <= S3Storage.maximumParts else {
            throw FormworkError(
                .limitExceeded,
                """
                the file is longer than \(S3Storage.maximumParts, "part") of \(self.partSize, "byte"), the most an object of \
                unknown length can have: use a larger part size
                """)
        }
        self.parts.tags.append(nil)
        return number
    }

    /// How often a name is tried that several uploads want at once.
    private static let tries = 5

    /// Begins a multipart upload under the first free name.
    func beginParts() async throws -> Multipart {
        for name in ObjectNames(self.file) where try await self.hold(name) {
            for attempt in 1...Self.tries {
                if let multipart = try await self.beginParts(as: name) { return multipart }
                // Without a random wait, two uploads could give way to each other forever. It grows, for more than two.
                let share = Double.random(in: 0...0.2) * Double(1 << attempt)
                let pause = self.storage.options.patience.delay * share
                if pause > .zero { try await Task.sleep(for: pause.asWait) }
                try self.checkOpen()
                // If all gave way, the name is still free: the next one would leave a gap.
                guard try await self.storage.isFree(name) else { break }
            }
        }
        throw try await self.noNameLeft()
    }

    /// - Returns: `nil` if another upload wants the name at the same moment.
    private func beginParts(as name: String) async throws -> Multipart? {
        let key = self.storage.location.prefix + name
        let start = ContinuousClock.now
        let (id, attempts) = try await self.storage.client.createUpload(
            key, contentType: self.contentType, marker: self.marker, metadata: self.file.metadata)
        self.storage.began(id)
        let multipart = Multipart(name: name, id: id)
        do {
            // The store may have carried out a try whose answer was lost. That upload would hold the name for a day.
            if attempts > 1 { try await self.storage.abortTwins(of: id, key, begunWithin: ContinuousClock.now - start) }
            try self.checkOpen()
            // A receiver that takes over aborts it, so that it doesn't hold the name.
            try await self.ownership.confirm?(key, id)
            try self.checkOpen()
            // Checked again: now other uploads see this one, so of two that began at once at least one gives way.
            if try await self.storage.isFree(name, except: id) {
                try self.checkOpen()
                self.parts.multipart = multipart
                return multipart
            }
        } catch {
            await Task { await self.storage.abort(multipart, hadPartsOnTheWay: false) }.value
            throw error
        }
        await self.storage.abort(multipart, hadPartsOnTheWay: false)
        return nil
    }

    private func completeParts() async throws -> (name: String, object: S3Client.Made) {
        if self.buffer.bytes.readableBytes > 0 { try await self.sendPart() }
        while !self.parts.onTheWay.isEmpty { await self.waitForOldest() }
        try Task.checkCancellation()
        try self.checkOpen()
        guard let multipart = self.parts.multipart else { throw CancellationError() }
        // The digest is of the bytes that arrived, and can't show what the object has.
        guard self.parts.count == self.parts.length else {
            throw FormworkError(
                .writeFailed, "the object would have \(self.parts.count, "byte") of the file's \(self.parts.length)")
        }
        let (client, key) = (self.storage.client, self.storage.location.prefix + multipart.name)
        // Not every store supports If-None-Match.
        try await self.checkFree(key)
        try await self.ownership.confirm?(key, multipart.id)
        self.ownership.attempted = multipart.name
        let made = try await client.completeUpload(
            key, id: multipart.id, parts: self.tagged, length: self.parts.length, marker: self.marker)
        guard let made else {
            try await self.checkFree(key)
            throw S3Error(operation: "CompleteMultipartUpload", reason: .overtaken)
        }
        self.storage.ended(multipart.id)
        return (multipart.name, made)
    }

    /// - Throws: If an object has the key: ``UploadIsBusy`` if another receiver has made it of the same upload, so that the
    ///   file isn't refused.
    private func checkFree(_ key: String) async throws {
        guard let object = try await self.storage.client.head(key) else { return }
        if self.ownership.isShared, object.marker == self.marker { throw UploadIsBusy() }
        if self.file.condition == .isFree { throw StorageRefusal.failed(.isFree) }
        throw S3Error(operation: "CompleteMultipartUpload", reason: .overtaken)
    }

    private var tagged: [(number: Int, tag: String)] {
        self.parts.tags.enumerated().compactMap { index, tag in tag.map { (index + 1, $0) } }
    }

    /// Waits for the oldest part being sent; if the caller is cancelled, all parts are.
    func waitForOldest() async {
        let tasks = self.parts.onTheWay
        guard let oldest = tasks.first else { return }
        await withTaskCancellationHandler {
            await oldest.value
        } onCancel: {
            for task in tasks { task.cancel() }
        }
        if self.parts.onTheWay.first == oldest { self.parts.onTheWay.removeFirst() }
    }

    private func noNameLeft() async throws -> any Error {
        if self.file.condition == .isFree {
            // An upload that isn't complete may have the name.
            let isTaken = try await self.storage.client.head(self.storage.location.prefix + self.file.path.text) != nil
            return isTaken ? StorageRefusal.failed(.isFree) : .reserved
        }
        return FormworkError(.writeFailed, "no free name for \(self.file.path.text) in \(self.storage.location)")
    }
}
