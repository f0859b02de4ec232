#if Resumable
import FormworkHTTP
import HTTPTypes

/// How an upload is to be made.
public struct UploadClientOptions: Sendable {
    /// Which protocol.
    public var choice: ResumableChoice = .auto
    /// Whether the body can be given again, from any offset.
    public var isReplayable = true
    /// Whether the draft's upload is created without content, which costs a round trip, and can be resumed whatever
    /// happens to 1xx answers. Not for `auto`, whose server may know nothing of it.
    public var createsFirst = false
    /// Whether a whole ordinary request may be repeated when its answer was lost, or is one that may pass: it may have
    /// been processed.
    public var repeatsUnanswered = false
    /// Whether any answer of 400 or more is tried again, and any failure of the connection, and not only what may pass.
    public var retriesAllErrors = false
    /// What the server is to check the whole body by; the draft's versions 6 and later.
    public var reprDigest: DigestField?
    /// tus: what goes with the upload, besides what the request tells.
    public var metadata = TusMetadata()
    /// Bytes of content of one request at most; `nil` for no limit but the server's.
    public var maximumAppendSize: Int64?
    /// Tries one after another that brought the upload no further, before it fails.
    public var maximumAttempts = 8
    /// How often an upload that the server lost may begin anew.
    public var maximumRestarts = 2
    /// Redirects in a row that move the upload; with 0 the first one of an ordinary request is its answer.
    public var maximumRedirects = 10
    /// Waiting before the tries that follow a failure; the last for all others. `Retry-After` comes first.
    public var delays: [Duration] = [
        .zero, .seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(16), .seconds(30),
    ]

    /// The defaults, to be changed where needed.
    public init(_ choice: ResumableChoice = .auto) { self.choice = choice }
}
#endif
