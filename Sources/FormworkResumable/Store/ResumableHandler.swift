import FormworkHTTP
import HTTPTypes

/// Handles the requests of resumable uploads, by the IETF's draft and by tus, at an upload's target and at the uploads'
/// own URLs.
///
/// For servers that Formwork doesn't support directly. For Hummingbird there is `resumableUploads(_:in:complete:)`.
public struct ResumableHandler: Sendable {
    let store: UploadStore
    /// The path of the uploads' own URLs, with a slash at its end.
    let prefix: String
    /// The path of the only target, without a slash at its end; `nil` for any path.
    private let target: String?
    /// The interval between two 104s that report progress.
    var progressInterval: Duration
    /// Called with each task that processes a complete upload, which continues if its request is cut.
    package var processing: @Sendable (Task<ResumableResponse, Never>) -> Void = { _ in }
    /// Called with the name of each upload whose answer was saved, so that it isn't processed again.
    package var saved: @Sendable (_ name: String) async -> Void = { _ in }
    /// Called with the name of each upload that begins.
    package var created: @Sendable (_ name: String) -> Void = { _ in }
    /// The prefix of the URLs that clients get, if another server, or this one, maps it to ``prefix``.
    package var publicPrefix: String?
    /// A note that each new upload keeps for ``CompletedUpload/note``; `nil` for none.
    package var note: [UInt8]?
    /// The most bytes of a new upload, if fewer than the store accepts.
    package var maxSize: @Sendable (_ isForm: Bool) -> Int64? = { _ in nil }
    /// Whether requests may use the upload with this note; for others it doesn't exist.
    package var mayUse: @Sendable (_ note: [UInt8]?) -> Bool = { _ in true }
    /// Whether the place for complete uploads has room for one. The store's own disk is checked in addition.
    package var hasRoom: @Sendable (UploadRoom) async -> Bool = { _ in true }
    /// The memory of the requests; `nil` without a limit.
    package var memory: (any UploadMemory)?
    /// Handles a complete upload, and returns the target's answer. If it throws, the upload is kept, so that the client
    /// can complete it again.
    let complete: @Sendable (CompletedUpload) async throws -> ResumableResponse
    /// Called with an upload whose processing failed.
    let report: @Sendable (_ name: String, _ error: any Error) -> Void
    /// Called with errors of the storage.
    private let failed: @Sendable (any Error) -> Void

    /// Handles uploads to any path; unfinished ones have URLs below `prefix`. Ordinary requests are left to the caller.
    /// - Parameter target: The path of the only target; `nil` for any.
    package init(
        _ store: UploadStore, target: String? = nil, prefix: String = "/.uploads/",
        report: @escaping @Sendable (_ name: String, _ error: any Error) -> Void = { _, _ in },
        failed: @escaping @Sendable (any Error) -> Void = { _ in },
        complete: @escaping @Sendable (CompletedUpload) async throws -> ResumableResponse
    ) {
        precondition(prefix.hasPrefix("/") && prefix.hasSuffix("/"), "the prefix must begin and end with a slash")
        (self.store, self.target, self.prefix) = (store, target, prefix)
        (self.report, self.failed, self.complete) = (report, failed, complete)
        self.progressInterval = store.progressInterval
    }

    /// Handles uploads to one target; unfinished ones have URLs directly below it: `/files` and `/files/9f86…`. An
    /// ordinary request with a body is an upload too, but can't be resumed.
    /// - Parameters:
    ///   - target: The target's path, without a query.
    ///   - store: Keeps uploads until they are complete.
    ///   - report: Called with each failure that is the server's fault: errors of the storage, and those that
    ///     `complete` throws.
    ///   - complete: Handles a complete upload, and returns the target's answer, which may be a refusal. A
    ///     ``FormworkError`` or ``RequestProblem`` that is the client's fault is answered with its ``ProblemDetails``,
    ///     and the upload has ended. Any other error is answered with 500, or 507 if its cause is a lack of room, and
    ///     the upload is kept, so that the client can complete it again.
    public init(
        target: String, in store: UploadStore, report: @escaping @Sendable (any Error) -> Void = { _ in },
        complete: @escaping @Sendable (CompletedUpload) async throws -> ResumableResponse
    ) {
        let path = UploadRecord.target(target)
        self.init(store, target: path, prefix: path + "/", report: { report($1) }, failed: report) { upload in
            do { return try await complete(upload) } catch {
                guard let problem = ProblemDetails(clientFault: error) else { throw error }
                return ResumableResponse(problem)
            }
        }
    }

    /// What to do with a request.
    public enum Outcome: Sendable {
        /// The request isn't part of a resumable upload: handle it as any other. Its body is untouched.
        case notResumable
        /// Send this answer. If the body isn't read to its end, the connection can't be used again.
        case answer(ResumableResponse)
        /// Close the connection, or reset the stream: the request was cut, or another request took over.
        case close
    }

    /// Handles a request at an upload's own URL, or at a target that accepts uploads.
    /// - Parameters:
    ///   - request: Its head, with a path.
    ///   - body: Its content. It must throw if it is cut, and support cancellation.
    ///   - inform: Sends a 1xx answer. If it can't, a client learns its upload's URL only from the final answer, and
    ///     has to begin with an empty request. It isn't called for a request with `X-Forwarded-For` or `Forwarded` and without
    ///     `Via`: nginx takes a 1xx for the answer.
    public func handle<Body: AsyncSequence & Sendable>(
        _ request: HTTPRequest, body: Body,
        inform: @escaping @Sendable (HTTPResponse) async throws -> Void
    ) async -> Outcome where Body.Element: BodyChunk {
        let name = self.name(request)
        let inform = request.headerFields.passInterimAnswers ? inform : { @Sendable _ in }
        do {
            let upload = try await self.upload(request)
            if name != nil, upload == nil { return .answer(.missing(request)) }
            switch UploadRequest(request, resource: upload?.uploadProtocol) {
            case .plain: return try await self.takeOrdinary(request, body)
            case .refused(let answer): return .answer(answer)
            case .options:
                // Those of a form, which has room for its framing. A creation's own type is checked.
                var limits = self.store.options.limits.limited(to: self.maxSize(true))
                limits.maxAge = Int64(clamping: self.store.options.lifetime)
                return .answer(UploadResource.options(limits: limits))
            case .offset:
                guard let upload else { return .notResumable }
                return .answer(try await upload.offsetAnswer(by: self))
            case .cancel:
                guard let upload else { return .notResumable }
                return .answer(try await upload.cancel())
            case .create(let creation) where creation.parts != nil: return try await self.join(creation, request)
            case .create(let creation): return try await self.create(creation, request, body, inform)
            case .append(let append):
                guard let upload else { return .notResumable }
                guard !upload.isJoined else {
                    return .answer(ResumableResponse(.forbidden, .completedUpload).with(.tus))
                }
                let check = try DigestCheck(append.check)
                let announced = await upload.length
                if let length = append.length ?? announced {
                    // The creation didn't announce it, or others have used the room since.
                    let room = self.room(length, from: append.offset, isForm: upload.isForm)
                    guard await self.fits(room) else {
                        return .answer(await upload.kept(.insufficientStorage, self.memory))
                    }
                }
                let turn = try await upload.begin(append, check, self.memory)
                return try await self.receive(upload, turn, append.contentLength, body, location: nil, inform)
            }
        } catch {
            return self.outcome(of: error, request)
        }
    }

    /// The same for a server that has nothing else at this path.
    /// - Returns: The answer, and whether the connection must be closed: the request was cut, or another request
    ///   continues the same upload, so that the client doesn't wait for the answer.
    package func answer<Body: AsyncSequence & Sendable>(
        _ request: HTTPRequest, body: Body,
        inform: @escaping @Sendable (HTTPResponse) async throws -> Void
    ) async -> (answer: ResumableResponse, isCut: Bool) where Body.Element: BodyChunk {
        switch await self.handle(request, body: body, inform: inform) {
        case .notResumable: (ResumableResponse(.methodNotAllowed, [.allow: "POST, PUT, OPTIONS"]), false)
        case .answer(let answer): (answer, false)
        case .close: (ResumableResponse(.conflict, [.connection: "close"]), true)
        }
    }

    /// Whether a request brings bytes of an upload, or has a complete upload processed: work that a server limits.
    package func isWork(_ request: HTTPRequest) async -> Bool {
        // An upload that can't be read is refused before its bytes arrive.
        let upload = (try? await self.upload(request)) ?? nil
        switch UploadRequest(request, resource: upload?.uploadProtocol) {
        case .create, .append: return true
        case .offset: return await upload?.awaitsProcessing ?? false
        case .cancel, .options, .plain, .refused: return false
        }
    }

    /// The upload that the request's path names; `nil` if this target has none of that name.
    private func upload(_ request: HTTPRequest) async throws -> StoredUpload? {
        guard let name = self.name(request) else { return nil }
        return try await self.upload(named: name)
    }

    private func upload(named name: String) async throws -> StoredUpload? {
        guard let upload = try await self.store.upload(name), self.mayUse(upload.note) else { return nil }
        return self.target == nil || upload.target == self.target ? upload : nil
    }

    private func create<Body: AsyncSequence & Sendable>(
        _ creation: UploadCreation, _ request: HTTPRequest, _ body: Body,
        _ inform: @escaping @Sendable (HTTPResponse) async throws -> Void
    ) async throws -> Outcome where Body.Element: BodyChunk {
        let limits = self.limits(of: creation)
        if let refusal = UploadResource.refusal(of: creation, limits: limits) { return .answer(refusal) }
        let check = try DigestCheck(creation.check)
        let isOptional = creation.completes && creation.uploadProtocol != .tus && self.target == nil
        if isOptional, let least = limits.minSize, creation.length ?? 0 < least { return .notResumable }
        let upload: StoredUpload
        do { upload = try await self.begin(creation, request) } catch StoredUpload.Failure.refused(_) where isOptional {
            // If there is no room to keep it, a whole one can still be handled as it arrives.
            return .notResumable
        }
        self.created(upload.name)
        let location = self.urlPrefix + upload.name
        let turn = try await upload.beginCreation(creation, check, self.memory)
        if let offer = await upload.offer(location: location) { try? await inform(offer) }
        return try await self.receive(upload, turn, creation.contentLength, body, location: location, inform)
    }

    /// The URL of an upload before its name.
    var urlPrefix: String { self.publicPrefix ?? self.prefix }

    /// The whole upload that a request begins. One that is made of parts has their length.
    /// - Returns: `nil` if it begins none, but a part; if a part isn't there, or isn't complete; if they were joined before.
    package func begun(by creation: UploadCreation) async throws -> UploadCreation? {
        guard let parts = creation.parts else { return creation.concatenation == nil ? creation : nil }
        guard try await self.upload(named: UploadStore.name(ofParts: parts)) == nil else { return nil }
        var creation = creation
        creation.length = 0
        for part in parts {
            guard let count = try await self.upload(named: part)?.partLength else { return nil }
            creation.length = creation.length.map { $0 + min(count, .max - $0) }
        }
        return creation
    }

    /// Has an upload processed that is made of parts. A client that asks again gets the answer to the first request.
    private func join(_ creation: UploadCreation, _ request: HTTPRequest) async throws -> Outcome {
        let name = UploadStore.name(ofParts: creation.parts ?? [])
        let location = self.urlPrefix + name
        if let upload = try await self.upload(named: name) {
            return .answer(await upload.process(location: location, by: self))
        }
        guard let creation = try await self.begun(by: creation) else {
            let problem = UploadProblem.other("The parts aren't all complete, or not all there.")
            return .answer(ResumableResponse(.badRequest, problem).with(.tus))
        }
        let limits = self.limits(of: creation)
        if let refusal = UploadResource.refusal(of: creation, limits: limits) { return .answer(refusal) }
        let upload = try await self.begin(creation, request)
        self.created(name)
        return .answer(await upload.process(location: location, by: self))
    }

    private func limits(of creation: UploadCreation) -> UploadLimits {
        self.store.options.limits.limited(to: self.maxSize(UploadRecord.isForm(creation.contentType)))
    }

    /// - Throws: `refused`, among others.
    private func begin(_ creation: UploadCreation, _ request: HTTPRequest) async throws -> StoredUpload {
        await self.store.sweep()
        if let most = self.store.options.maximumTotalSize, creation.claim > most {
            throw StoredUpload.Failure.refused(
                UploadResource(creation, limits: self.limits(of: creation)).answer(
                    .contentTooLarge, .other("All unfinished uploads together may have \(most, "byte").")))
        }
        // Refused if there is no room for its bytes, or for the copy of them that a form needs, and what is made of parts: an
        // upload that can't be completed would keep others out. Without being stored first, it may fit.
        let (length, isJoined) = (creation.length ?? creation.contentLength ?? 0, creation.parts != nil)
        let room = self.room(
            length, from: isJoined ? length : 0, isForm: isJoined || UploadRecord.isForm(creation.contentType))
        guard await self.fits(room) else { throw StoredUpload.Failure.refused(.insufficientStorage) }
        let terms = (note: self.note, maxSize: self.limits(of: creation).maxSize)
        var upload = try await self.store.create(creation, request, terms)
        if upload == nil, await self.store.makeRoom(for: creation.claim) {
            upload = try await self.store.create(creation, request, terms)
        }
        guard let upload else { throw StoredUpload.Failure.refused(.tooMany) }
        return upload
    }

    private func room(_ length: Int64, from offset: Int64, isForm: Bool) -> UploadRoom {
        UploadRoom(
            length: length, missing: max(0, length) - min(max(0, length), max(0, offset)), isForm: isForm,
            place: self.store.place)
    }

    private func fits(_ room: UploadRoom) async -> Bool {
        guard await self.store.diskHasRoom(for: room.missing) else { return false }
        return await self.hasRoom(room)
    }

    /// Receives the body of a request that can't be resumed: all of it, or nothing.
    private func takeOrdinary<Body: AsyncSequence & Sendable>(
        _ request: HTTPRequest, _ body: Body
    ) async throws -> Outcome where Body.Element: BodyChunk {
        guard self.target != nil, [.post, .put, .patch].contains(request.method) else { return .notResumable }
        // RFC 9110 section 14.5: a piece must not be stored as the whole.
        guard !request.headerFields.contains(.contentRange) else {
            let detail = "Content-Range isn't supported here: send the whole content, or use a resumable upload."
            return .answer(ResumableResponse(ProblemDetails(.badRequest, detail: detail)))
        }
        let creation = UploadCreation(ordinary: request.headerFields)
        if let refusal = UploadResource.refusal(of: creation, limits: self.store.options.limits) {
            return .answer(refusal.ordinary)
        }
        let check = try DigestCheck(creation.check)
        let upload: StoredUpload
        do { upload = try await self.begin(creation, request) } catch StoredUpload.Failure.refused(let answer) {
            return .answer(answer.ordinary)
        }
        do {
            let turn = try await upload.beginCreation(creation, check, self.memory)
            let outcome = try await self.receive(upload, turn, creation.contentLength, body, location: nil, { _ in })
            try await upload.forget()
            guard case .answer(let answer) = outcome else { return outcome }
            return .answer(answer.ordinary)
        } catch {
            try? await upload.forget()
            throw error
        }
    }

    private func receive<Body: AsyncSequence & Sendable>(
        _ upload: StoredUpload, _ turn: StoredUpload.Turn, _ expected: Int64?, _ body: Body, location: String?,
        _ inform: @escaping @Sendable (HTTPResponse) async throws -> Void
    ) async throws -> Outcome where Body.Element: BodyChunk {
        let reception = UploadReception(
            upload: upload, turn: turn, expected: expected, body: body, progressInterval: self.progressInterval,
            fits: { missing in
                await self.fits(
                    UploadRoom(length: 0, missing: missing, isForm: upload.isForm, place: self.store.place))
            }, inform: inform)
        let end: UploadReception<Body>.End
        do { end = try await reception.run() } catch {
            await upload.abandon(turn)
            guard case StoredUpload.Failure.full(let cause) = error else { throw error }
            self.failed(cause)
            // A file can't get so large here, whatever others remove.
            if Errno(of: cause) == .fileTooLarge, await upload.remove(because: .refused(status: 507), if: { true }) {
                return .answer(.storageFailed(cause))
            }
            return .answer(await upload.kept(.storageFailed(cause), location: location, self.memory))
        }
        switch end {
        case .superseded: return .close
        case .refused(let answer): return .answer(answer)
        case .ended(let wasWhole):
            switch try await upload.end(turn, wasWhole: wasWhole) {
            case .refused(let answer): return .answer(answer)
            case .more:
                guard wasWhole else { return .close }
                return .answer(await upload.appended(isCreation: location != nil, location: location))
            case .whole: return .answer(await upload.process(location: location, by: self))
            }
        }
    }

    private func name(_ request: HTTPRequest) -> String? {
        guard let path = request.path?.split(separator: "?", maxSplits: 1).first, path.hasPrefix(self.prefix)
        else { return nil }
        let name = String(path.dropFirst(self.prefix.count))
        return name.isEmpty && self.target != nil ? nil : name
    }

    private func outcome(of error: any Error, _ request: HTTPRequest) -> Outcome {
        let isTus = request.headerFields.contains(.tusResumable)
        switch error {
        case let error as DigestCheck.UnknownChecksum where !error.isChecksum:
            return .answer(
                ResumableResponse(
                    ProblemDetails(.badRequest, detail: "The Content-Digest or Content-MD5 can't be read.")))
        case is DigestCheck.UnknownChecksum:
            let reason = "Upload-Checksum is not an algorithm of this server and its value in Base64."
            return .answer(ResumableResponse(.badRequest, .other(reason)).with(.tus))
        case StoredUpload.Failure.refused(let answer): return .answer(answer)
        case StoredUpload.Failure.superseded, is CancellationError: return .close
        case StoredUpload.Failure.missing: return .answer(.missing(request))
        case StoredUpload.Failure.unreadable(let cause):
            self.failed(cause)
            return .answer(ResumableResponse(.serviceUnavailable, [.retryAfter: "5"]))
        case StoredUpload.Failure.busy, is UploadIsBusy:
            return .answer(.busy(isTus: isTus))
        default:
            let cause = if case StoredUpload.Failure.full(let cause) = error { cause } else { error }
            self.failed(cause)
            return .answer(.storageFailed(cause))
        }
    }
}

extension ProblemDetails {
    /// The problem of a client's error; `nil` if the client isn't at fault.
    fileprivate init?(clientFault error: any Error) {
        switch error {
        case let error as RequestProblem: self = error.details
        case let error as FormworkError: self.init(error)
        case let error as ProblemDetails: self = error
        default: return nil
        }
        if self.status >= 500 { return nil }
    }
}
