#if Hummingbird
    import Formwork
    import FormworkHTTP
    import HTTPTypes
    import Hummingbird
    import NIOCore

    extension ProblemDetails: ResponseGenerator {
        /// The problem as an answer of its status.
        public func response(from request: Request, context: some RequestContext) -> Response { self.response }

        var response: Response {
            var headers: HTTPFields = [.contentType: Self.contentType]
            // RFC 9110 section 15.5.9: who was too slow is not waited for again.
            if self.status == HTTPResponse.Status.requestTimeout.code { headers[.connection] = "close" }
            return Response(
                status: HTTPResponse.Status(code: self.status), headers: headers,
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: self.jsonBytes)))
        }
    }

    /// What a form couldn't be read for is answered by 400, 408, 413 or 415, wherever in a handler it is thrown, and any other
    /// failure by 500, which tells nothing.
    extension FormworkError: HTTPResponseError {
        /// The answer's status.
        public var status: HTTPResponse.Status { HTTPResponse.Status(code: ProblemDetails(self).status) }

        /// The answer: ``ProblemDetails``.
        public func response(from request: Request, context: some RequestContext) -> Response {
            ProblemDetails(self).response
        }
    }

    extension RequestProblem: HTTPResponseError {
        /// The answer's status.
        public var status: HTTPResponse.Status { HTTPResponse.Status(code: self.details.status) }

        /// The answer: ``details``.
        public func response(from request: Request, context: some RequestContext) -> Response { self.details.response }
    }
#endif
