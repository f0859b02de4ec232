#if Resumable
import FormworkCore
import FormworkHTTP
import HTTPTypes

// Where a redirect leads an upload, and that most lead it nowhere.
extension UploadClient {
    /// A 3xx came.
    ///
    /// An upload's own URL may be moved by 307 and 308 alone: the draft forbids 301 and 302 there, and what leads to a
    /// page is about a session, say, that is over. A creation with the whole body is an ordinary request, whose 301 and
    /// 302 leave every method but `POST` as it is (RFC 9110 §15.4).
    mutating func redirected(by response: HTTPResponse, _ exchange: Exchange) {
        let status = response.status.code
        let location = response.headerFields[.location]
        var isOrdinary = false
        if case .create = exchange.kind { isOrdinary = exchange.completes }
        let keepsMethod = isOrdinary && self.original.method != .post && (status == 301 || status == 302)
        if let location, keepsMethod || status == 307 || status == 308 {
            // Nobody wants it followed.
            if isOrdinary, self.options.maximumRedirects == 0 { return self.finish(response) }
            return self.redirect(to: location, response, exchange)
        }
        switch exchange.kind {
        case .replay(let earlier): return self.replayed(response, earlier)
        case .create, .append:
            if self.isTargetsOwn(response, exchange) { return self.finish(response, isOver: true) }
            // What the page says to which it leads is for whoever sends.
            if isOrdinary { return self.finish(response) }
        case .ask: break
        }
        self.turnAway(
            exchange,
            location.map {
                "the server redirects to \($0) (\(status)), where the upload can't go on: it may want credentials"
            } ?? "the server answered \(status), and doesn't tell where the upload goes on (Location)")
    }

    /// Whether an answer is the target's own, about the whole upload: the draft marks it; of tus, and of servers that
    /// mark it by another version's field, the offset tells.
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
                "the server redirects to \(location), which is no URL of HTTP, or leads out of TLS: send there, if you trust it"
            )
        }
        self.redirects += 1
        guard self.redirects <= self.options.maximumRedirects else {
            return self.turnAway(
                exchange, "more than \(self.options.maximumRedirects) redirects, the last to \(target.url)")
        }
        switch exchange.kind {
        case .create: self.creationTarget = target
        case .ask, .append, .replay: self.redirected = target
        }
        // A permanent one holds for what comes after (RFC 9110 §15.4.9).
        if response.status.code == 308, self.redirected != nil { self.link?.target = target }
        switch exchange.kind {
        case .create: self.phase = self.link == nil ? .create : .ask
        case .ask: self.phase = .ask
        case .append: self.phase = .append
        case .replay(let answer): self.phase = .replay(answer)
        }
    }

    /// Ends it; what was whole before stays so.
    private mutating func turnAway(_ exchange: Exchange, _ message: String) {
        if case .replay(let earlier) = exchange.kind { return self.finish(earlier, isAnswerLost: true) }
        self.fail(UploadFailure(.redirected, message))
    }
}
#endif
