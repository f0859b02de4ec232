#if Resumable
import FormworkCore
import FormworkHTTP
import HTTPTypes

/// The client's side of a resumable upload: decides which request comes next, and is informed of the results.
///
/// It does no IO and has no clock. Ask for ``next()``. While a request is in progress, call ``sending(upTo:)`` before
/// bytes are sent, and ``informed(_:)`` for every 1xx answer. End the request with ``answered(_:retryAfter:)`` or
/// ``lost(_:wasReached:)``. Offsets count bytes of the encoded body, with its framing.
public struct UploadClient: Sendable {
    /// The state of the upload.
    enum Phase: Sendable {
        /// The upload's first request. → busy
        case create
        case ask
        case append
        /// An empty PATCH that requests a completed upload's answer again; contains the answer that reported it
        /// complete.
        case replay(HTTPResponse)
        /// → then
        indirect case pause(Duration, then: Phase)
        case busy(Exchange)
        case done(UploadOutcome)
        case failed(UploadFailure)
    }

    /// What client and server have agreed on.
    enum Agreement: Sendable {
        /// No protocol: an ordinary request.
        case none
        /// The server hasn't shown yet that it supports the protocol.
        case offered(ResumableProtocol)
        case settled(ResumableProtocol)

        var uploadProtocol: ResumableProtocol? {
            switch self {
            case .none: nil
            case .offered(let spoken), .settled(let spoken): spoken
            }
        }

        /// The server has shown that it supports the protocol.
        mutating func settle() { if case .offered(let spoken) = self { self = .settled(spoken) } }

        /// Another version is used from now on.
        mutating func speak(_ other: ResumableProtocol) {
            if case .settled = self { self = .settled(other) } else { self = .offered(other) }
        }
    }

    /// A request in progress.
    struct Exchange: Sendable {
        enum Kind: Sendable { case create, ask, append, replay(HTTPResponse) }
        var kind: Kind
        var target: UploadTarget
        var range: UploadRange?
        /// Whether the body ends with this request.
        var completes = false
        /// Whether this request tells the server the length.
        var declaresLength = false
    }

    let original: HTTPRequest
    let target: UploadTarget
    let options: UploadClientOptions
    var phase: Phase
    /// Bytes of the body; `nil` until its end is known.
    public internal(set) var length: Int64?
    var agreement: Agreement
    /// The upload's URL once it is known. Save it whenever it changes, and discard it when it becomes `nil`.
    public internal(set) var link: UploadLink?
    /// Bytes that the server has confirmed.
    public internal(set) var acknowledged: Int64 = 0
    /// The furthest offset up to which the body was ever read.
    package internal(set) var sent: Int64 = 0
    /// Whether the body's source was asked for bytes, and not all bytes of the request have been read yet.
    var isReading = false
    /// Why the last try failed, for a progress line; `nil` after progress.
    public internal(set) var lastFailure: UploadFailure?

    /// The upload's URL, as the server gave it, if it can't be used.
    var refusedLocation: String?
    /// The target of a redirect; until the next request for the offset.
    var redirected: UploadTarget?
    /// The target of the creation, which redirects change.
    var creationTarget: UploadTarget
    var limits = UploadLimits()
    /// The most bytes of one request, after the server found a larger one too large.
    var pieceSize: Int64?
    let createsFirst: Bool
    /// Whether a tus server has received the length.
    var isLengthDeclared: Bool
    /// Whether this process doesn't know how much an earlier one sent.
    var isContinued = false
    /// Consecutive failures without progress.
    package internal(set) var failedAttempts = 0
    /// Requests that a limit stopped, since the last progress.
    var stops = 0
    var restarts = 0
    var redirects = 0

    /// Creates an upload, or resumes a saved one.
    /// - Parameters:
    ///   - request: The request as it would be sent without resuming, including scheme and authority.
    ///   - length: Bytes of the body; `nil` if the length isn't known before the end.
    ///   - options: Which protocol is used, and how the body is divided into requests.
    ///   - link: A saved upload to resume.
    /// - Throws: ``FormworkError/Code/invalidArgument`` for a request without scheme or authority, and a negative
    ///   length.
    public init(
        _ request: HTTPRequest, length: Int64?, options: UploadClientOptions = UploadClientOptions(),
        continuing link: UploadLink? = nil
    ) throws(FormworkError) {
        guard let target = UploadTarget(request) else {
            throw FormworkError(.invalidArgument, "An upload's request needs a scheme and an authority.")
        }
        guard length ?? 0 >= 0 else { throw FormworkError(.invalidArgument, "A body's length is negative.") }
        self.original = request
        self.target = target
        self.creationTarget = target
        self.length = length
        self.options = options
        self.isLengthDeclared = length != nil
        self.createsFirst = options.createsFirst && options.choice == .ietf
        self.pieceSize = options.maximumAppendSize
        switch options.choice {
        case .auto: self.agreement = .offered(.draft(.latest))
        case .ietf: self.agreement = .settled(.draft(.latest))
        case .tus: self.agreement = .settled(.tus)
        case .off: self.agreement = .none
        }
        self.phase = .create
        if let link, options.choice != .off {
            self.resume(link)
        }
    }

    private mutating func resume(_ link: UploadLink) {
        self.link = link
        self.limits = link.limits
        self.agreement = .settled(link.uploadProtocol)
        self.isContinued = true
        self.phase = .ask
    }

    /// The next step. Must not be called while a request is in progress.
    public mutating func next() -> UploadStep {
        switch self.phase {
        case .busy: preconditionFailure("a request is in progress: report its result first")
        case .done(let outcome): return .done(outcome)
        case .failed(let failure): return .fail(failure)
        case .pause(let duration, let phase):
            self.phase = phase
            return duration == .zero ? self.next() : .wait(duration)
        case .create: return self.start(at: 0) { $0.creation() }
        case .append: return self.start(at: self.acknowledged) { $0.append() }
        case .ask: return self.send(self.question())
        case .replay(let answer): return self.send(self.replay(of: answer))
        }
    }

    /// Makes a request that needs the body from `offset`.
    private mutating func start(
        at offset: Int64, _ make: (inout UploadClient) -> (HTTPRequest, Exchange)
    ) -> UploadStep {
        if let size = self.limits.maxSize, let length = self.length, length > size {
            return self.fail(
                UploadFailure(.tooLarge, "the body has \(length, "byte"), but the server accepts at most \(size)"))
        }
        guard self.canGive(offset) else {
            return self.fail(
                UploadFailure(
                    .notReplayable,
                    "the server needs the body from byte \(offset), but it was read up to byte \(self.sent)"
                        + (offset == self.sent ? " or further" : "")
                        + " and can't be read again: use a source that can be reopened",
                    cause: self.lastFailure?.cause))
        }
        return self.send(make(&self))
    }

    private mutating func send(_ request: (HTTPRequest, Exchange)) -> UploadStep {
        self.phase = .busy(request.1)
        return .send(request.0, content: request.1.range)
    }

    @discardableResult
    mutating func fail(_ failure: UploadFailure) -> UploadStep {
        self.phase = .failed(failure)
        return .fail(failure)
    }

    /// Whether the body can be read from `offset`.
    func canGive(_ offset: Int64) -> Bool {
        self.options.isReplayable || offset == self.sent && !self.isContinued && !self.isReading
    }

    /// The protocol; `nil` for an ordinary request.
    public var uploadProtocol: ResumableProtocol? { self.agreement.uploadProtocol }

    /// Whether the server supports the protocol, as far as it has shown or the caller says.
    var isSettled: Bool { if case .settled = self.agreement { true } else { false } }

    /// Whether the protocol is tus.
    var isTus: Bool { self.uploadProtocol == .tus }

    /// Whether a creation may be repeated without processing anything twice: an empty tus upload is complete once
    /// created.
    func holdsNothing(_ exchange: Exchange) -> Bool {
        exchange.range?.count == 0 && !exchange.completes && !(self.isTus && self.length == 0)
    }

    /// Whether a success is about a part of the upload, and contains the offset.
    package func isPart(_ response: HTTPResponse) -> Bool {
        guard let offset = response.headerFields.uploadOffset, let spoken = self.uploadProtocol else {
            return false
        }
        guard case .draft(let draft) = spoken else { return true }
        // Some servers of old drafts don't say what the offset means.
        let isComplete = response.headerFields.isUploadComplete(draft) ?? (offset >= self.length ?? .max)
        return !isComplete
    }

    /// Whether the server has every byte, as far as it has reported.
    var hasAll: Bool { self.length == self.acknowledged }
}
#endif
