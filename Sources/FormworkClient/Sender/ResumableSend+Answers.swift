// Handles each kind of answer.
extension ResumableSend {
    mutating func created(_ response: HTTPResponse, _ exchange: Exchange, _ retryAfter: Duration?) {
        switch response.status.code {
        case 200..<300:
            if self.link == nil, let location = response.headerFields[.location] {
                self.adopt(location, of: exchange)
                self.learn(response)
            }
            guard self.link != nil else {
                guard self.isOfProtocol(response) else {
                    let name = self.isTus ? "tus uploads" : "resumable uploads of the IETF's draft"
                    return self.fail(
                        .unsupported,
                        "the server has no \(name): it answered \(response.status.code), as to an ordinary request")
                }
                return self.fail(
                    .protocolBroken,
                    self.refusal
                        ?? "the server answered \(response.status.code) without saying where to continue the upload (Location)"
                )
            }
            self.isSettled = true
            self.continued(response, exchange)
        case 400 where self.link == nil && self.fallBack(response): break
        case 413: self.shrink(response, exchange)
        case _ where self.mayPass(response):
            if self.link != nil {
                self.retry(.ask, response, after: retryAfter)
            } else if self.holdsNothing(exchange) || self.options.repeatsUnanswered && self.canGive(0) {
                self.retry(.create, response, after: retryAfter)
            } else {
                // There is nothing to resume, and the caller hasn't allowed repeating the whole request.
                self.finish(response)
            }
        default: self.finish(response)
        }
    }

    /// Whether an answer has a field that only servers with resumable uploads send.
    private func isOfProtocol(_ response: HTTPResponse) -> Bool {
        response.status == .created
            || response.headerFields.contains {
                let name = $0.name.canonicalName
                return name.hasPrefix("upload-") || name.hasPrefix("tus-")
            }
    }

    /// A server with another version refuses the whole upload (NIOResumableUpload does so). Falls back to that version,
    /// or to an ordinary request.
    private mutating func fallBack(_ response: HTTPResponse) -> Bool {
        guard self.canGive(0), let draft = self.uploadProtocol?.draft else { return false }
        if let other = response.headerFields.interopVersion {
            guard other < draft else { return false }
            self.uploadProtocol = .draft(other)
        } else {
            // An answer with content is about the request itself.
            guard response.headerFields[.contentLength] == "0" else { return false }
            if draft > .v6 {
                self.uploadProtocol = .draft(.v6)
            } else if self.options.choice == .auto {
                (self.uploadProtocol, self.isSettled) = (nil, false)
            } else {
                return false
            }
        }
        self.phase = .create
        return true
    }

    mutating func appended(_ response: HTTPResponse, _ exchange: Exchange, _ retryAfter: Duration?) {
        switch response.status.code {
        case 200..<300:
            if exchange.declaresLength { self.isLengthDeclared = true }
            self.continued(response, exchange)
        case 404, 410: self.restart(response)
        case 409:
            guard let offset = response.headerFields.uploadOffset, !self.isTus else {
                return self.retry(.ask, response, after: retryAfter)
            }
            let before = self.acknowledged
            guard self.take(offset) else { return }
            if offset > before {
                self.phase = .append
            } else {
                self.retry(.append, response, after: retryAfter)
            }
        case 413: self.shrink(response, exchange)
        case 460,
            _ where self.mayPass(response):
            self.retry(.ask, response, after: retryAfter)
        default: self.finish(response)
        }
    }

    /// Ends the upload with the target's own answer, whatever it is. But a success can't be about bytes that weren't sent.
    /// - Returns: Whether it is the target's own.
    mutating func ends(with response: HTTPResponse, _ exchange: Exchange) -> Bool {
        let isSuccess = response.status.kind == .successful
        switch self.isComplete(response) {
        case true? where isSuccess && !exchange.completes:
            self.fail(
                .protocolBroken,
                "the server answered \(response.status.code) to a part of the body as if it were the whole (Upload-Complete)"
            )
        case true?: self.finish(response, isOver: true)
        case nil where isSuccess && exchange.completes && !self.isTus && !self.isPart(response): self.finish(response)
        default: return false
        }
        return true
    }

    /// Whether a draft's answer says that the upload is complete; `nil` if it doesn't say.
    private func isComplete(_ response: HTTPResponse) -> Bool? {
        (self.uploadProtocol?.draft).flatMap { response.headerFields.isUploadComplete($0) }
    }

    /// The request was accepted: determines where the next one begins.
    private mutating func continued(_ response: HTTPResponse, _ exchange: Exchange) {
        let end = exchange.range.map { range in
            range.count.map { min(range.offset + $0, max(self.sent, range.offset)) } ?? self.sent
        }
        guard let offset = response.headerFields.uploadOffset ?? (self.isTus ? nil : end) else {
            // tus reports the offset after content; a creation without content begins at 0.
            if case .create = exchange.kind, exchange.range?.count == 0 {
                self.isTus && self.length == 0 ? self.finish(response) : (self.phase = .append)
            } else {
                // A server that never reports its offset may never progress either, so this counts as a try.
                self.retry(
                    .ask, "the server answered \(response.status.code) without saying how much it has (Upload-Offset)")
            }
            return
        }
        let before = self.acknowledged
        guard self.take(offset) else { return }
        if self.isTus, self.hasAll, self.isLengthDeclared { return self.finish(response) }
        let isProgress = offset > before || exchange.range?.count == 0 && !exchange.completes
        if isProgress { self.phase = .append } else { self.retry(.ask, response) }
    }

    mutating func reported(_ response: HTTPResponse, _ retryAfter: Duration?) {
        let fields = response.headerFields
        switch response.status.code {
        case 200..<300:
            guard let offset = fields.uploadOffset else {
                return self.fail(
                    .protocolBroken,
                    "the server answered \(response.status.code) without saying how much it has (Upload-Offset)")
            }
            if self.isTus, fields[.uploadDeferLength] == "1" { self.isLengthDeclared = false }
            if self.isTus, fields.uploadLength != nil { self.isLengthDeclared = true }
            if let length = fields.uploadLength, let own = self.length, length != own {
                return self.fail(
                    .protocolBroken,
                    "the upload on the server has \(length, "byte") in total, but this body has \(own): it is a different one"
                )
            }
            guard self.take(offset) else { return }
            if let draft = self.uploadProtocol?.draft, fields.isUploadComplete(draft) == true {
                if let length = self.length, offset < length {
                    self.fail(
                        .protocolBroken,
                        "the server has \(offset) of \(length, "byte"), but reports the upload as complete (Upload-Complete)"
                    )
                } else if draft.replaysAnswer {
                    self.phase = .replay(response)
                } else {
                    self.finish(response, isAnswerLost: true)
                }
            } else if self.isTus, self.hasAll, self.isLengthDeclared {
                self.finish(response, isAnswerLost: true)
            } else {
                self.isKnownIncomplete = true
                self.phase = .append
            }
        case 404, 410: self.askedForLost(response)
        case 403 where self.isTus: self.askedForLost(response)
        case 409,
            _ where self.mayPass(response):
            self.retry(.ask, response, after: retryAfter)
        default: self.finish(response)
        }
    }

    mutating func replayed(_ response: HTTPResponse, _ earlier: HTTPResponse) {
        if self.isComplete(response) ?? (response.status.kind == .successful) {
            self.finish(response, isOver: true)
        } else {
            self.finish(earlier, isAnswerLost: true)
        }
    }

    /// The answer to the question for the offset: servers forget uploads that are complete, too.
    private mutating func askedForLost(_ response: HTTPResponse) {
        let isUnknown = self.isContinued && !self.isKnownIncomplete
        if self.options.restartsLost || !isUnknown && self.sent < self.length ?? .max {
            return self.restart(response)
        }
        self.fail(.gone, "the server no longer has the upload (\(response.status.code)), and may have stored all of it")
    }

    /// The upload no longer exists: starts again, if the body can be read again.
    private mutating func restart(_ response: HTTPResponse) {
        self.link = nil
        self.redirected = nil
        self.restarts += 1
        guard self.restarts <= self.options.maximumRestarts, self.plan.isReplayable else {
            return self.fail(
                .gone,
                "the server lost the upload (\(response.status.code)) after \(self.acknowledged, "byte"), "
                    + (self.plan.isReplayable
                        ? "\(self.restarts, "time") in total: if several servers share this address, they need one "
                            + "folder for unfinished uploads, or a balancer that keeps a client at one of them"
                        : "and the body can't be read again"))
        }
        self.acknowledged = 0
        self.retry(
            .create, "the server no longer has the upload (\(response.status.code)), which begins again at byte 0")
        if self.hasFailed { self.finish(response) }
    }

    /// Whether the same request may be answered differently later.
    private func mayPass(_ response: HTTPResponse) -> Bool {
        switch response.status.code {
        // What isn't supported now isn't supported later, and RFC 4918 section 11.5 forbids repeating a request that found
        // no room unless the user asks for it.
        case 501, 505, 507: self.options.retriesAllErrors
        case 408, 423, 425, 429, 500...999: true
        case 400...499: self.options.retriesAllErrors
        default: false
        }
    }

    /// Retries after an answer that may pass; the answer that used up the tries is shown.
    private mutating func retry(_ phase: Phase, _ response: HTTPResponse, after wanted: Duration? = nil) {
        self.retry(phase, "the server answered \(response.status.code)", after: wanted)
        // A success without progress isn't shown as a success.
        if self.hasFailed, response.status.code >= 400 { self.finish(response) }
    }

    /// The request was too large: continues in smaller pieces, if the server supports resuming.
    private mutating func shrink(_ response: HTTPResponse, _ exchange: Exchange) {
        // An ordinary request can't be divided.
        let fields = response.headerFields
        let marksPart = (self.uploadProtocol?.draft).map {
            fields.isUploadComplete($0) == false || fields.interopVersion == $0
        }
        let isResumable = self.uploadProtocol != nil && (marksPart == true || fields[.uploadLimit] != nil)
        let isKnown = self.link != nil || self.isSettled || isResumable
        let fits = (self.limits.maxSize ?? .max) >= (self.length ?? self.sent)
        let offset = exchange.range?.offset ?? 0
        // Otherwise the server's answer would be lost: what it has not taken can't be read again.
        let canGoOn = self.plan.isReplayable || self.sent <= offset && !self.isReading
        let rest = exchange.range?.count ?? self.length.map { $0 - offset } ?? max(self.sent - offset, 1 << 20)
        let least = max(self.limits.minAppendSize ?? 1, Self.smallestPiece)
        let size = max(min(rest / 2, self.limits.maxAppendSize ?? .max), least)
        let begins = self.link != nil || !self.isTus && self.canGive(0)
        guard isKnown, begins, fits, canGoOn, size < rest else { return self.finish(response) }
        self.pieceSize = size
        self.isSettled = true
        self.phase = self.link == nil ? .create : .ask
    }

    /// The piece size below which a 413 isn't about the size of a request.
    private static var smallestPiece: Int64 { 16 << 10 }
}

// Handles redirects of uploads, most of which can't be followed.
extension ResumableSend {
    /// Handles a 3xx answer.
    ///
    /// An upload's own URL can only be moved by 307 and 308. The draft forbids 301 and 302 there, and other redirects
    /// lead to pages, about an expired session for example. A creation with the whole body is an ordinary request, for
    /// which 301 and 302 keep every method except `POST` (RFC 9110 §15.4).
    mutating func redirected(by response: HTTPResponse, _ exchange: Exchange) {
        let status = response.status.code
        let location = response.headerFields[.location]
        var isOrdinary = false
        if case .create = exchange.kind { isOrdinary = exchange.completes }
        let keepsMethod = isOrdinary && self.original.method != .post && (status == 301 || status == 302)
        if let location, keepsMethod || status == 307 || status == 308 {
            // The caller doesn't want it followed.
            if isOrdinary, self.rules.maximumRedirects == 0 { return self.finish(response) }
            return self.redirect(to: location, response, exchange)
        }
        switch exchange.kind {
        case .replay(let earlier): return self.replayed(response, earlier)
        case .create, .append:
            if self.isTargetsOwn(response, exchange) { return self.finish(response, isOver: true) }
            // The redirect is the answer, for the caller to show.
            if isOrdinary { return self.finish(response) }
        case .ask: break
        }
        self.turnAway(
            exchange,
            location.map {
                "the server redirects to \(SecretText.masked(url: $0)) (\(status)), where the upload can't continue: it may require credentials"
            } ?? "the server answered \(status) without saying where to continue the upload (Location)")
    }

    /// Whether an answer is the target's own, about the whole upload. The draft marks such answers; for tus, and for
    /// servers that mark them with another version's field, the offset shows it.
    private func isTargetsOwn(_ response: HTTPResponse, _ exchange: Exchange) -> Bool {
        let fields = response.headerFields
        let hasAll = self.length != nil && fields.uploadOffset == self.length
        switch self.uploadProtocol {
        case .draft(let draft)?: return exchange.completes && fields.isUploadComplete(draft) ?? hasAll
        case .tus?: return hasAll
        case nil: return false
        }
    }

    private mutating func redirect(to location: String, _ response: HTTPResponse, _ exchange: Exchange) {
        guard let url = exchange.request.located(location) else {
            return self.turnAway(
                exchange,
                "the server redirects to \(SecretText.masked(url: location)), which isn't HTTP, or has no TLS: send there, if you trust it"
            )
        }
        self.redirects += 1
        guard self.redirects <= self.rules.maximumRedirects else {
            return self.turnAway(
                exchange,
                "more than \(self.rules.maximumRedirects, "redirect"): \(exchange.request.shownURL) redirects to \(SecretText.masked(url: url))"
            )
        }
        switch exchange.kind {
        case .create: self.creationURL = url
        case .ask, .append, .replay: self.redirected = url
        }
        // A permanent redirect also applies to later requests (RFC 9110 §15.4.9).
        if response.status.code == 308, self.redirected != nil { self.link?.url = url }
        if case .append = exchange.kind { self.phase = .append } else { self.phase = self.repeating(exchange) }
    }

    /// Ends the upload; a body that was complete before stays so.
    private mutating func turnAway(_ exchange: Exchange, _ message: String) {
        if case .replay(let earlier) = exchange.kind { return self.finish(earlier, isAnswerLost: true) }
        self.fail(.redirects, message)
    }
}

// What is known of the server.
extension ResumableSend {
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

    /// Whether a 104 offers to resume the upload, in a version that both sides know.
    func offers(_ response: HTTPResponse) -> Bool {
        guard case .draft(let draft)? = self.uploadProtocol else { return false }
        return response.headerFields.interopVersion == draft && response.headerFields.contains(.location)
    }
}
