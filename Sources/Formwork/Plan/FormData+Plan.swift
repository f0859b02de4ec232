import FormworkCore
import FormworkSystem

extension FormData {
    /// Plans the body: records every file's state, checks every name, and adds up the lengths.
    ///
    /// It reads no content, except the first bytes that ``types`` needs, both ends of a file that a description names,
    /// and quoted-printable that is measured.
    /// - Throws: ``FormworkError`` with the part: `invalidArgument` for invalid framing, `sourceUnavailable` for a
    ///   missing file or a directory, `sourceChanged` for a file that differs from its description, `limitExceeded` for
    ///   parts nested in more than 40 others.
    public func plan() throws(FormworkError) -> BodyPlan { try BodyPlan(self) }

    /// Plans the body as the synchronous function does. Files are accessed on a separate thread, so that no task waits
    /// for a disk. Async functions call this one.
    /// - Throws: ``FormworkError`` with the part: `invalidArgument` for invalid framing, `sourceUnavailable` for a
    ///   missing file or a directory, `sourceChanged` for a file that differs from its description, `limitExceeded` for
    ///   parts nested in more than 40 others.
    public func plan() async throws(FormworkError) -> BodyPlan {
        self.asksTheDisk ? try await Planner().plan(self) : try BodyPlan(self)
    }

    /// Whether planning may wait for a disk or run the caller's code.
    private var asksTheDisk: Bool {
        self.types?.headCount ?? 0 > 0
            || self.entries.contains { entry in
                switch entry {
                // Measuring reads the content, which may come from the caller's code.
                case .part(let part): part.source.asksTheDisk || part.header.transferEncoding != nil
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
