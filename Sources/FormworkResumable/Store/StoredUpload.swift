#if Resumable
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Formwork
import FormworkCore
import FormworkDigests
import FormworkHTTP
import FormworkSystem
import HTTPTypes
import SystemPackage

/// One upload in a store. Its calls run one after another, on a thread of its own. One request at a time adds to it: a
/// new request ends the previous one.
package actor StoredUpload {
    /// The right of a request to add to the upload.
    struct Turn: Sendable {
        let number: Int
        /// Ends when the turn does, because of the next request.
        let isOver: AsyncStream<Never>
    }

    /// Why a request can't continue.
    enum Failure: Error {
        /// Another request uses the upload now.
        case superseded
        /// Another process uses it.
        case busy
        /// It no longer exists.
        case missing
        /// It can't be opened or read at the moment, for example because no descriptor is left.
        case unreadable(any Error)
        /// The storage accepts no more bytes.
        case full(any Error)
    }

    private struct Transfer {
        var number: Int
        var end: AsyncStream<Never>.Continuation
        var check: DigestCheck?
        /// The offset of the content.
        var start: Int64
    }

    nonisolated let name: String
    nonisolated let uploadProtocol: ResumableProtocol
    /// Whether it is a form, of which the files must be copied.
    nonisolated let isForm: Bool
    /// The target that accepted it, without a query.
    nonisolated let target: String?
    private nonisolated let executor = ThreadExecutor()
    /// Separates calls while they wait for the storage.
    private let gate = Gate()
    private let store: UploadStore
    private var record: UploadRecord
    /// Open, and locked against other processes, while a request adds to it or it is processed.
    private var file: (any UploadContent)?
    private var resource: UploadResource
    private var transfer: Transfer?
    private var turns = 0
    private var processing: Task<UploadAnswer, Never>?
    /// The digests of the bytes, as far as they were computed.
    private var digests: RunningDigests
    /// The same before bytes whose own digest wasn't checked yet; `nil` if there are none.
    private var digestsBefore: RunningDigests?
    /// Whether only this object has the answer, since the storage failed to save it.
    private var isAnswerUnsaved = false

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor holds its executor as long as it lives.
        unsafe self.executor.asUnownedSerialExecutor()
    }

    init(_ name: String, in store: UploadStore, _ record: UploadRecord) {
        self.name = name
        self.store = store
        self.record = record
        self.uploadProtocol = record.uploadProtocol
        self.target = record.target
        self.isForm = record.isForm
        // A form is sent for its files, which have digests of their own.
        let own = store.options.digestsFiles && !record.isForm ? [SHA256Digest.algorithm] : []
        self.digests = RunningDigests(record.digestAlgorithms + own)
        self.resource = record.resource(offset: 0, limits: store.options.limits, now: Date())
    }

    /// Its bytes, and how many it will have; `nil` if it didn't announce that.
    var extent: (offset: Int64, length: Int64)? {
        self.resource.length.map { (self.resource.offset, $0) }
    }

    /// Whether a request for the offset has it processed: a tus upload of which every byte has arrived.
    var awaitsProcessing: Bool {
        get async {
            guard self.uploadProtocol == .tus, self.processing == nil, let length = self.record.length else {
                return false
            }
            guard let record = (try? await self.store.record(self.name)) ?? nil, record.answer == nil else {
                return false
            }
            guard record.uncheckedOffset == nil else { return false }
            return (try? await self.store.count(of: self.name)) == length
        }
    }

    /// Whether a request adds to it, or it is being processed.
    var isInUse: Bool { self.file != nil || self.processing != nil }

    /// Reads the storage's state, after ending the request in progress.
    private func takeOver() async throws {
        self.endTransfer()
        guard self.processing == nil else { return }
        guard !self.isAnswerUnsaved else {
            try? await self.saveAnswer()
            return self.refresh(offset: self.record.length ?? 0)
        }
        do { try await self.readState() } catch {
            await self.letGo()
            throw error
        }
    }

    /// Locks it, and reads the storage's state. If the answer exists, nothing is open afterwards.
    private func readState() async throws {
        if let file = self.file, !(file is FolderContent) {
            // Another process may have continued it: a storage of the caller's shows that when it is opened.
            try? await file.sync()
            await self.close()
        }
        // In this order: the previous holder of the lock saved its result before it released the lock.
        if self.file == nil { self.file = try await self.store.openBytes(self.name) }
        guard let record = try await self.store.record(self.name) else { throw Failure.missing }
        self.record = record
        guard record.answer == nil else {
            // A process that was killed right after saving the answer left the bytes.
            if self.file != nil { try await self.store.discardBytes(of: self.name) }
            await self.close()
            return self.refresh(offset: record.length ?? 0)
        }
        guard self.file != nil else { throw Failure.missing }
        try await self.dropUnchecked()
        // There may be bytes of a request that was ended a moment ago, or with its process. They are reported next.
        try await self.file?.sync()
        let count: Int64
        do { count = try await self.store.count(of: self.name) } catch { throw Failure.unreadable(error) }
        self.refresh(offset: count)
    }

    private func refresh(offset: Int64) {
        self.resource = self.record.resource(
            offset: offset, limits: self.store.options.limits, now: Date())
        self.rewindDigests(to: offset)
    }

    /// Takes bytes back that no longer count.
    private func rewindDigests(to offset: Int64) {
        guard self.digests.count > offset else { return }
        if let before = self.digestsBefore, before.count <= offset {
            self.digests = before
        } else {
            self.digests.reset()
        }
    }

    /// Removes bytes whose digest was never compared.
    private func dropUnchecked() async throws {
        guard let offset = self.record.uncheckedOffset else { return }
        try await self.file?.truncate(to: offset)
        self.rewindDigests(to: offset)
        // If the record reached the disk and this truncation didn't, wrong bytes would count.
        try await self.file?.sync()
        self.record.uncheckedOffset = nil
        try await self.save()
    }

    private func save() async throws { try await self.store.save(self.record, of: self.name) }

    private func endTransfer() {
        self.transfer?.end.finish()
        self.transfer = nil
    }

    private func open(_ check: DigestCheck?) async throws -> Turn {
        if check != nil {
            self.record.uncheckedOffset = self.resource.offset
        }
        self.digestsBefore = check == nil ? nil : self.digests
        if check != nil || self.record.length != self.resource.length {
            self.record.length = self.resource.length
            do { try await self.save() } catch {
                await self.letGo()
                throw error
            }
        }
        self.turns += 1
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        self.transfer = Transfer(
            number: self.turns, end: continuation, check: check, start: self.resource.offset)
        return Turn(number: self.turns, isOver: stream)
    }

    /// Begins the transfer that comes with the creation.
    func beginCreation(_ creation: UploadCreation, _ check: DigestCheck?) async throws -> Turn {
        await self.gate.enter()
        defer { self.gate.leave() }
        try await self.takeOver()
        self.resource.beginCreation(creation)
        return try await self.open(check)
    }

    /// Begins an addition, or refuses it.
    func begin(_ append: UploadAppend, _ check: DigestCheck?) async throws -> Result<Turn, Refusal> {
        // Immediately, not when the gate opens: the request in progress may hold it for as long as the storage takes.
        self.endTransfer()
        await self.gate.enter()
        defer { self.gate.leave() }
        try await self.takeOver()
        if let refusal = self.resource.begin(append) {
            await self.letGo()
            return .failure(Refusal(answer: refusal))
        }
        return .success(try await self.open(check))
    }

    struct Refusal: Error { var answer: UploadAnswer }

    /// Stores the next bytes.
    /// - Returns: The answer that ends the request; `nil` to continue.
    func write(_ bytes: some BodyChunk, in turn: Turn) async throws -> UploadAnswer? {
        await self.gate.enter()
        defer { self.gate.leave() }
        guard self.transfer?.number == turn.number else { throw Failure.superseded }
        let count = bytes.byteCount
        guard count > 0 else { return nil }
        var next = self.resource
        if let refusal = next.take(count) {
            self.endTransfer()
            if self.uploadProtocol.draft != nil, self.resource.length != nil, !self.resource.isWhole {
                // The draft requires refusing such an upload for good: it isn't known which bytes it should have had.
                // The bytes of a complete upload are known, and it may be being processed.
                try await self.remove()
            } else {
                do { try await self.dropUnchecked() } catch {
                    await self.letGo()
                    throw error
                }
                await self.letGo()
            }
            return refusal
        }
        if self.resource.length == nil, !(await self.store.admits(count)) {
            self.endTransfer()
            await self.close()
            throw Failure.full(
                FormworkError(.writeFailed, "all uploads together have too many bytes", cause: Errno.noSpace))
        }
        let offset = self.resource.offset
        do {
            if let file = self.file as? FolderContent {
                try file.append(bytes)
            } else {
                try await self.file?.append(bytes.array, at: offset)
            }
        } catch is UploadIsBusy {
            self.endTransfer()
            await self.close()
            throw Failure.busy
        } catch {
            try? await self.file?.truncate(to: offset)
            self.endTransfer()
            await self.close()
            throw Failure.full(error)
        }
        self.resource = next
        self.digest(bytes, at: offset)
        // The turn ended while the storage stored the bytes, which are there.
        guard self.transfer?.number == turn.number else { throw Failure.superseded }
        self.transfer?.check?.update(bytes)
        return nil
    }

    /// Computes the digests of bytes that were appended. If this process hasn't seen those before, for example since it
    /// is a new one, these are read, some with each addition.
    private func digest(_ bytes: some BodyChunk, at offset: Int64) {
        guard self.digests.count != offset else { return self.digests.update(bytes) }
        guard !self.digests.isEmpty, let file = self.file as? FolderContent else { return }
        var room = max(Self.leastReadAgain, 4 * bytes.byteCount)
        while room > 0, self.digests.count < self.resource.offset {
            // An error is found, and reported, when the upload is complete.
            let limit = min(room, 256 << 10, Int(clamping: self.resource.offset - self.digests.count))
            guard let old = try? file.bytes(at: self.digests.count, upTo: limit), !old.isEmpty else { return }
            self.digests.update(old)
            room -= old.count
        }
    }

    /// Computes the digests of a complete upload's other bytes.
    private func digestRest(of content: BodySource) async throws {
        guard !self.digests.isEmpty, self.digests.count < self.resource.offset else { return }
        let reader = try BodyPlan(copying: content).makeReader()
        try reader.seek(to: self.digests.count)
        let chunks = AsyncBodyReader(reader)
        while let bytes = try await chunks.next() {
            try Task.checkCancellation()
            self.digests.update(bytes)
        }
    }

    /// The 104 that reports progress; `nil` if there is none to send.
    func progress(in turn: Turn) async throws -> HTTPResponse? {
        await self.gate.enter()
        defer { self.gate.leave() }
        guard self.transfer?.number == turn.number, self.transfer?.check == nil else { return nil }
        do { try await self.file?.sync() } catch {
            self.endTransfer()
            await self.letGo()
            throw error
        }
        return self.resource.progress()
    }

    func offer(location: String) -> HTTPResponse? { self.resource.offer(location: location) }

    /// A request's content ended.
    func end(_ turn: Turn, wasWhole: Bool) async throws -> UploadResource.Ending {
        await self.gate.enter()
        defer { self.gate.leave() }
        guard let transfer = self.transfer, transfer.number == turn.number else { throw Failure.superseded }
        self.endTransfer()
        do { return try await self.end(transfer, wasWhole: wasWhole) } catch {
            await self.letGo()
            throw error
        }
    }

    private func end(_ transfer: Transfer, wasWhole: Bool) async throws -> UploadResource.Ending {
        if let check = transfer.check {
            guard wasWhole, check.matches else {
                try await self.dropUnchecked()
                self.resource.takeBack(to: transfer.start)
                await self.letGo()
                return wasWhole ? .refused(self.resource.mismatch(isChecksum: check.isChecksum)) : .more
            }
            self.record.uncheckedOffset = nil
        }
        try await self.file?.sync()
        guard self.processing == nil else { return .whole }
        let ending = self.resource.end(wasWhole: wasWhole)
        if case .whole = ending {
            self.record.length = self.resource.offset
            self.record.isWhole = true
        }
        if ending == .whole || transfer.check != nil { try await self.save() }
        if ending != .whole { await self.close() }
        return ending
    }

    /// The answer to a request that left the upload incomplete.
    func appended(isCreation: Bool, location: String?) -> UploadAnswer {
        self.expiring(self.resource.appended(isCreation: isCreation, location: location))
    }

    /// The answer to a request for the offset. It ends the request in progress, and waits for processing.
    ///
    /// A tus client takes an offset at the end for success, and asks no more. So a complete upload that hasn't been
    /// processed, because this process or the one before failed or was killed, is processed first. If it was refused,
    /// the refusal is the answer.
    func told(by handler: ResumableHandler) async throws -> UploadAnswer {
        let isWhole = try await self.lookAgain()
        if isWhole {
            let answer = await self.process(location: nil, by: handler)
            if answer.response.status.kind != .successful { return answer }
        } else if let processing = self.processing {
            _ = await processing.value
        }
        var answer = self.expiring(self.resource.told())
        if self.uploadProtocol == .tus, !self.record.metadata.entries.isEmpty {
            answer.response.headerFields[.uploadMetadata] = self.record.metadata.fieldValue
        }
        return answer
    }

    /// - Returns: Whether every byte of a tus upload has arrived, so that it must be processed; it is then held for
    ///   that.
    private func lookAgain() async throws -> Bool {
        self.endTransfer()
        await self.gate.enter()
        defer { self.gate.leave() }
        try await self.takeOver()
        if self.uploadProtocol == .tus, self.resource.offset == self.resource.length { return true }
        await self.letGo()
        return false
    }

    /// Cancels it.
    func cancel() async throws -> UploadAnswer {
        try await self.stop()
        _ = await self.processing?.value
        try await self.forget()
        return self.resource.cancelled
    }

    private func stop() async throws {
        self.endTransfer()
        await self.gate.enter()
        defer { self.gate.leave() }
        try await self.takeOver()
    }

    /// Removes it, in any state.
    func forget() async throws {
        await self.gate.enter()
        defer { self.gate.leave() }
        self.endTransfer()
        try await self.remove()
    }

    /// Removes it, unless a request adds to it, it is being processed, or another process has it.
    /// - Parameter isWanted: Whether it is still to be removed; called while the upload is locked.
    func remove(if isWanted: @Sendable () async -> Bool) async -> Bool {
        await self.gate.enter()
        defer { self.gate.leave() }
        guard !self.isInUse else { return false }
        do {
            let bytes = try await self.store.openBytes(self.name)
            let isRemoved = await isWanted() ? (try? await self.store.remove(self.name)) != nil : false
            await bytes?.close()
            return isRemoved
        } catch { return false }
    }

    private func close() async {
        // Another process may cut off what isn't checked.
        if let offset = self.record.uncheckedOffset { self.rewindDigests(to: offset) }
        let file = self.file
        self.file = nil
        await file?.close()
    }

    /// Releases it for others, unless it is being processed.
    private func letGo() async { if self.processing == nil { await self.close() } }

    private func remove() async throws {
        await self.close()
        try await self.store.remove(self.name)
    }

    private func expiring(_ answer: UploadAnswer) -> UploadAnswer {
        guard self.uploadProtocol == .tus, self.record.answer == nil else { return answer }
        var answer = answer
        answer.response.headerFields[.uploadExpires] = HTTPDate.text(
            Int64(clamping: self.record.expires.timeIntervalSince1970))
        return answer
    }

    /// Has the complete upload processed, once, however many requests ask.
    func process(location: String?, by handler: ResumableHandler) async -> UploadAnswer {
        if let answer = self.record.answer {
            return self.resource.final(
                UploadAnswer(answer.response, content: Array(answer.content)), location: location)
        }
        let task: Task<UploadAnswer, Never>
        if let running = self.processing {
            task = running
        } else {
            // Not a child of the request's task: the request may be cut, but the upload is complete all the same.
            task = Task { await self.processed(by: handler) }
            self.processing = task
            handler.processing(task)
        }
        let answer = await task.value
        return self.record.answer == nil ? answer : self.resource.final(answer, location: location)
    }

    /// - Returns: The target's unchanged answer, or an answer about the upload if there is none yet.
    private func processed(by handler: ResumableHandler) async -> UploadAnswer {
        let answer: UploadAnswer
        do { answer = try await self.completed(by: handler) } catch {
            handler.report(self.name, error)
            answer = self.resource.failed(.internalServerError)
        }
        await self.gate.enter()
        defer { self.gate.leave() }
        await self.close()
        self.processing = nil
        return answer
    }

    private func completed(by handler: ResumableHandler) async throws -> UploadAnswer {
        if self.file == nil {
            // A request in between closed it, and another process may have opened it since then.
            try await self.readAlone()
            if let answer = self.record.answer {
                return UploadAnswer(answer.response, content: Array(answer.content))
            }
        }
        guard let file = self.file else { throw Failure.missing }
        let content = try await file.finished(count: self.resource.offset)
        var fields: HTTPFields = [:]
        try await self.digestRest(of: content)
        let digests = self.digests.values
        switch DigestCheck.whole(self.record, digests) {
        case .right(let digest): fields[.reprDigest] = digest?.fieldValue
        case .wrong:
            let answer = self.resource.mismatch(isChecksum: false)
            try await self.store.remove(self.name)
            return answer
        }
        var upload = CompletedUpload(self.name, self.record, content, length: self.resource.offset)
        upload.file = (file as? FolderContent)?.finishedFile(count: self.resource.offset)
        upload.digests = digests
        var answer = try await handler.complete(upload)
        answer.response.headerFields.append(contentsOf: fields)
        let kept = answer.content.count <= Self.largestKeptAnswer ? answer.content : []
        self.record.answer = UploadRecord.Answer(response: answer.response, content: Data(kept))
        self.record.expires = Date().addingTimeInterval(self.store.options.answerLifetime)
        self.resource.processed()
        await self.gate.enter()
        defer { self.gate.leave() }
        do { try await self.saveAnswer() } catch { handler.report(self.name, UnsavedAnswer(cause: error)) }
        return answer
    }

    private func readAlone() async throws {
        await self.gate.enter()
        defer { self.gate.leave() }
        try await self.readState()
    }

    /// Saves the answer, in place of the uploaded bytes.
    /// - Throws: The storage's error; the answer is then kept in memory, and saved by a later call.
    private func saveAnswer() async throws {
        self.isAnswerUnsaved = (try? await self.save()) == nil
        // Not earlier: if the process ends between the two steps, either the upload or its answer exists.
        try? await self.store.discardBytes(of: self.name)
        if self.isAnswerUnsaved {
            // A full disk has no room for the answer while the bytes use it, which they do while they are open.
            try? await self.empty()
            do { try await self.save() } catch {
                await self.close()
                throw error
            }
            self.isAnswerUnsaved = false
        }
        // Not earlier either: the next holder of the lock must find the answer, or no bytes.
        await self.close()
    }

    /// Frees the space of bytes that were discarded.
    private func empty() async throws {
        if let file = self.file as? FolderContent {
            try file.empty()
        } else {
            try await self.file?.truncate(to: 0)
        }
    }

    private static let largestKeptAnswer = 64 << 10
    /// Bytes that are read again with each addition, at least.
    private static let leastReadAgain = 1 << 20
}

/// An upload was processed, but its answer couldn't be saved.
private struct UnsavedAnswer: Error, CustomStringConvertible {
    let cause: any Error
    var description: String { "it was processed, but its answer could only be kept in memory: \(self.cause)" }
}
#endif
