#if Transfer
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Formwork
import FormworkCore
import FormworkHTTP
import FormworkResumable
import HTTPTypes
import NIOCore
import SystemPackage

/// One upload on the disk. Its calls come one after another, on a thread of its own, and one request at a time adds to
/// it: the next request ends the one before.
actor StoredUpload {
    /// What a request that adds to the upload needs to go on doing so.
    struct Turn: Sendable {
        let number: Int
        /// Ends when the turn does, by the next request.
        let isOver: AsyncStream<Never>
    }

    /// Why a request can't go on.
    enum Failure: Error {
        /// Another request has the upload now.
        case superseded
        /// Another process has it.
        case busy
        /// It is gone.
        case missing
        /// Its files can't be opened or read at the moment: no descriptor may be left, say.
        case unreadable
        /// The disk takes no more.
        case full
    }

    private struct Transfer {
        var number: Int
        var end: AsyncStream<Never>.Continuation
        var check: DigestCheck?
        /// Where the content belongs.
        var start: Int64
    }

    nonisolated let name: String
    nonisolated let uploadProtocol: ResumableProtocol
    private nonisolated let executor = ThreadExecutor()
    private let store: UploadStore
    private var record: UploadRecord
    /// Open, and locked against other processes, while a request adds to it or it is processed.
    private var file: AppendedFile?
    private var resource: UploadResource
    private var transfer: Transfer?
    private var turns = 0
    private var processing: Task<UploadAnswer, Never>?
    /// Whether only this object has the answer, since the disk took it not.
    private var isAnswerUnsaved = false

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor holds its executor as long as it lives.
        unsafe self.executor.asUnownedSerialExecutor()
    }

    init(_ name: String, in store: UploadStore, _ record: UploadRecord) {
        self.name = name
        self.store = store
        self.record = record
        self.uploadProtocol = record.uploadProtocol
        self.resource = record.resource(offset: 0, limits: store.options.limits, now: Date())
    }

    /// Ends the request on its way, and takes what the disk says.
    private func takeOver() throws {
        self.endTransfer()
        guard self.processing == nil else { return }
        guard !self.isAnswerUnsaved else {
            try? self.saveAnswer()
            return self.refresh(offset: self.record.length ?? 0)
        }
        try self.orLetGo { try self.readState() }
    }

    /// Locks it, and takes what the disk says. Nothing is open behind that when the answer is there.
    private func readState() throws {
        // In this order: who had the lock until now wrote down what came of it before it let go.
        if self.file == nil { self.file = try self.store.openBytes(self.name) }
        guard let record = try self.store.record(self.name) else { throw Failure.missing }
        self.record = record
        guard record.answer == nil else {
            // A process that was killed right behind its answer left them.
            if self.file != nil { PrivateFile.remove(self.store.dataPath(self.name)) }
            self.file = nil
            return self.refresh(offset: record.length ?? 0)
        }
        guard self.file != nil else { throw Failure.missing }
        try self.dropUnchecked()
        // Bytes may be there of a request that was ended a moment ago, or with its process: they are told of next.
        try self.sync()
        self.refresh(offset: try self.file?.count() ?? 0)
    }

    /// Has the disk have the bytes, if anybody asked for that.
    private func sync() throws(FormworkError) {
        if self.store.options.isDurable { try self.file?.sync() }
    }

    private func refresh(offset: Int64) {
        self.resource = self.record.resource(
            offset: offset, limits: self.store.options.limits, now: Date())
    }

    /// Cuts off bytes whose digest was never compared.
    private func dropUnchecked() throws(FormworkError) {
        guard let offset = self.record.uncheckedOffset else { return }
        try self.file?.truncate(to: offset)
        // Should the record be on the disk, and this not, wrong bytes would count.
        try self.sync()
        self.record.uncheckedOffset = nil
        try self.save()
    }

    private func save() throws(FormworkError) {
        try self.record.write(
            to: self.store.recordPath(self.name), durably: self.store.options.isDurable)
    }

    private func endTransfer() {
        self.transfer?.end.finish()
        self.transfer = nil
    }

    private func open(_ check: DigestCheck?) throws -> Turn {
        if check != nil {
            self.record.uncheckedOffset = self.resource.offset
        }
        if check != nil || self.record.length != self.resource.length {
            self.record.length = self.resource.length
            try self.save()
        }
        self.turns += 1
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        self.transfer = Transfer(
            number: self.turns, end: continuation, check: check, start: self.resource.offset)
        return Turn(number: self.turns, isOver: stream)
    }

    /// Begins the transfer that comes with the creation.
    func beginCreation(_ creation: UploadCreation, _ check: DigestCheck?) throws -> Turn {
        try self.takeOver()
        self.resource.beginCreation(creation)
        return try self.orLetGo { try self.open(check) }
    }

    /// Begins to add to it, or says why not.
    func begin(_ append: UploadAppend, _ check: DigestCheck?) throws -> Result<Turn, Refusal> {
        try self.takeOver()
        if let refusal = self.resource.begin(append) {
            self.letGo()
            return .failure(Refusal(answer: refusal))
        }
        return .success(try self.orLetGo { try self.open(check) })
    }

    struct Refusal: Error { var answer: UploadAnswer }

    /// Keeps the next bytes.
    /// - Returns: The answer that ends the request; `nil` to go on.
    func write(_ buffer: ByteBuffer, in turn: Turn) throws -> UploadAnswer? {
        guard self.transfer?.number == turn.number else { throw Failure.superseded }
        guard buffer.readableBytes > 0 else { return nil }
        var next = self.resource
        if let refusal = next.take(buffer.readableBytes) {
            self.endTransfer()
            if self.uploadProtocol.draft != nil, self.resource.length != nil, !self.resource.isWhole {
                // The draft has such an upload refused for good: nobody knows which bytes it was to have. Of a whole
                // one that is known, and it may be being processed.
                self.remove()
            } else {
                try self.orLetGo { try self.dropUnchecked() }
                self.letGo()
            }
            return refusal
        }
        do throws(FormworkError) {
            try self.file?.append(buffer)
        } catch {
            try? self.file?.truncate(to: self.resource.offset)
            self.endTransfer()
            self.file = nil
            throw Failure.full
        }
        self.transfer?.check?.update(buffer)
        self.resource = next
        return nil
    }

    /// The 104 that tells how far it is; `nil` where there is none to tell.
    func progress(in turn: Turn) throws -> HTTPResponse? {
        guard self.transfer?.number == turn.number, self.transfer?.check == nil else { return nil }
        do { try self.sync() } catch {
            self.endTransfer()
            self.letGo()
            throw error
        }
        return self.resource.progress()
    }

    func offer(location: String) -> HTTPResponse? { self.resource.offer(location: location) }

    /// A request's content ended.
    func end(_ turn: Turn, wasWhole: Bool) throws -> UploadResource.Ending {
        guard let transfer = self.transfer, transfer.number == turn.number else { throw Failure.superseded }
        self.endTransfer()
        return try self.orLetGo { try self.end(transfer, wasWhole: wasWhole) }
    }

    private func end(_ transfer: Transfer, wasWhole: Bool) throws -> UploadResource.Ending {
        if let check = transfer.check {
            guard wasWhole, check.matches else {
                try self.dropUnchecked()
                self.resource.takeBack(to: transfer.start)
                self.letGo()
                return wasWhole ? .refused(self.resource.mismatch(isChecksum: check.isChecksum)) : .more
            }
            self.record.uncheckedOffset = nil
        }
        try self.sync()
        guard self.processing == nil else { return .whole }
        let ending = self.resource.end(wasWhole: wasWhole)
        if case .whole = ending {
            self.record.length = self.resource.offset
            self.record.isWhole = true
        }
        if ending == .whole || transfer.check != nil { try self.save() }
        if ending != .whole { self.file = nil }
        return ending
    }

    /// What the client is told after a request that left the upload waiting for more.
    func appended(isCreation: Bool, location: String?) -> UploadAnswer {
        self.expiring(self.resource.appended(isCreation: isCreation, location: location))
    }

    /// How far it is. Whatever was on its way is ended; what is being processed is waited for.
    ///
    /// A client of tus takes the offset at the end for success, and asks no more. So a whole upload that nobody has
    /// processed, as this process or the one before failed or was killed, is processed first; and of one that was
    /// refused, the refusal is told.
    func told(by handler: ResumableHandler) async throws -> UploadAnswer {
        try self.takeOver()
        if self.uploadProtocol == .tus, self.resource.offset == self.resource.length {
            let answer = await self.process(location: nil, by: handler)
            if answer.response.status.kind != .successful { return answer }
        } else if let processing = self.processing {
            _ = await processing.value
        } else {
            self.file = nil
        }
        var answer = self.expiring(self.resource.told())
        if self.uploadProtocol == .tus, !self.record.metadata.entries.isEmpty {
            answer.response.headerFields[.uploadMetadata] = self.record.metadata.fieldValue
        }
        return answer
    }

    /// Forgets it.
    func cancel() async throws -> UploadAnswer {
        try self.takeOver()
        _ = await self.processing?.value
        self.remove()
        return self.resource.cancelled
    }

    /// Closes the file, unless it is being processed.
    private func letGo() { if self.processing == nil { self.file = nil } }

    /// Closes the file behind an error, so that it isn't locked for as long as nobody asks.
    private func orLetGo<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch {
            self.letGo()
            throw error
        }
    }

    private func remove() {
        self.file = nil
        self.store.remove(self.name)
    }

    private func expiring(_ answer: UploadAnswer) -> UploadAnswer {
        guard self.uploadProtocol == .tus, self.record.answer == nil else { return answer }
        var answer = answer
        answer.response.headerFields[.uploadExpires] = HTTPDate.text(
            Int64(clamping: self.record.expires.timeIntervalSince1970))
        return answer
    }

    /// Has the whole upload processed, once, whoever asks.
    func process(location: String?, by handler: ResumableHandler) async -> UploadAnswer {
        if let answer = self.record.answer {
            return self.resource.final(
                UploadAnswer(answer.response, content: Array(answer.content)), location: location)
        }
        let task: Task<UploadAnswer, Never>
        if let running = self.processing {
            task = running
        } else {
            // Not a child of the request's task: the request may be cut, and the upload is whole all the same.
            task = Task { await self.processed(by: handler) }
            self.processing = task
            handler.processing(task)
        }
        let answer = await task.value
        return self.record.answer == nil ? answer : self.resource.final(answer, location: location)
    }

    /// - Returns: The target's answer as it is, or one about the upload when it has none yet.
    private func processed(by handler: ResumableHandler) async -> UploadAnswer {
        defer {
            self.processing = nil
            self.file = nil
        }
        let path = self.store.dataPath(self.name)
        do {
            if self.file == nil {
                // A request that came in between let go of it, and another process may have it, or have had it.
                try self.readState()
                if let answer = self.record.answer {
                    return UploadAnswer(answer.response, content: Array(answer.content))
                }
            }
            var fields: HTTPFields = [:]
            switch try DigestCheck.whole(self.record, at: path) {
            case .right(let digest): fields[.reprDigest] = digest?.fieldValue
            case .wrong:
                let answer = self.resource.mismatch(isChecksum: false)
                self.store.remove(self.name)
                return answer
            }
            let upload = CompletedUpload(self.name, self.record, path, length: self.resource.offset)
            var answer = try await handler.complete(upload)
            answer.response.headerFields.append(contentsOf: fields)
            let kept = answer.content.count <= Self.largestKeptAnswer ? answer.content : []
            self.record.answer = UploadRecord.Answer(response: answer.response, content: Data(kept))
            self.record.expires = Date().addingTimeInterval(self.store.options.answerLifetime)
            self.resource.processed()
            do { try self.saveAnswer() } catch { handler.report(self.name, UnsavedAnswer(cause: error)) }
            return answer
        } catch {
            handler.report(self.name, error)
            return self.resource.failed(.internalServerError)
        }
    }

    /// Writes the answer down, in place of what was uploaded.
    /// - Throws: `writeFailed`; the answer is kept in memory then, and written by a later call.
    private func saveAnswer() throws(FormworkError) {
        self.isAnswerUnsaved = (try? self.save()) == nil
        // Not before: should the process end between the two, the upload is there, or its answer.
        PrivateFile.remove(self.store.dataPath(self.name))
        // Not before either: who gets the lock then finds the answer, or no bytes.
        defer { self.file = nil }
        guard self.isAnswerUnsaved else { return }
        // A full disk has no room for the answer as long as the bytes take theirs, which they do while they are open.
        try? self.file?.truncate(to: 0)
        try self.save()
        self.isAnswerUnsaved = false
    }

    private static let largestKeptAnswer = 64 << 10
}

/// An upload was processed, and its answer can't be written down.
private struct UnsavedAnswer: Error, CustomStringConvertible {
    let cause: FormworkError
    var description: String { "it was processed, but its answer is in memory only: \(self.cause)" }
}
#endif
