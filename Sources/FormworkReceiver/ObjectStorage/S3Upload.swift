import Formwork
import FormworkDigests
import FormworkResumable
import Logging
import NIOCore
import Synchronization

import FormworkEssentials

/// A file that is being uploaded to an object store. One caller at a time writes; ``abandon()`` may be called from
/// another task.
///
/// It holds the parts that are being sent, as many as ``PartConcurrency`` says, and one that is being filled.
actor S3Upload: StorageUpload {
    enum State {
        /// Accepts bytes. → finished, ended
        case open
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

    let storage: S3Storage
    let file: IncomingFile
    /// Marks the object as this upload's.
    nonisolated let marker: String
    /// Whether another receiver may make an object with the same mark.
    var isShared = false
    nonisolated var trace: Notice.Trace? { Notice.Trace(path: self.file.path.text, mark: self.marker) }
    private let partSize: Int
    private let contentType: String?
    /// The memory of the upload that it belongs to; `nil` without a limit.
    let lease: ReceiverMemory.Lease?
    /// Bytes of the lease that the buffer has.
    private var leased = 0
    var state = State.open
    private var buffer = ByteBuffer()
    /// The digest of the buffer, if its request is signed with it.
    private var payload: SHA256Digest?
    private var concurrency: PartConcurrency
    var multipart: Multipart?
    /// By part number less one.
    var tags: [String?] = []
    var onTheWay: [Task<Void, Never>] = []
    var failure: (any Error)?
    /// Begins the copies of its bytes. ``finish()`` and ``abandon()`` wait for it.
    var beginning: Task<Void, any Error>?
    /// Sends the last bytes early, because memory is short. ``finish()`` and ``abandon()`` wait for it.
    private var sendingRest: Task<Void, Never>?
    private var isFinishing = false
    /// The name under which an object may exist, even if the answer to the request that makes it was lost.
    private var attempted: String?
    /// The name that it reserves among the uploads of its process.
    private var held: String?
    var length: Int64 = 0
    /// Bytes of the parts, copied ones included.
    var sentCount: Int64 = 0
    /// Notes what makes the object, once it is begun, and before it is made. If it is made by one request, the upload is
    /// `nil`.
    var confirm: (@Sendable (_ key: String, _ upload: String?) async throws -> Void)?

    /// - Parameter marker: Marks the object as this upload's. Another receiver that stores the same file uses the same.
    init(_ file: IncomingFile, in storage: S3Storage, marker: String = UUID().uuidString.lowercased()) {
        self.marker = marker
        self.lease = ReceiverMemory.lease
        (self.file, self.storage, self.partSize) = (file, storage, storage.partSize(for: file.length))
        self.concurrency = PartConcurrency(storage.options.partsAtOnce)
        // A type that isn't a valid field value (RFC 9110 section 5.5) would make each request fail.
        let type = file.contentType.flatMap { $0.utf8.allSatisfy { 0x20..<0x7F ~= $0 } ? $0 : nil }
        self.contentType = type
    }

    /// Adds the next bytes; waits while the maximum number of parts is being sent.
    /// - Throws: ``FormworkError/Code/writeFailed`` if the store doesn't accept them, or didn't accept those of an
    ///   earlier call; ``FormworkError/Code/limitExceeded`` after 10,000 parts; `CancellationError`. After an error
    ///   only ``abandon()`` may be called.
    func write(_ buffer: ByteBuffer) async throws {
        var none: SHA256Digest?
        try await self.write(buffer, digest: &none)
    }

    func write(_ buffer: ByteBuffer, digest: inout SHA256Digest?) async throws {
        var rest = buffer
        while rest.readableBytes > 0 {
            try self.checkOpen()
            // A full part is sent when more bytes come: a file of exactly one part needs no multipart upload.
            if self.buffer.readableBytes == self.partSize { try await self.sendPart() }
            let count = min(rest.readableBytes, self.partSize - self.buffer.readableBytes)
            guard var piece = rest.readSlice(length: count) else { break }
            if self.buffer.capacity == 0 {
                try await self.takeMemory()
                self.buffer = self.storage.buffers.take()
                self.payload = self.storage.client.exchange.signsContent ? SHA256Digest() : nil
                if self.multipart != nil { self.buffer.reserveCapacity(self.partSize) }
            }
            SHA256Digest.update(&self.payload, &digest, piece.readableBytesSpan)
            self.buffer.writeBuffer(&piece)
            self.length += Int64(count)
        }
    }

    /// Creates the object.
    /// - Returns: Its final name: the key without the prefix.
    /// - Throws: ``FormworkError/Code/writeFailed``; `CancellationError`. Nothing is left of the file then.
    func finish() async throws -> String {
        if case .finished(let name, _) = self.state { return name }
        self.isFinishing = true
        await self.sendingRest?.value
        do {
            try await self.beginning?.value
            try self.checkOpen()
            let made = try await self.multipart == nil ? self.putWhole() : self.completeParts()
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
        if case .open = self.state { self.state = .ended } else { return }
        self.sendingRest?.cancel()
        await self.sendingRest?.value
        self.beginning?.cancel()
        _ = await self.beginning?.result
        let tasks = self.onTheWay
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        self.freeBuffer()
        defer { self.releaseName() }
        // An object with a shared mark may be one that another receiver made, after it had aborted this upload.
        let (multipart, attempted) = (self.multipart, self.isShared ? nil : self.attempted)
        guard multipart != nil || attempted != nil else { return }
        // In a separate task: the requests of a cancelled task would be cancelled too, but these must be made.
        await Task {
            if let multipart { await self.storage.abort(multipart, hadPartsOnTheWay: !tasks.isEmpty) }
            if let attempted { await self.storage.delete(attempted, markedWith: self.marker) }
        }.value
    }

    func isStillOwned() async throws -> Bool {
        // A file that is the whole upload is used by the receiver that takes over.
        guard let confirm, let name = self.multipart?.name ?? self.attempted, !self.isShared else { return false }
        try await confirm(self.storage.location.prefix + name, self.multipart?.id)
        return true
    }

    /// Has it noted what makes the object, under its own mark.
    func recordIdentity(
        _ note: @escaping @Sendable (_ key: String, _ upload: String?, _ marker: String?) async throws -> Void
    ) {
        let marker = self.marker
        self.confirm = { try await note($0, $1, marker) }
    }

    /// Removes a finished file, because a later file of the same form failed, for example.
    func withdraw() async {
        guard case .finished(let name, let versionID) = self.state else { return await self.abandon() }
        self.state = .ended
        // As in abandon().
        await Task { await self.storage.delete(name, markedWith: self.marker, versionID: versionID) }.value
    }

    private func freeBuffer() {
        self.storage.buffers.give(self.buffer)
        (self.buffer, self.payload) = (ByteBuffer(), nil)
        self.lease?.release(self.leased)
        self.leased = 0
    }

    func checkOpen() throws {
        guard case .open = self.state else { throw CancellationError() }
        if let failure { throw self.withContext(failure) }
    }

    /// The same error, with the location; ``UploadIsBusy`` if another receiver has taken the upload, and aborted what was to
    /// make the file.
    func withContext(_ error: any Error) -> any Error {
        if self.confirm != nil, (error as? S3Error)?.code == "NoSuchUpload" { return UploadIsBusy() }
        return self.storage.withContext(error)
    }

    /// Whether a name is free. If it is, it is reserved.
    private func hold(_ name: String) async throws -> Bool {
        self.releaseName()
        // An upload that was abandoned in the meantime reserves nothing more.
        try self.checkOpen()
        guard self.storage.hold(name) else { return false }
        self.held = name
        return try await self.storage.isFree(name)
    }

    private func releaseName() {
        guard let held else { return }
        self.held = nil
        self.storage.releaseName(held)
    }

    // MARK: One request

    private func putWhole() async throws -> (name: String, object: S3Client.Made) {
        let client = self.storage.client
        for name in ObjectNames(self.file) where try await self.hold(name) {
            try self.checkOpen()
            try await self.confirm?(self.storage.location.prefix + name, nil)
            try self.checkOpen()
            self.attempted = name
            let made = try await client.put(
                self.buffer, sha256: self.payload?.hex, key: self.storage.location.prefix + name,
                contentType: self.contentType, marker: self.marker, metadata: self.file.metadata)
            if let made { return (name, made) }
            self.attempted = nil
        }
        throw try await self.noNameLeft()
    }

    // MARK: Parts

    private func sendPart() async throws {
        // Taken out before anything is waited for: nothing may be added to them then.
        let (body, sha256, leased) = (self.buffer, self.payload?.hex, self.leased)
        (self.buffer, self.payload, self.leased) = (ByteBuffer(), nil, 0)
        self.sentCount += Int64(body.readableBytes)
        do {
            try await self.addPart { [storage, lease] client, number, key, id in
                storage.partBegins()
                defer { storage.partEnded() }
                defer { lease?.release(leased) }
                let tag = try await client.uploadPart(body, sha256: sha256, number: number, key: key, id: id)
                storage.buffers.give(body)
                await self.stored(body.readableBytes)
                return tag
            }
        } catch {
            self.storage.buffers.give(body)
            self.lease?.release(leased)
            throw error
        }
    }

    private func stored(_ count: Int) { self.concurrency.stored(count) }

    /// Waits until there is memory for a part.
    private func takeMemory() async throws {
        guard let lease, self.leased == 0 else { return }
        let count = S3Storage.bufferBytes(min(self.partSize, self.file.length.map { Int(clamping: $0) } ?? .max))
        try await lease.take(count)
        self.leased = count
        // It may have been abandoned meanwhile.
        do { try self.checkOpen() } catch {
            self.freeBuffer()
            throw error
        }
        lease.holds { [weak self] in await self?.sendRest() }
    }

    /// Sends what there is, so that its memory is free. All bytes must have come: a part in the middle can't be short.
    private func sendRest() async {
        guard case .open = self.state, !self.isFinishing, self.buffer.readableBytes > 0, self.sendingRest == nil
        else { return }
        let sending = Task {
            do {
                try await self.sendPart()
                while !self.onTheWay.isEmpty { await self.waitForOldest() }
            } catch { if self.failure == nil { self.failure = error } }
        }
        self.sendingRest = sending
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
        if let begun = self.multipart {
            multipart = begun
        } else {
            do { multipart = try await self.beginParts() } catch { throw self.withContext(error) }
        }
        while self.onTheWay.count >= limit ?? self.storage.partsAtOnce(self.concurrency) {
            self.concurrency.waited()
            await self.waitForOldest()
        }
        try Task.checkCancellation()
        try self.checkOpen()
        let number = try self.nextNumber()
        let (client, key) = (self.storage.client, self.storage.location.prefix + multipart.name)
        // Not a child task: a part outlives the call that filled it, and no scope covers all calls. finish() and
        // abandon() wait for each.
        self.onTheWay.append(
            Task {
                do {
                    self.tags[number - 1] = try await make(client, number, key, multipart.id)
                } catch {
                    if self.failure == nil { self.failure = error }
                    for task in self.onTheWay { task.cancel() }
                }
            })
    }

    /// The number of a new part.
    private func nextNumber() throws -> Int {
        let number = self.tags.count + 1
        guard number <= S3Storage.maximumParts else {
            throw FormworkError(
                .limitExceeded,
                """
                the file is longer than \(S3Storage.maximumParts, "part") of \(self.partSize, "byte"), the most an object of \
                unknown length can have: use a larger part size
                """)
        }
        self.tags.append(nil)
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
            try await self.confirm?(key, id)
            try self.checkOpen()
            // Checked again: now other uploads see this one, so of two that began at once at least one gives way.
            if try await self.storage.isFree(name, except: id) {
                try self.checkOpen()
                self.multipart = multipart
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
        if self.buffer.readableBytes > 0 { try await self.sendPart() }
        while !self.onTheWay.isEmpty { await self.waitForOldest() }
        try Task.checkCancellation()
        try self.checkOpen()
        guard let multipart else { throw CancellationError() }
        // The digest is of the bytes that arrived, and can't show what the object has.
        guard self.sentCount == self.length else {
            throw FormworkError(
                .writeFailed, "the object would have \(self.sentCount, "byte") of the file's \(self.length)")
        }
        let (client, key) = (self.storage.client, self.storage.location.prefix + multipart.name)
        // Not every store supports If-None-Match.
        try await self.checkFree(key)
        try await self.confirm?(key, multipart.id)
        self.attempted = multipart.name
        let made = try await client.completeUpload(
            key, id: multipart.id, parts: self.parts, length: self.length, marker: self.marker)
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
        if self.isShared, object.marker == self.marker { throw UploadIsBusy() }
        if self.file.condition == .isFree { throw FailedCondition(condition: .isFree) }
        throw S3Error(operation: "CompleteMultipartUpload", reason: .overtaken)
    }

    private var parts: [(number: Int, tag: String)] {
        self.tags.enumerated().compactMap { index, tag in tag.map { (index + 1, $0) } }
    }

    /// Waits for the oldest part being sent; if the caller is cancelled, all parts are.
    func waitForOldest() async {
        let tasks = self.onTheWay
        guard let oldest = tasks.first else { return }
        await withTaskCancellationHandler {
            await oldest.value
        } onCancel: {
            for task in tasks { task.cancel() }
        }
        if self.onTheWay.first == oldest { self.onTheWay.removeFirst() }
    }

    private func noNameLeft() async throws -> any Error {
        if self.file.condition == .isFree {
            // An upload that isn't complete may have the name.
            let isTaken = try await self.storage.client.head(self.storage.location.prefix + self.file.path.text) != nil
            return isTaken ? FailedCondition(condition: .isFree) : ReservedName()
        }
        return FormworkError(.writeFailed, "no free name for \(self.file.path.text) in \(self.storage.location)")
    }
}
