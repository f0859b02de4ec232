import FormworkSystem

extension BodySpool {
    /// Collects a descriptor up to its end, which the calling thread waits for. There is no limit of its size.
    /// - Parameters:
    ///   - input: The descriptor, which the caller owns. It is read to its end.
    ///   - folder: The file's folder; `nil` for `$TMPDIR`, or `/tmp` without it.
    /// - Throws: `sourceUnavailable` if the input can't be read, `writeFailed` if the disk is full.
    public convenience init(collecting input: FileDescriptor, in folder: FilePath? = nil) throws(FormworkError) {
        self.init(try Self.collect(input, in: folder ?? Self.usualFolder))
    }

    /// Collects a descriptor up to its end on a separate thread. Async functions call this one. There is no limit of its size.
    /// - Parameters:
    ///   - input: The descriptor, which the caller owns. It is read to its end.
    ///   - folder: The file's folder; `nil` for `$TMPDIR`, or `/tmp` without it.
    /// - Throws: `sourceUnavailable` if the input can't be read, `writeFailed` if the disk is full, and `CancellationError`.
    public convenience init(collecting input: FileDescriptor, in folder: FilePath? = nil) async throws {
        self.init(
            try await BlockingThread.run { () throws(FormworkError) in
                try Self.collect(input, in: folder ?? Self.usualFolder)
            })
    }

    /// A file without a name, and the number of its bytes.
    typealias Collected = (file: AtomicFile, count: Int64)

    convenience init(_ collected: Collected, of original: FilePath? = nil) {
        self.init(collected.file.release(), count: collected.count, of: original)
    }

    private static func collect(_ input: FileDescriptor, in folder: FilePath) throws(FormworkError) -> Collected {
        try self.filling(folder) { file throws(FormworkError) in
            // A body with the descriptor as its only piece, to use the body's fast writing and its errors.
            let reader = BodyReader(try BodyPlan(copying: .descriptor(input)), options: ReaderOptions())
            return try reader.write(to: file.descriptor, isNew: true)
        }
    }

    /// Fills an unlinked temporary file.
    /// - Parameter fill: Returns the number of bytes that it wrote.
    static func filling(
        _ folder: FilePath, _ fill: (AtomicFile) throws(FormworkError) -> Int64
    ) throws(FormworkError) -> Collected {
        do throws(FormworkError) {
            let file = try AtomicFile(temporaryIn: folder)
            return (file, try fill(file))
        } catch {
            guard error.code == .writeFailed else { throw error }
            throw FormworkError(
                .writeFailed, "can't hold a temporary file", path: folder.string, cause: error.cause)
        }
    }

    /// Collects a body of which some bytes were read already.
    /// - Throws: What the reader throws, and `writeFailed`. Then no file is left.
    convenience init(_ head: [UInt8], and rest: AsyncBodyReader, in folder: FilePath? = nil) async throws {
        var writer = try await FileWriter(temporaryIn: folder)
        var next: [UInt8]? = head
        while let bytes = next {
            try await writer.write(bytes)
            next = try await rest.next()
        }
        self.init(writer.collected)
    }

    static var usualFolder: FilePath {
        let folder = SystemCalls.environment("TMPDIR") ?? ""
        // An empty path would be the current folder.
        return FilePath(folder.isEmpty ? "/tmp" : folder)
    }
}
