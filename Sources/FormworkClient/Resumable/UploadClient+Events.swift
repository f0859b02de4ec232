// The events while a request is in progress, and at its end.
extension UploadClient {
    /// The source of the body is asked for bytes. Sources are read ahead, so until the request's last byte was read it isn't
    /// known how far a source that can be read only once has been.
    mutating func reading() { self.isReading = true }

    /// The body was read up to `offset`. Call this before the bytes can be sent, because the answer could come earlier
    /// otherwise.
    mutating func sending(upTo offset: Int64) {
        self.sent = max(self.sent, offset)
        guard self.isReading, case .busy(let exchange) = self.phase, let range = exchange.range else { return }
        if let count = range.count ?? self.length.map({ $0 - range.offset }), offset >= range.offset + count {
            self.isReading = false
        }
    }

    /// The body's end is known: it has `length` bytes.
    mutating func bodyEnded(at length: Int64) {
        self.sent = max(self.sent, length)
        self.isReading = false
        if self.length == nil { self.length = length }
    }

    /// A 1xx answer was received.
    /// - Returns: Whether to continue sending. Otherwise close the connection or reset the stream, and ask for the next step.
    mutating func informed(_ response: HTTPResponse) -> Bool {
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
        self.agreement.settle()
        self.learn(response)
        if draft.hasProgress, let offset = response.headerFields.uploadOffset, offset > self.acknowledged {
            guard self.take(offset) else { return false }
        }
        return self.keepsLimits(exchange)
    }

    /// Whether a 104 offers to resume the upload, in a version that both sides know.
    func offers(_ response: HTTPResponse) -> Bool {
        guard case .draft(let draft)? = self.uploadProtocol else { return false }
        return response.headerFields.interopVersion == draft && response.headerFields.contains(.location)
    }

    /// Applies the limits: a request that is too large continues in pieces, and an upload that is too large ends.
    /// - Returns: Whether the request in progress may continue.
    private mutating func keepsLimits(_ exchange: Exchange) -> Bool {
        if self.isTooLarge() { return false }
        // A smaller request than this isn't sent (``nextRange()``), so stopping one would change nothing.
        guard let most = self.limits.maxAppendSize, let range = exchange.range, self.options.isReplayable,
            case let size = max(most, self.limits.minAppendSize ?? 1), (range.count ?? .max) > size
        else { return true }
        self.stops += 1
        if self.stops == 1 {
            self.phase = .ask
        } else {
            // A server that accepts less each time may never have a whole request.
            self.retry(
                .ask, "the server reduced its limit to \(size, "byte") (Upload-Limit) before it had a whole request")
        }
        return false
    }

    /// The final answer was received, at least its header section.
    /// - Parameters:
    ///   - response: The answer's header section.
    ///   - retryAfter: The wait that its `Retry-After` asks for.
    mutating func answered(_ response: HTTPResponse, retryAfter: Duration? = nil) {
        guard case .busy(let exchange) = self.phase else { return }
        self.learn(response)
        if response.status.kind == .redirection { return self.redirected(by: response, exchange) }
        switch exchange.kind {
        case .create: if !self.ends(with: response, exchange) { self.created(response, exchange, retryAfter) }
        case .append: if !self.ends(with: response, exchange) { self.appended(response, exchange, retryAfter) }
        case .ask: self.reported(response, retryAfter)
        case .replay(let earlier): self.replayed(response, earlier)
        }
    }

    /// The request was refused for the way it was sent, not for its content. It is sent again, which doesn't count as a
    /// failed try.
    mutating func refused() {
        if case .busy(let exchange) = self.phase { self.phase = self.repeating(exchange) }
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
    mutating func lost(_ cause: any Error, wasReached: Bool = true) {
        guard case .busy(let exchange) = self.phase else { return }
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
        guard let target = exchange.target.resolving(location) else {
            self.refusedLocation = location
            return
        }
        self.link = SavedUpload(target: target, uploadProtocol: spoken, limits: self.limits)
        self.link?.isFile = self.options.isFile
    }

    /// Why the upload's URL can't be used; `nil` if the server named none.
    var refusal: String? {
        self.refusedLocation.map { location in
            "the server places the upload at \(SecretText.masked(url: location)), which "
                + (UploadTarget(location) == nil
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
            (self.failedAttempts, self.stops, self.redirects, self.lastFailure) = (0, 0, 0, nil)
        }
        self.acknowledged = offset
        return true
    }

    /// Retries after a failure, if tries are left.
    mutating func retry(_ phase: Phase, _ reason: String, cause: (any Error)? = nil, after wanted: Duration? = nil) {
        self.failedAttempts += 1
        self.redirected = nil
        self.lastFailure = TransferError(.interrupted, reason, cause: cause)
        guard self.failedAttempts < self.options.maximumAttempts else {
            return self.fail(
                .interrupted, "\(reason); \(self.failedAttempts, "try") made no progress", cause: cause)
        }
        let delays = self.options.delays
        let delay = delays.isEmpty ? .zero : delays[min(self.failedAttempts, delays.count) - 1]
        // The server knows better, also if it asks for less (RFC 9110 section 10.2.3).
        self.phase = .pause(wanted.map { min($0, self.options.maximumRetryAfter) } ?? delay, then: phase)
    }

    mutating func finish(_ response: HTTPResponse, isAnswerLost: Bool = false, isOver: Bool? = nil) {
        self.phase = .done(
            UploadOutcome(
                response: response, isAnswerLost: isAnswerLost,
                isOver: isOver ?? (isAnswerLost || response.status.kind == .successful)))
    }
}
