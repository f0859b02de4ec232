#if NIO
import Formwork
import HTTPTypes
import NIOHTTP1

extension HTTPFields {
    /// Sets what a header section says of a body: `Content-Type`, and `Content-Length` where that is known.
    ///
    /// Where it isn't, HTTP/1.1 needs `Transfer-Encoding: chunked`, which HTTPTypes leaves to the client, and other versions
    /// need nothing.
    public mutating func describeBody(_ plan: BodyPlan) {
        self[.contentType] = plan.contentType
        self[.contentLength] = plan.contentLength.map { String($0) }
    }
}

extension HTTPHeaders {
    /// Sets what a header section says of a body: `Content-Type`, and `Content-Length` or `Transfer-Encoding: chunked`.
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
