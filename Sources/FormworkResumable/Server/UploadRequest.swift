import FormworkHTTP
import HTTPTypes

/// The operation that a request asks for.
package enum UploadRequest: Sendable {
    /// Begin an upload, at any resource.
    case create(UploadCreation)
    /// Add to an upload.
    case append(UploadAppend)
    /// Report how much of an upload has arrived.
    case offset
    /// Cancel an upload.
    case cancel
    /// Report the supported features; not at an upload.
    case options
    /// None: handle the request like any other.
    case plain
    /// Invalid: send this answer.
    case refused(ResumableResponse)

    /// Reads a request's head.
    /// - Parameters:
    ///   - request: The head. Its body isn't needed.
    ///   - resource: The protocol of the upload that the target names; `nil` if it names none.
    package init(_ request: HTTPRequest, resource: ResumableProtocol?) {
        let isTus = resource.map { $0 == .tus } ?? request.headerFields.contains(.tusResumable)
        switch resource {
        case .draft(let draft)?: self = Self.draftResource(request, draft)
        case .tus?: self = Self.tusResource(request)
        case nil: self = isTus ? Self.tusTarget(request) : Self.draftTarget(request)
        }
        if let problem = self.problem(request.headerFields) {
            self = .refused(ResumableResponse(problem).with(isTus ? .tus : .draft(.latest)))
        }
    }

    /// What a request says of its content that isn't supported, or can't be read; `nil` for nothing.
    private func problem(_ fields: HTTPFields) -> ProblemDetails? {
        let isAppend: Bool
        switch self {
        case .create(let creation): isAppend = creation.concatenation == .partial
        case .append: isAppend = true
        default: return nil
        }
        if fields.contains(.contentRange) {
            return ProblemDetails(
                .badRequest, detail: "Content-Range isn't supported here: Upload-Offset says where the content begins.")
        }
        if isAppend, let coding = fields[.contentEncoding], coding.lowercased() != "identity" {
            return ProblemDetails(
                .unsupportedMediaType, detail: "Content with a Content-Encoding is not accepted: send it without one.")
        }
        if let digest = fields[.reprDigest], DigestField(digest) == nil {
            return ProblemDetails(.badRequest, detail: "The Repr-Digest field can't be read.")
        }
        return nil
    }

    private static func draftTarget(_ request: HTTPRequest) -> UploadRequest {
        let fields = request.headerFields
        let isStarted = fields.contains(.uploadComplete) || fields.contains(.uploadIncomplete)
        if request.method == .options { return isStarted ? .plain : .options }
        guard isStarted, ![.get, .head, .delete].contains(request.method) else { return .plain }
        guard let draft = fields.interopVersion else {
            // The version isn't known here. Without a 104, the request is an ordinary upload if it is complete.
            let isPartial =
                fields.isUploadComplete(.latest) == false || fields.isUploadComplete(.v3) == false
            guard isPartial else { return .plain }
            let answer = ResumableResponse(.badRequest, .other("Upload-Draft-Interop-Version is missing or unknown."))
            return .refused(answer.with(.draft(.latest)))
        }
        guard let isWhole = fields.isUploadComplete(draft) else { return .plain }
        guard fields.uploadOffset ?? 0 == 0 else {
            return .refused(ResumableResponse(.badRequest, .other("A new upload must begin at offset 0.")))
        }
        var creation = UploadCreation(.draft(draft), fields)
        creation.completes = isWhole
        (creation.contentType, creation.disposition) = (fields[.contentType], fields[.contentDisposition])
        if draft.hasLengthAndLimits {
            creation.length = fields.uploadLength
            creation.reprDigest = fields[.reprDigest].flatMap(DigestField.init(_:))
            creation.wantedDigests = fields[.wantReprDigest].map(DigestField.wanted) ?? []
        }
        if isWhole, let length = creation.contentLength {
            guard creation.length ?? length == length else { return .refused(.inconsistentLength, .draft(draft)) }
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
                    .other("Content-Type is not application/partial-upload."), .draft(draft), .unsupportedMediaType)
            }
            // -01 omits Upload-Incomplete if the body ends.
            let completes = fields.isUploadComplete(draft) ?? (draft.usesUploadIncomplete ? true : nil)
            guard let offset = fields.uploadOffset else {
                return .refused(.other(Self.withoutOffset(fields)), .draft(draft))
            }
            guard let completes else {
                let what = fields.contains(.uploadComplete) ? "is not ?0 or ?1" : "is missing"
                return .refused(.other("Upload-Complete \(what)."), .draft(draft))
            }
            var append = UploadAppend(offset: offset, completes: completes, fields)
            if draft.hasLengthAndLimits { append.length = fields.uploadLength }
            if completes, let count = append.contentLength {
                let (length, isTooLarge) = offset.addingReportingOverflow(count)
                guard !isTooLarge, append.length ?? length == length else {
                    return .refused(.inconsistentLength, .draft(draft))
                }
                append.length = length
            }
            return .append(append)
        default: return Self.notAllowed("HEAD, PATCH, DELETE", .draft(.latest))
        }
    }

    private static func tusTarget(_ request: HTTPRequest) -> UploadRequest {
        let fields = request.headerFields
        if request.method == .options { return .options }
        guard fields[.tusResumable] == "1.0.0" else { return .refused(Self.otherTus) }
        guard request.tusMethod == .post else { return .plain }
        var creation = UploadCreation(.tus, fields)
        creation.concatenation = fields[.uploadConcat].flatMap(TusConcatenation.init(_:))
        guard creation.concatenation != nil || !fields.contains(.uploadConcat) else {
            return .refused(.other("Upload-Concat isn't 'partial', or 'final;' with the URL of each part once."), .tus)
        }
        // Parts have the length of an upload that is made of them.
        if creation.parts == nil {
            creation.length = fields.uploadLength
            let isDeferred = fields[values: .uploadDeferLength] == ["1"]
            guard (creation.length == nil) == isDeferred, isDeferred || !fields.contains(.uploadDeferLength),
                !fields.contains(.uploadLength) || creation.length != nil
            else {
                let reason =
                    fields.contains(.uploadLength) && creation.length == nil
                    ? "Upload-Length is not a number of bytes with up to 18 digits."
                    : "Upload-Length or Upload-Defer-Length: 1 is required."
                return .refused(.other(reason), .tus)
            }
        }
        if let value = fields[.uploadMetadata] {
            guard let metadata = TusMetadata(value) else {
                return .refused(.other("Upload-Metadata is malformed."), .tus)
            }
            creation.metadata = metadata
        }
        if creation.concatenation != .partial {
            creation.contentType = creation.metadata["content-type"] ?? creation.metadata["filetype"]
        }
        guard fields.contains(.contentType), creation.contentLength != 0 else {
            return .create(creation.withoutContent)
        }
        guard fields.hasContentType(ResumableProtocol.tusMediaType) else {
            // Some clients send a type without content.
            return creation.contentLength == nil ? .create(creation.withoutContent) : Self.otherTusType
        }
        guard creation.parts == nil else {
            return .refused(.other("An upload that is made of parts has no content of its own."), .tus, .forbidden)
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
            guard fields.hasContentType(ResumableProtocol.tusMediaType) else { return Self.otherTusType }
            guard let offset = fields.uploadOffset else {
                return .refused(.other(Self.withoutOffset(fields)), .tus)
            }
            var append = UploadAppend(offset: offset, completes: false, fields)
            append.length = fields.uploadLength
            return .append(append)
        default: return Self.notAllowed("HEAD, PATCH, DELETE, OPTIONS", .tus)
        }
    }

    /// What is wrong with a request without an offset.
    private static func withoutOffset(_ fields: HTTPFields) -> String {
        guard fields.contains(.uploadOffset) else { return "Upload-Offset is missing." }
        return "Upload-Offset is not a number of bytes with up to \(fields.contains(.tusResumable) ? 18 : 15) digits."
    }

    private static func refused(
        _ problem: UploadProblem, _ uploadProtocol: ResumableProtocol, _ status: HTTPResponse.Status = .badRequest
    ) -> UploadRequest {
        .refused(ResumableResponse(status, problem).with(uploadProtocol, isComplete: false))
    }

    private static var otherTusType: UploadRequest {
        .refused(.other("Content-Type is not application/offset+octet-stream."), .tus, .unsupportedMediaType)
    }

    private static var otherTus: ResumableResponse {
        var answer = ResumableResponse(.preconditionFailed, .other("Tus-Resumable is not 1.0.0.")).with(.tus)
        answer.response.headerFields[.tusVersion] = "1.0.0"
        return answer
    }

    private static func notAllowed(_ methods: String, _ uploadProtocol: ResumableProtocol) -> UploadRequest {
        .refused(ResumableResponse(.methodNotAllowed, [.allow: methods]).with(uploadProtocol))
    }
}

extension HTTPRequest {
    /// The method as tus reads it: a client that can't send a method puts it in a field of a POST. tus allows
    /// overriding any method. Like tusd, we don't, because a GET must not change anything.
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
