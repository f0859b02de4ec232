#if Resumable
import FormworkHTTP
import HTTPTypes

/// How an upload is made.
public struct UploadClientOptions: Sendable {
    /// The protocol to use.
    public var choice: ResumableChoice = .auto
    /// Whether the body can be read again, from any offset.
    public var isReplayable = true
    /// Whether an upload by the draft is created with an empty request. This costs a round trip, but then the upload
    /// can be resumed even if 1xx answers are lost. Not for `auto`, whose server may not support the draft.
    public var createsFirst = false
    /// Whether a complete ordinary request may be repeated after a lost answer or a temporary failure. The server may
    /// have processed the first one.
    public var repeatsUnanswered = false
    /// Whether to retry after any answer of 400 or more, and after any failure of the connection, instead of only after
    /// temporary ones.
    public var retriesAllErrors = false
    /// The digest with which the server checks the whole body; for the draft's versions 6 and later.
    public var reprDigest: DigestField?
    /// Metadata for tus, in addition to what the request provides.
    public var metadata = TusMetadata()
    /// Whether a tus upload is a file that the metadata describe, and not an encoded form.
    package var isFile = false
    /// The algorithm for `Upload-Checksum` of each tus request with content, in tus' spelling; `nil` for none.
    package var checksum: String?
    /// The most bytes of content of one request; `nil` for no limit except the server's.
    public var maximumAppendSize: Int64?
    /// How many tries in a row may make no progress before the upload fails.
    public var maximumAttempts = 8
    /// How often an upload that the server lost may be started again.
    public var maximumRestarts = 2
    /// How many redirects in a row to follow; with 0 the first redirect of an ordinary request is its answer.
    public var maximumRedirects = 10
    /// Whether fields whose names show that they carry credentials are sent to any origin that a redirect or the upload's
    /// URL leads to, and not only to the request's own.
    public var trustsRedirects = false
    /// The waits before the tries after a failure; the last one applies to all further tries. `Retry-After` takes
    /// precedence.
    public var delays: [Duration] = [
        .zero, .seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(16), .seconds(30),
    ]

    /// The longest wait that a server can request with `Retry-After`; a longer one is shortened.
    public var maximumRetryAfter: Duration = .seconds(3600)

    /// Creates the default options.
    public init(_ choice: ResumableChoice = .auto) { self.choice = choice }
}
#endif
