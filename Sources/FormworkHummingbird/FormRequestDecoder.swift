#if Hummingbird
import Formwork
import Hummingbird

/// Decodes what forms send, multipart or url-encoded, where a context decodes requests:
///
/// ```
/// struct AppRequestContext: RequestContext {
///     var coreContext: CoreRequestContextStorage
///     var requestDecoder: FormRequestDecoder { FormRequestDecoder() }
///     init(source: Source) { self.coreContext = .init(source: source) }
/// }
/// ```
public struct FormRequestDecoder: RequestDecoder, Sendable {
    /// How names become members.
    public var decoder = FormDataDecoder()
    /// What is taken for a part.
    public var profile = ParsingProfile.default
    /// How much is read; `nil` takes the defaults, and the context's `maxUploadSize` for the whole body.
    public var limits: ParsingLimits?
    /// How much of the form stays in memory, and where the rest goes.
    public var memory = CollectingLimits()
    /// How long is waited.
    public var deadlines = ReceivingDeadlines()

    /// The defaults, to be changed where needed.
    public init() {}

    /// Decodes a request's form.
    /// - Throws: What `Request.decodeForm(as:by:profile:limits:memory:deadlines:)` throws.
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
