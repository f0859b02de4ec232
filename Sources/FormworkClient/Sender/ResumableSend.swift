import FormworkValues

/// Sends a body and resumes it where it was cut: decides which request comes next, and is informed of the results.
///
/// It does no IO and has no clock. Offsets count bytes of the encoded body, with its framing. A redirect to a page at the end
/// is followed as in a plain transfer.
struct ResumableSend: SendMachine {
    /// What happens next.
    enum Phase: Sendable {
        /// The upload's first request. → busy
        case create
        case ask
        case append
        /// An empty PATCH that requests a completed upload's answer again; contains the answer that reported it
        /// complete.
        case replay(HTTPResponse)
        /// → then
        indirect case pause(Duration, reason: String, then: Phase)
        case busy(Exchange)
        /// The upload is over, with this answer. → page
        case done(HTTPResponse)
        /// The upload is over, and redirected to a page. → page, failed
        case page(HTTPRequest, UploadMachine)
        /// The end. Later events change nothing.
        case failed(any Error)
    }

    /// A request in progress.
    struct Exchange: Sendable {
        enum Kind: Sendable { case create, ask, append, replay(HTTPResponse) }
        var kind: Kind
        var request: HTTPRequest
        /// What the request carries of the body; `nil` for a request without content.
        var range: UploadRange?
        /// Whether the body ends with this request.
        var completes = false
        /// Whether this request tells the server the length.
        var declaresLength = false

        /// Whether the request has a body.
        var hasContent: Bool { self.range.map { $0.count != 0 } ?? false }
    }

    let plan: BodyPlan
    let options: ResumingOptions
    /// Its rules for redirects. Tries and credentials are those of ``options`` and ``authentication``.
    let rules: UploadOptions
    /// The request as it would be sent without resuming.
    private(set) var original: HTTPRequest
    private var authentication: AuthenticationRule
    /// The answer that asked for credentials.
    private var challenged: (answer: SendResponse, remaining: Duration?)?

    var phase: Phase
    /// Bytes of the body; `nil` until its end is known.
    var length: Int64?
    /// The protocol; `nil` for an ordinary request.
    var uploadProtocol: ResumableProtocol?
    /// Whether the server supports the protocol, as far as it has shown or the caller says.
    var isSettled: Bool
    /// The upload's URL once it is known.
    var link: SavedUpload?
    /// The upload as it was saved last; `nil` for none.
    private var known: SavedUpload?
    /// Whether the caller has it saved. One that is over is still reported.
    private var isSaved = false
    /// Bytes that the server has confirmed.
    var acknowledged: Int64 = 0
    /// The furthest offset up to which the body was ever read.
    var sent: Int64 = 0
    /// Whether the body's source was asked for bytes, and not all bytes of the request have been read yet.
    var isReading = false
    /// Why the last try failed; `nil` after progress.
    var lastCause: (any Error)?

    /// The upload's URL, as the server gave it, if it can't be used.
    var refusedLocation: String?
    /// Where a redirect leads to; until the next request for the offset.
    var redirected: String?
    /// Where redirects have moved the creation to.
    var creationURL: String?
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

    /// Whether the server is asked before a body; `nil` for the client's options.
    private var asks: Bool?
    private var offset: Int64 = 0
    private var wasCut: Bool
    private var resumedFrom: Int64?
    private var resumptions = 0
    /// Whether the server has the whole upload, but its answer was lost. The one that is shown is about the upload only.
    var isAnswerLost = false
    /// Whether nothing is left to resume once the answer was read.
    var isOver = false
    private(set) var isSourceRead = false
    var isBodyComplete: Bool?
    private(set) var bytesSent: Int64?

    /// - Parameters:
    ///   - request: The request as it would be sent without resuming, including scheme and authority.
    ///   - options: Its rules for redirects and a 401 are used.
    /// - Throws: `invalidArgument` for a request without a scheme or an authority.
    init(
        _ plan: BodyPlan, _ request: HTTPRequest, _ resuming: ResumingOptions, _ options: UploadOptions
    ) throws(FormworkError) {
        guard request.scheme != nil, request.authority?.isEmpty == false else {
            throw FormworkError(.invalidArgument, "An upload's request needs a scheme and an authority.")
        }
        (self.plan, self.options) = (plan, resuming)
        var rules = options
        (rules.retry, rules.authentication) = (RetryPolicy(), nil)
        (self.rules, self.authentication) = (rules, AuthenticationRule(options))
        self.original = request
        self.original.headerFields[.contentType] = plan.contentType
        (self.length, self.isLengthDeclared) = (plan.contentLength, plan.contentLength != nil)
        self.pieceSize = resuming.maximumAppendSize
        let choice = resuming.choice
        self.createsFirst = resuming.createsFirst && choice == .ietf
        self.uploadProtocol =
            switch choice {
            case .auto, .ietf: .draft(.latest)
            case .tus: .tus
            case .off: nil
            }
        self.isSettled = [.ietf, .tus].contains(choice)
        (self.phase, self.wasCut) = (.create, resuming.link != nil)
        guard let link = resuming.link else { return }
        (self.known, self.isSaved) = (link, true)
        guard choice != .off else { return }
        (self.link, self.limits) = (link, link.limits)
        (self.uploadProtocol, self.isSettled) = (link.uploadProtocol, true)
        (self.isContinued, self.phase) = (true, .ask)
    }

    // MARK: steps

    mutating func next() -> SendStep {
        guard self.isReady(for: self.phase) else { return self.next() }
        switch self.phase {
        case .busy: preconditionFailure("a request is in progress: report its result first")
        case .pause(let duration, let reason, let phase):
            self.phase = phase
            // A request that can't be made isn't waited for.
            return self.isReady(for: phase) ? .pause(duration, reason: reason) : self.next()
        case .create: return self.send(self.creation())
        case .append: return self.send(self.append())
        case .ask: return self.send(self.question())
        case .replay(let answer): return self.send(self.replay(of: answer))
        case .done(let answer): return .answered(answer)
        case .page(let request, _): return .exchange(request, nil, expectsContinue: false)
        case .failed(let error): return .failed(error)
        }
    }

    private mutating func send(_ exchange: Exchange) -> SendStep {
        self.phase = .busy(exchange)
        guard exchange.hasContent, let range = exchange.range else {
            return .exchange(exchange.request, nil, expectsContinue: false)
        }
        self.offset = range.offset
        if self.wasCut, self.link != nil {
            self.resumedFrom = range.offset
            self.resumptions += 1
        }
        self.wasCut = false
        return .exchange(
            exchange.request, ExchangeBody(self.plan, from: range.offset, count: range.count),
            expectsContinue: self.asks)
    }

    /// Whether the body can be sent as a request needs it, if it does. Otherwise the upload has failed.
    private mutating func isReady(for phase: Phase) -> Bool {
        let offset: Int64
        switch phase {
        case .create: offset = 0
        case .append: offset = self.acknowledged
        default: return true
        }
        if !self.isTooLarge(), !self.canGive(offset) {
            self.fail(
                .notReplayable,
                "the server needs the body from byte \(offset), but it was read up to byte \(self.sent)"
                    + (offset == self.sent ? " or further" : "")
                    + " and can't be read again: use a source that can be reopened",
                cause: self.lastCause)
        }
        self.keep()
        return !self.hasFailed
    }

    /// Ends an upload of more bytes than the server accepts.
    /// - Returns: Whether it has more.
    mutating func isTooLarge() -> Bool {
        guard let length = self.length, let error = TransferError(length, beyond: self.limits.maxSize) else {
            return false
        }
        self.fail(error)
        return true
    }

    /// Whether the body can be read from `offset`.
    func canGive(_ offset: Int64) -> Bool {
        self.plan.isReplayable || offset == self.sent && !self.isContinued && !self.isReading
    }

    // MARK: events

    mutating func reading() { (self.isSourceRead, self.isReading) = (true, true) }

    mutating func informed(by response: HTTPResponse) -> Bool {
        let continues = self.learns(from: response)
        self.keep()
        return continues && !self.hasFailed
    }

    mutating func answered(_ answer: SendResponse, remaining: Duration?) -> SendVerdict {
        guard self.authentication.asks(after: answer.head.status.code, isAtOrigin: answer.isAtOrigin) else {
            return self.judge(answer, remaining) ? .isResult : .continues
        }
        self.challenged = (answer, remaining)
        let request =
            switch self.phase {
            case .page(let page, _): page
            case .busy(let exchange): exchange.request
            default: self.original
            }
        return .asksFor(answer.seen(by: request, hasBody: false, self.rules).challenge)
    }

    mutating func authenticated(with value: String?) -> SendVerdict {
        guard let value else {
            guard let (answer, remaining) = self.challenged else { return .continues }
            return self.judge(answer, remaining) ? .isResult : .continues
        }
        switch self.phase {
        case .page(var request, let machine):
            request.headerFields[.authorization] = value
            self.phase = .page(request, machine)
        case .busy(let exchange):
            do {
                if exchange.hasContent, self.isSourceRead { try self.plan.checkAuthorizable() }
                self.original.headerFields[.authorization] = value
                (self.phase, self.isSourceRead, self.wasCut) = (self.repeating(exchange), false, self.link != nil)
            } catch { self.fail(error) }
        default: break
        }
        return .continues
    }

    /// - Returns: Whether this is the transfer's answer.
    private mutating func judge(_ answer: SendResponse, _ remaining: Duration?) -> Bool {
        let (status, fields) = (answer.head.status, answer.head.headerFields)
        if case .page(let request, let machine) = self.phase {
            guard !self.follow(answer, machine, from: request) else { return false }
            if status.code < 400 { self.isOver = true }
            return true
        }
        guard case .busy(let exchange) = self.phase else { return false }
        if status == .expectationFailed, self.asks != false, self.plan.isReplayable || !self.isSourceRead {
            // It is sent again for the way it was sent, and not for its content. That isn't a failed try.
            (self.asks, self.phase) = (false, self.repeating(exchange))
            return false
        }
        let whole = self.whole(exchange.request)
        // An upload that has its own URL has its own rules for redirects.
        if self.rules.maximumRedirects > 0, self.link == nil,
            let failure = whole.unfollowable(answer.head, hasBody: true)
        {
            self.fail(failure)
            return false
        }
        if status.kind == .successful, !answer.isBodyComplete, !self.isPart(answer.head) {
            self.failed(
                FormworkError(
                    .writeFailed, "the server answered \(status.code) before it had all of the body",
                    offset: answer.bytesSent), remaining: remaining)
            return false
        }
        let reachesEnd = exchange.range.map { range in range.count.map { range.offset + $0 == self.length } ?? true }
        self.isBodyComplete = reachesEnd == true && answer.isBodyComplete
        let before = self.failedAttempts
        self.answered(answer.head, exchange, retryAfter: RetryAfter.delay(fields[.retryAfter]))
        self.keep()
        if self.failedAttempts > before { self.wasCut = true }
        if self.pausesTooLong(remaining), status.code >= 400 { return true }
        guard case .done(answer.head) = self.phase else { return false }
        // With 0 redirects it is the answer, unless the server says that it has the whole upload.
        let redirection = whole.redirection(by: answer.head)
        if self.rules.maximumRedirects > 0 || self.isOver, status.kind == .redirection, !answer.isBodyComplete,
            redirection?.keepsBody != true
        {
            let early = UploadMachine.Failure.early(status: status.code, redirection, offset: answer.bytesSent)
            self.fail(early.error(after: whole))
            return false
        }
        guard self.follow(answer, nil, from: whole) else { return true }
        self.bytesSent = answer.bytesSent
        return false
    }

    mutating func failed(_ error: any Error, remaining: Duration?) {
        guard case .busy(let exchange) = self.phase else {
            if case .page = self.phase { self.fail(error) }
            return
        }
        // An ordinary server answered before it had all of the body, and isn't asked again.
        let isRefused = error is FormworkError && self.link == nil
        guard self.mayPass(error), !isRefused else { return self.fail(error) }
        self.wasCut = true
        self.lost(exchange, error, wasReached: exchange.wasReached(error))
        self.keep()
        if self.pausesTooLong(remaining) { self.fail(error) }
    }

    /// Whether no time is left after the next pause.
    private func pausesTooLong(_ remaining: Duration?) -> Bool {
        guard case .pause(let pause, _, _) = self.phase, pause > .zero, let remaining else { return false }
        return pause >= remaining
    }

    /// Whether another try may succeed.
    private func mayPass(_ error: any Error) -> Bool {
        switch error {
        case let error as TransferError:
            // What fails before HTTP may be a connection that broke, if the upload has begun.
            let early: [TransferError.Code] = [.tls, .proxy]
            return self.options.retriesAllErrors || error.mayPass || self.link != nil && early.contains(error.code)
        case let error as FormworkError: return error.code == .writeFailed && error.cause == nil
        default: return false
        }
    }

    /// Ends the transfer. The first failure is the one that is reported.
    mutating func fail(_ error: any Error) { if !self.hasFailed { self.phase = .failed(error) } }

    mutating func fail(_ code: TransferError.Code, _ message: String, cause: (any Error)? = nil) {
        self.fail(TransferError(code, message, cause: cause))
    }

    var hasFailed: Bool { if case .failed = self.phase { true } else { false } }

    // MARK: what others know

    /// An ordinary server's answer is judged as in a plain transfer.
    func judges(early response: HTTPResponse, after offer: HTTPResponse?) -> Bool {
        self.link != nil || self.isPart(response) || offer.map(self.offers) ?? false
    }

    var checksum: String? { self.isTus ? self.options.checksum : nil }

    func note(in trace: inout FormSender.Trace) {
        (trace.upload, trace.isSourceRead) = (self.upload, self.isSourceRead)
    }

    var upload: ResumableUpload? {
        self.known.map { link in
            ResumableUpload(
                url: link.url, protocolName: link.uploadProtocol.description, acknowledged: self.acknowledged,
                offset: self.offset, resumedFrom: self.resumedFrom, resumptions: self.resumptions,
                isAnswerLost: self.isAnswerLost)
        }
    }

    /// A transfer whose answer was cut can be continued: the server is asked for the answer again.
    mutating func delivered() { if self.isOver { self.release() } }

    /// Saves the upload if it has changed, unless it can't be continued.
    private mutating func keep() {
        guard let link = self.link, !self.isHopeless else {
            self.release()
            return self.known = nil
        }
        guard link != self.known else { return }
        (self.known, self.isSaved) = (link, true)
        self.saveState(link)
    }

    /// Whether a later process would fail in the same way.
    private var isHopeless: Bool {
        guard case .failed(let error as TransferError) = self.phase else { return false }
        return [.tooLarge, .protocolBroken].contains(error.code)
    }

    /// Nothing is left to resume.
    private mutating func release() {
        guard self.isSaved else { return }
        self.isSaved = false
        self.saveState(nil)
    }

    private mutating func saveState(_ link: SavedUpload?) {
        do { try self.options.save(link) } catch { self.fail(error) }
    }

    // MARK: pages

    /// A request of the upload, in the form of an ordinary one with the whole body.
    private func whole(_ request: HTTPRequest) -> HTTPRequest {
        var request = request
        request.method = self.original.method
        for name in HTTPField.Name.uploadRequest { request.headerFields[name] = nil }
        return request
    }

    /// Follows a redirect to a page, like a plain transfer.
    /// - Parameter earlier: The machine that followed the redirects before; `nil` for the first one.
    /// - Returns: Whether the answer redirects. If it can't be followed, the transfer has failed.
    private mutating func follow(_ answer: SendResponse, _ earlier: UploadMachine?, from last: HTTPRequest) -> Bool {
        var machine = earlier ?? UploadMachine(nil, self.rules, refusesUnsafe: true)
        switch machine.answered(answer.seen(by: last, hasBody: false, self.rules), remaining: nil) {
        case .follow(let redirection) where earlier == nil && redirection.keepsBody:
            self.fail(
                TransferError(
                    .redirects,
                    "the server has the upload and wants all of it again at \(last.following(redirection).shownURL): "
                        + "send there, if you trust it"))
        case .follow(let redirection): self.phase = .page(last.following(redirection), machine)
        case .fail(let failure): self.fail(failure.error(after: last))
        default: return false
        }
        return true
    }
}

extension ResumableSend.Exchange {
    /// Whether the server can have received the request, or a part of its body. One without a body is whole with its
    /// head, so it can have been processed although no byte was counted.
    fileprivate func wasReached(_ error: any Error) -> Bool {
        guard let error = error as? TransferError else { return true }
        if error.isUnprocessed { return false }
        if self.hasContent { return error.bytesSent ?? 0 > 0 }
        // A time-out of the connection counts no bytes, unlike one of the exchange.
        return error.code == .receive || error.bytesSent != nil
    }
}
