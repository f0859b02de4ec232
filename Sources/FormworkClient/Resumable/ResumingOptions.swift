/// How an upload resumes where it was cut. The rules for redirects are the sender's.
package struct ResumingOptions: Sendable {
    /// The protocol to use.
    var choice: ResumableChoice = .auto
    /// Whether an upload by the draft is created with an empty request. This costs a round trip, but then the upload
    /// can be resumed even if 1xx answers are lost. Not for `auto`, whose server may not support the draft.
    package var createsFirst = false
    /// Whether a complete ordinary request may be repeated after a lost answer or a temporary failure. The server may
    /// have processed the first one.
    package var repeatsUnanswered = false
    /// Whether to retry after any answer of 400 or more, and after any failure of the connection, instead of only after
    /// temporary ones.
    package var retriesAllErrors = false
    /// Whether to send everything again if the server no longer has an upload of which it may have stored all.
    package var restartsLost = false
    /// The digest with which the server checks the whole body; for the draft's versions 6 and later.
    package var reprDigest: DigestField?
    /// Metadata for tus, in addition to what the request provides.
    package var metadata = TusMetadata()
    /// Whether a tus upload is a file that the metadata describe, and not an encoded form.
    var isFile = false
    /// The algorithm for `Upload-Checksum` of each tus request with content, in tus' spelling; `nil` for none.
    package var checksum: String?
    /// The most bytes of content of one request; `nil` for no limit except the server's.
    package var maximumAppendSize: Int64?
    /// How many tries in a row may make no progress before the upload fails.
    package var maximumAttempts = 8
    /// How often an upload that the server lost may be started again.
    var maximumRestarts = 2
    /// The waits before the tries after a failure; the last one applies to all further tries. `Retry-After` takes
    /// precedence.
    package var delays: [Duration] = [
        .zero, .seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(16), .seconds(30),
    ]

    /// The longest wait that a server can request with `Retry-After`; a longer one is shortened.
    var maximumRetryAfter: Duration = .seconds(3600)

    /// A saved upload to resume.
    package var link: SavedUpload?
    /// Called with the upload whenever it changes, and with `nil` when nothing is left to resume.
    package var save: @Sendable (SavedUpload?) throws -> Void = { _ in }

    /// Creates the default options.
    package init(_ choice: ResumableChoice = .auto) { self.choice = choice }

    /// Whether the upload uses tus, now or since it began.
    package var usesTus: Bool { self.link.map { $0.uploadProtocol == .tus } ?? (self.choice == .tus) }
}
