#if Resumable
import FormworkCore
import FormworkHTTP
import HTTPTypes

// What the machine is told while a request is on its way, and when it ended.
extension UploadClient {
    /// The body was taken up to `offset`: call it before these bytes can leave, or an answer may come too early.
    public mutating func sending(upTo offset: Int64) {
        self.sent = max(self.sent, offset)
    }

    /// The body turned out to end at `length`.
    public mutating func bodyEnded(at length: Int64) {
        self.sent = max(self.sent, length)
        if self.length == nil { self.length = length }
    }

    /// A 1xx answer came.
    public mutating func informed(_ response: HTTPResponse) -> UploadAdvice {
        guard case .busy(let exchange) = self.phase, response.status.code == 104,
            case .draft(let draft)? = self.uploadProtocol, response.headerFields.interopVersion == draft
        else { return .goOn }
        switch exchange.kind {
        case .create:
            if let location = response.headerFields[.location], self.link == nil {
                self.adopt(location, of: exchange)
            }
        case .append: break
        case .ask, .replay: return .goOn
        }
        guard self.link != nil else { return .goOn }
        self.isSupported = true
        self.learn(response)
        if draft.hasProgress, let offset = response.headerFields.uploadOffset, offset > self.acknowledged {
            guard self.take(offset) else { return .stop }
        }
        return self.advice(for: exchange)
    }

    /// Stops what the limits don't allow: too much at once goes in pieces, too much at all not at all.
    private mutating func advice(for exchange: Exchange) -> UploadAdvice {
        if let size = self.limits.maxSize, let length = self.length, length > size {
            self.fail(
                UploadFailure(.tooLarge, "the body has \(length) bytes, and the server takes \(size) at most"))
            return .stop
        }
        guard let size = self.limits.maxAppendSize, let range = exchange.range,
            (range.count ?? .max) > size, self.options.isReplayable
        else { return .goOn }
        self.phase = .ask
        return .stop
    }

    /// The final answer came, its header section at least.
    /// - Parameter retryAfter: What its `Retry-After` asks for.
    public mutating func answered(_ response: HTTPResponse, retryAfter: Duration? = nil) {
        guard case .busy(let exchange) = self.phase else { return }
        self.learn(response)
        if response.status.kind == .redirection { return self.redirected(by: response, exchange) }
        switch exchange.kind {
        case .create: self.created(response, exchange, retryAfter)
        case .append: self.appended(response, exchange, retryAfter)
        case .ask: self.told(response, retryAfter)
        case .replay(let earlier): self.replayed(response, earlier)
        }
    }

    /// The request was refused for how it was sent, and not for what it is: the same again, which is no failed try.
    package mutating func refused() {
        guard case .busy(let exchange) = self.phase else { return }
        switch exchange.kind {
        case .create: self.phase = self.link == nil ? .create : .ask
        case .ask, .append: self.phase = .ask
        case .replay(let answer): self.phase = .replay(answer)
        }
    }

    /// No final answer came.
    /// - Parameter wasReached: Whether anything can have arrived; `false` when no connection was made.
    public mutating func lost(_ cause: any Error, wasReached: Bool = true) {
        guard case .busy(let exchange) = self.phase else { return }
        let failure = UploadFailure(.interrupted, "the connection broke before the server answered", cause: cause)
        if case .replay(let answer) = exchange.kind { return self.finish(answer, isAnswerLost: true) }
        if self.link != nil { return self.retry(.ask, failure) }
        guard !wasReached || self.holdsNothing(exchange) || self.options.repeatsUnanswered else {
            self.fail(
                UploadFailure(
                    .interrupted,
                    "the connection broke after \(self.sent) bytes, and the server had not offered to resume",
                    cause: cause))
            return
        }
        self.retry(.create, failure)
    }

    /// Takes the upload's URL from an answer.
    mutating func adopt(_ location: String, of exchange: Exchange) {
        guard let target = exchange.target.resolving(location), let spoken = self.uploadProtocol else { return }
        self.link = UploadLink(target: target, uploadProtocol: spoken, limits: self.limits)
    }

    mutating func learn(_ response: HTTPResponse) {
        let fields = response.headerFields
        if case .draft(let draft)? = self.uploadProtocol, draft.hasLengthAndLimits {
            self.limits = self.limits.updated(by: fields.uploadLimits)
            if fields.uploadLimits != nil { self.link?.limits = self.limits }
        }
        if self.isTus, let expires = fields[.uploadExpires] { self.link?.expires = expires }
    }

    /// Takes the server's offset.
    /// - Returns: Whether it can be right; the upload has failed otherwise.
    mutating func take(_ offset: Int64) -> Bool {
        let bound = self.isContinued ? self.length ?? .max : self.sent
        if offset < self.acknowledged {
            self.fail(
                UploadFailure(
                    .protocolBroken,
                    "the server had acknowledged \(self.acknowledged) bytes, and now has \(offset) only"))
            return false
        }
        guard offset <= min(bound, self.length ?? .max) else {
            self.fail(
                UploadFailure(
                    .protocolBroken, "the server says it has \(offset) bytes, but \(bound) were sent at most"))
            return false
        }
        if offset > self.acknowledged { (self.failedAttempts, self.redirects, self.lastFailure) = (0, 0, nil) }
        self.acknowledged = offset
        return true
    }

    /// Goes on after a failure, if it may.
    mutating func retry(_ phase: Phase, _ failure: UploadFailure, after wanted: Duration? = nil) {
        self.failedAttempts += 1
        self.redirected = nil
        self.lastFailure = failure
        guard self.failedAttempts < self.options.maximumAttempts else {
            var failure = failure
            failure.message += "; \(self.failedAttempts) tries got no further"
            self.fail(failure)
            return
        }
        let delays = self.options.delays
        let delay = delays.isEmpty ? .zero : delays[min(self.failedAttempts, delays.count) - 1]
        self.phase = .pause(max(delay, wanted ?? .zero), then: phase)
    }

    mutating func finish(_ response: HTTPResponse, isAnswerLost: Bool = false, isOver: Bool? = nil) {
        self.phase = .done(
            UploadOutcome(
                response: response, isAnswerLost: isAnswerLost,
                isOver: isOver ?? (isAnswerLost || response.status.kind == .successful)))
    }
}
#endif
