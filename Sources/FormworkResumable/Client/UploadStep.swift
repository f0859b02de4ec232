#if Resumable
import FormworkCore
import FormworkHTTP
import HTTPTypes

/// A stretch of the encoded body.
public struct UploadRange: Sendable, Hashable {
    /// Its first byte, counted from the body's.
    public var offset: Int64
    /// Bytes at most; `nil` for all up to an end that nobody knows yet.
    public var count: Int64?

    /// A stretch from `offset` on.
    public init(offset: Int64, count: Int64?) { (self.offset, self.count) = (offset, count) }
}

/// What to do next for an upload.
public enum UploadStep: Sendable {
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
public enum UploadAdvice: Sendable, Hashable {
    /// Send on.
    case goOn
    /// Stop sending, close the connection or reset the stream, then ask for the next step.
    case stop
}

/// How an upload ended.
public struct UploadOutcome: Sendable, Hashable {
    /// The answer to show: the target's own, or the one that ended the attempts.
    public var response: HTTPResponse
    /// Whether the server has the whole upload, and its answer was lost: what is shown is about the upload only.
    public var isAnswerLost: Bool
    /// Whether nothing can be resumed any more: saved state is to be removed.
    public var isOver: Bool
}

/// Why an upload ended without an answer.
public struct UploadFailure: Error, Sendable, CustomStringConvertible {
    /// What a caller can do about it. More may come, so a `switch` needs a `default`.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String { case interrupted, gone, notReplayable, tooLarge, redirected, protocolBroken }
        private let kind: Kind

        /// The connection broke, and the upload can't be resumed, or broke too often.
        public static let interrupted = Self(kind: .interrupted)
        /// The upload is gone from the server, and can't begin anew.
        public static let gone = Self(kind: .gone)
        /// The body can't be given again from where the server wants it.
        public static let notReplayable = Self(kind: .notReplayable)
        /// The body is longer than the server takes.
        public static let tooLarge = Self(kind: .tooLarge)
        /// A redirect leads where the upload can't go on.
        public static let redirected = Self(kind: .redirected)
        /// The server broke the protocol.
        public static let protocolBroken = Self(kind: .protocolBroken)

        /// The code's name, fit for a metrics label.
        public var description: String { self.kind.rawValue }
    }

    /// What to decide on.
    public var code: Code
    /// One sentence: what happened, the numbers that decided, what to do where something can be done.
    public var message: String
    /// What the transport said last, kept whole.
    public var cause: (any Error)?

    package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        (self.code, self.message, self.cause) = (code, message, cause)
    }

    /// One line. Control characters are shown escaped.
    public var description: String {
        (self.message + (self.cause.map { " (\($0))" } ?? "")).withControlCharactersEscaped
    }
}

/// The upload's own URL, and what the server told about it.
public struct UploadLink: Sendable, Hashable {
    /// The URL.
    public var target: UploadTarget
    /// What is spoken there.
    public var uploadProtocol: ResumableProtocol
    /// `Upload-Expires` of tus, as it was sent.
    public var expires: String?
    /// What the server takes.
    public var limits: UploadLimits

    /// A saved upload: its URL and protocol are enough to go on with it.
    public init(
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
