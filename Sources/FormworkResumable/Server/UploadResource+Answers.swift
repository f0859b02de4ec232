import FormworkCore
import HTTPTypes

// The answers of an upload.
extension UploadResource {
    /// The 104 that announces the upload's URL; `nil` for tus, which has none.
    func offer(location: String) -> HTTPResponse? {
        guard let draft = self.uploadProtocol.draft else { return nil }
        var response = HTTPResponse(status: .uploadResumptionSupported, headerFields: [.location: location])
        response.headerFields.interopVersion = draft
        self.addLimits(&response.headerFields)
        return response
    }

    /// The 104 that reports progress; `nil` if the protocol has none.
    func progress() -> HTTPResponse? {
        guard let draft = self.uploadProtocol.draft, draft.hasProgress else { return nil }
        var response = HTTPResponse(status: .uploadResumptionSupported)
        response.headerFields.interopVersion = draft
        response.headerFields.uploadOffset = self.offset
        return response
    }

    /// The answer to a request for the offset.
    func offsetAnswer() -> ResumableResponse {
        let status = self.uploadProtocol == .tus ? HTTPResponse.Status.ok : .noContent
        var answer = self.described(
            ResumableResponse(status, [.cacheControl: "no-store"]), isComplete: self.isProcessed)
        if self.uploadProtocol == .tus, self.length == nil {
            answer.response.headerFields[.uploadDeferLength] = "1"
        }
        if self.uploadProtocol.draft?.hasLengthAndLimits ?? true {
            answer.response.headerFields.uploadLength = self.length
        }
        self.addLimits(&answer.response.headerFields)
        return answer
    }

    /// The answer to a request after which the upload waits for more.
    /// - Parameters:
    ///   - isCreation: Whether the request created the upload.
    ///   - location: The upload's URL, for a creation's answer.
    func appended(isCreation: Bool, location: String? = nil) -> ResumableResponse {
        // -01 to -05 answer 201 to every request that adds something.
        let isOld = self.uploadProtocol.draft?.answersAsCreated ?? false
        var answer = self.described(ResumableResponse(isCreation || isOld ? .created : .noContent))
        if isCreation {
            answer.response.headerFields[.location] = location
            self.addLimits(&answer.response.headerFields)
        }
        return answer
    }

    /// The target's own answer, marked as such.
    /// - Parameters:
    ///   - answer: The target's answer to the whole body.
    ///   - location: The upload's URL for the answer to a creation; `nil` otherwise.
    func final(_ answer: ResumableResponse, location: String? = nil) -> ResumableResponse {
        guard let draft = self.uploadProtocol.draft else {
            // tus requires 201 or 204, and can't convey the target's own success.
            guard answer.response.status.kind == .successful else { return self.described(answer) }
            return self.appended(isCreation: location != nil, location: location)
        }
        var answer = answer
        answer.response.headerFields.interopVersion = draft
        answer.response.headerFields.setUploadComplete(true, draft)
        if draft.answersAsCreated {
            answer.response.headerFields.uploadOffset = self.offset
            if answer.response.headerFields[.location] == nil {
                answer.response.headerFields[.location] = location
            }
        }
        return answer
    }

    /// The answer if the target could not process the upload now: the upload is kept, and can be completed again.
    func failed(_ status: HTTPResponse.Status) -> ResumableResponse {
        var answer = self.answer(status, .other("The upload could not be processed."))
        if status.code == 503 { answer.response.headerFields[.retryAfter] = "5" }
        return answer
    }

    /// The answer to an addition to a complete upload.
    var completed: ResumableResponse {
        self.answer(self.uploadProtocol == .tus ? .forbidden : .badRequest, .completedUpload)
    }

    /// The answer to a request beyond the limits.
    var tooLarge: ResumableResponse {
        let (size, append) = (self.limits.maxSize, self.limits.maxAppendSize)
        let details = [
            size.map { "An upload may have \($0, "byte")." },
            append.map { "A request may have \($0, "byte") of content." },
        ].compactMap { $0 }
        var answer = self.answer(
            .contentTooLarge,
            .other(details.isEmpty ? "This is more than the server accepts." : details.joined(separator: " ")))
        self.addLimits(&answer.response.headerFields)
        return answer
    }

    /// The answer to a `Repr-Digest` that the creation of the upload didn't have.
    var otherDigest: ResumableResponse {
        self.answer(.badRequest, .other("Repr-Digest isn't the one with which the upload was created: leave it out."))
    }

    /// The answer to lengths that contradict each other.
    var inconsistent: ResumableResponse { self.answer(.badRequest, .inconsistentLength) }

    /// The answer to content that doesn't match its digest.
    /// - Parameter isChecksum: Whether the digest was in tus' own field.
    func mismatch(isChecksum: Bool) -> ResumableResponse {
        self.answer(
            isChecksum ? HTTPResponse.Status(code: 460, reasonPhrase: "Checksum Mismatch") : .badRequest,
            .other("The content doesn't match its digest."))
    }

    /// The answer at an upload's URL if there is no upload.
    static func missing(_ uploadProtocol: ResumableProtocol?) -> ResumableResponse {
        let isMarked = uploadProtocol?.draft?.marksOwnAnswers == true
        return ResumableResponse(.notFound, .other("No such upload.")).with(
            uploadProtocol, isComplete: isMarked ? false : nil)
    }

    /// The answer to a cancellation.
    var cancelled: ResumableResponse { ResumableResponse(.noContent).with(self.uploadProtocol) }

    /// The answer to `OPTIONS`, for both protocols, whose fields don't conflict.
    static func options(limits: UploadLimits) -> ResumableResponse {
        var fields: HTTPFields = [
            .tusVersion: "1.0.0", .tusResumable: "1.0.0",
            .tusExtension:
                "creation,creation-with-upload,creation-defer-length,termination,expiration,checksum,concatenation,"
                + ResumableProtocol.tusFormExtension,
            .tusChecksumAlgorithm: "sha1,sha256",
            .uploadLimit: limits.fieldValue(for: .latest),
        ]
        fields[.tusMaxSize] = limits.maxSize.map { "\($0)" }
        fields.interopVersion = .latest
        return ResumableResponse(.noContent, fields)
    }

    /// An answer about the upload, with its offset.
    func answer(_ status: HTTPResponse.Status, _ problem: UploadProblem) -> ResumableResponse {
        self.described(ResumableResponse(status, problem))
    }

    /// The same answer, with the upload's offset.
    /// - Parameter isComplete: Whether the answer says that the upload is complete; `nil` for an answer to a creation or an
    ///   addition that isn't the target's own.
    func described(_ answer: ResumableResponse, isComplete: Bool? = nil) -> ResumableResponse {
        var answer = answer.with(self.uploadProtocol)
        answer.response.headerFields.uploadOffset = self.offset
        if let draft = self.uploadProtocol.draft {
            let isComplete = isComplete ?? (self.isProcessed && !draft.marksOwnAnswers)
            answer.response.headerFields.setUploadComplete(isComplete, draft)
        }
        return answer
    }

    private func addLimits(_ fields: inout HTTPFields) {
        guard let draft = self.uploadProtocol.draft, draft.hasLengthAndLimits else { return }
        fields[.uploadLimit] = self.limits.fieldValue(for: draft)
    }
}

extension ResumableResponse {
    /// The same answer, by a protocol.
    /// - Parameter isComplete: What it says of the upload, if the protocol has a field for that; `nil` for nothing.
    func with(_ uploadProtocol: ResumableProtocol?, isComplete: Bool? = nil) -> ResumableResponse {
        var copy = self
        switch uploadProtocol {
        case .draft(let draft)?:
            copy.response.headerFields.interopVersion = draft
            if let isComplete { copy.response.headerFields.setUploadComplete(isComplete, draft) }
        case .tus?: copy.response.headerFields[.tusResumable] = "1.0.0"
        case nil: break
        }
        return copy
    }
}
