import FormworkValues

/// Sends a body and resumes it where it was cut: an `UploadClient` decides, and gets all events.
///
/// A redirect to a page at the end is followed as in a plain transfer.
struct ResumableSend: SendMachine {
    /// What happens next.
    private enum State: Sendable {
        /// The client decides. → planned, page, failed
        case upload
        /// The client's decision, asked for early because it shows whether an answer is the transfer's. `reason` is a
        /// failed try, reported first. → upload, page, failed
        case planned(UploadStep, reason: String?)
        /// The upload is over, and redirected to a page. → page, failed
        case page(HTTPRequest, UploadMachine)
        /// The end. Later events change nothing.
        case failed(any Error)
    }

    /// The upload as the caller knows it.
    private enum Known: Sendable {
        case none
        /// The caller has it saved.
        case saved(SavedUpload)
        /// It is over: the caller has nothing saved, and its state is still reported.
        case over(SavedUpload)

        var link: SavedUpload? {
            switch self {
            case .none: nil
            case .saved(let link), .over(let link): link
            }
        }
    }

    private let plan: BodyPlan
    private let resuming: FormSender.Resuming
    /// Without tries and credentials, which ``resuming`` and ``authentication`` have.
    private let pageOptions: UploadOptions
    private var authentication: AuthenticationRule
    /// The answer that asked for credentials.
    private var challenged: (answer: SendResponse, remaining: Duration?)?
    private var original: HTTPRequest
    private var state = State.upload
    private var client: UploadClient
    private var known: Known
    /// Whether the server is asked before a body; `nil` for the client's options.
    private var asks: Bool?
    /// The last request of the upload.
    private var request: HTTPRequest
    private var offset: Int64 = 0
    /// Whether the body ends with the last request.
    private var reachesEnd = false
    /// Whether the last request has a body.
    private var hasContent = false
    private var wasCut: Bool
    private var resumedFrom: Int64?
    private var resumptions = 0
    private var isAnswerLost = false
    /// Whether nothing is left to resume once the answer was read.
    private var isOver = false

    /// - Parameter options: Its rules for redirects and a 401 are used.
    /// - Throws: `invalidArgument` for a request without a scheme or an authority.
    init(
        _ plan: BodyPlan, _ request: HTTPRequest, _ resuming: FormSender.Resuming, _ options: UploadOptions
    ) throws(FormworkError) {
        var pageOptions = options
        (pageOptions.retry, pageOptions.authentication) = (RetryPolicy(), nil)
        (self.plan, self.resuming, self.pageOptions) = (plan, resuming, pageOptions)
        self.authentication = AuthenticationRule(options)
        var request = request
        request.headerFields[.contentType] = plan.contentType
        (self.original, self.request) = (request, request)
        self.client = try Self.client(plan, request, resuming, options)
        self.known = resuming.link.map { .saved($0) } ?? .none
        self.wasCut = resuming.link != nil
    }

    private static func client(
        _ plan: BodyPlan, _ request: HTTPRequest, _ resuming: FormSender.Resuming, _ redirecting: UploadOptions
    ) throws(FormworkError) -> UploadClient {
        var options = resuming.options
        options.isReplayable = plan.isReplayable
        options.maximumRedirects = redirecting.maximumRedirects
        options.trustsRedirects = redirecting.trustsRedirects
        return try UploadClient(request, length: plan.contentLength, options: options, continuing: resuming.link)
    }

    /// An ordinary server's answer is judged as in a plain transfer.
    func judges(early response: HTTPResponse, after offer: HTTPResponse?) -> Bool {
        self.client.link != nil || self.client.isPart(response) || offer.map(self.client.offers) ?? false
    }

    var checksum: String? {
        self.client.uploadProtocol == .tus && self.page == nil ? self.resuming.options.checksum : nil
    }

    private(set) var isSourceRead = false

    private(set) var isBodyComplete: Bool?

    private(set) var bytesSent: Int64?

    func note(in trace: inout FormSender.Trace) {
        (trace.upload, trace.isSourceRead) = (self.upload, self.isSourceRead)
    }

    var upload: ResumableUpload? {
        guard let link = self.known.link else { return nil }
        return ResumableUpload(
            url: link.target.url, protocolName: link.uploadProtocol.description,
            acknowledged: self.client.acknowledged, offset: self.offset, resumedFrom: self.resumedFrom,
            resumptions: self.resumptions, isAnswerLost: self.isAnswerLost)
    }

    mutating func next() -> SendStep {
        switch self.state {
        case .failed(let error): return .failed(error)
        case .page(let request, _): return .exchange(request, nil, expectsContinue: false)
        case .planned(let step, let reason?):
            self.state = .planned(step, reason: nil)
            return .pause(.zero, reason: reason)
        case .planned(let step, nil):
            self.state = .upload
            return self.perform(step)
        case .upload: return self.perform(self.client.next())
        }
    }

    private mutating func perform(_ step: UploadStep) -> SendStep {
        switch step {
        case .send(let request, let range): return self.exchange(request, range)
        case .wait(let duration):
            return .pause(duration, reason: self.lastReason ?? "the server asked to wait")
        case .done(let outcome):
            self.finish(outcome)
            return .answered(outcome.response)
        case .fail(let failure):
            // After other failures the upload may still exist.
            let isKept = failure.code == .gone && self.client.link != nil
            if [.gone, .tooLarge, .protocolBroken].contains(failure.code), !isKept { self.forget() }
            return .failed(failure)
        }
    }

    private mutating func exchange(_ request: HTTPRequest, _ range: UploadRange?) -> SendStep {
        self.request = request
        if let range {
            self.reachesEnd = range.count.map { range.offset + $0 == self.client.length } ?? true
        } else {
            self.reachesEnd = false
        }
        self.hasContent = range.map { $0.count != 0 } ?? false
        guard let range, range.count != 0 else { return .exchange(request, nil, expectsContinue: false) }
        self.offset = range.offset
        if self.wasCut, self.client.link != nil {
            self.resumedFrom = range.offset
            self.resumptions += 1
        }
        self.wasCut = false
        return .exchange(
            request, ExchangeBody(self.plan, from: range.offset, count: range.count), expectsContinue: self.asks)
    }

    mutating func reading() {
        self.isSourceRead = true
        self.client.reading()
    }

    mutating func sending(upTo offset: Int64) { self.client.sending(upTo: offset) }

    mutating func bodyEnded(at length: Int64) {
        // With a known length the end is known.
        if self.plan.contentLength == nil { self.client.bodyEnded(at: length) }
    }

    mutating func informed(by response: HTTPResponse) -> Bool {
        guard self.page == nil else { return true }
        let continues = self.client.informed(response)
        self.keep()
        if !continues { self.lookAhead(reason: nil) }
        return continues && !self.hasFailed
    }

    mutating func answered(_ answer: SendResponse, remaining: Duration?) -> SendVerdict {
        guard self.authentication.asks(after: answer.head.status.code, isAtOrigin: answer.isAtOrigin) else {
            return self.judge(answer, remaining) ? .isResult : .continues
        }
        self.challenged = (answer, remaining)
        let seen = answer.seen(by: self.page ?? self.request, hasBody: self.hasContent, self.pageOptions)
        return .asksFor(seen.challenge)
    }

    mutating func authenticated(with value: String?) -> SendVerdict {
        guard let value else {
            guard let (answer, remaining) = self.challenged else { return .continues }
            return self.judge(answer, remaining) ? .isResult : .continues
        }
        if case .page(var request, let machine) = self.state {
            request.headerFields[.authorization] = value
            self.state = .page(request, machine)
            return .continues
        }
        guard !self.hasFailed else { return .continues }
        do {
            if self.hasContent, self.isSourceRead { try self.plan.checkAuthorizable() }
            self.original.headerFields[.authorization] = value
            var resuming = self.resuming
            // A new client continues the upload, if it has begun.
            if case .saved(let link) = self.known { resuming.link = link } else { resuming.link = nil }
            self.client = try Self.client(self.plan, self.original, resuming, self.pageOptions)
            (self.state, self.request, self.isSourceRead) = (.upload, self.original, false)
            self.wasCut = resuming.link != nil
        } catch { self.fail(error) }
        return .continues
    }

    /// - Returns: Whether this is the transfer's answer.
    private mutating func judge(_ answer: SendResponse, _ remaining: Duration?) -> Bool {
        let (status, fields) = (answer.head.status, answer.head.headerFields)
        if self.page != nil {
            guard !self.follow(answer) else { return false }
            if status.code < 400 { self.isOver = true }
            return true
        }
        if status == .expectationFailed, self.asks != false, self.plan.isReplayable || !self.isSourceRead {
            self.asks = false
            self.client.refused()
            return false
        }
        // The client handles redirects of an upload that has its own URL.
        if self.pageOptions.maximumRedirects > 0, self.client.link == nil,
            let failure = self.whole.unfollowable(answer.head, hasBody: true)
        {
            self.fail(failure)
            return false
        }
        if status.kind == .successful, !answer.isBodyComplete, !self.client.isPart(answer.head) {
            self.failed(
                FormworkError(
                    .writeFailed, "the server answered \(status.code) before it had all of the body",
                    offset: answer.bytesSent), remaining: remaining)
            return false
        }
        self.isBodyComplete = self.reachesEnd && answer.isBodyComplete
        let before = self.client.failedAttempts
        self.client.answered(answer.head, retryAfter: RetryAfter.delay(fields[.retryAfter]))
        self.advance(before)
        if self.pausesTooLong(remaining), status.code >= 400 { return true }
        guard case .planned(.done(let outcome), _) = self.state, outcome.response == answer.head else { return false }
        self.state = .upload
        // With 0 redirects it is the answer, unless the server says that it has the whole upload.
        let redirection = self.whole.redirection(by: answer.head)
        if self.pageOptions.maximumRedirects > 0 || outcome.isOver, status.kind == .redirection, !answer.isBodyComplete,
            redirection?.keepsBody != true
        {
            let early = UploadMachine.Failure.early(status: status.code, redirection, offset: answer.bytesSent)
            self.fail(early.error(after: self.whole))
            return false
        }
        self.finish(outcome)
        if self.follow(answer) { self.bytesSent = answer.bytesSent }
        return self.page == nil && !self.hasFailed
    }

    mutating func failed(_ error: any Error, remaining: Duration?) {
        // An ordinary server answered before it had all of the body, and isn't asked again.
        let isRefused = error is FormworkError && self.client.link == nil
        guard self.page == nil, self.mayPass(error), !isRefused else { return self.fail(error) }
        let before = self.client.failedAttempts
        self.wasCut = true
        self.client.lost(error, wasReached: self.wasReached(error))
        self.advance(before)
        if self.pausesTooLong(remaining) { self.fail(error) }
    }

    /// Whether the server can have received the last request, or a part of its body. One without a body is whole with
    /// its head, so it can have been processed although no byte was counted.
    private func wasReached(_ error: any Error) -> Bool {
        guard let error = error as? TransferError else { return true }
        if error.isUnprocessed { return false }
        if self.hasContent { return error.bytesSent ?? 0 > 0 }
        // A time-out of the connection counts no bytes, unlike one of the exchange.
        return error.code == .receive || error.bytesSent != nil
    }

    /// Whether no time is left after the next pause.
    private func pausesTooLong(_ remaining: Duration?) -> Bool {
        guard case .planned(.wait(let pause), _) = self.state, let remaining else { return false }
        return pause >= remaining
    }

    /// Whether another try may succeed.
    private func mayPass(_ error: any Error) -> Bool {
        switch error {
        case let error as TransferError:
            // What fails before HTTP may be a connection that broke, if the upload has begun.
            let early: [TransferError.Code] = [.tls, .proxy]
            return self.resuming.options.retriesAllErrors || error.mayPass
                || self.client.link != nil && early.contains(error.code)
        case let error as FormworkError: return error.code == .writeFailed && error.cause == nil
        default: return false
        }
    }

    /// Asks for the next step.
    /// - Parameter before: The number of consecutive failures so far.
    private mutating func advance(_ before: Int) {
        self.keep()
        let isFailure = self.client.failedAttempts > before
        if isFailure { self.wasCut = true }
        self.lookAhead(reason: isFailure ? self.lastReason : nil)
    }

    /// Asks the client for its decision before it is needed.
    /// - Parameter reason: Why it follows at once on a failed try; a pause shows its reason itself.
    private mutating func lookAhead(reason: String?) {
        guard !self.hasFailed else { return }
        let step = self.client.next()
        let isAtOnce = if case .send = step { true } else { false }
        self.state = .planned(step, reason: isAtOnce ? reason : nil)
    }

    /// The message of the underlying failure, which says more than the client's own.
    private var lastReason: String? {
        let failure = self.client.lastFailure
        return (failure?.cause as? TransferError)?.message ?? failure?.description
    }

    private mutating func finish(_ outcome: UploadOutcome) {
        self.isAnswerLost = outcome.isAnswerLost
        self.isOver = outcome.isOver
        if outcome.isOver, outcome.response.status.code < 400 { self.isBodyComplete = true }
    }

    /// A transfer whose answer was cut can be continued: the server is asked for the answer again.
    mutating func delivered() { if self.isOver { self.release() } }

    /// Ends the transfer. The first failure is the one that is reported.
    private mutating func fail(_ error: any Error) {
        if !self.hasFailed { self.state = .failed(error) }
    }

    private var hasFailed: Bool { if case .failed = self.state { true } else { false } }

    // MARK: the state that a later process needs

    /// Saves the upload if it has changed.
    private mutating func keep() {
        guard let link = self.client.link else { return self.forget() }
        guard link != self.known.link else { return }
        self.known = .saved(link)
        self.saveState(link)
    }

    /// The upload no longer exists.
    private mutating func forget() {
        self.release()
        self.known = .none
    }

    /// Nothing is left to resume.
    private mutating func release() {
        guard case .saved(let link) = self.known else { return }
        self.known = .over(link)
        self.saveState(nil)
    }

    private mutating func saveState(_ link: SavedUpload?) {
        do { try self.resuming.save(link) } catch { self.fail(error) }
    }

    // MARK: pages

    /// The page that the upload was redirected to; `nil` before that.
    private var page: HTTPRequest? { if case .page(let request, _) = self.state { request } else { nil } }

    /// The last request, in the form of an ordinary one with the whole body.
    private var whole: HTTPRequest {
        var request = self.request
        request.method = self.original.method
        for name in HTTPField.Name.uploadRequest { request.headerFields[name] = nil }
        return request
    }

    /// Follows a redirect to a page, like a plain transfer.
    /// - Returns: Whether the answer redirects. If it can't be followed, the transfer has failed.
    private mutating func follow(_ answer: SendResponse) -> Bool {
        var last = self.whole
        var machine = UploadMachine(nil, self.pageOptions, refusesUnsafe: true)
        let isFirst = self.page == nil
        if case .page(let request, let earlier) = self.state { (last, machine) = (request, earlier) }
        switch machine.answered(answer.seen(by: last, hasBody: false, self.pageOptions), remaining: nil) {
        case .follow(let redirection) where isFirst && redirection.keepsBody:
            self.fail(
                TransferError(
                    .redirects,
                    "the server has the upload and wants all of it again at \(last.following(redirection).shownURL): "
                        + "send there, if you trust it"))
        case .follow(let redirection):
            if !self.hasFailed { self.state = .page(last.following(redirection), machine) }
        case .fail(let failure): self.fail(failure.error(after: last))
        default: return false
        }
        return true
    }
}
