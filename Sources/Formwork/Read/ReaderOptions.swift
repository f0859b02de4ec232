import FormworkCore

/// What a reader does besides reading.
public struct ReaderOptions: Sendable {
    /// How fast the body may go; `nil` for as fast as it can.
    ///
    /// Every read gives a packet at most. A ``BodyReader`` never sleeps: it tells ``BodyReader/delay``, which
    /// ``BodyReader/write(to:)`` and ``AsyncBodyReader`` wait for, the one on its caller's thread, the other suspended.
    public var rateLimit: RateLimit?
    /// Who is told of progress; `nil` for nobody.
    public var progress: ProgressObserver?
    /// Digests that are fed with every byte given.
    public var digests: [any BodyDigest]

    /// No limit, no progress and no digests, unless said otherwise.
    public init(
        rateLimit: RateLimit? = nil, progress: ProgressObserver? = nil, digests: [any BodyDigest] = []
    ) {
        self.rateLimit = rateLimit
        self.progress = progress
        self.digests = digests
    }
}
