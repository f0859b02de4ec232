import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLRequest {
    /// Sets a planned body as a stream, its `Content-Type`, and its `Content-Length` if that is known.
    ///
    /// `GET` becomes `POST`. The stream can be sent once: URLSession loses it on a redirect and on a 401; use
    /// `URLSession.upload(_:with:options:)` for those. On Linux, cancelling your own task can crash the process if the
    /// session has a `URLCache` (swift-corelibs-foundation 3296); that method avoids this, too.
    /// - Parameters:
    ///   - plan: The body.
    ///   - options: Options for its reader: a rate limit, progress, digests, the framing's check.
    public mutating func setBody(_ plan: BodyPlan, options: ReaderOptions = ReaderOptions()) {
        self.describeBody(plan, isFixed: plan.contentLength != nil)
        self.httpBodyStream = plan.makeInputStream(options: options)
    }

    /// Sets the fields that describe the body.
    mutating func describeBody(_ plan: BodyPlan, isFixed: Bool) {
        if self.httpMethod == "GET" { self.httpMethod = "POST" }
        self.setValue(plan.contentType, forHTTPHeaderField: "Content-Type")
        self.setValue(isFixed ? plan.contentLength.map(String.init) : nil, forHTTPHeaderField: "Content-Length")
        // URLSession announces a stream as chunked, even with a Content-Length. A blank Transfer-Encoding tells libcurl
        // not to, and isn't sent itself. It isn't documented that URLSession passes it on, so a test reads the bytes.
        self.setValue(isFixed ? " " : nil, forHTTPHeaderField: "Transfer-Encoding")
    }

    /// The request that a redirect asks for, and whether the body is sent with it; `nil` if there is no redirect to
    /// follow. Redirects from https to http, and to other schemes, aren't followed.
    ///
    /// The methods follow RFC 9110 section 15.4 and fetch: 303 turns every method except `HEAD` into `GET`, 301 and 302
    /// turn `POST` into `GET`. Another origin doesn't get this request's `Authorization` and `Cookie`.
    func redirected(by response: HTTPURLResponse) -> (request: URLRequest, keepsBody: Bool)? {
        guard [301, 302, 303, 307, 308].contains(response.statusCode),
            let location = response.value(forHTTPHeaderField: "Location"), let origin = response.url ?? self.url,
            let target = URL(string: location, relativeTo: origin)?.absoluteURL, target.host != nil,
            target.scheme == "https" || target.scheme == "http" && origin.scheme == "http"
        else { return nil }
        var next = self
        next.url = target
        if !target.hasOrigin(of: origin) {
            for name in ["Authorization", "Cookie", "Host"] { next.setValue(nil, forHTTPHeaderField: name) }
        }
        let method = self.httpMethod ?? "GET"
        let becomesGet = response.statusCode == 303 && method != "HEAD" || response.statusCode < 303 && method == "POST"
        guard becomesGet else { return (next, true) }
        next.httpMethod = "GET"
        next.httpBodyStream = nil
        next.httpBody = nil
        for name in self.allHTTPHeaderFields?.keys.map({ $0 }) ?? []
        where name.lowercased().hasPrefix("content-") || name.lowercased() == "transfer-encoding" {
            next.setValue(nil, forHTTPHeaderField: name)
        }
        return (next, false)
    }
}

extension URL {
    /// Whether scheme, host and port are the same (RFC 6454).
    func hasOrigin(of other: URL) -> Bool {
        func port(_ url: URL) -> Int { url.port ?? (url.scheme == "https" ? 443 : 80) }
        return self.scheme == other.scheme && self.host?.lowercased() == other.host?.lowercased()
            && port(self) == port(other)
    }
}
