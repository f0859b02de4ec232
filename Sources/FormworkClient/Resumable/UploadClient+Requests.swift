import FormworkDigests

// The requests, each with the data needed to interpret its answer.
extension UploadClient {
    func question() -> (HTTPRequest, Exchange) {
        let target = self.uploadTarget
        var request = self.request(.head, target)
        self.identify(&request)
        return (request, Exchange(kind: .ask, target: target))
    }

    func replay(of answer: HTTPResponse) -> (HTTPRequest, Exchange) {
        let target = self.uploadTarget
        let range = UploadRange(offset: self.acknowledged, count: 0)
        let request = self.partial(range, to: target, completes: true)
        return (request, Exchange(kind: .replay(answer), target: target, range: range, completes: true))
    }

    mutating func creation() -> (HTTPRequest, Exchange) {
        // Nothing of an earlier creation that was lost counts.
        self.acknowledged = 0
        var request = self.original
        self.adopt(self.creationTarget, in: &request)
        for name in [HTTPField.Name.contentLength, .transferEncoding] { request.headerFields[name] = nil }
        var range: UploadRange? = UploadRange(offset: 0, count: self.length)
        var completes = true
        switch self.uploadProtocol {
        case nil: break
        case .draft(let draft):
            if self.createsFirst {
                (range, completes) = (UploadRange(offset: 0, count: 0), false)
            } else if self.isSettled {
                (range, completes) = self.nextRange()
            }
            request.headerFields.interopVersion = draft
            request.headerFields.setUploadComplete(completes, draft)
            if draft.hasLengthAndLimits {
                request.headerFields.uploadLength = self.length
                if let digest = self.options.reprDigest { request.headerFields[.reprDigest] = digest.fieldValue }
            }
        case .tus:
            (range, completes) = (UploadRange(offset: 0, count: 0), false)
            self.describeTusCreation(&request)
        }
        self.isLengthDeclared = self.length != nil
        self.isContinued = false
        if self.options.isReplayable { self.sent = 0 }
        if let count = range?.count { request.headerFields[.contentLength] = "\(count)" }
        return (
            request,
            Exchange(kind: .create, target: self.creationTarget, range: range, completes: completes)
        )
    }

    /// tus transfers one file and its metadata. For a server that reads forms, the encoded form is that file, and the
    /// metadata contain its `Content-Type`. The upload is created without content: content that is cut before the
    /// upload's URL is known would be lost.
    private func describeTusCreation(_ request: inout HTTPRequest) {
        request.method = .post
        var metadata = self.options.metadata
        if !self.options.isFile, let type = request.headerFields[.contentType] {
            if metadata["filetype"] == nil { metadata["filetype"] = type }
            metadata["content-type"] = type
        }
        Self.removeContentFields(&request.headerFields)
        request.headerFields[.tusResumable] = "1.0.0"
        if !metadata.entries.isEmpty { request.headerFields[.uploadMetadata] = metadata.fieldValue }
        if let length = self.length {
            request.headerFields.uploadLength = length
        } else {
            request.headerFields[.uploadDeferLength] = "1"
        }
    }

    func append() -> (HTTPRequest, Exchange) {
        let (range, completes) = self.nextRange()
        let target = self.uploadTarget
        return (
            self.partial(range, to: target, completes: completes),
            Exchange(
                kind: .append, target: target, range: range, completes: completes,
                declaresLength: self.length != nil)
        )
    }

    private func partial(_ range: UploadRange, to target: UploadTarget, completes: Bool) -> HTTPRequest {
        var request = self.request(.patch, target)
        self.identify(&request)
        request.headerFields.uploadOffset = range.offset
        if let count = range.count { request.headerFields[.contentLength] = "\(count)" }
        switch self.uploadProtocol {
        case .draft(let draft)?:
            request.headerFields.setUploadComplete(completes, draft)
            request.headerFields[.contentType] = draft.partialMediaType
            if draft.hasLengthAndLimits { request.headerFields.uploadLength = self.length }
        case .tus?, nil:
            request.headerFields[.contentType] = ResumableProtocol.tusMediaType
            // Only a deferred length is sent here.
            if !self.isLengthDeclared { request.headerFields.uploadLength = self.length }
        }
        return request
    }

    /// The next range, and whether the body ends with it.
    private func nextRange() -> (UploadRange, Bool) {
        let offset = self.acknowledged
        var size = min(self.pieceSize ?? .max, self.limits.maxAppendSize ?? .max)
        size = max(size, self.limits.minAppendSize ?? 1, 1)
        // A size that reaches the largest offset is no limit, and would overflow.
        if size >= .max - offset { size = .max }
        guard let length = self.length else {
            return (UploadRange(offset: offset, count: size == .max ? nil : size), size == .max)
        }
        let rest = length - offset
        return rest > size
            ? (UploadRange(offset: offset, count: size), false) : (UploadRange(offset: offset, count: rest), true)
    }

    private var uploadTarget: UploadTarget { self.redirected ?? self.link?.target ?? self.creationTarget }

    /// A request with the original's fields, without those about its content.
    private func request(_ method: HTTPRequest.Method, _ target: UploadTarget) -> HTTPRequest {
        var request = self.original
        request.method = method
        self.adopt(target, in: &request)
        Self.removeContentFields(&request.headerFields)
        return request
    }

    private func identify(_ request: inout HTTPRequest) {
        switch self.uploadProtocol {
        case .draft(let draft)?: request.headerFields.interopVersion = draft
        case .tus?: request.headerFields[.tusResumable] = "1.0.0"
        case nil: break
        }
    }

    /// Changes the request's target, and removes the fields that only the original's origin may see.
    private func adopt(_ target: UploadTarget, in request: inout HTTPRequest) {
        (request.scheme, request.authority, request.path) = (target.scheme, target.authority, target.path)
        guard !target.hasOrigin(of: self.target) else { return }
        for name in Set(request.headerFields.map(\.name))
        where Redirection.staysAtOrigin(name.rawName, isTrusted: self.options.trustsRedirects) {
            request.headerFields[name] = nil
        }
    }

    private static func removeContentFields(_ fields: inout HTTPFields) {
        let names: [HTTPField.Name] = [
            .contentType, .contentLength, .contentEncoding, .contentLanguage, .contentLocation,
            .contentDisposition, .transferEncoding, .trailer, .expect, .ifMatch, .ifNoneMatch, .ifModifiedSince,
            .ifUnmodifiedSince, .reprDigest, .contentDigest, .contentMD5, .wantReprDigest,
        ]
        for name in names { fields[name] = nil }
    }
}

extension BodyPlan {
    /// The body's SHA-256 for `Repr-Digest` (RFC 9530 §3), computed by reading the whole body once.
    ///
    /// The field comes before the body, so computing it reads every source once before the first byte is sent. A
    /// trailer would be lost by most servers, and by every upload that is cut.
    /// - Throws: ``FormworkError/Code/notReplayable`` if the body can't be read twice, and the errors of a reader.
    package func reprDigest() async throws -> DigestField {
        try self.checkReadableTwice()
        let reader = AsyncBodyReader(
            try self.makeReader(options: ReaderOptions(digests: [SHA256Digest()])))
        while try await reader.next() != nil {}
        return DigestField(await reader.digestValues ?? [])
    }

    /// - Throws: ``FormworkError/Code/notReplayable`` if the body can't be read for its digest, and then again.
    package func checkReadableTwice() throws(FormworkError) {
        guard let blocker = self.replayBlocker else { return }
        throw FormworkError(
            .notReplayable, "a digest before the body requires reading it twice, but \(blocker.message)",
            part: blocker.part)
    }

    /// The value of tus' `Upload-Checksum` for a range, computed by reading it.
    /// - Parameter algorithm: `sha256` or `sha1`.
    /// - Throws: The errors of a reader.
    func uploadChecksum(_ algorithm: String, from offset: Int64, count: Int64?) async throws -> String {
        var digest: any BodyDigest = algorithm == "sha1" ? SHA1Digest() : SHA256Digest()
        let reader = AsyncBodyReader(try self.makeReader(from: offset, count: count))
        while let chunk = try await reader.next() {
            chunk.withBytes { digest.update($0) }
        }
        return "\(algorithm) \(Base64.encode(digest.finalized()))"
    }
}
