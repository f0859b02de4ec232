#if Hummingbird
import Formwork
import FormworkHTTP
import FormworkNIO
import HTTPTypes
import Hummingbird

/// The parts of a request's form as they arrive.
public typealias FormParts = ReceivedParts<IncomingBody<RequestBody>>
/// A part of a request's form, as it arrives.
public typealias FormPart = ReceivedPart<IncomingBody<RequestBody>>

extension Request {
    /// The parts of a multipart form as they arrive, at the pace of the reader.
    ///
    /// ```swift
    /// router.post("photos") { request, _ in
    ///     try await request.formParts().writeFiles(into: "uploads")
    ///     return HTTPResponse.Status.created
    /// }
    /// ```
    ///
    /// Errors are answered with 400, 408, 413 or 415, see ``ProblemDetails/init(_:)-(FormworkError)``.
    ///
    /// A body can be read once. With ``KeptFormMiddleware``, a form that was collected or decoded before is read again,
    /// within these limits.
    /// - Parameters:
    ///   - profile: How strictly the body is parsed.
    ///   - limits: The limits for reading the form. A `Content-Length` above ``ParsingLimits/totalBytes`` is refused before
    ///     anything is read.
    ///   - deadlines: How long to wait for the body; by default without limit.
    /// - Throws: The errors of ``ReceivedParts``, ``FormworkError/Code/limitExceeded``, and
    ///   ``FormworkError/Code/notReplayable`` if the body was already read; in optimized builds the first part throws it.
    public func formParts(
        profile: ParsingProfile = .default, limits: ParsingLimits = .default,
        deadlines: ReceivingDeadlines = ReceivingDeadlines()
    ) throws(FormworkError) -> FormParts {
        let head = FormHead(self.headers)
        if let form = KeptForm.current?.value, let contentType = head.contentType {
            let parser = try MultipartParser(contentType: contentType, profile: profile, limits: limits)
            try head.checkLength(limits)
            let body = RequestBody(asyncSequence: try form.body(between: parser.boundary).buffers())
            return ReceivedParts(IncomingBody(body), parser: parser, deadlines: deadlines)
        }
        let parts = try ReceivedParts(
            self.unreadBody(), contentType: head.contentType, profile: profile, limits: limits, deadlines: deadlines)
        try head.checkLength(limits)
        return parts
    }

    /// The whole form: multipart, whose large files go to disk, or url-encoded.
    ///
    /// A body can be read once. With ``KeptFormMiddleware``, further calls in the same request return the same form.
    /// - Parameters:
    ///   - profile: How strictly the body is parsed.
    ///   - limits: The limits for reading the form.
    ///   - memory: How much of the form stays in memory, and where the rest is stored.
    ///   - deadlines: How long to wait for the body.
    /// - Throws: The errors of ``ReceivedForm/init(collecting:limits:)``, ``FormworkError/Code/limitExceeded``, and
    ///   ``FormworkError/Code/notReplayable`` if the body was already read.
    public func collectForm(
        profile: ParsingProfile = .default, limits: ParsingLimits = .default,
        memory: CollectingLimits = CollectingLimits(), deadlines: ReceivingDeadlines = ReceivingDeadlines()
    ) async throws -> ReceivedForm {
        let kept = KeptForm.current
        if let form = kept?.value { return form }
        let head = FormHead(self.headers)
        let form = try await ReceivedForm(
            collecting: self.unreadBody(), contentType: head.contentType, contentLength: head.ownLength(limits),
            profile: profile, limits: limits, memory: memory, deadlines: deadlines)
        kept?.keep(form)
        return form
    }

    /// The whole form, multipart or url-encoded, as a value; a file is a ``FormFile``.
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - decoder: How field names map to members.
    ///   - profile: How strictly the body is parsed.
    ///   - limits: The limits for reading the form.
    ///   - memory: How much of the form stays in memory, and where the rest is stored.
    ///   - deadlines: How long to wait for the body.
    /// - Throws: ``RequestProblem`` for a form that doesn't match the type, which is answered with 400, and the errors
    ///   of ``collectForm(profile:limits:memory:deadlines:)``.
    public func decodeForm<Value: Decodable>(
        as type: Value.Type, by decoder: FormDataDecoder = FormDataDecoder(), profile: ParsingProfile = .default,
        limits: ParsingLimits = .default, memory: CollectingLimits = CollectingLimits(),
        deadlines: ReceivingDeadlines = ReceivingDeadlines()
    ) async throws -> Value {
        let form = try await self.collectForm(
            profile: profile, limits: limits, memory: memory, deadlines: deadlines)
        return try form.decoded(as: type, by: decoder)
    }

    /// Reading it throws ``FormworkError/Code/notReplayable`` if the body was already read.
    private func unreadBody() -> IncomingBody<RequestBody> {
        // Optimized builds find out when there are no bytes: it takes longer than decoding a small form.
        var body = IncomingBody(self.body)
        body.emptiness = { $0.isOfReadBody ? Self.alreadyRead : nil }
        #if DEBUG
        // Hummingbird would stop the program.
        body.refusal = { [read = self.body] in read.wasRead ? Self.alreadyRead : nil }
        #endif
        return body
    }

    private static var alreadyRead: FormworkError {
        FormworkError(
            .notReplayable,
            "the request's body was already read: "
                + (KeptForm.current != nil
                    ? "KeptFormMiddleware keeps a form that collectForm or decodeForm read, so read the form with one of "
                        + "them first"
                    : "add KeptFormMiddleware if more than one handler reads the form, or read it once and pass it on"))
    }
}
#endif
