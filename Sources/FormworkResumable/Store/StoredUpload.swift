import Formwork
import FormworkEssentials
import HTTPTypes

/// One upload in a store: which request adds to it, how it answers, and that it is processed once.
///
/// Its calls run one after another, on a thread of its own. One request at a time adds to it: a new request ends the
/// previous one. ``StoredContent`` reads and writes the storage.
actor StoredUpload {
    /// The right of a request to add to the upload.
    struct Turn: Sendable {
        let number: Int
        /// Ends when the turn does, because of the next request.
        let isOver: AsyncStream<Never>
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
    /// The server's own note about it.
    nonisolated let note: [UInt8]?
    /// Whether it is made of parts, so that nothing can be added.
    nonisolated let isJoined: Bool
    private nonisolated let executor: any SerialExecutor
    /// Separates calls while they wait for the storage.
    private let gate = Gate()
    private let store: UploadStore
    /// Open while a request adds to it or it is processed.
    private let content: StoredContent
    private var resource: UploadResource
    /// A request with its turn. While the upload is processed it can only be one that adds nothing, and waits for the
    /// answer.
    private var transfer: Transfer?
    private var turns = 0
    private var processing: Task<ResumableResponse, Never>?

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor holds its executor as long as it lives.
        unsafe self.executor.asUnownedSerialExecutor()
    }

    init(_ name: String, in store: UploadStore, _ record: UploadRecord) {
        (self.name, self.store, self.executor) = (name, store, store.makeExecutor())
        self.content = StoredContent(name, in: store, record)
        (self.uploadProtocol, self.target, self.isForm) = (record.uploadProtocol, record.target, record.isForm)
        (self.note, self.isJoined) = (record.note.map { Array($0) }, record.parts != nil)
        self.resource = record.resource(offset: 0, limits: store.options.limits, now: Date())
    }

    /// How many bytes were saved and reported last; `nil` before that.
    private(set) var reported: Int64?
    /// How many bytes it has.
    var offset: Int64 { self.resource.offset }

    /// How many bytes it will have; `nil` if it didn't announce that.
    var length: Int64? { self.resource.length }

    /// Whether a request for the offset has it processed: a tus upload of which every byte has arrived.
    var awaitsProcessing: Bool {
        get async {
            guard self.uploadProtocol == .tus, self.processing == nil,
                let record = (try? await self.store.record(self.name)) ?? nil, record.answer == nil
            else { return false }
            if record.isWhole || record.concatenation != nil { return record.isWhole }
            return (try? await self.store.allBytes(of: self.name, record)) != nil
        }
    }

    /// The bytes of a part that has all of them; `nil` for another upload.
    var partLength: Int64? {
        get async throws {
            guard let record = try await self.store.record(self.name), record.concatenation == .partial else {
                return nil
            }
            return try await self.store.allBytes(of: self.name, record)
        }
    }

    /// Whether a request adds to it, or it is being processed.
    var isInUse: Bool { self.content.isOpen || self.processing != nil }

    /// Reads the storage's state, after ending the request in progress.
    /// - Parameter memory: The memory of the request that takes over.
    private func takeOver(_ memory: (any UploadMemory)? = nil) async throws {
        self.endTransfer()
        guard self.processing == nil else { return }
        guard !self.content.isAnswerUnsaved else {
            try? await self.content.saveAnswer()
            return self.refresh(offset: self.content.record.length ?? 0)
        }
        try await self.closingAfterError { try await self.readState(memory) }
    }

    private func readState(_ memory: (any UploadMemory)?) async throws {
        self.refresh(offset: try await self.content.read(for: memory))
    }

    private func refresh(offset: Int64) {
        self.resource = self.content.record.resource(
            offset: offset, limits: self.store.options.limits, now: Date())
        self.content.rewindDigests(to: offset)
    }

    private func endTransfer() {
        self.transfer?.end.finish()
        self.transfer = nil
    }

    private func open(_ check: DigestCheck?) async throws -> Turn {
        try await self.closingAfterError {
            try await self.content.begin(
                at: self.resource.offset, length: self.resource.length, isChecked: check != nil)
        }
        self.turns += 1
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        self.transfer = Transfer(
            number: self.turns, end: continuation, check: check, start: self.resource.offset)
        return Turn(number: self.turns, isOver: stream)
    }

    /// Begins the transfer that comes with the creation.
    func beginCreation(
        _ creation: UploadCreation, _ check: DigestCheck?, _ memory: (any UploadMemory)?
    ) async throws -> Turn {
        try await self.alone {
            try await self.takeOver(memory)
            self.resource.beginCreation(creation)
            return try await self.open(check)
        }
    }

    /// Begins an addition.
    /// - Throws: `refused`, among others.
    func begin(
        _ append: UploadAppend, _ check: DigestCheck?, _ memory: (any UploadMemory)?
    ) async throws -> Turn {
        // Immediately, not when the gate opens: the request in progress may hold it for as long as the storage takes.
        self.endTransfer()
        await self.gate.enter()
        defer { self.gate.leave() }
        try await self.takeOver(memory)
        var next = self.resource
        if let refusal = next.begin(append) {
            // One that has bytes beyond the limit can never be complete.
            let isHopeless =
                refusal.response.status == .contentTooLarge && append.offset == self.resource.offset
                && self.resource.isTooLarge(with: append.contentLength ?? 0)
            await self.closeContent()
            if isHopeless, self.processing == nil, !self.resource.isWhole { try await self.removeRefused(refusal) }
            throw Failure.refused(refusal)
        }
        // What arrived before would have to be read again.
        if let digest = append.reprDigest, digest != self.content.record.announcedDigests {
            await self.closeContent()
            throw Failure.refused(self.resource.otherDigest)
        }
        // Its bytes were counted when they arrived. Now its whole length counts.
        if self.resource.length == nil, let length = next.length,
            !(await self.store.quota.admits(length - self.resource.offset))
        {
            await self.closeContent()
            throw Failure.full(Self.tooManyBytes)
        }
        self.resource = next
        return try await self.open(check)
    }

    private static var tooManyBytes: FormworkError {
        FormworkError(.writeFailed, "all uploads together have too many bytes", cause: Errno.noSpace)
    }

    /// Ends a request's turn after a failure, and releases the upload for others.
    func abandon(_ turn: Turn) async {
        await self.alone {
            guard self.transfer?.number == turn.number else { return }
            self.endTransfer()
            await self.closeContent()
        }
    }

    /// Stores the next bytes.
    /// - Returns: The answer that ends the request; `nil` to continue.
    func write(_ bytes: some BodyChunk, in turn: Turn) async throws -> ResumableResponse? {
        await self.gate.enter()
        defer { self.gate.leave() }
        guard self.transfer?.number == turn.number else { throw Failure.superseded }
        let count = bytes.byteCount
        guard count > 0 else { return nil }
        var next = self.resource
        if let refusal = next.take(count) {
            self.endTransfer()
            // The draft requires refusing an upload with too many bytes for good: it isn't known which it should have had.
            let isInconsistent = self.uploadProtocol.draft != nil && self.resource.length != nil
            // The bytes of a complete upload are known, and it may be being processed.
            if isInconsistent || self.resource.isTooLarge(with: Int64(count)), !self.resource.isWhole {
                await self.content.close()
                try await self.removeRefused(refusal)
            } else {
                try await self.closingAfterError { try await self.content.dropUnchecked() }
                await self.closeContent()
            }
            return refusal
        }
        if self.resource.length == nil, !(await self.store.quota.admits(Int64(count))) {
            self.endTransfer()
            await self.content.close()
            throw Failure.full(Self.tooManyBytes)
        }
        let offset = self.resource.offset
        do {
            try await self.content.append(bytes, at: offset)
            self.resource = next
            self.content.digest(bytes, at: offset)
            try await self.content.separateFiles(count: next.offset)
        } catch {
            self.endTransfer()
            await self.content.close()
            // Cancelled by the next request, or because the receiver stops: the storage hasn't failed.
            if error is CancellationError { throw error }
            throw error is UploadIsBusy ? Failure.busy : Failure.full(error)
        }
        // The turn ended while the storage stored the bytes, which are there.
        guard self.transfer?.number == turn.number else { throw Failure.superseded }
        self.transfer?.check?.update(bytes)
        return nil
    }

    /// The 104 that reports progress; `nil` if there is none to send.
    func progress(in turn: Turn) async throws -> HTTPResponse? {
        await self.gate.enter()
        defer { self.gate.leave() }
        guard self.transfer?.number == turn.number else { return nil }
        await self.content.renew()
        guard self.transfer?.check == nil else { return nil }
        do { try await self.content.sync() } catch {
            self.endTransfer()
            await self.closeContent()
            throw error
        }
        self.reported = self.resource.offset
        return self.resource.progress()
    }

    func offer(location: String) -> HTTPResponse? { self.resource.offer(location: location) }

    /// A request's content ended.
    func end(_ turn: Turn, wasWhole: Bool) async throws -> UploadResource.Ending {
        await self.gate.enter()
        defer { self.gate.leave() }
        guard let transfer = self.transfer, transfer.number == turn.number else { throw Failure.superseded }
        self.endTransfer()
        // Also if the request was cancelled: what has arrived counts, and a storage may need requests of its own to keep it.
        let ending = Task { try await self.end(transfer, wasWhole: wasWhole) }
        return try await self.closingAfterError { try await ending.value }
    }

    private func end(_ transfer: Transfer, wasWhole: Bool) async throws -> UploadResource.Ending {
        if let check = transfer.check {
            guard wasWhole, check.matches else {
                try await self.content.dropUnchecked()
                self.resource.takeBack(to: transfer.start)
                await self.closeContent()
                return wasWhole ? .refused(self.resource.mismatch(isChecksum: check.isChecksum)) : .more
            }
            self.content.accept()
        }
        try await self.content.sync()
        guard self.processing == nil else { return .whole }
        if self.resource.offset > transfer.start { await self.content.renew() }
        let ending = self.resource.end(wasWhole: wasWhole)
        if ending == .whole {
            try await self.content.finish(count: self.resource.offset)
        } else if transfer.check != nil {
            try await self.content.save()
        }
        if ending != .whole { await self.content.close() }
        return ending
    }

    /// The answer to a request that left the upload incomplete.
    func appended(isCreation: Bool, location: String?) -> ResumableResponse {
        self.expiring(self.resource.appended(isCreation: isCreation, location: location))
    }

    /// The answer to a request for the offset. It ends the request in progress, and waits for processing.
    ///
    /// A tus client takes an offset at the end for success, and asks no more. So a complete upload that hasn't been
    /// processed, because this process or the one before failed or was killed, is processed first. If it was refused,
    /// the refusal is the answer.
    func offsetAnswer(by handler: ResumableHandler) async throws -> ResumableResponse {
        let isWhole = try await self.lookAgain(handler.memory)
        if isWhole {
            let answer = await self.process(location: nil, by: handler)
            if answer.response.status.kind != .successful { return answer }
        } else if let processing = self.processing {
            _ = await processing.value
        }
        var answer = self.expiring(self.resource.offsetAnswer())
        guard self.uploadProtocol == .tus else { return answer }
        let record = self.content.record
        if !record.metadata.entries.isEmpty {
            answer.response.headerFields[.uploadMetadata] = record.metadata.fieldValue
        }
        answer.response.headerFields[.uploadConcat] = record.concatenation?.fieldValue(prefix: handler.urlPrefix)
        return answer
    }

    /// An answer to a request whose bytes couldn't be stored, with the offset of those that are kept, as far as it is known.
    /// - Parameters:
    ///   - location: The upload's URL, for the answer to its creation.
    ///   - memory: The request's memory.
    func kept(
        _ answer: ResumableResponse, location: String? = nil, _ memory: (any UploadMemory)?
    ) async -> ResumableResponse {
        do {
            _ = try await self.lookAgain(memory)
            await self.closeContent()
        } catch { return answer }
        var answer = self.expiring(self.resource.described(answer))
        answer.response.headerFields[.location] = location
        return answer
    }

    /// - Returns: Whether every byte of a tus upload has arrived, so that it must be processed; it is then held for
    ///   that.
    private func lookAgain(_ memory: (any UploadMemory)?) async throws -> Bool {
        self.endTransfer()
        await self.gate.enter()
        defer { self.gate.leave() }
        try await self.takeOver(memory)
        if self.resource.hasAll { return true }
        await self.closeContent()
        return false
    }

    /// Cancels it.
    func cancel() async throws -> ResumableResponse {
        self.endTransfer()
        try await self.alone { try await self.takeOver() }
        _ = await self.processing?.value
        try await self.alone {
            self.endTransfer()
            // It may have been processed meanwhile. Then it wasn't cancelled, even if its answer couldn't be saved.
            guard self.content.answer == nil else { return try await self.remove() }
            await self.content.close()
            try await self.store.remove(self.name, note: self.note, because: .cancelled)
        }
        return self.resource.cancelled
    }

    /// Removes it, in any state.
    func forget() async throws {
        try await self.alone {
            self.endTransfer()
            try await self.remove()
        }
    }

    /// Removes it, unless a request adds to it, it is being processed, or another process has it.
    /// - Parameter isWanted: Whether it is still to be removed; called while the upload is locked.
    func remove(because reason: UploadRemoval.Reason, if isWanted: @Sendable () async -> Bool) async -> Bool {
        await self.alone {
            guard !self.isInUse else { return false }
            return await self.store.withBytes(self.name) {
                guard await isWanted() else { return false }
                return (try? await self.store.remove(self.name, note: self.note, because: reason)) != nil
            }
        }
    }

    /// Releases it for others, unless it is being processed.
    private func closeContent() async { if self.processing == nil { await self.content.close() } }

    /// Makes calls that wait for the storage without others between them.
    private func alone<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        await self.gate.enter()
        defer { self.gate.leave() }
        return try await body()
    }

    private func closingAfterError<Result>(_ body: () async throws -> Result) async throws -> Result {
        do { return try await body() } catch {
            await self.closeContent()
            throw error
        }
    }

    /// Removes it because of a refusal after which it can never be complete.
    private func removeRefused(_ refusal: ResumableResponse) async throws {
        let reason = UploadRemoval.Reason.refused(status: refusal.response.status.code)
        try await self.store.remove(self.name, note: self.note, because: reason)
    }

    private func remove() async throws {
        await self.content.close()
        try await self.store.remove(self.name)
    }

    private func expiring(_ answer: ResumableResponse) -> ResumableResponse {
        guard self.uploadProtocol == .tus, self.content.record.answer == nil else { return answer }
        var answer = answer
        answer.response.headerFields[.uploadExpires] = HTTPDate.text(
            Int64(clamping: self.content.record.expires.timeIntervalSince1970))
        return answer
    }

    /// Has the complete upload processed, once, however many requests ask.
    func process(location: String?, by handler: ResumableHandler) async -> ResumableResponse {
        if let answer = self.content.answer {
            // It may have been saved by a process that was killed then.
            await handler.saved(self.name)
            return self.resource.final(answer, location: location)
        }
        let task: Task<ResumableResponse, Never>
        if let running = self.processing {
            task = running
        } else {
            // Not a child of the request's task: the request may be cut, but the upload is complete all the same.
            task = Task { await self.processed(by: handler) }
            self.processing = task
            handler.processing(task)
        }
        let answer = await task.value
        return self.content.answer == nil ? answer : self.resource.final(answer, location: location)
    }

    /// - Returns: The target's unchanged answer, or an answer about the upload if there is none yet.
    private func processed(by handler: ResumableHandler) async -> ResumableResponse {
        let answer: ResumableResponse
        do { answer = try await self.completed(by: handler) } catch {
            switch (await self.answerOfAnother(handler.memory), error) {
            case (let given?, _): answer = given
            // It is the other process that completes it, or will.
            case (nil, Failure.busy), (nil, is UploadIsBusy): answer = .busy(isTus: self.uploadProtocol == .tus)
            case (nil, _):
                handler.report(self.name, error)
                answer = self.resource.failed(HTTPResponse.Status(processingError: error))
            }
        }
        await self.alone {
            await self.content.close()
            self.processing = nil
        }
        return answer
    }

    private func completed(by handler: ResumableHandler) async throws -> ResumableResponse {
        if !self.content.isOpen {
            // A request in between closed it, and another process may have opened it since then.
            try await self.alone { try await self.readState(handler.memory) }
            if let answer = self.content.answer { return answer }
        }
        let upload = try await self.content.finished(count: self.resource.offset, for: handler.memory)
        guard upload.digests.match(self.content.record.announcedDigests.values) else {
            let answer = self.resource.mismatch(isChecksum: false)
            try await self.removeRefused(answer)
            return answer
        }
        let wanted = upload.digests.filter { self.content.record.wantedDigests.contains($0.algorithm) }
        var answer = try await handler.complete(upload)
        if !wanted.isEmpty {
            answer.response.headerFields.append(
                HTTPField(name: .reprDigest, value: DigestField(wanted).fieldValue))
        }
        self.content.take(answer)
        self.resource.processed()
        await self.alone {
            do {
                try await self.content.saveAnswer()
                await handler.saved(self.name)
            } catch { handler.report(self.name, UnsavedResponse(cause: error)) }
        }
        return answer
    }

    /// The answer of another process that completed the upload in the meantime, and removed what this one was reading.
    private func answerOfAnother(_ memory: (any UploadMemory)?) async -> ResumableResponse? {
        await self.alone {
            await self.content.close()
            try? await self.readState(memory)
            return self.content.answer
        }
    }
}

/// An error of a storage, or of processing, that says how it is answered. The upload is kept.
package protocol StatusFailure: Error {
    /// At least 400.
    var status: HTTPResponse.Status { get }
}

/// An upload was processed, but its answer couldn't be saved.
private struct UnsavedResponse: Error, CustomStringConvertible {
    let cause: any Error
    var description: String { "it was processed, but its answer could only be kept in memory: \(self.cause)" }
}

extension StoredUpload {
    /// Why a request can't continue.
    enum Failure: Error {
        /// It was refused, with this answer.
        case refused(ResumableResponse)
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

        /// The cause of `full` before anything is written.
        static let noRoom = FormworkError(
            .writeFailed, "there is no room besides what must stay free", cause: Errno.noSpace)
    }
}
