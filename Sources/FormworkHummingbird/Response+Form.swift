import Formwork
import FormworkNIO
import HTTPTypes
import Hummingbird

extension Response {
    /// A response composed of parts: `multipart/form-data`, or another type according to the form's framing.
    ///
    /// Its `Content-Length` is exact if it is known; otherwise the body is sent in chunks.
    /// - Parameters:
    ///   - status: The answer's status.
    ///   - headers: Fields besides `Content-Type` and `Content-Length`.
    ///   - form: The parts.
    ///   - options: Rate limit, progress, digests and checks of the reader.
    /// - Throws: The errors of ``FormData/plan()-1mfhu``.
    public init(
        status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], form: FormData,
        options: ReaderOptions = ReaderOptions()
    ) throws(FormworkError) {
        self.init(status: status, headers: headers, plan: try form.plan(), options: options)
    }

    /// A response whose body is a plan.
    /// - Parameters:
    ///   - status: The answer's status.
    ///   - headers: Fields besides `Content-Type` and `Content-Length`.
    ///   - plan: The body.
    ///   - options: Rate limit, progress, digests and checks of the reader.
    public init(
        status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], plan: BodyPlan,
        options: ReaderOptions = ReaderOptions()
    ) {
        var headers = headers
        headers.describeBody(plan)
        self.init(status: status, headers: headers, body: ResponseBody(plan, options: options))
    }
}

extension ResponseBody {
    /// A planned body, sent at the pace of the client. Files are read on the reader's own thread.
    ///
    /// If it fails, the connection is closed without the body's end, so that the client doesn't mistake what it
    /// received for the whole body.
    public init(_ plan: BodyPlan, options: ReaderOptions = ReaderOptions()) {
        self.init(contentLength: plan.contentLength.map { Int($0) }) { writer in
            try await writer.write(plan.buffers(of: 64 << 10, options: options))
            try await writer.finish(nil)
        }
    }
}

extension FormData: ResponseGenerator {
    /// The form as a response with status 200.
    public func response(from request: Request, context: some RequestContext) throws -> Response {
        try Response(form: self)
    }
}
