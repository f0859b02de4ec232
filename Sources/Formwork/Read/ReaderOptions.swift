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

    /// Whether every byte is read back before it is given, and compared with the plan, see ``FramingCheck``.
    ///
    /// A body whose content holds its delimiter, or whose header fields break it, is then never completed. Parts inside
    /// parts count as content. Such a reader begins at 0: ``BodyReader/seek(to:)`` goes nowhere else. File content is
    /// read instead of moved by the kernel.
    public var checksFraming: Bool

    /// Whether file content is read, and never moved by the kernel alone.
    ///
    /// Into a pipe the kernel puts references to a file's cached pages, not copies. A reader that moves them on by `splice`
    /// or `tee`, as `pv` does, keeps them after the last look at the file: with such a reader, `true` keeps the promise.
    public var readsFiles: Bool

    /// No limit, no progress, no digests and no check, unless said otherwise.
    public init(
        rateLimit: RateLimit? = nil, progress: ProgressObserver? = nil, digests: [any BodyDigest] = [],
        checksFraming: Bool = false, readsFiles: Bool = false
    ) {
        self.rateLimit = rateLimit
        self.progress = progress
        self.digests = digests
        self.checksFraming = checksFraming
        self.readsFiles = readsFiles
    }
}
