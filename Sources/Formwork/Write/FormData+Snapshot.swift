import FormworkSystem

extension BodySpool {
    /// Copies a file as it is at one moment. Later changes to the file have no effect.
    ///
    /// If the file system can share content between files (APFS, Btrfs, XFS), the copy takes no time and no space, and is
    /// made in the file's own folder. Otherwise the file is copied to `folder` and then compared with its copy. If both
    /// are equal, the file had this content at the moment between the two passes, even if it is written through mapped
    /// memory.
    /// - Parameters:
    ///   - path: A regular file.
    ///   - folder: The folder of a full copy; `nil` for `$TMPDIR`, or `/tmp` without it.
    /// - Throws: ``FormworkError/Code/sourceChanged`` if the file changed during each of three copies,
    ///   `sourceUnavailable` if it can't be read or isn't a regular file, `writeFailed` if the disk is full.
    public convenience init(
        snapshotOf path: some PathConvertible, in folder: FilePath? = nil
    ) throws(FormworkError) {
        self.init(try Self.snapshot(of: path.filePath, in: folder), of: path.filePath)
    }

    /// Copies a file as it is at one moment, on a separate thread; as the synchronous initializer does. Async functions
    /// call this one.
    /// - Throws: What the synchronous initializer throws, and `CancellationError`.
    public convenience init(snapshotOf path: some PathConvertible, in folder: FilePath? = nil) async throws {
        let path = path.filePath
        self.init(
            try await BlockingThread.run { () throws(FormworkError) in try Self.snapshot(of: path, in: folder) },
            of: path)
    }

    private static func snapshot(of path: FilePath, in folder: FilePath?) throws(FormworkError) -> Collected {
        guard try SourceResolver.look(at: path).kind == .regular else {
            throw FormworkError(
                .sourceUnavailable, "is not a regular file, so it can't have a snapshot", path: path.string)
        }
        if let clone = self.clone(of: path) { return clone }
        return try self.copy(of: path, in: folder ?? self.usualFolder)
    }

    private static func clone(of path: FilePath) -> Collected? {
        guard let source = try? SystemCalls.open(path, .readOnly, .nonBlocking) else { return nil }
        defer { try? SystemCalls.close(source) }
        let folder = (SystemCalls.resolved(path) ?? path).removingLastComponent()
        guard let clone = try? SystemCalls.openClone(of: source, in: folder.isEmpty ? "." : folder) else { return nil }
        let file = AtomicFile(writing: clone, at: path)
        return (try? SystemCalls.status(of: clone).validator.size).map { (file, $0) }
    }

    private static func copy(of path: FilePath, in folder: FilePath) throws(FormworkError) -> Collected {
        for _ in 0..<3 {
            do throws(FormworkError) {
                let copy = try self.filling(folder) { file throws(FormworkError) in
                    try BodyPlan(copying: .file(path)).makeReader().write(to: file.descriptor, isNew: true)
                }
                if try self.isEqual(copy, to: path) { return copy }
            } catch {
                guard error.code == .sourceChanged else { throw error }
            }
        }
        throw FormworkError(
            .sourceChanged, "the file changed during each of three copies: stop the program that writes to it",
            path: path.string)
    }

    /// Whether the file at `path` has the same bytes as its copy.
    private static func isEqual(_ copy: Collected, to path: FilePath) throws(FormworkError) -> Bool {
        let original = try BodyPlan(copying: .file(path))
        let bytes = BodySource(.descriptor(.init(copy.file.descriptor, offset: 0, length: copy.count)))
        let copied = try BodyPlan(copying: bytes).makeReader()
        guard original.contentLength == copy.count else { return false }
        let reader = original.makeReader()
        while true {
            let bytes = try reader.read(upTo: 256 << 10)
            guard try bytes == copied.read(upTo: 256 << 10) else { return false }
            if bytes.isEmpty { return true }
        }
    }
}

extension FormData {
    /// Replaces every file of the form, including forms inside it, by a snapshot; see
    /// ``BodySpool``.
    ///
    /// The body then doesn't use the files any more, so no change to them has an effect. Parts that a ``PartSequence``
    /// or an async sequence makes keep their files. A snapshot ends with the process, so such a plan can't be described
    /// for a later one.
    /// - Parameter folder: The folder of full copies; `nil` for `$TMPDIR`, or `/tmp` without it.
    /// - Throws: What the snapshot throws, with the part. Then the form is unchanged.
    public mutating func snapshotFiles(in folder: FilePath? = nil) throws(FormworkError) {
        var copy = self
        try copy.replaceSources { source throws(FormworkError) in try source.snapshot(in: folder) }
        self = copy
    }

    /// Replaces every file of the form by a snapshot, on a separate thread, as the synchronous function does.
    /// Async functions call this one.
    /// - Throws: What the synchronous function throws, and `CancellationError`. Then the form is unchanged.
    public mutating func snapshotFiles(in folder: FilePath? = nil) async throws {
        let form = self
        self = try await BlockingThread.run { () throws(FormworkError) in
            var copy = form
            try copy.snapshotFiles(in: folder)
            return copy
        }
    }
}

extension BodySource {
    fileprivate func snapshot(in folder: FilePath?) throws(FormworkError) -> BodySource {
        switch self.kind {
        case .file(let path, let range, let expected):
            // A FIFO or a device is a stream, which is read only once anyway.
            let status = try SourceResolver.look(at: path)
            guard status.kind == .regular else { return self }
            try expected?.check(status, at: path)
            let spool = try BodySpool(snapshotOf: path, in: folder)
            // The same error as for the file itself: a descriptor's offset may be after its end.
            try SourceResolver.check(range, in: spool.count, at: path)
            return .init(
                .descriptor(.init(spool.descriptor, offset: range.offset, length: range.length, keeping: spool)))
        case .concatenation(let sources):
            var copies: [BodySource] = []
            for source in sources { copies.append(try source.snapshot(in: folder)) }
            return .concatenation(copies)
        case .multipart(var form):
            try form.snapshotFiles(in: folder)
            return .multipart(form)
        case .encoded(let source, let encoding):
            return .init(.encoded(try source.snapshot(in: folder), encoding))
        case .text, .bytes, .descriptor, .synthetic, .stream: return self
        }
    }
}
