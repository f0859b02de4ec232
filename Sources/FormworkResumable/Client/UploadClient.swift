#if Resumable
import FormworkCore
import FormworkHTTP
import HTTPTypes

/// The client's side of an upload that can be resumed: says which request comes next, and is told what came of it.
///
/// It does no IO and knows no time. Ask for ``next()``; while a request is on its way call ``sending(upTo:)`` before
/// bytes leave, ``informed(_:)`` for every 1xx answer, and end it by ``answered(_:retryAfter:)`` or
/// ``lost(_:wasReached:)``. The offset counts the encoded body, framing included.
public struct UploadClient: Sendable {
    /// What may come next.
    enum Phase: Sendable {
        /// The upload's first request. → busy
        case create
        case ask
        case append
        /// An empty PATCH that gets a finished upload's answer again; holds the answer that told it was finished.
        case replay(HTTPResponse)
        /// → what follows
        indirect case pause(Duration, then: Phase)
        case busy(Exchange)
        case done(UploadOutcome)
        case failed(UploadFailure)
    }

    /// A request on its way.
    struct Exchange: Sendable {
        enum Kind: Sendable { case create, ask, append, replay(HTTPResponse) }
        var kind: Kind
        var target: UploadTarget
        var range: UploadRange?
        /// Whether the body ends with this request.
        var completes = false
        /// Whether the server learns the length by it.
        var declaresLength = false
    }

    let original: HTTPRequest
    let target: UploadTarget
    let options: UploadClientOptions
    var phase: Phase
    /// Bytes of the body; `nil` until its end is known.
    public internal(set) var length: Int64?
    /// What is spoken; `nil` for an ordinary request.
    public internal(set) var uploadProtocol: ResumableProtocol?
    /// The upload's URL once it is known: save it whenever it changes, forget it when it becomes `nil`.
    public internal(set) var link: UploadLink?
    /// Bytes that the server has for sure.
    public internal(set) var acknowledged: Int64 = 0
    /// The end of what was ever taken from the body.
    package internal(set) var sent: Int64 = 0
    /// Why the last try failed, for a progress line; `nil` once there is progress.
    public internal(set) var lastFailure: UploadFailure?

    /// Where a redirect led; until the next question for the offset.
    var redirected: UploadTarget?
    /// Where the creation goes, which redirects move.
    var creationTarget: UploadTarget
    var limits = UploadLimits()
    /// Bytes of one request, after the server found more too large.
    var pieceSize: Int64?
    /// Whether the server showed that it knows the protocol.
    var isSupported: Bool
    let createsFirst: Bool
    /// Whether a tus server was told the length.
    var isLengthDeclared: Bool
    /// Whether this process can't know how much an earlier one sent.
    var isContinued = false
    /// Failures in a row that brought it no further.
    package internal(set) var failedAttempts = 0
    var restarts = 0
    var redirects = 0

    /// An upload at its beginning, or a saved one that goes on.
    /// - Parameters:
    ///   - request: The request as it would be sent without resuming, with scheme and authority.
    ///   - length: Bytes of the body; `nil` when only its end can tell.
    ///   - link: A saved upload, to go on with.
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
        self.isSupported = options.choice == .ietf || options.choice == .tus
        self.createsFirst = options.createsFirst && options.choice == .ietf
        self.pieceSize = options.maximumAppendSize
        switch options.choice {
        case .auto, .ietf: self.uploadProtocol = .draft(.latest)
        case .tus: self.uploadProtocol = .tus
        case .off: self.uploadProtocol = nil
        }
        self.phase = .create
        if let link, options.choice != .off {
            self.resume(link)
        }
    }

    private mutating func resume(_ link: UploadLink) {
        self.link = link
        self.limits = link.limits
        self.uploadProtocol = link.uploadProtocol
        self.isSupported = true
        self.isContinued = true
        self.phase = .ask
    }

    /// What to do now. While a request is on its way this is a mistake of the caller's.
    public mutating func next() -> UploadStep {
        switch self.phase {
        case .busy: preconditionFailure("a request is on its way: tell what came of it first")
        case .done(let outcome): return .done(outcome)
        case .failed(let failure): return .fail(failure)
        case .pause(let duration, let phase):
            self.phase = phase
            return duration == .zero ? self.next() : .wait(duration)
        case .create: return self.start(at: 0, tooLate: .notReplayable) { $0.creation() }
        case .append: return self.start(at: self.acknowledged, tooLate: .notReplayable) { $0.append() }
        case .ask: return self.send(self.question())
        case .replay(let answer): return self.send(self.replay(of: answer))
        }
    }

    /// Sends what needs the body from `offset` on.
    private mutating func start(
        at offset: Int64, tooLate code: UploadFailure.Code,
        _ make: (inout UploadClient) -> (HTTPRequest, Exchange)
    ) -> UploadStep {
        if let size = self.limits.maxSize, let length = self.length, length > size {
            return self.fail(
                UploadFailure(.tooLarge, "the body has \(length) bytes, and the server takes \(size) at most"))
        }
        guard self.canGive(offset) else {
            return self.fail(
                UploadFailure(
                    code,
                    "the server wants the body from byte \(offset), but it was read up to \(self.sent) and can't be read again: give a source that can be opened again",
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

    /// Whether the body can be given from `offset` on.
    func canGive(_ offset: Int64) -> Bool {
        self.options.isReplayable || offset == self.sent && !self.isContinued
    }

    /// Whether what is spoken is tus.
    var isTus: Bool { self.uploadProtocol == .tus }

    /// Whether a creation may be repeated without anything being processed twice: an empty upload of tus is whole by it.
    func holdsNothing(_ exchange: Exchange) -> Bool {
        exchange.range?.count == 0 && !exchange.completes && !(self.isTus && self.length == 0)
    }

    /// Whether a success is about a part of the upload, and tells how far it is.
    package func isPart(_ response: HTTPResponse) -> Bool {
        guard let offset = response.headerFields.uploadOffset, let spoken = self.uploadProtocol else {
            return false
        }
        guard case .draft(let draft) = spoken else { return true }
        // Not every server of an old draft says what the offset means.
        let isComplete = response.headerFields.isUploadComplete(draft) ?? (offset >= self.length ?? .max)
        return !isComplete
    }

    /// Whether the server has every byte, as far as it told.
    var hasAll: Bool { self.length == self.acknowledged }
}
#endif
