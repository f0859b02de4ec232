import FormworkCore
import SystemPackage

extension BodySource {
    /// All bytes in memory; a disk is read on a thread of its own.
    /// - Throws: ``FormworkError/Code/limitExceeded`` for more than `limit` bytes, before anything is read where the length
    ///   is known, and what reading the source throws.
    public func bytes(upTo limit: Int) async throws -> [UInt8] {
        let plan = try BodyPlan(copying: self)
        var bytes: [UInt8] = []
        if let length = plan.contentLength {
            guard length <= Int64(limit) else { throw Self.tooLong(limit) }
            // A length may be a peer's word, and more than there is memory.
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
    /// - Parameter size: Bytes of a chunk at most, from 1 to 64 MiB; fewer or more count as these.
    /// - Throws: ``FormworkError/Code/sourceUnavailable`` when the source can't be looked at.
    public func chunks(of size: Int = 256 << 10) throws(FormworkError) -> BodyChunks {
        try BodyPlan(copying: self).chunks(of: size)
    }

    /// Writes all bytes to a file that appears only when it is whole, on a thread of its own.
    /// - Parameters:
    ///   - path: The file to make.
    ///   - replacing: Whether a file that is there already is replaced; an error otherwise.
    ///   - durably: Whether to wait until the disk has the bytes before the file gets its name.
    /// - Returns: Bytes written.
    /// - Throws: ``FormworkError/Code/writeFailed``, and what reading the source throws. Nothing is left then, and what was
    ///   there stays.
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
    /// The name of a file that was received: the sender's, the field's, or `file`.
    package init(_ filename: String?, orField field: String?) {
        self = filename.flatMap { SafeFilename($0) } ?? field.flatMap { SafeFilename($0) } ?? SafeFilename("file")!
    }
}
