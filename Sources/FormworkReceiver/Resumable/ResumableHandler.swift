#if Transfer
import Formwork
import FormworkCore
import FormworkHTTP
import FormworkResumable
import HTTPTypes
import NIOCore
import SystemPackage

/// An upload of which every byte is there.
package struct CompletedUpload: Sendable {
    /// Tells it from others.
    package var name: String
    /// Where its bytes are, which are to stay there, for they are locked; they are removed when the call returns.
    package var path: FilePath
    /// Bytes of it.
    package var length: Int64
    /// The media type of the whole; `nil` when nobody told. For tus what the metadata says under `content-type`, or
    /// else `filetype`: a form that Formwork sent by tus has its `multipart/form-data; boundary=…` there.
    package var contentType: String?
    /// The file's name as it was sent, not made safe; `nil` when none was.
    package var filename: String?
    /// What tus told; empty for the draft.
    package var metadata: TusMetadata
    /// The request that began it, without credentials, and without content.
    package var request: HTTPRequest

    init(_ name: String, _ record: UploadRecord, _ path: FilePath, length: Int64) {
        self.name = name
        self.path = path
        self.length = length
        self.contentType = record.contentType
        self.metadata = record.metadata
        self.request = record.request
        self.filename =
            record.metadata["filename"] ?? record.metadata["name"]
            ?? record.request.headerFields[.contentDisposition].flatMap(DispositionFilename.read)
    }
}

/// The requests of resumable uploads, by the IETF's draft and by tus, at an upload's target and at the uploads'
/// own URLs.
package struct ResumableHandler: Sendable {
    package let store: UploadStore
    /// The path under which uploads have their own URLs, with a slash at its end.
    package let prefix: String
    /// Between two 104s that tell how far an upload is.
    package var progressInterval: Duration = .seconds(1)
    /// Is told of each task that processes a whole upload, which goes on when its request is cut.
    package var processing: @Sendable (Task<UploadAnswer, Never>) -> Void = { _ in }
    /// Handles a whole upload, and gives what the target answers. What it throws leaves the upload as it is, so that
    /// the client can end it again.
    let complete: @Sendable (CompletedUpload) async throws -> UploadAnswer
    /// Is told of an upload whose processing failed.
    let report: @Sendable (_ name: String, _ error: any Error) -> Void

    package init(
        _ store: UploadStore, prefix: String = "/.uploads/",
        report: @escaping @Sendable (_ name: String, _ error: any Error) -> Void = { _, _ in },
        complete: @escaping @Sendable (CompletedUpload) async throws -> UploadAnswer
    ) {
        precondition(prefix.hasPrefix("/") && prefix.hasSuffix("/"), "a path with slashes around it")
        self.store = store
        self.prefix = prefix
        self.report = report
        self.complete = complete
    }

    /// What to do with a request.
    package enum Outcome: Sendable {
        /// It is none of a resumable upload: handle it as any other. Its body is untouched.
        case notResumable
        /// Answer so. Where the body isn't read to its end, the connection can't be used again.
        case answer(UploadAnswer)
        /// Close the connection, or reset the stream: it was cut, or another request took over.
        case close
    }

    /// Handles a request, at an upload's own URL or at a target that takes uploads.
    /// - Parameters:
    ///   - body: Its content; throws when it is cut, and listens to cancellation.
    ///   - inform: Sends a 1xx answer.
    package func handle<Body: AsyncSequence & Sendable>(
        _ request: HTTPRequest, body: Body,
        inform: @escaping @Sendable (HTTPResponse) async throws -> Void
    ) async -> Outcome where Body.Element == ByteBuffer {
        let name = self.name(request)
        do {
            let upload = try name.flatMap { try self.store.upload($0) }
            if name != nil, upload == nil { return .answer(Self.missing(request)) }
            switch UploadRequest(request, resource: upload?.uploadProtocol) {
            case .plain: return .notResumable
            case .refused(let answer): return .answer(answer)
            case .options:
                var limits = self.store.options.limits
                limits.maxAge = Int64(clamping: self.store.options.lifetime)
                return .answer(UploadResource.options(limits: limits))
            case .offset:
                guard let upload else { return .notResumable }
                return .answer(try await upload.told(by: self))
            case .cancel:
                guard let upload else { return .notResumable }
                return .answer(try await upload.cancel())
            case .create(let creation): return try await self.create(creation, request, body, inform)
            case .append(let append):
                guard let upload else { return .notResumable }
                let check = try DigestCheck(append.check)
                switch try await upload.begin(append, check) {
                case .failure(let refusal): return .answer(refusal.answer)
                case .success(let turn):
                    return try await self.receive(
                        upload, turn, append.contentLength, body, location: nil, inform)
                }
            }
        } catch {
            return Self.outcome(of: error, request)
        }
    }

    /// Whether a request begins an upload or adds to one.
    package func bringsBytes(_ request: HTTPRequest) -> Bool {
        // One that can't be read is answered so before its bytes.
        let upload = self.name(request).flatMap { (try? self.store.upload($0)) ?? nil }
        switch UploadRequest(request, resource: upload?.uploadProtocol) {
        case .create, .append: return true
        case .offset, .cancel, .options, .plain, .refused: return false
        }
    }

    private func create<Body: AsyncSequence & Sendable>(
        _ creation: UploadCreation, _ request: HTTPRequest, _ body: Body,
        _ inform: @escaping @Sendable (HTTPResponse) async throws -> Void
    ) async throws -> Outcome where Body.Element == ByteBuffer {
        let limits = self.store.options.limits
        if let refusal = UploadResource.refusal(of: creation, limits: limits) { return .answer(refusal) }
        let check = try DigestCheck(creation.check)
        let isOptional = creation.completes && creation.uploadProtocol != .tus
        if isOptional, let least = limits.minSize, creation.length ?? 0 < least { return .notResumable }
        // Not when the disk is full of it: what can't be whole would keep others out for as long as it is kept. Where it
        // is to go may have room.
        guard self.store.diskHasRoom(for: creation.length ?? creation.contentLength ?? 0) else {
            return isOptional ? .notResumable : .answer(Self.insufficientStorage)
        }
        var created = try self.store.create(creation, request)
        if created == nil, self.store.makeRoom() { created = try self.store.create(creation, request) }
        guard let upload = created else {
            // No room to keep it: a whole one can still be taken as it comes.
            return isOptional
                ? .notResumable : .answer(UploadAnswer(.serviceUnavailable, [.retryAfter: "60"]))
        }
        let location = self.prefix + upload.name
        let turn = try await upload.beginCreation(creation, check)
        if let offer = await upload.offer(location: location) { try? await inform(offer) }
        return try await self.receive(upload, turn, creation.contentLength, body, location: location, inform)
    }

    private func receive<Body: AsyncSequence & Sendable>(
        _ upload: StoredUpload, _ turn: StoredUpload.Turn, _ expected: Int64?, _ body: Body, location: String?,
        _ inform: @escaping @Sendable (HTTPResponse) async throws -> Void
    ) async throws -> Outcome where Body.Element == ByteBuffer {
        let transfer = try await withThrowingTaskGroup(of: Transfer.self) { group in
            group.addTask { try await self.transfer(upload, turn, expected, body, inform) }
            group.addTask {
                for await _ in turn.isOver {}
                return .superseded
            }
            // The turn ends with a refusal too: what the transfer itself says counts.
            var result = Transfer.superseded
            while let next = try await group.next() {
                group.cancelAll()
                if case .superseded = next { continue }
                result = next
            }
            return result
        }
        switch transfer {
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

    private enum Transfer: Sendable {
        case ended(wasWhole: Bool)
        case refused(UploadAnswer)
        case superseded
    }

    private func transfer<Body: AsyncSequence>(
        _ upload: StoredUpload, _ turn: StoredUpload.Turn, _ expected: Int64?, _ body: Body,
        _ inform: @Sendable (HTTPResponse) async throws -> Void
    ) async throws -> Transfer where Body.Element == ByteBuffer {
        // A creation of tus has a length of 0 where its content, if any, is no part of the upload.
        if expected == 0 { return .ended(wasWhole: true) }
        var received: Int64 = 0
        var told = ContinuousClock.now
        var iterator = body.makeAsyncIterator()
        while true {
            let next: ByteBuffer?
            do { next = try await iterator.next(isolation: #isolation) } catch { return .ended(wasWhole: false) }
            guard let buffer = next else { break }
            if let answer = try await upload.write(buffer, in: turn) { return .refused(answer) }
            received += Int64(buffer.readableBytes)
            if ContinuousClock.now - told >= self.progressInterval,
                let progress = try await upload.progress(in: turn)
            {
                told = .now
                try? await inform(progress)
            }
        }
        return .ended(wasWhole: !Task.isCancelled && expected ?? received == received)
    }

    private func name(_ request: HTTPRequest) -> String? {
        guard let path = request.path?.split(separator: "?", maxSplits: 1).first, path.hasPrefix(self.prefix)
        else { return nil }
        return String(path.dropFirst(self.prefix.count))
    }

    private static func missing(_ request: HTTPRequest) -> UploadAnswer {
        let isTus = request.headerFields.contains(.tusResumable)
        return UploadResource.missing(isTus ? .tus : request.headerFields.interopVersion.map { .draft($0) })
    }

    private static func outcome(of error: any Error, _ request: HTTPRequest) -> Outcome {
        let isTus = request.headerFields.contains(.tusResumable)
        switch error {
        case is DigestCheck.UnknownChecksum:
            return .answer(UploadAnswer(.badRequest, [.tusResumable: "1.0.0"]))
        case StoredUpload.Failure.superseded, is CancellationError: return .close
        case StoredUpload.Failure.missing: return .answer(Self.missing(request))
        case StoredUpload.Failure.unreadable:
            return .answer(UploadAnswer(.serviceUnavailable, [.retryAfter: "5"]))
        case StoredUpload.Failure.busy:
            let status = isTus ? HTTPResponse.Status(code: 423, reasonPhrase: "Locked") : .serviceUnavailable
            return .answer(UploadAnswer(status, [.retryAfter: "1"]))
        default: return .answer(Self.insufficientStorage)
        }
    }

    private static let insufficientStorage = UploadAnswer(
        HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage"), [.retryAfter: "60"])
}
#endif
