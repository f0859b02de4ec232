import Formwork
import FormworkHTTP
import FormworkResumable
import FormworkHummingbirdCore
import FormworkClient
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import Synchronization

// Uploads that arrive in pieces: kept until they are complete, then handled like an upload in one request.
extension Responder {
    private static let uploadsPath = UnfinishedUploads.path

    /// Whether a request belongs to one of the resumable protocols, or may.
    static func isResumable(_ head: HTTPRequest) -> Bool {
        if head.path?.hasPrefix(self.uploadsPath) == true { return true }
        if case .plain = UploadRequest(head, resource: nil) { return false }
        return true
    }

    /// Answers such a request; `nil` if its connection is to be closed.
    func resume(
        _ head: HTTPRequest, _ body: AskedBody, _ channel: any Channel, _ client: ClientAddress
    ) async throws -> ServiceResponse? {
        guard let store = self.store else { return self.refusal(.notFound, head, client) }
        let processing = Processing()
        var handler = self.handler(store, processing, head, client)
        let place: UnfinishedUploads.Reservation?
        do throws(ProblemDetails) { place = try await self.placeToBegin(head, client, store) } catch {
            self.log(error, head, client, .unfinishedLimit)
            return self.refusal(error, head, client)
        }
        defer { place?.giveBack() }
        handler.created = { name in
            processing.noteCreated(name)
            place?.take(name)
            self.log("upload begun", name, head, client)
        }
        guard await handler.isWork(head) else {
            return await self.resume(head, nil, body, channel, handler, processing, client)
        }
        let arrival: IdempotentUploads.Arrival?
        do throws(ProblemDetails) { arrival = try await self.wholeArrival(head, client) } catch {
            self.log(error, head, client)
            return self.refusal(error, head, client)
        }
        return try await self.slots.run(for: client.key) {
            arrival?.leave()
        } _: { [handler] in
            await self.admitted(head, client) {
                await self.resume(head, arrival, body, channel, handler, processing, client)
            } refused: {
                $0
            }
        } without: {
            self.refuse(for: $0, head, client)
        }
    }

    /// The handler of the protocols, for one request.
    private func handler(
        _ store: UploadStore, _ processing: Processing, _ head: HTTPRequest, _ client: ClientAddress
    ) -> ResumableHandler {
        var handler = ResumableHandler(store, prefix: Self.uploadsPath) { _, error in
            let reason = FailedUpload(error).reason
            self.logger.error("upload not processed", metadata: ["peer": "\(client.text)", "reason": "\(reason)"])
        } failed: { error in
            let reason = FailedUpload(error).reason
            self.logger.error(
                "the storage of unfinished uploads failed", metadata: ["peer": "\(client.text)", "reason": "\(reason)"])
        } complete: { upload in
            processing.begin()
            let answer = await self.answer(upload, processing.run, head, client)
            processing.note(answer.receipt)
            // That receiver has the answer, or will.
            guard !answer.isBusy else { throw UploadIsBusy() }
            // The receiver's own failure may pass: the client can complete the upload again.
            guard answer.status.kind != .serverError else { throw IncompleteProcessing(status: answer.status) }
            return ResumableResponse(
                HTTPResponse(status: answer.status, headerFields: answer.fields),
                content: Array(answer.body.readableBytesView))
        }
        handler.publicPrefix = "\(self.base)\(Self.uploadsPath.dropFirst())"
        let share = self.unfinished.bytes
        handler.maxSize = { min(share, self.maxSize(self.scope?.terms ?? UploadTerms(), isForm: $0, head)) }
        if let scope {
            handler.mayUse = { (try? UploadTerms(stored: $0))?.link == scope.link.id }
        }
        handler.processing = { task in
            processing.note(task)
            self.slots.watch(task)
        }
        handler.hasRoom = { await self.intake.hasRoom(for: $0) }
        handler.saved = { await self.intake.forgetReceipt(ofUpload: $0) }
        return handler
    }

    /// A place among the client's unfinished uploads; `nil` for a request that begins none.
    private func placeToBegin(
        _ head: HTTPRequest, _ client: ClientAddress, _ store: UploadStore
    ) async throws(ProblemDetails) -> UnfinishedUploads.Reservation? {
        // Not waited for: a bucket may have long lists.
        _ = Task { await self.unfinished.sweep { await store.names() } }
        guard case .create(let creation) = UploadRequest(head, resource: nil), !Self.namesUpload(head) else {
            return nil
        }
        // A longer one is refused with the limit.
        let length = min(max(0, creation.length ?? 0), self.unfinished.bytes)
        let place = await self.unfinished.reserve(length, for: client.key) { await store.isUnfinished($0) }
        if let place { return place }
        throw .tooMany(
            "This client has too many unfinished uploads, or they are too large together: complete or cancel one first."
        )
    }

    /// Notes a request with a key that is a whole upload; `nil` for another one.
    private func wholeArrival(
        _ head: HTTPRequest, _ client: ClientAddress
    ) async throws(ProblemDetails) -> IdempotentUploads.Arrival? {
        guard case .create(let creation) = UploadRequest(head, resource: nil), !Self.namesUpload(head),
            creation.completes, case .upload = self.router.decideOrdinary(head)
        else { return nil }
        return try await self.arrival(head, client)
    }

    /// Answers such a request, unless it is a whole upload that was stored under the same key.
    private func resume(
        _ head: HTTPRequest, _ arrival: IdempotentUploads.Arrival?, _ body: AskedBody, _ channel: any Channel,
        _ handler: ResumableHandler,
        _ processing: Processing, _ client: ClientAddress
    ) async -> ServiceResponse? {
        do throws(ProblemDetails) {
            guard let arrival, case .upload(var upload) = self.router.decideOrdinary(head) else {
                return await self.handle(head, body, channel, handler, processing, client)
            }
            upload.terms = self.scope?.terms ?? upload.terms
            let answer = try await self.idempotent.once(arrival) { stored in
                var answer = await self.repeated(stored, upload, body, head, client)
                if answer.receipt != nil { answer.fields[.uploadComplete] = "?1" }
                return answer
            } _: { run in
                processing.note(run)
                let answer = await self.handle(head, body, channel, handler, processing, client)
                return await processing.ended(answer)
            }
            return processing.isClosed ? nil : answer
        } catch {
            self.log(error, head, client)
            return self.refusal(error, head, client)
        }
    }

    private func handle(
        _ head: HTTPRequest, _ body: AskedBody, _ channel: any Channel, _ handler: ResumableHandler,
        _ processing: Processing, _ client: ClientAddress
    ) async -> ServiceResponse? {
        var handler = handler
        var begun: UploadTerms?
        if case .create(let creation) = UploadRequest(head, resource: nil), !Self.namesUpload(head) {
            do {
                try IncomingUpload.checkCoding(head)
                let terms = try await self.asked(creation, head, client)
                // Others have nothing to keep.
                if self.scope != nil || terms.asked != nil { handler.note = terms.stored }
                let share = self.unfinished.bytes
                handler.maxSize = { min(share, self.maxSize(terms, isForm: $0, head)) }
                begun = terms
            } catch let problem as ProblemDetails {
                self.log(problem, head, client)
                return self.refusal(problem, head, client)
            } catch {
                self.log(self.failure(error, processing.run), head, client, nil)
                return nil
            }
        }
        if let name = Self.name(of: head), let offset = head.headerFields.uploadOffset {
            self.log("upload continues", name, head, client, level: offset == 0 ? .debug : .info, offset: offset)
        }
        switch await handler.handle(head, body: body, inform: { channel.inform($0) }) {
        case .answer(let given) where given.response.status.code == 507:
            self.log(FailedUpload(ProblemDetails.noRoom), head, client, nil)
            if let begun, !processing.isCreated { await self.report(.noRoom, begun) }
            var answer = self.refusal(.noRoom, head, client)
            for field in given.response.headerFields where answer.fields[field.name] == nil {
                answer.fields.append(field)
            }
            return answer
        case .answer(let given): return await self.answer(given, head, processing, begun, client)
        case .close:
            if let name = processing.name ?? Self.name(of: head) { self.log("upload cut", name, head, client) }
            if self.slots.isDropped {
                var failure = FailedUpload(CancellationError())
                failure.reason = "the receiver is stopping; what has arrived of the upload is kept"
                self.log(failure, head, client, nil)
            }
            return nil
        case .notResumable:
            switch self.router.decideOrdinary(head) {
            case .upload(var upload):
                upload.terms = begun ?? self.scope?.terms ?? upload.terms
                return await self.take(upload, processing.run, head, client) { intake, upload throws in
                    try await intake.take(upload, body)
                }
            case .refused(let problem):
                self.log(problem, head, client)
                return self.refusal(problem, head, client)
            default: return ServiceResponse(.noContent, fields: [.allow: Self.methods])
            }
        }
    }

    /// The protocol's answer, after it was logged, counted and reported.
    private func answer(
        _ given: ResumableResponse, _ head: HTTPRequest, _ processing: Processing, _ begun: UploadTerms?,
        _ client: ClientAddress
    ) async -> ServiceResponse {
        let isRefusal = given.response.status.kind != .successful
        // A complete upload's own failure has been logged.
        if !processing.hasBegun { self.logRefusal(given, head, client) }
        if !isRefusal, let offset = head.headerFields.uploadOffset, offset > 0 { self.metrics.resumed() }
        // One that was created is reported when it is removed.
        if let begun, isRefusal, !processing.hasBegun, !processing.isCreated {
            await self.report(given.response.status, begun)
        }
        if processing.hasBegun, !isRefusal, let name = processing.name ?? RequestPath(head.path).lastSegment {
            self.unfinished.forget(name, of: client.key)
        }
        return ServiceResponse(
            given.response.status, fields: given.response.headerFields, body: ByteBuffer(bytes: given.content),
            closes: isRefusal && head.mayBringBody)
    }

    /// The name of the upload whose URL a request is to.
    private static func name(of head: HTTPRequest) -> String? {
        self.namesUpload(head) ? RequestPath(head.path).lastSegment : nil
    }

    /// Whether a request is to an unfinished upload's own URL.
    static func namesUpload(_ head: HTTPRequest) -> Bool { head.path?.hasPrefix(self.uploadsPath) == true }

    /// The target's own answer to a complete upload.
    /// - Parameter last: The request that completed it. Its login owns the files: the record has no credentials.
    ///   An upload in several requests has no run: what it stores is not remembered under its key.
    private func answer(
        _ completed: CompletedUpload, _ run: IdempotentUploads.Run?, _ last: HTTPRequest, _ client: ClientAddress
    ) async -> ServiceResponse {
        var head = completed.request
        head.headerFields[.cookie] = last.headerFields[.cookie]
        head.headerFields[.contentType] = completed.contentType
        head.headerFields[.contentLength] = String(completed.length)
        // These fields describe the first piece. The whole has already been compared with Repr-Digest.
        for name in [HTTPField.Name.contentDigest, .contentMD5, .reprDigest] { head.headerFields[name] = nil }
        do throws(ProblemDetails) {
            var upload = try IncomingUpload(head, filename: completed.givenPath)
            upload.terms = try UploadTerms(stored: completed.note)
            upload.resumed = (completed.name, completed.created)
            if case .file = upload.content { upload.metadata = completed.ownMetadata }
            return await self.take(upload, run, head, client) { intake, upload throws in
                var body = StoredBody(
                    completed.content, file: completed.file, upload: completed.name, length: completed.length,
                    digests: completed.digests)
                body.form = StoredForm(completed, isDigesting: intake.isDigesting)
                return try await intake.take(upload, body)
            }
        } catch {
            self.log(error, head, client)
            return self.refusal(error, head, client)
        }
    }
}

extension CompletedUpload {
    /// What the client said of the file besides its name and type.
    fileprivate var ownMetadata: [(name: String, value: [UInt8])] {
        let known: Set = ["filename", "name", "filetype", "type", "content-type", "relativePath"]
        return self.metadata.entries.filter { !known.contains($0.key) }.map { ($0.key, Array($0.value)) }
    }

    /// The file's name, with its folders if tus metadata has them: Uppy sends `relativePath` besides `filename`, and
    /// the text `null` if there is none.
    fileprivate var givenPath: String? {
        guard let path = self.metadata["relativePath"], !path.isEmpty, path != "null" else { return self.filename }
        return path
    }
}

/// How far a request's upload has come.
private final class Processing: Sendable {
    private struct State {
        /// Whether the upload was complete, so that its outcome was reported.
        var hasBegun = false
        var run: IdempotentUploads.Run?
        /// The upload that the request created.
        var name: String?
        var task: Task<ResumableResponse, Never>?
        var receipt: UploadReceipt?
        /// Whether the request has no answer.
        var isClosed = false
    }

    private let state = Mutex(State())

    var hasBegun: Bool { self.state.withLock { $0.hasBegun } }
    var isClosed: Bool { self.state.withLock { $0.isClosed } }
    var name: String? { self.state.withLock { $0.name } }
    var run: IdempotentUploads.Run? { self.state.withLock { $0.run } }
    func note(_ run: IdempotentUploads.Run) { self.state.withLock { $0.run = run } }
    var isCreated: Bool { self.name != nil }
    func noteCreated(_ name: String) { self.state.withLock { $0.name = name } }
    func begin() { self.state.withLock { $0.hasBegun = true } }
    func note(_ task: Task<ResumableResponse, Never>) { self.state.withLock { $0.task = task } }
    func note(_ receipt: UploadReceipt?) { self.state.withLock { $0.receipt = receipt } }

    /// Waits for the processing, which may outlive its request.
    /// - Returns: The answer, with what was stored.
    func ended(_ answer: ServiceResponse?) async -> ServiceResponse {
        _ = await self.state.withLock(\.task)?.value
        return self.state.withLock { state in
            state.isClosed = answer == nil
            var answer = answer ?? ServiceResponse(.internalServerError)
            answer.receipt = state.receipt ?? answer.receipt
            return answer
        }
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
