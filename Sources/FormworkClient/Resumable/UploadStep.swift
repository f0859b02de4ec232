/// A range of the encoded body.
struct UploadRange: Sendable, Hashable {
    /// Its first byte, counted from the start of the body.
    var offset: Int64
    /// The most bytes; `nil` for all bytes up to an end that isn't known yet.
    var count: Int64?

    /// Creates a range from `offset`.
    init(offset: Int64, count: Int64?) { (self.offset, self.count) = (offset, count) }
}

/// The next step of an upload.
enum UploadStep: Sendable {
    /// Send this request, with this range of the body; without a range it has no content. Then call
    /// ``UploadClient/answered(_:retryAfter:)`` or ``UploadClient/lost(_:wasReached:)``.
    case send(HTTPRequest, content: UploadRange?)
    /// Wait this long, then ask for the next step.
    case wait(Duration)
    /// The upload has ended with this answer.
    case done(UploadOutcome)
    /// The upload has ended without an answer to show.
    case fail(UploadFailure)
}

/// Whether a request in progress should continue.
enum UploadAdvice: Sendable, Hashable {
    /// Continue sending.
    case `continue`
    /// Stop sending, close the connection or reset the stream, then ask for the next step.
    case stop
}

/// How an upload ended.
struct UploadOutcome: Sendable, Hashable {
    /// The answer to show: the target's own, or the one that ended the tries.
    var response: HTTPResponse
    /// Whether the server has the whole upload, but its answer was lost. The response shown is then about the upload
    /// only.
    var isAnswerLost: Bool
    /// Whether the upload can no longer be resumed, so that saved state should be removed.
    var isOver: Bool
}

/// The reason why an upload ended without an answer.
package struct UploadFailure: Error, Sendable, CustomStringConvertible {
    /// The kind of failure, for the caller to act on. More kinds may be added, so a `switch` needs a `default`.
    package struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case interrupted, gone, notReplayable, tooLarge, redirected, unsupported, protocolBroken
        }
        private let kind: Kind

        /// The connection broke, and the upload can't be resumed, or this happened too often.
        package static let interrupted = Self(kind: .interrupted)
        /// The upload no longer exists on the server, and can't be started again.
        package static let gone = Self(kind: .gone)
        /// The body can't be read again from the offset that the server needs.
        package static let notReplayable = Self(kind: .notReplayable)
        /// The body is longer than the server accepts.
        package static let tooLarge = Self(kind: .tooLarge)
        /// A redirect leads to a place where the upload can't continue.
        package static let redirected = Self(kind: .redirected)
        /// The server has no resumable uploads of the chosen kind.
        package static let unsupported = Self(kind: .unsupported)
        /// The server violated the protocol.
        static let protocolBroken = Self(kind: .protocolBroken)

        /// The code's name, fit for a metrics label.
        package var description: String { self.kind.rawValue }
    }

    /// The kind of failure.
    package var code: Code
    /// One sentence: what happened, the relevant numbers, and how to fix it if possible.
    var message: String
    /// The last error of the transport.
    package var cause: (any Error)?

    init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        (self.code, self.message, self.cause) = (code, message, cause)
    }

    /// One line. Control characters are shown escaped.
    package var description: String {
        (self.message + (self.cause.map { " (\($0))" } ?? "")).withControlCharactersEscaped
    }
}

/// The upload's own URL, and its properties on the server.
package struct SavedUpload: Sendable, Hashable {
    /// The URL.
    var target: UploadTarget
    /// The protocol to use.
    package var uploadProtocol: ResumableProtocol
    /// `Upload-Expires` of tus, as received.
    var expires: String?
    /// The server's limits.
    var limits: UploadLimits
    /// Whether the upload is the form's only file, and not the encoded form.
    var isFile = false

    /// Creates a link from a saved upload; its URL and protocol are enough to resume it.
    init(
        target: UploadTarget, uploadProtocol: ResumableProtocol, expires: String? = nil,
        limits: UploadLimits = UploadLimits()
    ) {
        self.target = target
        self.uploadProtocol = uploadProtocol
        self.expires = expires
        self.limits = limits
    }
}
