#if Hummingbird
import Formwork
import Hummingbird

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
#endif
