#if Resumable
import FormworkHTTP
import HTTPTypes

// What an upload answers.
extension UploadResource {
    /// The 104 that offers to resume; `nil` for tus, which has no such thing.
    public func offer(location: String) -> HTTPResponse? {
        guard let draft = self.uploadProtocol.draft else { return nil }
        var response = HTTPResponse(status: .uploadResumptionSupported, headerFields: [.location: location])
        response.headerFields.interopVersion = draft
        self.addLimits(&response.headerFields)
        return response
    }

    /// The 104 that tells how far the upload is; `nil` where the protocol has no such thing.
    public func progress() -> HTTPResponse? {
        guard let draft = self.uploadProtocol.draft, draft.hasProgress else { return nil }
        var response = HTTPResponse(status: .uploadResumptionSupported)
        response.headerFields.interopVersion = draft
        response.headerFields.uploadOffset = self.offset
        return response
    }

    /// The answer to a question for the offset.
    public func told() -> UploadAnswer {
        var answer = UploadAnswer(self.uploadProtocol == .tus ? .ok : .noContent, [.cacheControl: "no-store"])
        self.describe(&answer)
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
    /// - Parameter location: The upload's URL, for a creation's answer.
    public func appended(isCreation: Bool, location: String? = nil) -> UploadAnswer {
        // -01 to -05 answer 201 to every request that adds something.
        let isOld = self.uploadProtocol.draft.map { $0 < .v8 } ?? false
        var answer = UploadAnswer(isCreation || isOld ? .created : .noContent)
        self.describe(&answer)
        if isCreation {
            answer.response.headerFields[.location] = location
            self.addLimits(&answer.response.headerFields)
        }
        return answer
    }

    /// The target's own answer, marked as such.
    /// - Parameters:
    ///   - answer: What the target answers to the whole body.
    ///   - location: The upload's URL for the answer to a creation; `nil` otherwise.
    public func final(_ answer: UploadAnswer, location: String? = nil) -> UploadAnswer {
        guard let draft = self.uploadProtocol.draft else {
            // tus wants 201 or 204, and has no place for the target's own success.
            guard answer.response.status.kind == .successful else {
                var answer = answer
                self.describe(&answer)
                return answer
            }
            return self.appended(isCreation: location != nil, location: location)
        }
        var answer = answer
        answer.response.headerFields.interopVersion = draft
        answer.response.headerFields.setUploadComplete(true, draft)
        if draft < .v8 {
            answer.response.headerFields.uploadOffset = self.offset
            if answer.response.headerFields[.location] == nil {
                answer.response.headerFields[.location] = location
            }
        }
        return answer
    }

    /// The answer when the target could not process the upload now: it is kept, and can be ended again.
    public func failed(_ status: HTTPResponse.Status) -> UploadAnswer {
        self.answer(status, .other(title: "the upload could not be processed"))
    }

    /// An upload that is complete takes no more.
    package var completed: UploadAnswer {
        self.answer(self.uploadProtocol == .tus ? .forbidden : .badRequest, .completedUpload)
    }

    /// The answer to more than the limits allow.
    public var tooLarge: UploadAnswer {
        var answer = self.answer(.contentTooLarge, .other(title: "more than this server takes"))
        self.addLimits(&answer.response.headerFields)
        return answer
    }

    /// The answer to lengths that differ.
    public var inconsistent: UploadAnswer { self.answer(.badRequest, .inconsistentLength) }

    /// The answer to content that isn't what its digest says.
    /// - Parameter isChecksum: Whether tus' own field told the digest.
    public func mismatch(isChecksum: Bool) -> UploadAnswer {
        self.answer(
            isChecksum ? HTTPResponse.Status(code: 460, reasonPhrase: "Checksum Mismatch") : .badRequest,
            .other(title: "the content is not what its digest says"))
    }

    /// The answer that an upload's own URL gives when there is no upload.
    public static func missing(_ uploadProtocol: ResumableProtocol?) -> UploadAnswer {
        var answer = UploadAnswer(.notFound, .other(title: "no such upload"))
        Self.identify(&answer.response.headerFields, uploadProtocol)
        return answer
    }

    /// The answer to a cancellation.
    public var cancelled: UploadAnswer {
        var answer = UploadAnswer(.noContent)
        Self.identify(&answer.response.headerFields, self.uploadProtocol)
        return answer
    }

    /// The answer to `OPTIONS`, for both protocols: they don't disturb each other.
    public static func options(limits: UploadLimits) -> UploadAnswer {
        var fields: HTTPFields = [
            .tusVersion: "1.0.0", .tusResumable: "1.0.0",
            .tusExtension:
                "creation,creation-with-upload,creation-defer-length,termination,expiration,checksum",
            .tusChecksumAlgorithm: "sha1,sha256",
            .uploadLimit: limits.fieldValue(for: .latest),
        ]
        fields[.tusMaxSize] = limits.maxSize.map { "\($0)" }
        fields.interopVersion = .latest
        return UploadAnswer(.noContent, fields)
    }

    /// An answer about the upload, which says how far it is.
    package func answer(_ status: HTTPResponse.Status, _ problem: UploadProblem) -> UploadAnswer {
        var answer = UploadAnswer(status, problem)
        self.describe(&answer)
        return answer
    }

    private func describe(_ answer: inout UploadAnswer) {
        Self.identify(&answer.response.headerFields, self.uploadProtocol)
        answer.response.headerFields.uploadOffset = self.offset
        if let draft = self.uploadProtocol.draft {
            answer.response.headerFields.setUploadComplete(self.isProcessed, draft)
        }
    }

    private static func identify(_ fields: inout HTTPFields, _ uploadProtocol: ResumableProtocol?) {
        switch uploadProtocol {
        case .draft(let draft)?: fields.interopVersion = draft
        case .tus?: fields[.tusResumable] = "1.0.0"
        case nil: break
        }
    }

    private func addLimits(_ fields: inout HTTPFields) {
        guard let draft = self.uploadProtocol.draft, draft.hasLengthAndLimits else { return }
        fields[.uploadLimit] = self.limits.fieldValue(for: draft)
    }
}

extension UploadAnswer {
    /// The same answer, as one about an upload.
    func with(_ draft: UploadDraft, isComplete: Bool) -> UploadAnswer {
        var copy = self
        copy.response.headerFields.interopVersion = draft
        copy.response.headerFields.setUploadComplete(isComplete, draft)
        return copy
    }
}
#endif
