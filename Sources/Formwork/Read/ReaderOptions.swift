import FormworkCore

/// Additional work of a reader.
public struct ReaderOptions: Sendable {
    /// The limit on the body's speed; `nil` for none.
    ///
    /// Every read returns at most one packet. A ``BodyReader`` never sleeps: ``BodyReader/delay`` says how long to
    /// wait. ``BodyReader/write(to:)`` waits on its caller's thread, ``AsyncBodyReader`` suspends its task.
    public var rateLimit: RateLimit?
    /// Receives progress reports; `nil` for none.
    public var progress: ProgressObserver?
    /// Digests of all bytes that are read.
    public var digests: [any BodyDigest]

    /// Whether every byte is parsed before it is returned, and compared with the plan, see ``FramingCheck``.
    ///
    /// Then reading fails if content contains the delimiter, or header fields break the framing. Parts inside parts
    /// count as content. Such a reader begins at 0, and ``BodyReader/seek(to:)`` accepts no other offset. File content
    /// is read instead of moved by the kernel.
    public var checksFraming: Bool

    /// Whether file content is always read, never moved by the kernel.
    ///
    /// The kernel puts references to a file's cached pages into a pipe, not copies. A process that forwards them with
    /// `splice` or `tee`, as `pv` does, still uses them after the last check of the file. Set this to `true` if such a
    /// process reads the pipe, so that later changes of the file can't reach it.
    public var readsFiles: Bool

    /// Options. By default there is no limit, no progress, no digest and no check.
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
