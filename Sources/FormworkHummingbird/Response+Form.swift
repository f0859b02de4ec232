#if Hummingbird
import Formwork
import FormworkNIO
import HTTPTypes
import Hummingbird

extension Response {
    /// An answer composed of parts: `multipart/form-data`, or what the form's framing says.
    ///
    /// Its `Content-Length` is exact where that is known; else it goes in chunks.
    /// - Parameters:
    ///   - status: The answer's status.
    ///   - headers: Fields beside `Content-Type` and `Content-Length`.
    ///   - form: The parts.
    ///   - options: What the body's reader does besides reading.
    /// - Throws: What ``FormData/plan()`` throws.
    public init(
        status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], form: FormData,
        options: ReaderOptions = ReaderOptions()
    ) throws(FormworkError) {
        self.init(status: status, headers: headers, plan: try form.plan(), options: options)
    }

    /// An answer that is a planned body.
    /// - Parameters:
    ///   - status: The answer's status.
    ///   - headers: Fields beside `Content-Type` and `Content-Length`.
    ///   - plan: The body.
    ///   - options: What its reader does besides reading.
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
    /// A planned body, at the pace of whoever reads it. Files are read on a thread of the reader's.
    ///
    /// When it fails, the connection ends without the body's end: the peer must not take what it has for all.
    public init(_ plan: BodyPlan, options: ReaderOptions = ReaderOptions()) {
        self.init(contentLength: plan.contentLength.map { Int($0) }) { writer in
            try await writer.write(plan.buffers(of: 64 << 10, options: options))
            try await writer.finish(nil)
        }
    }
}

extension FormData: ResponseGenerator {
    /// The form as an answer with status 200.
    public func response(from request: Request, context: some RequestContext) throws -> Response {
        try Response(form: self)
    }
}
#endif
