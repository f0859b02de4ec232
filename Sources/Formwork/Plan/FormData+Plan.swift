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
        guard self.planningMayBlock else { return try BodyPlan(self) }
        return try await BlockingThread().run { () throws(FormworkError) in try BodyPlan(self) }
    }

    /// Whether planning may wait for a disk or run the caller's code.
    private var planningMayBlock: Bool {
        self.types?.headCount ?? 0 > 0
            || self.entries.contains { entry in
                switch entry {
                case .part(let part): part.planningMayBlock
                case .parts(let parts): parts.arrivals == nil
                }
            }
    }
}

extension BodyPart {
    /// Whether planning may wait for a disk or run the caller's code: measuring reads the content.
    var planningMayBlock: Bool { self.source.planningMayBlock || self.header.transferEncoding != nil }
}

extension BodySource {
    fileprivate var planningMayBlock: Bool {
        switch self.kind {
        case .text, .bytes, .synthetic, .stream: false
        case .file, .descriptor, .multipart, .encoded: true
        case .concatenation(let sources): sources.contains(where: \.planningMayBlock)
        }
    }
}
