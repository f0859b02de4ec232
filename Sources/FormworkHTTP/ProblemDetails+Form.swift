import Formwork
import HTTPTypes

/// An error with a description for the client of what was wrong with its request.
public struct RequestProblem: Error, Sendable, CustomStringConvertible {
    /// The description sent to the client.
    public var details: ProblemDetails
    /// The underlying error, for logs; `nil` if there is none.
    public var cause: (any Error)?

    /// Describes a problem.
    public init(_ details: ProblemDetails, cause: (any Error)? = nil) {
        (self.details, self.cause) = (details, cause)
    }

    /// For logs: the status, and the cause or the description for the client.
    public var description: String {
        "\(self.details.status) \(self.details.title): "
            + (self.cause.map { "\($0)" } ?? self.details.detail ?? "").withControlCharactersEscaped
    }
}

extension ProblemDetails {
    /// A status with its registered phrase.
    public init(_ status: HTTPResponse.Status, detail: String? = nil) {
        // A status that was made of a number has no phrase.
        let known = status.reasonPhrase.isEmpty ? Self.registered.first { $0.code == status.code } : status
        self.init(title: known?.reasonPhrase ?? "Status \(status.code)", status: status.code, detail: detail)
    }

    private static let registered: [HTTPResponse.Status] = [
        .badRequest, .unauthorized, .forbidden, .notFound, .methodNotAllowed, .notAcceptable, .requestTimeout,
        .conflict,
        .gone, .lengthRequired, .preconditionFailed, .contentTooLarge, .uriTooLong, .unsupportedMediaType,
        .rangeNotSatisfiable, .expectationFailed, .misdirectedRequest, .unprocessableContent, .tooEarly,
        .upgradeRequired, .preconditionRequired, .tooManyRequests, .requestHeaderFieldsTooLarge, .internalServerError,
        .notImplemented, .badGateway, .serviceUnavailable, .gatewayTimeout, .httpVersionNotSupported,
        .init(code: 423, reasonPhrase: "Locked"), .init(code: 507, reasonPhrase: "Insufficient Storage"),
    ]

    /// The description of an error that a client may see: 400 for a body that can't be read, 413 for one that exceeds a
    /// limit, 415 for one that isn't a form, 408 for one that took too long, 507 for a full disk, 503 for too many open
    /// files. Everything else is 500 without details.
    ///
    /// The detail depends only on the kind of error, never on its message, which may contain file paths. ``members``
    /// contain `code`, and where they are known `limit`, in the limit's unit, and `field`, the part's name as the
    /// client sent it.
    public init(_ error: FormworkError) {
        if error.code == .malformedBody, let cause = error.cause as? DecodingError {
            self.init(cause)
            return
        }
        let failure = error.parsingFailure
        let status: HTTPResponse.Status
        switch error.code {
        case .malformedBody: status = failure?.kind == .invalidContentType ? .unsupportedMediaType : .badRequest
        case .truncatedBody: status = .badRequest
        // A smaller body wouldn't help.
        case .limitExceeded: status = failure?.kind == .boundaryLengthLimit ? .badRequest : .contentTooLarge
        case .timedOut: status = .requestTimeout
        case .writeFailed:
            self = Self.writeFailed(error.cause as? Errno)
            return
        default:
            self.init(.internalServerError)
            return
        }
        self.init(status, detail: failure?.detail ?? Self.sentence(for: error.code))
        self.members["code"] = (failure?.kind.rawValue ?? error.code.description)
        self.members["limit"] = failure?.limit.map { String($0) }
        self.members["field"] = error.part?.name
    }

    private static func writeFailed(_ errno: Errno?) -> Self {
        switch errno {
        case let errno? where errno.isLackOfRoom:
            // RFC 4918 §11.5; HTTPTypes has no name for it.
            Self(title: "Insufficient Storage", status: 507, detail: "There is no room for the body.")
        case .tooManyOpenFiles?, .tooManyOpenFilesInSystem?:
            Self(.serviceUnavailable, detail: "Too many files are open.")
        default: Self(.internalServerError)
        }
    }

    /// A form that was read, but doesn't match the type: 400, or 413 for a file that is too large.
    init(_ error: DecodingError) {
        if case .dataCorrupted(let context) = error, let cause = context.underlyingError as? FormworkError,
            cause.code == .limitExceeded
        {
            self.init(.contentTooLarge, detail: "A file is too large to be read here.")
            self.members["code"] = cause.code.description
            self.members["field"] = Self.field(context.codingPath)
            return
        }
        let (path, sentence): ([any CodingKey], String) =
            switch error {
            case .keyNotFound(let key, let context): (context.codingPath + [key], "A field is missing.")
            case .valueNotFound(_, let context): (context.codingPath, "A field has no value.")
            case .typeMismatch(_, let context): (context.codingPath, "A field has the wrong type.")
            case .dataCorrupted(let context): (context.codingPath, "A field's value can't be read.")
            @unknown default: ([], "The form can't be read.")
            }
        self.init(.badRequest, detail: sentence)
        self.members["code"] = "invalidField"
        self.members["field"] = Self.field(path)
    }

    private static func field(_ path: [any CodingKey]) -> String? {
        path.first.map { first in
            path.dropFirst().reduce(first.stringValue) { "\($0)[\($1.stringValue)]" }
        }
    }

    private static func sentence(for code: FormworkError.Code) -> String {
        switch code {
        case .truncatedBody: "The body ended too early."
        case .limitExceeded: "The body exceeds a limit."
        case .timedOut: "The body took too long to arrive."
        default: "The body does not match its Content-Type."
        }
    }
}

extension ParsingFailure {
    /// The kind of failure in words, with the limit that was exceeded; `nil` for a kind without its own text.
    fileprivate var detail: String? {
        guard let limit = self.limit else { return self.sentence }
        return self.sentence.map { "\($0.dropLast()): the limit is \(limit)." }
    }

    /// The kind of failure in words for the client; `nil` for a kind without its own text.
    fileprivate var sentence: String? {
        switch self.kind {
        case .invalidContentType: "The Content-Type is not accepted here: send multipart/form-data."
        case .missingBoundaryParameter, .invalidBoundaryParameter:
            "The Content-Type has no valid boundary."
        case .duplicateParameter, .duplicateHeader:
            "A header field, or a parameter such as boundary or name, is given twice: send it once."
        case .malformedHeader: "A part's header section can't be read."
        case .malformedBoundaryLine: "There is text after a close delimiter on its line."
        case .missingContentDisposition: "A part has no Content-Disposition: form-data."
        case .missingName: "A part has no name."
        case .unknownName: "A part has a name that is not accepted here."
        case .noPartsAfterPreamble: "No part begins with the boundary of the Content-Type."
        case .delimiterInPreamble:
            "A line before the first part has the boundary, but isn't a delimiter: nothing may be before it on its line, "
                + "and lines must end with CRLF."
        case .ambiguity: "The form has a detail that receivers read differently."
        case .preamble: "There is text before the first part."
        case .invalidText: "A name is not valid UTF-8."
        case .unexpectedEnd: "The body ended before its close delimiter."
        case .boundaryLengthLimit: "The boundary is too long."
        case .totalBytesLimit: "The body is too large."
        case .preambleBytesLimit: "There is too much text before the first part."
        case .headerBytesLimit: "A part's header section is too large."
        case .headerCountLimit: "A part has too many header fields."
        case .totalHeaderBytesLimit: "The parts' header sections are too large in total."
        case .nameBytesLimit: "A field's name is too long."
        case .partsLimit: "There are too many parts."
        case .fieldsLimit: "There are too many fields."
        case .filesLimit: "There are too many files."
        case .fieldBytesLimit: "A field is too large."
        case .fileBytesLimit: "A file is too large."
        case .nameDepthLimit: "A field's name is nested too deeply."
        case .memoryBytesLimit: "The form's fields are too large in total."
        default: nil
        }
    }
}

extension Errno {
    /// Whether room is missing, so that 507 is the answer (RFC 4918 §11.5). Other errors may pass by themselves.
    package var isLackOfRoom: Bool { [.noSpace, .diskQuotaExceeded, .fileTooLarge].contains(self) }

    /// The system's error inside another error: the error itself, or its cause. `nil` for any other error.
    package init?(of error: any Error) {
        guard let errno = error as? Errno ?? (error as? FormworkError)?.cause as? Errno else { return nil }
        self = errno
    }
}
