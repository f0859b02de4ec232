import FormworkValues

/// Sends the whole body each time, by the rules of ``Formwork/UploadMachine``.
struct PlainSend: SendMachine {
    private let plan: BodyPlan
    private let isChunked: Bool
    private let options: UploadOptions
    private let manners: Manners
    private var machine: UploadMachine
    private var step = UploadMachine.Step.send
    private var request: HTTPRequest
    /// The last answer, and whether its request had the body.
    private var last: (answer: SendResponse, hadBody: Bool)?
    private(set) var isBodyComplete: Bool?
    private(set) var bytesSent: Int64?
    private(set) var movedTo: String?

    /// What differs between clients.
    struct Manners: Sendable {
        /// Whether the client sends `Expect: 100-continue`.
        var mayAsk = true
        /// Whether a redirect that can't be followed is a failure, and not the answer.
        var refusesUnsafe = true
        /// The client's error for a failure after the last request.
        var error: @Sendable (UploadMachine.Failure, HTTPRequest) -> any Error = { $0.error(after: $1) }
    }

    init(
        _ plan: BodyPlan, _ request: HTTPRequest, _ options: UploadOptions, hasBody: Bool = true,
        for manners: Manners = Manners()
    ) {
        (self.plan, self.request) = (plan, request)
        (self.isChunked, self.options) = (options.length == .chunked, options)
        self.manners = manners
        self.machine = UploadMachine(
            hasBody ? plan : nil, options, mayAsk: manners.mayAsk, refusesUnsafe: manners.refusesUnsafe)
        if hasBody { self.request.headerFields[.contentType] = plan.contentType }
    }

    mutating func next() -> SendStep {
        switch self.step {
        case .fail(let failure): return .failed(self.manners.error(failure, self.request))
        case .wait(let duration, let reason):
            self.step = .send
            return .pause(duration, reason: reason)
        default:
            var body = ExchangeBody(self.plan)
            body.isChunked = self.isChunked
            let hasBody = self.machine.hasBody
            return .exchange(self.request, hasBody ? body : nil, expectsContinue: hasBody ? self.machine.asks : false)
        }
    }

    func note(in trace: inout FormSender.Trace) {
        (trace.redirects, trace.movedTo) = (self.machine.redirects, self.movedTo)
        trace.isSourceRead = self.machine.isSourceRead
    }

    mutating func reading() { self.machine.isSourceRead = true }

    mutating func answered(_ answer: SendResponse, remaining: Duration?) -> SendVerdict {
        if let followed = answer.followed { (self.request, self.machine.hasBody) = followed }
        self.last = (answer, self.machine.hasBody)
        let seen = answer.seen(by: self.request, hasBody: self.machine.hasBody, self.options)
        return self.take(self.machine.answered(seen, remaining: remaining))
    }

    mutating func authenticated(with value: String?) -> SendVerdict {
        self.take(self.machine.authenticated(with: value))
    }

    mutating func failed(_ error: any Error, remaining: Duration?) {
        self.step = self.machine.failed(
            error, mayPass: self.options.retry.covers(error),
            isUnprocessed: (error as? TransferError)?.isUnprocessed
                ?? (error as? ClientFailure)?.isUnprocessed ?? false, remaining: remaining)
    }

    private mutating func take(_ step: UploadMachine.Step) -> SendVerdict {
        self.step = step
        switch step {
        case .done: return .isResult
        case .authenticate(let challenge): return .asksFor(challenge)
        case .authorize(let value): self.request.headerFields[.authorization] = value
        case .follow(let redirection):
            let next = self.request.following(redirection)
            if let last, last.hadBody, !redirection.keepsBody {
                (self.isBodyComplete, self.bytesSent) = (last.answer.isBodyComplete, last.answer.bytesSent)
                let status = last.answer.head.status.code
                if self.isMove(status, to: next) { self.movedTo = "\(next.shownURL) (\(status))" }
            }
            self.request = next
        case .send, .wait, .fail: break
        }
        return .continues
    }

    /// Whether a redirect means that the form belongs there, and not that the server has it and shows a page.
    private func isMove(_ status: Int, to next: HTTPRequest) -> Bool {
        status == 301 || self.request.scheme != next.scheme && self.request.path == next.path
    }
}

extension SendResponse {
    /// The answer as the machine sees it.
    /// - Parameter hasBody: Whether the request had the body.
    func seen(by request: HTTPRequest, hasBody: Bool, _ options: UploadOptions) -> UploadMachine.Response {
        let fields = self.head.headerFields
        let challenge = UploadAuthentication.Challenge(url: request.urlText) { name in
            HTTPField.Name(name).map { fields[values: $0] } ?? []
        }
        var seen = UploadMachine.Response(status: self.head.status.code, challenge)
        seen.redirection = request.redirection(by: self.head, isTrusted: options.trustsRedirects)
        seen.redirectFault = request.unfollowable(self.head, hasBody: hasBody)
        seen.retryAfter = RetryAfter.delay(fields[.retryAfter])
        (seen.isAtOrigin, seen.bytesSent, seen.isBodyComplete) = (self.isAtOrigin, self.bytesSent, self.isBodyComplete)
        return seen
    }
}

extension UploadMachine.Failure {
    /// The sender's error.
    func error(after request: HTTPRequest) -> any Error {
        switch self {
        case .early(let status, let redirection?, let offset):
            return FormworkError(
                .writeFailed,
                "the server answered \(status) before it had all of the body, and redirects to "
                    + request.following(redirection).shownURL,
                offset: offset)
        case .other(var error as TransferError, let blocker?):
            error.message += "; not tried again, as \(blocker)"
            return error
        default:
            return self.error { redirection, limit in
                let target = request.following(redirection).shownURL
                return TransferError(
                    .redirects,
                    limit.map { "more than \($0, "redirect"): \(request.shownURL) redirects to \(target)" }
                        ?? "the server redirects to \(target), without TLS: send there, if you trust it")
            }
        }
    }
}
