import FormworkEssentials
import Formwork
import FormworkDigests
import HTTPTypes

/// The record and the bytes of one upload in the storage, and the digests of the bytes.
///
/// It knows nothing of requests: ``StoredUpload`` owns it, and makes one call at a time.
final class StoredContent {
    private let name: String
    private let store: UploadStore
    private(set) var record: UploadRecord
    /// The bytes, locked against other processes; `nil` while they are released.
    private var file: (any UploadContent)?
    /// The bytes of the parts that it is made of, while it is processed.
    private var parts: [any UploadContent] = []
    /// The algorithms of the digests that will be needed.
    private let algorithms: Set<String>
    /// Those of a storage that doesn't compute them itself.
    private var digests: RunningDigests
    /// Whether the storage computes them.
    private var isObserved = false
    /// Whether only this object has the answer, since the storage failed to save it.
    private(set) var isAnswerUnsaved = false

    init(_ name: String, in store: UploadStore, _ record: UploadRecord) {
        (self.name, self.store, self.record) = (name, store, record)
        // A form is sent for its files, which have digests of their own. Parts are read when they are joined.
        let arrives = record.concatenation == nil
        let own = store.options.digestsFiles && !record.isForm && arrives ? [SHA256Digest.algorithm] : []
        self.algorithms = Set(record.digestAlgorithms + own)
        let form = record.isForm && store.options.findsFiles && arrives ? record.contentType : nil
        self.digests = RunningDigests(
            self.algorithms,
            form: form.flatMap {
                FormMapper($0, digestsFiles: store.options.digestsFiles, least: Self.leastFile)
            })
    }

    /// The same, if they are in files of this process.
    private var folder: FolderContent? { self.file as? FolderContent }

    /// Whether the bytes are open, and locked against other processes.
    var isOpen: Bool { self.file != nil }

    /// Opens the bytes, and reads the storage's state. If the answer exists, nothing is open afterwards.
    /// - Parameter memory: The memory of the request for which they are opened.
    /// - Returns: The number of bytes.
    /// - Throws: `missing`, `busy`, `unreadable`, and the storage's errors.
    func read(for memory: (any UploadMemory)?) async throws -> Int64 {
        if let file = self.file, self.folder == nil {
            // Another process may have continued it: a storage of the caller's shows that when it is opened.
            try? await file.sync()
            await self.close()
        }
        // In this order: the previous holder of the lock saved its result before it released the lock.
        if !self.isOpen { self.file = try await self.store.openBytes(self.name, for: memory) }
        guard let record = try await self.store.record(self.name) else { throw StoredUpload.Failure.missing }
        self.record = record
        guard record.answer == nil else {
            // A process that was killed right after saving the answer left the bytes.
            if self.isOpen { try await self.store.discardBytes(of: self.name) }
            await self.close()
            return record.length ?? 0
        }
        guard let file = self.file else { throw StoredUpload.Failure.missing }
        self.isObserved = await file.observe(
            UploadObservation(
                form: self.record.isForm ? self.record.contentType : nil,
                digestsFiles: self.store.options.digestsFiles, algorithms: self.algorithms))
        if self.isObserved { self.digests = RunningDigests() }
        if let folder {
            do { self.record.starts = try folder.open(record.starts ?? []) } catch {
                throw StoredUpload.Failure.unreadable(error)
            }
        }
        try await self.dropUnchecked()
        // There may be bytes of a request that was ended a moment ago, or with its process. They are reported next.
        try await self.sync()
        if record.parts != nil { return record.length ?? 0 }
        do { return if let folder { try folder.count() } else { try await self.store.count(of: self.name) } } catch {
            throw StoredUpload.Failure.unreadable(error)
        }
    }

    /// Releases the bytes for others.
    func close() async {
        // Another process may cut off what isn't checked.
        if let offset = self.record.uncheckedOffset { self.rewindDigests(to: offset) }
        let open = self.parts + [self.file].compactMap(\.self)
        (self.file, self.parts) = (nil, [])
        for one in open { await one.close() }
    }

    func sync() async throws { try await self.file?.sync() }

    /// Lets an upload to which bytes are added expire a lifetime after the last of them. Its record is written for that at most
    /// eight times in a lifetime.
    func renew() async {
        let (now, lifetime, before) = (Date(), self.store.options.lifetime, self.record.expires)
        guard self.isOpen, before < now.addingTimeInterval(lifetime / 8 * 7) else { return }
        self.record.expires = now.addingTimeInterval(lifetime)
        // A full disk doesn't end the request. The next one tries again.
        do { try await self.save() } catch { self.record.expires = before }
    }

    /// Saves the record.
    func save() async throws { try await self.store.save(self.record, of: self.name) }

    // MARK: bytes

    /// Saves what a request that adds bytes announces.
    /// - Parameter isChecked: Whether its bytes have a digest of their own, so that they count once that was compared.
    func begin(at offset: Int64, length: Int64?, isChecked: Bool) async throws {
        if isChecked { self.record.uncheckedOffset = offset }
        self.digests.mark(isChecked)
        guard isChecked || self.record.length != length else { return }
        self.record.length = length
        try await self.save()
    }

    /// Appends bytes, all or none.
    func append(_ bytes: some BodyChunk, at offset: Int64) async throws {
        do {
            if let folder { try folder.append(bytes) } else { try await self.file?.append(bytes.array, at: offset) }
        } catch {
            // The bytes are another process's by now.
            if !(error is UploadIsBusy) { try? await self.file?.truncate(to: offset) }
            throw error
        }
    }

    /// Removes bytes whose digest was never compared.
    func dropUnchecked() async throws {
        guard let offset = self.record.uncheckedOffset else { return }
        if let folder, let starts = self.record.starts {
            // The record first: it must not name a file that is gone.
            self.record.starts = folder.starts(within: offset)
            if self.record.starts != starts { try await self.save() }
        }
        try await self.file?.truncate(to: offset)
        self.rewindDigests(to: offset)
        // If the record reached the disk and this truncation didn't, wrong bytes would count.
        try await self.sync()
        self.record.uncheckedOffset = nil
        try await self.save()
    }

    /// Counts bytes whose digest was right; ``save()`` has others see that.
    func accept() { self.record.uncheckedOffset = nil }

    /// Saves that every byte has arrived.
    func finish(count: Int64) async throws {
        (self.record.length, self.record.isWhole) = (count, true)
        try await self.save()
    }

    // MARK: digests

    /// Takes bytes back that no longer count.
    func rewindDigests(to offset: Int64) { self.digests.rewind(to: offset) }

    /// Computes the digests of bytes that were appended. If this process hasn't seen those before, for example since it
    /// is a new one, these are read, some with each addition.
    func digest(_ bytes: some BodyChunk, at offset: Int64) {
        guard self.digests.count != offset else { return self.digests.update(bytes) }
        guard !self.digests.isEmpty, let folder else { return }
        let end = offset + Int64(bytes.byteCount)
        var room = max(Self.leastReadAgain, 4 * bytes.byteCount)
        while room > 0, self.digests.count < end {
            // An error is found, and reported, when the upload is complete.
            let limit = min(room, 256 << 10, Int(clamping: end - self.digests.count))
            guard let old = try? folder.bytes(at: self.digests.count, upTo: limit), !old.isEmpty else { return }
            self.digests.update(old)
            room -= old.count
        }
    }

    /// Gives large files of a form files of their own, once enough of their bytes have arrived.
    /// - Parameter count: The number of bytes.
    /// - Throws: The storage's error. It isn't known then what the record says.
    func separateFiles(count: Int64) async throws {
        guard let folder, let form = self.digests.form, self.digests.count == count else { return }
        for border in form.borders(after: self.record.starts?.last ?? 0)
        where count - border <= Self.leastFile + Self.mostMoved {
            // Without it the file's bytes are copied in the end.
            guard (try? folder.prepareSplit(at: border)) != nil else { return }
            self.record.starts = (self.record.starts ?? []) + [border]
            try await self.save()
            folder.split()
        }
    }

    /// All digests of a complete upload. What wasn't computed while it arrived is computed now.
    private func digests(of content: BodySource, _ file: any UploadContent, count: Int64) async throws -> [DigestValue]
    {
        let observed = await file.digests(count: count)
        if self.isObserved {
            self.digests = RunningDigests(self.algorithms.subtracting(observed.map(\.algorithm)))
        }
        guard !self.digests.isEmpty, self.digests.count < count else { return observed + self.digests.values }
        let reader = try BodyPlan(copying: content).makeReader()
        try reader.seek(to: self.digests.count)
        let chunks = AsyncBodyReader(reader)
        while let bytes = try await chunks.next() {
            try Task.checkCancellation()
            self.digests.update(bytes)
        }
        return observed + self.digests.values
    }

    // MARK: processing

    /// The complete upload, with its digests.
    /// - Parameter memory: The memory of the request that has it processed.
    func finished(count: Int64, for memory: (any UploadMemory)?) async throws -> CompletedUpload {
        guard let file = self.file else { throw StoredUpload.Failure.missing }
        var content = try await file.finished(count: self.record.parts == nil ? count : 0)
        if let parts = self.record.parts { content = try await self.joined(parts, memory) }
        let digests = try await self.digests(of: content, file, count: count)
        var upload = CompletedUpload(self.name, self.record, content, length: count)
        if self.record.parts == nil { upload.files = self.folder?.finishedFiles(count: count) ?? [] }
        if let form = self.digests.form?.map, form.position.count == count { upload.form = form }
        upload.digests = digests
        return upload
    }

    /// The bytes of the parts, one after another. They stay locked until ``close()``.
    private func joined(_ names: [String], _ memory: (any UploadMemory)?) async throws -> BodySource {
        var sources: [BodySource] = []
        for name in names {
            guard let record = try await self.store.record(name),
                let length = try await self.store.allBytes(of: name, record),
                let part = try await self.store.openBytes(name, for: memory)
            else { throw StoredUpload.Failure.missing }
            self.parts.append(part)
            sources.append(try await part.finished(count: length))
        }
        return .concatenation(sources)
    }

    /// The target's answer, as far as it is kept; `nil` before the upload was processed.
    var answer: ResumableResponse? {
        self.record.answer.map { ResumableResponse($0.response, content: Array($0.content)) }
    }

    /// Keeps the target's answer, without content that is too large.
    func take(_ answer: ResumableResponse) {
        let kept = answer.content.count <= Self.largestKeptAnswer ? answer.content : []
        self.record.answer = UploadRecord.StoredResponse(response: answer.response, content: Data(kept))
        self.record.expires = Date().addingTimeInterval(self.store.options.answerLifetime)
    }

    /// Saves the answer, in place of the uploaded bytes.
    /// - Throws: The storage's error; the answer is then kept in memory, and saved by a later call.
    func saveAnswer() async throws {
        self.isAnswerUnsaved = (try? await self.save()) == nil
        // Not earlier: if the process ends between the two steps, either the upload or its answer exists.
        try? await self.store.discardBytes(of: self.name)
        if !self.isAnswerUnsaved { for name in self.record.parts ?? [] { try? await self.store.remove(name) } }
        if self.isAnswerUnsaved {
            // A full disk has no room for the answer while the bytes use it, which they do while they are open.
            try? await self.file?.empty()
            do { try await self.save() } catch {
                await self.close()
                throw error
            }
            self.isAnswerUnsaved = false
        }
        // Not earlier either: the next holder of the lock must find the answer, or no bytes.
        await self.close()
    }

    /// The least bytes of a form's file that is found while it arrives.
    private static let leastFile: Int64 = 1 << 20
    /// The most bytes besides these that are copied for it.
    private static let mostMoved: Int64 = 8 << 20
    private static let largestKeptAnswer = 64 << 10
    /// Bytes that are read again with each addition, at least.
    private static let leastReadAgain = 1 << 20
}
