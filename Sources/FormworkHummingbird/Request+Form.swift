#if Hummingbird
import Formwork
import FormworkHTTP
import FormworkNIO
import HTTPTypes
import Hummingbird

/// The parts of a request's form as they arrive.
public typealias FormParts = ReceivedParts<IncomingBody<RequestBody>>
/// A part of a request's form, which is arriving.
public typealias FormPart = ReceivedPart<IncomingBody<RequestBody>>

extension Request {
    /// The parts of a multipart form as they arrive, at the pace of whoever reads them.
    ///
    /// ```
    /// router.post("photos") { request, _ in
    ///     for try await part in try request.formParts() where part.isFile && !part.isEmptyFileControl {
    ///         try await part.write(into: "uploads")
    ///     }
    ///     return HTTPResponse.Status.created
    /// }
    /// ```
    ///
    /// Its errors are answered by 400, 408, 413 or 415, see ``ProblemDetails/init(_:)-(FormworkError)``.
    /// - Parameters:
    ///   - profile: What is taken for a part.
    ///   - limits: How much is read. A `Content-Length` above ``ParsingLimits/totalBytes`` is refused before anything is.
    ///   - deadlines: How long is waited. None is set unless said otherwise.
    /// - Throws: What ``ReceivedParts`` throws, ``FormworkError/Code/limitExceeded``, and
    ///   ``FormworkError/Code/notReplayable`` when the body was read already.
    public func formParts(
        profile: ParsingProfile = .default, limits: ParsingLimits = .default,
        deadlines: ReceivingDeadlines = ReceivingDeadlines()
    ) throws(FormworkError) -> FormParts {
        try self.incomingForm().parts(profile: profile, limits: limits, deadlines: deadlines)
    }

    /// The whole form: multipart, whose large files go to disk, or url-encoded.
    ///
    /// A body is read once. With ``KeptFormMiddleware`` each further call in the same request gives the same form.
    /// - Parameters:
    ///   - profile: What is taken for a part.
    ///   - limits: How much is read.
    ///   - memory: How much of it stays in memory, and where the rest goes.
    ///   - deadlines: How long is waited.
    /// - Throws: What ``ReceivedForm/init(collecting:limits:)`` throws, ``FormworkError/Code/limitExceeded``, and
    ///   ``FormworkError/Code/notReplayable`` when the body was read already.
    public func collectForm(
        profile: ParsingProfile = .default, limits: ParsingLimits = .default,
        memory: CollectingLimits = CollectingLimits(), deadlines: ReceivingDeadlines = ReceivingDeadlines()
    ) async throws -> ReceivedForm {
        try await KeptForm.form {
            try await self.incomingForm().collect(
                profile: profile, limits: limits, memory: memory, deadlines: deadlines)
        }
    }

    /// The whole form, multipart or url-encoded, as a value; a file is a ``FormFile``.
    /// - Parameters:
    ///   - type: What is decoded.
    ///   - decoder: How names become members.
    ///   - profile: What is taken for a part.
    ///   - limits: How much is read.
    ///   - memory: How much of it stays in memory, and where the rest goes.
    ///   - deadlines: How long is waited.
    /// - Throws: ``RequestProblem`` for a form that isn't the type's, which is answered by 400, and what
    ///   ``collectForm(profile:limits:memory:deadlines:)`` throws.
    public func decodeForm<Value: Decodable>(
        as type: Value.Type, by decoder: FormDataDecoder = FormDataDecoder(), profile: ParsingProfile = .default,
        limits: ParsingLimits = .default, memory: CollectingLimits = CollectingLimits(),
        deadlines: ReceivingDeadlines = ReceivingDeadlines()
    ) async throws -> Value {
        let form = try await self.collectForm(
            profile: profile, limits: limits, memory: memory, deadlines: deadlines)
        return try form.decoded(as: type, by: decoder)
    }

    /// - Throws: ``FormworkError/Code/notReplayable`` when the body was read already.
    private func incomingForm() throws(FormworkError) -> IncomingForm<IncomingBody<RequestBody>> {
        guard !self.body.wasRead else {
            throw FormworkError(
                .notReplayable,
                "the request's body was read already: add KeptFormMiddleware where more than one handler reads the form, "
                    + "or read it once and pass it on")
        }
        return IncomingForm(self.headers, body: IncomingBody(self.body))
    }
}
#endif
