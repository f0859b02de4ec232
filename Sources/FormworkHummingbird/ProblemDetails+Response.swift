import Formwork
import FormworkHTTP
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

extension ProblemDetails: ResponseGenerator {
    /// The problem as a response with its status.
    public func response(from request: Request, context: some RequestContext) -> Response { self.response }

    /// The response, logged with its cause.
    func response(to request: Request, _ context: some RequestContext, cause: any Error) -> Response {
        context.logger.answered(request, self.status, cause)
        return self.response
    }

    var response: Response {
        var headers: HTTPFields = [.contentType: Self.contentType]
        // A client that was too slow is not waited for again (RFC 9110 section 15.5.9).
        if self.status == HTTPResponse.Status.requestTimeout.code { headers[.connection] = "close" }
        return Response(
            status: HTTPResponse.Status(code: self.status), headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: self.jsonBytes)))
    }
}

extension Logger {
    /// Logs why a request failed: as an error if the server is at fault, otherwise for debugging.
    func answered(_ request: Request, _ status: Int, _ cause: any Error) {
        // The client has reset the request's stream, or the server stops.
        let isCancelled = cause is CancellationError && Task.isCancelled
        let isFault = status >= 500 && !isCancelled
        self.log(
            level: isFault ? .error : .debug,
            isFault ? "A request failed" : "A request was \(isCancelled ? "cancelled" : "refused")",
            metadata: [
                "status": "\(status)", "method": "\(request.method)", "path": "\(request.uri.path)",
                "error": "\(String(describing: cause).withControlCharactersEscaped)",
            ])
    }
}

/// An invalid form is answered with 400, 408, 413 or 415, wherever in a handler the error is thrown. Any other failure
/// is answered with 500 without details, and is logged.
extension FormworkError: HTTPResponseError {
    /// The answer's status.
    public var status: HTTPResponse.Status { HTTPResponse.Status(code: ProblemDetails(self).status) }

    /// The answer: ``ProblemDetails``. It is logged with its cause, below 500 for debugging.
    public func response(from request: Request, context: some RequestContext) -> Response {
        ProblemDetails(self).response(to: request, context, cause: self)
    }
}

extension RequestProblem: HTTPResponseError {
    /// The answer's status.
    public var status: HTTPResponse.Status { HTTPResponse.Status(code: self.details.status) }

    /// The answer: ``RequestProblem/details``. It is logged with its cause, below 500 for debugging.
    public func response(from request: Request, context: some RequestContext) -> Response {
        self.details.response(to: request, context, cause: self)
    }
}
