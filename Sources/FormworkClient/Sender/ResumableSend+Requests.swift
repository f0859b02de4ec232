import FormworkDigests

// The requests, each with the data needed to interpret its answer.
extension ResumableSend {
    func question() -> Exchange {
        var request = self.request(.head)
        self.identify(&request)
        return Exchange(kind: .ask, request: request)
    }

    func replay(of answer: HTTPResponse) -> Exchange {
        self.partial(.replay(answer), UploadRange(offset: self.acknowledged, count: 0), completes: true)
    }

    mutating func creation() -> Exchange {
        // Nothing of an earlier creation that was lost counts.
        self.acknowledged = 0
        var request = self.original
        if let creationURL { self.adopt(creationURL, in: &request) }
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
        if self.plan.isReplayable { self.sent = 0 }
        if let count = range?.count { request.headerFields[.contentLength] = "\(count)" }
        return Exchange(kind: .create, request: request, range: range, completes: completes)
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

    func append() -> Exchange {
        let (range, completes) = self.nextRange()
        return self.partial(.append, range, completes: completes)
    }

    private func partial(_ kind: Exchange.Kind, _ range: UploadRange, completes: Bool) -> Exchange {
        var request = self.request(.patch)
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
        return Exchange(
            kind: kind, request: request, range: range, completes: completes, declaresLength: self.length != nil)
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

    /// A request to the upload with the original's fields, without those about its content.
    private func request(_ method: HTTPRequest.Method) -> HTTPRequest {
        var request = self.original
        request.method = method
        if let url = self.redirected ?? self.link?.url { self.adopt(url, in: &request) }
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

    /// Changes the request's URL, and removes the fields that only the original's origin may see.
    private func adopt(_ url: String, in request: inout HTTPRequest) {
        guard let target = try? HTTPRequest(to: url) else { return }
        (request.scheme, request.authority, request.path) = (target.scheme, target.authority, target.path)
        guard !target.hasOrigin(of: self.original) else { return }
        for name in Set(request.headerFields.map(\.name))
        where Redirection.staysAtOrigin(name.rawName, isTrusted: self.rules.trustsRedirects) {
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
