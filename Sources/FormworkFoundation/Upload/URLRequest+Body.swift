import Formwork
import FormworkValues
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLRequest {
    /// Gives the request a planned body as a stream, its `Content-Type`, and its `Content-Length` where that is known.
    ///
    /// `GET` becomes `POST`. The stream can be sent once: URLSession loses it on a redirect and on a 401, which is what
    /// `URLSession.upload(_:with:options:)` is for. Cancelling a task of one's own can end the process on Linux, where the
    /// session has a `URLCache` (swift-corelibs-foundation 3296); that call keeps clear of it, too.
    /// - Parameters:
    ///   - plan: The body.
    ///   - options: What its reader does besides reading: a rate limit, progress, digests, the framing's check.
    public mutating func setBody(_ plan: BodyPlan, options: ReaderOptions = ReaderOptions()) {
        self.describeBody(plan, isFixed: plan.contentLength != nil)
        self.httpBodyStream = plan.makeInputStream(options: options)
    }

    /// Sets what the header section says of the body.
    mutating func describeBody(_ plan: BodyPlan, isFixed: Bool) {
        if self.httpMethod == "GET" { self.httpMethod = "POST" }
        self.setValue(plan.contentType, forHTTPHeaderField: "Content-Type")
        self.setValue(isFixed ? plan.contentLength.map(String.init) : nil, forHTTPHeaderField: "Content-Length")
        // URLSession announces a stream as chunked, beside any Content-Length. A blank Transfer-Encoding tells libcurl
        // not to, and isn't sent itself; nobody documents that URLSession passes it on, so a test reads the bytes.
        self.setValue(isFixed ? " " : nil, forHTTPHeaderField: "Transfer-Encoding")
    }

    /// The request that a redirect asks for, and whether the body is sent again; `nil` if the answer is not a redirect to http
    /// or https, or leads from https to http.
    func redirected(by response: HTTPURLResponse) -> (request: URLRequest, keepsBody: Bool)? {
        guard
            let redirection = Redirection(
                status: response.statusCode, method: self.httpMethod ?? "GET", of: response.url ?? self.url,
                location: response.value(forHTTPHeaderField: "Location")), !redirection.leavesTLS
        else { return nil }
        var next = self
        next.url = URL(string: redirection.target)
        for name in self.allHTTPHeaderFields?.keys.map({ $0 }) ?? [] where !redirection.keeps(field: name) {
            next.setValue(nil, forHTTPHeaderField: name)
        }
        guard !redirection.keepsBody else { return (next, true) }
        next.httpMethod = "GET"
        next.httpBodyStream = nil
        next.httpBody = nil
        return (next, false)
    }
}
