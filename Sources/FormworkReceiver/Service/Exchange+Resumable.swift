import FormworkHummingbirdCore
import FormworkResumable
import HTTPTypes
import Logging
import NIOCore
import Synchronization

// Uploads that arrive in pieces: kept until they are complete, then handled like an upload in one request.
extension Exchange {
    private static let uploadsPath = UnfinishedUploads.path

    /// Whether a request belongs to one of the resumable protocols, or may.
    static func isResumable(_ head: HTTPRequest) -> Bool {
        if head.path?.hasPrefix(self.uploadsPath) == true { return true }
        if case .plain = UploadRequest(head, resource: nil) { return false }
        return true
    }

    /// The upload that the request begins; `nil` if it begins none.
    private var creation: UploadCreation? {
        guard case .create(let creation) = UploadRequest(self.head, resource: nil), !self.namesUpload else {
            return nil
        }
        return creation
    }

    /// Whether the request is to an unfinished upload's own URL.
    private var namesUpload: Bool { self.head.path?.hasPrefix(Self.uploadsPath) == true }

    /// The name of the upload whose URL the request is to.
    private var uploadName: String? { self.namesUpload ? RequestPath(self.head.path).lastSegment : nil }

    /// Answers such a request; `nil` if its connection is to be closed.
    func resume(_ body: AskedBody) async throws -> ServiceResponse? {
        guard let (store, unfinished) = self.receiver.resuming else { return self.refusal(.notFound) }
        let processing = Processing()
        let place: UnfinishedUploads.Reservation?
        do throws(ProblemDetails) { place = try await self.placeToBegin(store, unfinished) } catch {
            return self.refuse(error, .unfinishedLimit)
        }
        defer { place?.giveBack() }
        var handler = self.handler(store, processing)
        handler.created = { name in
            processing.name = name
            place?.take(name)
            self.log("upload begun", name)
        }
        guard await handler.isWork(self.head) else { return await self.handle(body, handler, processing) }
        // Only a whole upload is stored once for its key.
        var arrival: IdempotentUploads.Arrival?
        var whole: IncomingUpload?
        if self.creation?.completes == true, case .upload(let upload) = self.router.decideOrdinary(self.head) {
            do throws(ProblemDetails) { arrival = try await self.arrival() } catch { return self.refuse(error) }
            whole = self.confined(upload)
        }
        return try await self.working(arrival) { [handler, arrival, whole] memory in
            var handler = handler
            (handler.memory, processing.context.memory) = (memory, memory)
            let limited = handler
            guard let arrival, let whole else { return await self.handle(body, limited, processing) }
            let answer = await self.once(arrival, whole, body) { run in
                processing.context.run = run
                return await processing.ended(await self.handle(body, limited, processing))
            }
            return processing.isClosed ? nil : answer
        }
    }

    /// The handler of the protocols, for this request.
    private func handler(_ store: UploadStore, _ processing: Processing) -> ResumableHandler {
        let intake = self.receiver.intake
        @Sendable func log(_ message: Logger.Message, _ error: any Error) {
            self.logger.error(message, metadata: ["reason": "\(FailedUpload(error).reason)"])
        }
        var handler = ResumableHandler(store, prefix: Self.uploadsPath) { _, error in
            log("upload not processed", error)
        } failed: { error in
            log("the storage of unfinished uploads failed", error)
        } complete: { upload in
            processing.hasBegun = true
            let answer = await self.answer(upload, processing.context)
            processing.receipt = answer.receipt
            // That receiver has the answer, or will.
            guard !answer.isBusy else { throw UploadIsBusy() }
            // The receiver's own failure may pass: the client can complete the upload again.
            guard answer.status.kind != .serverError else { throw IncompleteProcessing(status: answer.status) }
            return ResumableResponse(
                HTTPResponse(status: answer.status, headerFields: answer.fields),
                content: Array(answer.body.readableBytesView))
        }
        handler.publicPrefix = "\(self.base)\(Self.uploadsPath.dropFirst())"
        handler.maxSize = self.maxSize(self.scope?.terms ?? UploadTerms())
        if let scope {
            handler.note = scope.terms.stored
            handler.mayUse = { (try? UploadTerms(stored: $0))?.link == scope.link.id }
        }
        handler.processing = { task in
            processing.task = task
            self.receiver.slots.watch(task)
        }
        let share = intake.share(self.scope?.terms ?? UploadTerms())
        handler.hasRoom = { room in
            guard (try? await intake.storage.room(for: .unfinished(room))) != nil else { return false }
            guard let share else { return true }
            return (try? await share.check(room.missing)) != nil
        }
        handler.saved = { await intake.storage.forget($0) }
        return handler
    }

    /// The limit of a resumable upload with these terms. A PUT's body is a file, whatever its type.
    private func maxSize(_ terms: UploadTerms) -> @Sendable (_ isForm: Bool) -> Int64? {
        let (limits, share) = (self.router.limits.limited(to: terms.maxSize), self.receiver.resuming?.unfinished.bytes)
        let (isPut, file) = (self.head.method == .put, min(limits.fileBytes, limits.bodyBytes))
        return { isForm in min(share ?? .max, isForm && !isPut ? limits.bodyBytes : file) }
    }

    /// A place among the client's unfinished uploads; `nil` for a request that begins none.
    private func placeToBegin(
        _ store: UploadStore, _ unfinished: UnfinishedUploads
    ) async throws(ProblemDetails) -> UnfinishedUploads.Reservation? {
        // Not waited for: a bucket may have long lists.
        _ = Task { await unfinished.sweep { await store.names() } }
        guard let creation else { return nil }
        // A longer one is refused with the limit.
        let length = min(max(0, creation.length ?? 0), unfinished.bytes)
        let place = await unfinished.reserve(length, for: self.client.key) { await store.isUnfinished($0) }
        if let place { return place }
        throw .tooMany(
            "This client has too many unfinished uploads, or they are too large together: complete or cancel one first."
        )
    }

    private func handle(
        _ body: AskedBody, _ handler: ResumableHandler, _ processing: Processing
    ) async -> ServiceResponse? {
        var handler = handler
        var begun: UploadTerms?
        if let creation, let creation = try? await handler.begun(by: creation) {
            do {
                let terms = try await self.terms(of: creation)
                // Others have nothing to keep.
                if terms.asked != nil { handler.note = terms.stored }
                handler.maxSize = self.maxSize(terms)
                begun = terms
            } catch let problem as ProblemDetails {
                return self.refuse(problem)
            } catch {
                self.log(self.failure(error, processing.context.run))
                return nil
            }
        }
        if let name = self.uploadName, let offset = self.head.headerFields.uploadOffset {
            self.log("upload continues", name, level: offset == 0 ? .debug : .info, offset: offset)
        }
        switch await handler.handle(self.head, body: body, inform: { [channel] in channel.inform($0) }) {
        case .answer(let given) where given.response.status.code == 507:
            self.log(FailedUpload(ProblemDetails.noRoom))
            if let begun, processing.name == nil { await self.report(.noRoom, begun) }
            var answer = self.refusal(.noRoom)
            for field in given.response.headerFields where answer.fields[field.name] == nil {
                answer.fields.append(field)
            }
            return answer
        case .answer(let given): return await self.answer(given, processing, begun)
        case .close:
            if let name = processing.name ?? self.uploadName { self.log("upload cut", name) }
            if self.receiver.slots.isDropped {
                var failure = FailedUpload(CancellationError())
                failure.reason = "the receiver is stopping; what has arrived of the upload is kept"
                self.log(failure)
            }
            return nil
        case .notResumable:
            switch self.router.decideOrdinary(self.head) {
            case .upload(var upload):
                upload.terms = begun ?? self.scope?.terms ?? upload.terms
                return await self.take(upload, body, processing.context)
            case .refused(let problem): return self.refuse(problem)
            default: return Self.methodsAnswer
            }
        }
    }

    /// The terms on which a resumable upload is begun.
    /// - Throws: The hook's refusal, that of a head that no upload can have, and `CancellationError`.
    private func terms(of creation: UploadCreation) async throws -> UploadTerms {
        try IncomingUpload.checkCoding(self.head)
        let terms = self.scope?.terms ?? UploadTerms()
        do { try await StorageProblem.marking { try await self.receiver.intake.linkUses?.check(terms) } } catch {
            throw FailedUpload(error).problem
        }
        guard self.receiver.intake.hooks != nil else { return terms }
        var whole = self.head
        whole.headerFields[.contentType] = creation.contentType
        let metadata = creation.metadata
        let name = metadata.relativePath ?? metadata["filename"] ?? metadata["name"]
        var upload = try IncomingUpload(whole, filename: name)
        (upload.length, upload.terms) = (creation.length, terms)
        return try await self.asked(upload, creation)
    }

    /// The protocol's answer, after it was logged, counted and reported.
    private func answer(
        _ given: ResumableResponse, _ processing: Processing, _ begun: UploadTerms?
    ) async -> ServiceResponse {
        let (status, isRefusal) = (given.response.status, given.response.status.kind != .successful)
        // A complete upload's own failure has been logged.
        if !processing.hasBegun { self.logRefusal(given) }
        if !isRefusal, let offset = self.head.headerFields.uploadOffset, offset > 0 {
            self.receiver.metrics?.count(.resumptions)
        }
        // One that was created is reported when it is removed.
        if let begun, isRefusal, !processing.hasBegun, processing.name == nil {
            await self.receiver.intake.hooks?.failed(begun, status: status.code, "The upload could not be begun.")
        }
        if processing.hasBegun, !isRefusal, let name = processing.name ?? RequestPath(self.head.path).lastSegment {
            self.receiver.resuming?.unfinished.forget(name)
        }
        return ServiceResponse(
            status, fields: given.response.headerFields, body: ByteBuffer(bytes: given.content),
            closes: isRefusal && self.head.mayBringBody)
    }

    /// The target's own answer to a complete upload.
    ///
    /// The login of this request, which completed it, owns the files: the record has no credentials. An upload in several
    /// requests has no run: what it stores is not remembered under its key.
    private func answer(_ completed: CompletedUpload, _ context: UploadContext) async -> ServiceResponse {
        var whole = self
        whole.head = completed.request
        whole.head.headerFields[.cookie] = self.head.headerFields[.cookie]
        whole.head.headerFields[.contentType] = completed.contentType
        whole.head.headerFields[.contentLength] = String(completed.length)
        // These fields describe the first piece. The whole has already been compared with Repr-Digest.
        for name in [HTTPField.Name.contentDigest, .contentMD5, .reprDigest] { whole.head.headerFields[name] = nil }
        do throws(ProblemDetails) {
            let filename = completed.metadata.relativePath ?? completed.filename
            var upload = try IncomingUpload(whole.head, filename: filename)
            upload.terms = try UploadTerms(stored: completed.note)
            upload.resumed = (completed.name, completed.created)
            if case .file = upload.content { upload.metadata = completed.metadata.ofFile }
            return await whole.take(upload, context) { upload, context in
                let intake = whole.receiver.intake
                let body = StoredBody(
                    content: completed.content, file: completed.file,
                    form: StoredForm(completed, isDigesting: intake.keeping.isDigesting), upload: completed.name,
                    length: completed.length, digests: completed.digests)
                return try await intake.take(upload, body, in: context)
            }
        } catch { return whole.refuse(error) }
    }
}

extension TusMetadata {
    /// The file's name with its folders, if they are there: Uppy sends `relativePath` besides `filename`, and the text `null`
    /// if there is none.
    fileprivate var relativePath: String? {
        self["relativePath"].flatMap { $0.isEmpty || $0 == "null" ? nil : $0 }
    }

    /// What the client said of the file besides its name and type.
    fileprivate var ofFile: [(name: String, value: [UInt8])] {
        let known: Set = ["filename", "name", "filetype", "type", "content-type", "relativePath"]
        return self.entries.filter { !known.contains($0.key) }.map { ($0.key, $0.value) }
    }
}

/// How far a request's upload has come.
@dynamicMemberLookup private final class Processing: Sendable {
    struct State {
        /// Whether the upload was complete, so that its outcome was reported.
        var hasBegun = false
        /// The request's run and memory.
        var context = UploadContext()
        /// The upload that the request created.
        var name: String?
        var task: Task<ResumableResponse, Never>?
        var receipt: UploadReceipt?
        /// Whether the request has no answer.
        var isClosed = false
    }

    private let state = Mutex(State())

    subscript<Value: Sendable>(dynamicMember path: WritableKeyPath<State, Value>) -> Value {
        get { self.state.withLock { $0[keyPath: path] } }
        set { self.state.withLock { $0[keyPath: path] = newValue } }
    }

    /// Waits for the processing, which may outlive its request.
    /// - Returns: The answer, with what was stored.
    func ended(_ answer: ServiceResponse?) async -> ServiceResponse {
        _ = await self.task?.value
        self.isClosed = answer == nil
        var answer = answer ?? ServiceResponse(.internalServerError)
        answer.receipt = self.receipt ?? answer.receipt
        return answer
    }
}

/// A complete upload could not be handled for a reason that may pass.
private struct IncompleteProcessing: StatusFailure, CustomStringConvertible {
    let status: HTTPResponse.Status
    var description: String { "the complete upload was answered \(self.status.code), so it is kept" }
}

extension HTTPRequest {
    /// Whether the request may have a body that hasn't been read.
    var mayBringBody: Bool {
        self.headerFields[.contentLength] != "0" && self.method != .get && self.method != .head
    }
}
