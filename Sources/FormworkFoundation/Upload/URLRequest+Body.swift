import Formwork
import FormworkValues
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
        self.httpBodyStream = plan.makeInputStream(options: options).forSession()
    }

    /// Sets the fields that describe the body.
    mutating func describeBody(_ plan: BodyPlan, isFixed: Bool) {
        if self.httpMethod == "GET" { self.httpMethod = "POST" }
        self.setValue(plan.contentType, forHTTPHeaderField: "Content-Type")
        self.setValue(isFixed ? plan.contentLength.map(String.init) : nil, forHTTPHeaderField: "Content-Length")
        // On Linux, URLSession announces a stream as chunked, even with a Content-Length. A blank Transfer-Encoding tells libcurl
        // not to, and isn't sent itself. It isn't documented that URLSession passes it on, so a test reads the bytes.
        // CFNetwork, on Apple's systems, takes the Content-Length as it is.
        #if !canImport(Darwin)
        self.setValue(isFixed ? " " : nil, forHTTPHeaderField: "Transfer-Encoding")
        #endif
    }

    /// Where an answer redirects to; `nil` if it doesn't, or not to a URL of http or https.
    /// - Parameter isTrusted: Whether credentials may follow to another origin.
    func redirection(by response: HTTPURLResponse, isTrusted: Bool = false) -> Redirection? {
        Redirection(
            status: response.statusCode, method: self.httpMethod ?? "GET", of: response.url ?? self.url,
            location: response.value(forHTTPHeaderField: "Location"), isTrusted: isTrusted)
    }

    /// Becomes the request that a redirect asks for.
    mutating func follow(_ redirection: Redirection) {
        self.url = URL(string: redirection.target)
        for name in self.allHTTPHeaderFields?.keys.map({ $0 }) ?? [] where !redirection.keeps(field: name) {
            self.setValue(nil, forHTTPHeaderField: name)
        }
        guard !redirection.keepsBody else { return }
        if self.httpMethod != "HEAD" { self.httpMethod = "GET" }
        (self.httpBodyStream, self.httpBody) = (nil, nil)
    }
}
