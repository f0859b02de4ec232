#if Resumable
import FormworkCore
import FormworkHTTP
import HTTPTypes

/// A stretch of the encoded body.
package struct UploadRange: Sendable, Hashable {
    /// Its first byte, counted from the body's.
    package var offset: Int64
    /// Bytes at most; `nil` for all up to an end that nobody knows yet.
    package var count: Int64?

    package init(offset: Int64, count: Int64?) { (self.offset, self.count) = (offset, count) }
}

/// What to do next for an upload.
package enum UploadStep: Sendable {
    /// Send this, with these bytes of the body; without a range the request has no content. The machine then wants to
    /// be told by ``UploadClient/answered(_:retryAfter:)`` or ``UploadClient/lost(_:wasReached:)``.
    case send(HTTPRequest, content: UploadRange?)
    /// Do nothing for so long, then ask for the next step.
    case wait(Duration)
    /// It is over, by this answer.
    case done(UploadOutcome)
    /// It is over, without an answer to show.
    case fail(UploadFailure)
}

/// Whether a request that is on its way is still worth its bytes.
package enum UploadAdvice: Sendable, Hashable {
    case goOn
    /// Stop sending, close the connection or reset the stream, then ask for the next step.
    case stop
}

/// How an upload ended.
package struct UploadOutcome: Sendable, Hashable {
    /// The answer to show: the target's own, or the one that ended the attempts.
    package var response: HTTPResponse
    /// Whether the server has the whole upload, and its answer was lost: what is shown is about the upload only.
    package var isAnswerLost: Bool
    /// Whether nothing can be resumed any more: saved state is to be removed.
    package var isOver: Bool
}

/// Why an upload ended without an answer.
package struct UploadFailure: Error, Sendable, CustomStringConvertible {
    package enum Code: String, Sendable, Hashable {
        /// The connection broke, and the upload can't be resumed, or broke too often.
        case interrupted
        /// The upload is gone from the server, and can't begin anew.
        case gone
        /// The body can't be given again from where the server wants it.
        case notReplayable
        /// The body is longer than the server takes.
        case tooLarge
        /// A redirect leads where the upload can't go on.
        case redirected
        /// The server broke the protocol.
        case protocolBroken
    }

    package var code: Code
    /// One sentence: what happened, the numbers that decided, what to do where something can be done.
    package var message: String
    /// What the transport said last, kept whole.
    package var cause: (any Error)?

    package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        (self.code, self.message, self.cause) = (code, message, cause)
    }

    /// One line. Control characters are shown escaped.
    package var description: String {
        (self.message + (self.cause.map { " (\($0))" } ?? "")).withControlCharactersEscaped
    }
}

/// The upload's own URL, and what the server told about it.
package struct UploadLink: Sendable, Hashable {
    package var target: UploadTarget
    package var uploadProtocol: ResumableProtocol
    /// `Upload-Expires` of tus, as it was sent.
    package var expires: String?
    package var limits: UploadLimits

    package init(
        target: UploadTarget, uploadProtocol: ResumableProtocol, expires: String? = nil,
        limits: UploadLimits = UploadLimits()
    ) {
        self.target = target
        self.uploadProtocol = uploadProtocol
        self.expires = expires
        self.limits = limits
    }
}
#endif
