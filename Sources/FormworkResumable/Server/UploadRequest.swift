#if Resumable
import FormworkCore
import FormworkHTTP
import HTTPTypes

/// What a request wants of resumable uploads.
public enum UploadRequest: Sendable {
    /// To begin an upload, at any resource.
    case create(UploadCreation)
    /// To add to an upload.
    case append(UploadAppend)
    /// To know how far an upload is.
    case offset
    /// To have an upload forgotten.
    case cancel
    /// To know what is possible here; not at an upload.
    case options
    /// Nothing: it is to be handled as any other.
    case plain
    /// What can't be done; the answer to give.
    case refused(UploadAnswer)

    /// Reads a request's head.
    /// - Parameter resource: What is spoken with the upload that the target names; `nil` when it names none.
    public init(_ request: HTTPRequest, resource: ResumableProtocol?) {
        switch resource {
        case .draft(let draft)?: self = Self.draftResource(request, draft)
        case .tus?: self = Self.tusResource(request)
        case nil:
            self =
                request.headerFields.contains(.tusResumable)
                ? Self.tusTarget(request) : Self.draftTarget(request)
        }
    }

    private static func draftTarget(_ request: HTTPRequest) -> UploadRequest {
        let fields = request.headerFields
        let isStarted = fields.contains(.uploadComplete) || fields.contains(.uploadIncomplete)
        if request.method == .options { return isStarted ? .plain : .options }
        guard isStarted, ![.get, .head, .delete].contains(request.method) else { return .plain }
        guard let draft = fields.interopVersion else {
            // A version that isn't known here: without a 104 it is an upload like any other, if it is whole.
            let isPartial =
                fields.isUploadComplete(.latest) == false || fields.isUploadComplete(.v3) == false
            return isPartial
                ? .refused(Self.interop(UploadAnswer(.badRequest, .other(title: "unknown upload version"))))
                : .plain
        }
        guard let isWhole = fields.isUploadComplete(draft) else { return .plain }
        guard fields.uploadOffset ?? 0 == 0 else {
            return .refused(UploadAnswer(.badRequest, .other(title: "a creation has no offset")))
        }
        var creation = UploadCreation(.draft(draft), fields)
        creation.completes = isWhole
        creation.contentType = fields[.contentType]
        creation.disposition = fields[.contentDisposition]
        if draft.hasLengthAndLimits {
            creation.length = fields.uploadLength
            creation.reprDigest = fields[.reprDigest].flatMap(DigestField.init(_:))
            creation.wantedDigests = fields[.wantReprDigest].map(DigestField.wanted) ?? []
        }
        if isWhole, let length = creation.contentLength {
            guard creation.length ?? length == length else {
                return .refused(
                    UploadAnswer(.badRequest, .inconsistentLength).with(draft, isComplete: false))
            }
            creation.length = length
        }
        return .create(creation)
    }

    private static func draftResource(_ request: HTTPRequest, _ draft: UploadDraft) -> UploadRequest {
        let fields = request.headerFields
        switch request.method {
        case .head, .get: return .offset
        case .delete: return .cancel
        case .patch:
            guard draft.partialMediaType.map({ fields.hasContentType($0) }) ?? true else {
                return .refused(
                    UploadAnswer(.unsupportedMediaType, .other(title: "not application/partial-upload"))
                        .with(draft, isComplete: false))
            }
            // -01 leaves Upload-Incomplete away where the body ends.
            let completes = fields.isUploadComplete(draft) ?? (draft == .v3 ? true : nil)
            guard let offset = fields.uploadOffset, let completes else {
                return .refused(
                    UploadAnswer(.badRequest, .other(title: "Upload-Offset or Upload-Complete is missing"))
                        .with(draft, isComplete: false))
            }
            var append = UploadAppend(offset: offset, completes: completes, fields)
            if draft.hasLengthAndLimits { append.length = fields.uploadLength }
            if completes, let count = append.contentLength {
                let (length, isTooLarge) = offset.addingReportingOverflow(count)
                guard !isTooLarge, append.length ?? length == length else {
                    return .refused(
                        UploadAnswer(.badRequest, .inconsistentLength).with(draft, isComplete: false))
                }
                append.length = length
            }
            return .append(append)
        default: return .refused(Self.interop(Self.notAllowed("HEAD, PATCH, DELETE")))
        }
    }

    private static func tusTarget(_ request: HTTPRequest) -> UploadRequest {
        let fields = request.headerFields
        if request.method == .options { return .options }
        guard fields[.tusResumable] == "1.0.0" else { return .refused(Self.otherTus) }
        guard request.tusMethod == .post else { return .plain }
        // Whoever sends parts to be joined later would have each of them taken for a whole file.
        guard !fields.contains(.uploadConcat) else {
            return .refused(Self.tus(.badRequest, .other(title: "Uploads aren't concatenated here")))
        }
        var creation = UploadCreation(.tus, fields)
        creation.length = fields.uploadLength
        let isDeferred = fields[values: .uploadDeferLength] == ["1"]
        guard (creation.length == nil) == isDeferred, isDeferred || !fields.contains(.uploadDeferLength),
            !fields.contains(.uploadLength) || creation.length != nil
        else {
            let title =
                fields.contains(.uploadLength) && creation.length == nil
                ? "Upload-Length is not a number of bytes with up to 18 digits"
                : "Either Upload-Length or Upload-Defer-Length: 1 is needed"
            return .refused(Self.tus(.badRequest, .other(title: title)))
        }
        if let value = fields[.uploadMetadata] {
            guard let metadata = TusMetadata(value) else {
                return .refused(Self.tus(.badRequest, .other(title: "Upload-Metadata is malformed")))
            }
            creation.metadata = metadata
        }
        creation.contentType = creation.metadata["content-type"] ?? creation.metadata["filetype"]
        guard fields.contains(.contentType), creation.contentLength != 0 else {
            return .create(creation.withoutContent)
        }
        guard fields.hasContentType(UploadClient.tusMediaType) else {
            // Some clients name a type although they send nothing.
            return creation.contentLength == nil
                ? .create(creation.withoutContent)
                : .refused(Self.tus(.unsupportedMediaType, .other(title: "not application/offset+octet-stream")))
        }
        return .create(creation)
    }

    private static func tusResource(_ request: HTTPRequest) -> UploadRequest {
        let fields = request.headerFields
        if request.method == .options { return .options }
        guard fields[.tusResumable] == "1.0.0" else { return .refused(Self.otherTus) }
        switch request.tusMethod {
        case .head: return .offset
        case .delete: return .cancel
        case .patch:
            guard fields.hasContentType(UploadClient.tusMediaType) else {
                return .refused(
                    Self.tus(.unsupportedMediaType, .other(title: "not application/offset+octet-stream")))
            }
            guard let offset = fields.uploadOffset else {
                let title =
                    fields.contains(.uploadOffset)
                    ? "Upload-Offset is not a number of bytes with up to 18 digits" : "Upload-Offset is missing"
                return .refused(Self.tus(.badRequest, .other(title: title)))
            }
            var append = UploadAppend(offset: offset, completes: false, fields)
            append.length = fields.uploadLength
            return .append(append)
        default:
            var answer = Self.notAllowed("HEAD, PATCH, DELETE, OPTIONS")
            answer.response.headerFields[.tusResumable] = "1.0.0"
            return .refused(answer)
        }
    }

    private static var otherTus: UploadAnswer {
        UploadAnswer(.preconditionFailed, [.tusResumable: "1.0.0", .tusVersion: "1.0.0"])
    }

    static func tus(_ status: HTTPResponse.Status, _ problem: UploadProblem) -> UploadAnswer {
        var answer = UploadAnswer(status, problem)
        answer.response.headerFields[.tusResumable] = "1.0.0"
        return answer
    }

    private static func interop(_ answer: UploadAnswer) -> UploadAnswer {
        var answer = answer
        answer.response.headerFields.interopVersion = .latest
        return answer
    }

    private static func notAllowed(_ methods: String) -> UploadAnswer {
        UploadAnswer(.methodNotAllowed, [.allow: methods])
    }
}

extension HTTPRequest {
    /// What tus reads as the method: a client that can't send it says it in a field, with POST. tus has any method
    /// overridden; like tusd we don't, as what GET is taken for elsewhere (a request that changes nothing) has to hold here.
    fileprivate var tusMethod: Method {
        guard self.method == .post else { return self.method }
        return self.headerFields[.methodOverride].flatMap { Method($0) } ?? self.method
    }
}

extension HTTPFields {
    fileprivate func hasContentType(_ type: String) -> Bool {
        guard let value = self[.contentType]?.split(separator: ";", maxSplits: 1).first else { return false }
        return value.filter { $0 != " " }.lowercased() == type
    }
}
#endif
