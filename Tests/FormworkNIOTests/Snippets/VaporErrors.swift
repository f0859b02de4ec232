#if NIO
import FormworkHTTP
import FormworkNIO
import NIOHTTP1

extension FormworkError: AbortError {
    /// 400, 408, 413, 415, 503 or 507; 500 where the client can't help it.
    public var status: HTTPResponseStatus { HTTPResponseStatus(statusCode: ProblemDetails(self).status) }
    /// What the client may know of it.
    public var reason: String { ProblemDetails(self).detail ?? ProblemDetails(self).title }
}
#endif
