#if NIO
import Formwork
import HTTPTypes
import NIOHTTP1

extension HTTPFields {
    /// Sets the fields that describe a body: `Content-Type`, and `Content-Length` if it is known.
    ///
    /// If the length is unknown, HTTP/1.1 needs `Transfer-Encoding: chunked`, which HTTPTypes leaves to the client.
    /// Other versions need nothing.
    public mutating func describeBody(_ plan: BodyPlan) {
        self[.contentType] = plan.contentType
        self[.contentLength] = plan.contentLength.map { String($0) }
    }
}

extension HTTPHeaders {
    /// Sets the fields that describe a body: `Content-Type`, and `Content-Length` or `Transfer-Encoding: chunked`.
    public mutating func describeBody(_ plan: BodyPlan) {
        self.describeBody(plan, isChunked: plan.contentLength == nil)
    }

    package mutating func describeBody(_ plan: BodyPlan, isChunked: Bool) {
        self.replaceOrAdd(name: "Content-Type", value: plan.contentType)
        self.remove(name: "Content-Length")
        self.remove(name: "Transfer-Encoding")
        if !isChunked, let length = plan.contentLength {
            self.add(name: "Content-Length", value: String(length))
        } else {
            self.add(name: "Transfer-Encoding", value: "chunked")
        }
    }
}
#endif
