import Formwork
import FormworkHTTP
import FormworkNIO
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOConcurrencyHelpers

/// The parts of a request's form as they arrive.
public typealias FormParts = ReceivedParts<IncomingBody>
/// A part of a request's form, as it arrives.
public typealias FormPart = ReceivedPart<IncomingBody>

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
            return ReceivedParts(IncomingBody(body, isRequests: false), parser: parser, deadlines: deadlines)
        }
        let parts = try ReceivedParts(
            IncomingBody(self.body), contentType: head.contentType, profile: profile, limits: limits,
            deadlines: deadlines)
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
            collecting: IncomingBody(self.body), contentType: head.contentType, contentLength: head.ownLength(limits),
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
}

/// Decodes forms, multipart or url-encoded, as the request decoder of a context:
///
/// ```swift
/// struct AppRequestContext: RequestContext {
///     var coreContext: CoreRequestContextStorage
///     var requestDecoder: FormRequestDecoder { FormRequestDecoder() }
///     init(source: Source) { self.coreContext = .init(source: source) }
/// }
/// ```
public struct FormRequestDecoder: RequestDecoder, Sendable {
    /// How field names map to members.
    public var decoder = FormDataDecoder()
    /// How strictly the body is parsed.
    public var profile = ParsingProfile.default
    /// The limits for reading the form; `nil` means the defaults, with the context's `maxUploadSize` for the whole body.
    public var limits: ParsingLimits?
    /// How much of the form stays in memory, and where the rest is stored.
    public var memory = CollectingLimits()
    /// How long to wait for the body.
    public var deadlines = ReceivingDeadlines()

    /// The defaults.
    public init() {}

    /// Decodes a request's form.
    /// - Throws: The errors of `Request.decodeForm(as:by:profile:limits:memory:deadlines:)`.
    public func decode<Value: Decodable>(
        _ type: Value.Type, from request: Request, context: some RequestContext
    ) async throws -> Value {
        var limits = self.limits ?? .default
        if self.limits == nil { limits.totalBytes = Int64(context.maxUploadSize) }
        return try await request.decodeForm(
            as: type, by: self.decoder, profile: self.profile, limits: limits, memory: self.memory,
            deadlines: self.deadlines)
    }
}

extension RequestBody.AsyncIterator {
    /// Whether the body was read before this iterator was made, which then returns nothing. It must not have been used.
    /// `false` if that can't be determined.
    ///
    /// Hummingbird records it in a `Bool` of the iterator that is in this one.
    var isOfReadBody: Bool { firstValue(Bool.self, in: self, depth: 3) ?? false }
}

extension RequestBody {
    /// Whether this body has been read, at least partly. A body can be read once: Hummingbird has no bytes for a second
    /// reader, and stops a debug build. `false` if that can't be determined.
    ///
    /// Hummingbird records this in a box, which is found by its type, not by a name.
    var wasRead: Bool { firstValue(NIOLockedValueBox<Bool>.self, in: self, depth: 5)?.withLockedValue { $0 } ?? false }
}

/// The first value of a type among a value's properties and theirs.
private func firstValue<Value>(_ type: Value.Type, in value: Any, depth: Int) -> Value? {
    if let found = value as? Value { return found }
    guard depth > 0 else { return nil }
    for child in Mirror(reflecting: value).children {
        if let found = firstValue(type, in: child.value, depth: depth - 1) { return found }
    }
    return nil
}
