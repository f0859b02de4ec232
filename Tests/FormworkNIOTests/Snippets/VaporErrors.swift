import FormworkHTTP
import FormworkNIO
import NIOHTTP1

extension FormworkError: AbortError {
    /// 400, 408, 413, 415, 503 or 507; 500 for everything else.
    public var status: HTTPResponseStatus { HTTPResponseStatus(statusCode: ProblemDetails(self).status) }
    /// The text for the client.
    public var reason: String { ProblemDetails(self).detail ?? ProblemDetails(self).title }
}
