import FormworkEssentials
import FormworkValues

/// The client's side of a resumable upload: decides which request comes next, and is informed of the results.
///
/// It does no IO and has no clock. Ask for ``next()``. While a request is in progress, call ``sending(upTo:)`` before
/// bytes are sent, and ``informed(_:)`` for every 1xx answer. End the request with ``answered(_:retryAfter:)`` or
/// ``lost(_:wasReached:)``. Offsets count bytes of the encoded body, with its framing.
struct UploadClient: Sendable {
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
        case failed(TransferError)
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
    var length: Int64?
    var agreement: Agreement
    /// The upload's URL once it is known. Save it whenever it changes, and discard it when it becomes `nil`.
    var link: SavedUpload?
    /// Bytes that the server has confirmed.
    var acknowledged: Int64 = 0
    /// The furthest offset up to which the body was ever read.
    var sent: Int64 = 0
    /// Whether the body's source was asked for bytes, and not all bytes of the request have been read yet.
    var isReading = false
    /// Why the last try failed, for a progress line; `nil` after progress.
    var lastFailure: TransferError?

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
    /// Whether the server has said that it hasn't all bytes of an upload of an earlier process.
    var isKnownIncomplete = false
    /// Consecutive failures without progress.
    var failedAttempts = 0
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
    init(
        _ request: HTTPRequest, length: Int64?, options: UploadClientOptions = UploadClientOptions(),
        continuing link: SavedUpload? = nil
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

    private mutating func resume(_ link: SavedUpload) {
        self.link = link
        self.limits = link.limits
        self.agreement = .settled(link.uploadProtocol)
        self.isContinued = true
        self.phase = .ask
    }

    /// The next step. Must not be called while a request is in progress.
    mutating func next() -> UploadStep {
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
        if self.isTooLarge() { return self.next() }
        guard self.canGive(offset) else {
            self.fail(
                .notReplayable,
                "the server needs the body from byte \(offset), but it was read up to byte \(self.sent)"
                    + (offset == self.sent ? " or further" : "")
                    + " and can't be read again: use a source that can be reopened",
                cause: self.lastFailure?.cause)
            return self.next()
        }
        return self.send(make(&self))
    }

    private mutating func send(_ request: (HTTPRequest, Exchange)) -> UploadStep {
        self.phase = .busy(request.1)
        return .send(request.0, content: request.1.range)
    }

    mutating func fail(_ code: TransferError.Code, _ message: String, cause: (any Error)? = nil) {
        self.phase = .failed(TransferError(code, message, cause: cause))
    }

    /// Ends an upload of more bytes than the server accepts.
    /// - Returns: Whether it has more.
    mutating func isTooLarge() -> Bool {
        guard let length = self.length, let error = TransferError(length, beyond: self.limits.maxSize) else {
            return false
        }
        self.phase = .failed(error)
        return true
    }

    /// Whether the body can be read from `offset`.
    func canGive(_ offset: Int64) -> Bool {
        self.options.isReplayable || offset == self.sent && !self.isContinued && !self.isReading
    }

    /// The protocol; `nil` for an ordinary request.
    var uploadProtocol: ResumableProtocol? { self.agreement.uploadProtocol }

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
    func isPart(_ response: HTTPResponse) -> Bool {
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

/// How an upload is made.
package struct UploadClientOptions: Sendable {
    /// The protocol to use.
    var choice: ResumableChoice = .auto
    /// Whether the body can be read again, from any offset.
    var isReplayable = true
    /// Whether an upload by the draft is created with an empty request. This costs a round trip, but then the upload
    /// can be resumed even if 1xx answers are lost. Not for `auto`, whose server may not support the draft.
    package var createsFirst = false
    /// Whether a complete ordinary request may be repeated after a lost answer or a temporary failure. The server may
    /// have processed the first one.
    package var repeatsUnanswered = false
    /// Whether to retry after any answer of 400 or more, and after any failure of the connection, instead of only after
    /// temporary ones.
    package var retriesAllErrors = false
    /// Whether to send everything again if the server no longer has an upload of which it may have stored all.
    package var restartsLost = false
    /// The digest with which the server checks the whole body; for the draft's versions 6 and later.
    package var reprDigest: DigestField?
    /// Metadata for tus, in addition to what the request provides.
    package var metadata = TusMetadata()
    /// Whether a tus upload is a file that the metadata describe, and not an encoded form.
    var isFile = false
    /// The algorithm for `Upload-Checksum` of each tus request with content, in tus' spelling; `nil` for none.
    package var checksum: String?
    /// The most bytes of content of one request; `nil` for no limit except the server's.
    package var maximumAppendSize: Int64?
    /// How many tries in a row may make no progress before the upload fails.
    package var maximumAttempts = 8
    /// How often an upload that the server lost may be started again.
    var maximumRestarts = 2
    /// How many redirects in a row to follow; with 0 the first redirect of an ordinary request is its answer.
    var maximumRedirects = 10
    /// Whether fields whose names show that they carry credentials are sent to any origin that a redirect or the upload's
    /// URL leads to, and not only to the request's own.
    var trustsRedirects = false
    /// The waits before the tries after a failure; the last one applies to all further tries. `Retry-After` takes
    /// precedence.
    package var delays: [Duration] = [
        .zero, .seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(16), .seconds(30),
    ]

    /// The longest wait that a server can request with `Retry-After`; a longer one is shortened.
    var maximumRetryAfter: Duration = .seconds(3600)

    /// Creates the default options.
    package init(_ choice: ResumableChoice = .auto) { self.choice = choice }
}

/// The target of a request: an `http` or `https` URL without a fragment.
struct UploadTarget: Sendable, Hashable {
    var scheme: String
    var authority: String
    var path: String

    /// The target of a request; `nil` without a scheme and an authority.
    init?(_ request: HTTPRequest) {
        guard let scheme = request.scheme?.lowercased(), let authority = request.authority, !authority.isEmpty
        else { return nil }
        (self.scheme, self.authority, self.path) = (scheme, authority, request.path ?? "/")
    }

    /// Reads an absolute URL.
    /// - Returns: `nil` if the text isn't an `http` or `https` URL.
    init?(_ text: String) {
        guard let request = try? HTTPRequest(to: text) else { return nil }
        self.init(request)
    }

    /// Resolves a `Location` in this target's answer (RFC 9110 §10.2.2).
    /// - Returns: `nil` if it isn't an HTTP URL, or if it has no TLS although the answer came over TLS.
    func resolving(_ location: String) -> UploadTarget? {
        guard let base = URL(text: self.url), let url = URL(text: location, relativeTo: base),
            let target = UploadTarget(url.absoluteString), self.scheme != "https" || target.scheme == "https"
        else { return nil }
        return target
    }

    /// The URL.
    var url: String { "\(self.scheme)://\(self.authority)\(self.path)" }

    /// Whether credentials for one target may be sent to the other (RFC 6454 §5).
    func hasOrigin(of other: UploadTarget) -> Bool {
        guard let origin = URL(text: self.url)?.origin else { return false }
        return origin == URL(text: other.url)?.origin
    }
}
