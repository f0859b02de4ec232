import FormworkCore

extension FormData {
    /// Decides the body: looks at every file, checks every name, and adds up the lengths.
    ///
    /// It reads no content, except the heads that ``types`` wants to see, and quoted-printable that is to be measured.
    /// - Throws: ``FormworkError`` with the part: `invalidArgument` for what can't be framed, `sourceUnavailable` for a
    ///   file that isn't there or a directory, `sourceChanged` for a file that isn't the one described, `limitExceeded`
    ///   for parts in more than 40 others.
    public func plan() throws(FormworkError) -> BodyPlan { try BodyPlan(self) }

    /// Decides the body as the synchronous one does. Files are looked at on a thread of their own, so that no
    /// task waits for a disk; this is the one that async functions call.
    /// - Throws: ``FormworkError`` with the part: `invalidArgument` for what can't be framed, `sourceUnavailable` for a
    ///   file that isn't there or a directory, `sourceChanged` for a file that isn't the one described, `limitExceeded`
    ///   for parts in more than 40 others.
    public func plan() async throws(FormworkError) -> BodyPlan {
        self.asksTheDisk ? try await Planner().plan(self) : try BodyPlan(self)
    }

    /// Whether planning may wait for a disk, or runs code of the caller's.
    private var asksTheDisk: Bool {
        self.types?.headCount ?? 0 > 0
            || self.entries.contains { entry in
                switch entry {
                case .part(let part): part.source.asksTheDisk
                case .parts: true
                case .arriving: false
                }
            }
    }
}

extension BodySource {
    fileprivate var asksTheDisk: Bool {
        switch self.kind {
        case .text, .bytes, .synthetic, .stream: false
        case .file, .descriptor, .multipart, .encoded: true
        case .concatenation(let sources): sources.contains(where: \.asksTheDisk)
        }
    }
}

/// Plans on a thread of its own.
private actor Planner {
    private nonisolated let executor = ThreadExecutor()

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor holds its executor as long as it lives.
        unsafe self.executor.asUnownedSerialExecutor()
    }

    func plan(_ form: FormData) throws(FormworkError) -> BodyPlan { try BodyPlan(form) }
}
