import FormworkCore
import SystemPackage

extension BodySource {
    /// Reads all bytes into memory. Disks are read on a separate thread.
    /// - Throws: ``FormworkError/Code/limitExceeded`` for more than `limit` bytes, before anything is read if the
    ///   length is known, and what reading the source throws.
    public func bytes(upTo limit: Int) async throws -> [UInt8] {
        let plan = try BodyPlan(copying: self)
        var bytes: [UInt8] = []
        if let length = plan.contentLength {
            guard length <= Int64(limit) else { throw Self.tooLong(limit) }
            // A length may come from a peer and exceed the memory.
            bytes.reserveCapacity(Int(min(length, 1 << 20)))
        }
        for try await chunk in plan.chunks() {
            guard chunk.count <= limit - bytes.count else { throw Self.tooLong(limit) }
            bytes += chunk
        }
        return bytes
    }

    private static func tooLong(_ limit: Int) -> FormworkError {
        FormworkError(.limitExceeded, "the content has more than \(limit) bytes")
    }

    /// The bytes as an async sequence that never blocks its consumer.
    /// - Parameter size: The most bytes of a chunk, clamped to 1 byte to 64 MiB.
    /// - Throws: ``FormworkError/Code/sourceUnavailable`` if the source can't be planned.
    public func chunks(of size: Int = 256 << 10) throws(FormworkError) -> BodyChunks {
        try BodyPlan(copying: self).chunks(of: size)
    }

    /// Writes all bytes to a file on a separate thread. The file appears only when it is complete.
    /// - Parameters:
    ///   - path: The file to create.
    ///   - replacing: Whether an existing file is replaced; otherwise it is an error.
    ///   - durably: Whether to wait until the disk has the bytes before the file gets its name.
    /// - Returns: The number of bytes written.
    /// - Throws: ``FormworkError/Code/writeFailed``, and what reading the source throws. Then no new file is left, and
    ///   an existing file is unchanged.
    @discardableResult
    public func write(
        toFile path: some PathConvertible, replacing: Bool = false, durably: Bool = false
    ) async throws -> Int64 {
        let writer = FileWriter()
        try await writer.open(path.filePath, replacing: replacing)
        for try await chunk in try self.chunks() { try await writer.write(chunk) }
        return try await writer.publish(durably: durably)
    }

    /// Writes all bytes to a new file in a folder.
    package func write(into folder: some PathConvertible, as name: SafeFilename, durably: Bool) async throws -> FilePath
    {
        let writer = FileWriter()
        try await writer.open(in: folder.filePath)
        for try await chunk in try self.chunks() { try await writer.write(chunk) }
        return try await writer.publish(as: name, durably: durably)
    }
}

extension SafeFilename {
    /// A safe name for a received file: from its filename, its field's name, or `file`.
    package init(_ filename: String?, orField field: String?) {
        self = filename.flatMap { SafeFilename($0) } ?? field.flatMap { SafeFilename($0) } ?? SafeFilename("file")!
    }
}
