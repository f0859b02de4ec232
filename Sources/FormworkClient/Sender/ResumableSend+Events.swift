// The events while a request is in progress, and at its end.
extension ResumableSend {
    mutating func sending(upTo offset: Int64) {
        self.sent = max(self.sent, offset)
        guard self.isReading, case .busy(let exchange) = self.phase, let range = exchange.range else { return }
        if let count = range.count ?? self.length.map({ $0 - range.offset }), offset >= range.offset + count {
            self.isReading = false
        }
    }

    mutating func bodyEnded(at length: Int64) {
        // With a known length the end is known.
        guard self.plan.contentLength == nil else { return }
        self.sent = max(self.sent, length)
        self.isReading = false
        if self.length == nil { self.length = length }
    }

    /// A 1xx answer was received.
    /// - Returns: Whether to continue the exchange.
    mutating func learns(from response: HTTPResponse) -> Bool {
        guard case .busy(let exchange) = self.phase, response.status.code == 104,
            case .draft(let draft)? = self.uploadProtocol, response.headerFields.interopVersion == draft
        else { return true }
        switch exchange.kind {
        case .create:
            if let location = response.headerFields[.location], self.link == nil {
                self.adopt(location, of: exchange)
            }
        case .append: break
        case .ask, .replay: return true
        }
        guard self.link != nil else { return true }
        self.isSettled = true
        self.learn(response)
        if draft.hasProgress, let offset = response.headerFields.uploadOffset, offset > self.acknowledged {
            guard self.take(offset) else { return false }
        }
        return self.keepsLimits(exchange)
    }

    /// Applies the limits: a request that is too large continues in pieces, and an upload that is too large ends.
    /// - Returns: Whether the request in progress may continue.
    private mutating func keepsLimits(_ exchange: Exchange) -> Bool {
        if self.isTooLarge() { return false }
        // A smaller request than this isn't sent (``nextRange()``), so stopping one would change nothing.
        guard let most = self.limits.maxAppendSize, let range = exchange.range, self.plan.isReplayable,
            case let size = max(most, self.limits.minAppendSize ?? 1), (range.count ?? .max) > size
        else { return true }
        self.stops += 1
        if self.stops == 1 {
            self.phase = .ask
        } else {
            // A server that accepts less each time may never have a whole request.
            self.retry(
                .ask, "the server reduced its limit to \(size, "byte") (Upload-Limit) before it had a whole request")
            // The connection wasn't cut: there is nothing to report but a wait.
            if case .pause(.zero, _, let next) = self.phase { self.phase = next }
        }
        return false
    }

    /// The final answer to the upload's request was received.
    /// - Parameter retryAfter: The wait that its `Retry-After` asks for.
    mutating func answered(_ response: HTTPResponse, _ exchange: Exchange, retryAfter: Duration?) {
        self.learn(response)
        if response.status.kind == .redirection { return self.redirected(by: response, exchange) }
        switch exchange.kind {
        case .create: if !self.ends(with: response, exchange) { self.created(response, exchange, retryAfter) }
        case .append: if !self.ends(with: response, exchange) { self.appended(response, exchange, retryAfter) }
        case .ask: self.reported(response, retryAfter)
        case .replay(let earlier): self.replayed(response, earlier)
        }
    }

    /// What repeats a request. How much of it arrived is asked first, if there is an upload.
    func repeating(_ exchange: Exchange) -> Phase {
        switch exchange.kind {
        case .create: self.link == nil ? .create : .ask
        case .ask, .append: .ask
        case .replay(let answer): .replay(answer)
        }
    }

    /// No final answer was received.
    /// - Parameters:
    ///   - cause: The error of the connection.
    ///   - wasReached: Whether the server can have received any of the body, or a request without one; `false` if no
    ///     connection was made.
    mutating func lost(_ exchange: Exchange, _ cause: any Error, wasReached: Bool) {
        let reason = "the connection broke before the server answered"
        if case .replay(let answer) = exchange.kind { return self.finish(answer, isAnswerLost: true) }
        if self.link != nil { return self.retry(.ask, reason, cause: cause) }
        let mayRepeat = !wasReached || self.holdsNothing(exchange) || self.options.repeatsUnanswered
        guard mayRepeat, self.canGive(0) else {
            let once = mayRepeat ? ", and the body can't be read again" : ""
            return self.fail(
                .interrupted,
                "the connection broke after \(self.sent, "byte"), and "
                    + (self.refusal ?? "the server had not offered to resume") + once,
                cause: cause)
        }
        self.retry(.create, reason, cause: cause)
    }

    /// Reads the upload's URL from an answer. One that can't be used is kept for a failure's message: without it, the
    /// request may still succeed as an ordinary one.
    mutating func adopt(_ location: String, of exchange: Exchange) {
        guard let spoken = self.uploadProtocol else { return }
        guard let url = exchange.request.located(location) else {
            self.refusedLocation = location
            return
        }
        self.link = SavedUpload(
            url: url, uploadProtocol: spoken, limits: self.limits, isFile: self.options.isFile)
    }

    /// Why the upload's URL can't be used; `nil` if the server named none.
    var refusal: String? {
        self.refusedLocation.map { location in
            "the server places the upload at \(SecretText.masked(url: location)), which "
                + ((try? HTTPRequest(to: location)) == nil
                    ? "isn't a URL of http or https"
                    : "has no TLS: it may not know that a proxy in front of it has TLS")
        }
    }

    mutating func learn(_ response: HTTPResponse) {
        let fields = response.headerFields
        if case .draft(let draft)? = self.uploadProtocol, draft.hasLengthAndLimits {
            self.limits = self.limits.updated(by: fields.uploadLimits)
            if fields.uploadLimits != nil { self.link?.limits = self.limits }
        }
        if self.isTus, let expires = fields[.uploadExpires] { self.link?.expires = expires }
    }

    /// Applies the server's offset.
    /// - Returns: Whether the offset is plausible; otherwise the upload has failed.
    mutating func take(_ offset: Int64) -> Bool {
        let bound = self.isContinued ? self.length ?? .max : self.sent
        if offset < self.acknowledged {
            self.fail(
                .protocolBroken, "the server had confirmed \(self.acknowledged, "byte"), but now has only \(offset)")
            return false
        }
        guard offset <= min(bound, self.length ?? .max) else {
            self.fail(.protocolBroken, "the server claims to have \(offset, "byte"), but at most \(bound) were sent")
            return false
        }
        if offset > self.acknowledged {
            (self.failedAttempts, self.stops, self.redirects, self.lastCause) = (0, 0, 0, nil)
        }
        self.acknowledged = offset
        return true
    }

    /// Retries after a failure, if tries are left.
    mutating func retry(_ phase: Phase, _ reason: String, cause: (any Error)? = nil, after wanted: Duration? = nil) {
        self.failedAttempts += 1
        self.redirected = nil
        self.lastCause = cause
        guard self.failedAttempts < self.options.maximumAttempts else {
            return self.fail(
                .interrupted, "\(reason); \(self.failedAttempts, "try") made no progress", cause: cause)
        }
        let delays = self.options.delays
        let delay = delays.isEmpty ? .zero : delays[min(self.failedAttempts, delays.count) - 1]
        // The server knows better, also if it asks for less (RFC 9110 section 10.2.3).
        let pause = wanted.map { min($0, self.options.maximumRetryAfter) } ?? delay
        // The message of the underlying failure says more.
        let shown =
            (cause as? TransferError)?.message ?? TransferError(.interrupted, reason, cause: cause).description
        self.phase = .pause(pause, reason: shown, then: phase)
    }

    /// Ends the upload with an answer: the target's own, or the one that ended the tries.
    /// - Parameter isOver: Whether the upload can no longer be resumed; `nil` if that depends on the others.
    mutating func finish(_ response: HTTPResponse, isAnswerLost: Bool = false, isOver: Bool? = nil) {
        self.phase = .done(response)
        self.isAnswerLost = isAnswerLost
        self.isOver = isOver ?? (isAnswerLost || response.status.kind == .successful)
        if self.isOver, response.status.code < 400 { self.isBodyComplete = true }
    }
}
