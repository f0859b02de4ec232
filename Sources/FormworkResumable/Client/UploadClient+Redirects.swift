#if Resumable
import FormworkCore
import FormworkHTTP
import HTTPTypes

// Handles redirects of uploads, most of which can't be followed.
extension UploadClient {
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
            if isOrdinary, self.options.maximumRedirects == 0 { return self.finish(response) }
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
        guard let target = exchange.target.resolving(location) else {
            return self.turnAway(
                exchange,
                "the server redirects to \(SecretText.masked(url: location)), which isn't HTTP, or has no TLS: send there, if you trust it"
            )
        }
        self.redirects += 1
        guard self.redirects <= self.options.maximumRedirects else {
            return self.turnAway(
                exchange,
                "more than \(self.options.maximumRedirects, "redirect"): \(SecretText.masked(url: exchange.target.url)) redirects to \(SecretText.masked(url: target.url))"
            )
        }
        switch exchange.kind {
        case .create: self.creationTarget = target
        case .ask, .append, .replay: self.redirected = target
        }
        // A permanent redirect also applies to later requests (RFC 9110 §15.4.9).
        if response.status.code == 308, self.redirected != nil { self.link?.target = target }
        switch exchange.kind {
        case .create: self.phase = self.link == nil ? .create : .ask
        case .ask: self.phase = .ask
        case .append: self.phase = .append
        case .replay(let answer): self.phase = .replay(answer)
        }
    }

    /// Ends the upload; a body that was complete before stays so.
    private mutating func turnAway(_ exchange: Exchange, _ message: String) {
        if case .replay(let earlier) = exchange.kind { return self.finish(earlier, isAnswerLost: true) }
        self.fail(UploadFailure(.redirected, message))
    }
}
#endif
