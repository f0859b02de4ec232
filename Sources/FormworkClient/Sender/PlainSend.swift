import Formwork
import FormworkHTTP
import FormworkNIO
import FormworkResumable
import FormworkValues
import HTTPTypes

/// Sends the whole body each time; handles retries, redirects, and servers that refuse `Expect`.
struct PlainSend: SendMachine {
    private let plan: BodyPlan
    private let retry: RetryPolicy
    private let maximumRedirects: Int
    private let trustsRedirects: Bool
    private let isChunked: Bool
    private var request: HTTPRequest
    private var hasBody: Bool
    private var asks: Bool?
    private var followed = 0
    var redirects: Int? { self.followed }
    private(set) var movedTo: String?
    private(set) var isSourceRead = false
    private var retries = 0
    /// Requests that servers of HTTP/2 said they didn't process. They don't count as tries.
    private var unprocessed = 0
    private var pause: (Duration, reason: String)?
    private var failure: (any Error)?

    init(_ plan: BodyPlan, _ request: HTTPRequest, _ options: UploadOptions, hasBody: Bool = true) {
        (self.plan, self.request, self.hasBody) = (plan, request, hasBody)
        (self.retry, self.isChunked) = (options.retry, options.length == .chunked)
        (self.maximumRedirects, self.trustsRedirects) = (options.maximumRedirects, options.trustsRedirects)
        if hasBody { self.request.headerFields[.contentType] = plan.contentType }
    }

    mutating func next() -> SendStep {
        if let failure { return .failed(failure) }
        if let (duration, reason) = self.pause {
            self.pause = nil
            return .pause(duration, reason: reason)
        }
        var body = ExchangeBody(self.plan)
        body.isChunked = self.isChunked
        return .exchange(
            self.request, self.hasBody ? body : nil, expectsContinue: self.hasBody ? self.asks : false)
    }

    mutating func reading() { self.isSourceRead = true }

    mutating func answered(_ answer: SendResponse, remaining: Duration?) -> Bool {
        let status = answer.head.status
        let canRepeat = !self.hasBody || self.plan.isReplayable || !self.isSourceRead
        if status == .expectationFailed, self.hasBody, self.asks != false, canRepeat {
            self.asks = false
            return false
        }
        if self.maximumRedirects > 0, let failure = self.request.unfollowable(answer.head, hasBody: self.hasBody) {
            self.failure = failure
            return false
        }
        if self.maximumRedirects > 0, self.hasBody, let failure = answer.redirectBeforeBody(of: self.request) {
            self.failure = failure
            return false
        }
        if self.maximumRedirects > 0,
            let next = self.request.redirected(by: answer.head, isTrusted: self.trustsRedirects)
        {
            self.follow(next, status: status.code, canRepeat: canRepeat)
            return false
        }
        let asked = RetryAfter.delay(answer.head.headerFields[.retryAfter])
        guard self.retry.covers(status: status.code), canRepeat,
            let pause = self.retry.pause(after: self.retries, asked: asked, remaining: remaining)
        else { return true }
        self.tryAgain(after: pause, "the server answered \(status.code)")
        return false
    }

    /// How often a request that wasn't processed is repeated without being asked to.
    private static let mostUnprocessed = 3

    mutating func failed(_ error: any Error, remaining: Duration?) {
        let canRepeat = !self.hasBody || self.plan.isReplayable || !self.isSourceRead
        if (error as? TransferError)?.isUnprocessed ?? false, canRepeat, self.unprocessed < Self.mostUnprocessed {
            // At once, and then ever later.
            let pause = Duration.seconds(self.unprocessed)
            self.unprocessed += 1
            if remaining.map({ pause < $0 }) ?? true { return self.pause = (pause, "\(error)") }
        }
        guard self.retry.covers(error), let pause = self.retry.pause(after: self.retries, remaining: remaining)
        else { return self.failure = error }
        if self.hasBody, self.isSourceRead, let blocker = self.plan.replayBlocker {
            var shown = error as? TransferError
            shown?.message += "; not tried again, as \(blocker)"
            return self.failure = shown ?? error
        }
        self.tryAgain(after: pause, "\(error)")
    }

    private mutating func tryAgain(after pause: Duration, _ reason: String) {
        self.retries += 1
        self.pause = (pause, reason)
    }

    private mutating func follow(
        _ next: (request: HTTPRequest, redirection: Redirection), status: Int, canRepeat: Bool
    ) {
        self.followed += 1
        guard self.followed <= self.maximumRedirects else {
            return self.failure = TransferError(
                .redirects,
                "more than \(self.maximumRedirects, "redirect"): \(self.request.shownURL) redirects to \(next.request.shownURL)"
            )
        }
        guard !next.redirection.leavesTLS else {
            return self.failure = TransferError(
                .redirects,
                "the server redirects to \(next.request.shownURL), without TLS: send there, if you trust it")
        }
        if self.hasBody, next.redirection.keepsBody, !canRepeat, let blocker = self.plan.replayBlocker {
            return self.failure = FormworkError(
                .notReplayable,
                "the server redirects to \(next.request.shownURL), but \(blocker.reason): send there, or give a source that can be opened again",
                part: blocker.part)
        }
        if self.hasBody, !next.redirection.keepsBody, self.isMove(status, to: next.request) {
            self.movedTo = "\(next.request.shownURL) (\(status))"
        }
        self.request = next.request
        self.hasBody = self.hasBody && next.redirection.keepsBody
    }

    /// Whether a redirect means that the form belongs there, and not that the server has it and shows a page.
    private func isMove(_ status: Int, to next: HTTPRequest) -> Bool {
        status == 301 || self.request.scheme != next.scheme && self.request.path == next.path
    }
}
