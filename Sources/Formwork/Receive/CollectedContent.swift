/// The content of a part that has arrived completely, in memory or on disk.
public struct CollectedContent: Sendable {
    private enum Storage: Sendable {
        /// Some bytes of a form's block, or all of an array.
        case memory(ArraySlice<UInt8>)
        case disk(BodySpool, Range<Int64>)
    }

    private let place: Storage

    init(_ bytes: [UInt8]) { self.init(bytes[...]) }
    init(_ bytes: ArraySlice<UInt8>) { self.place = .memory(bytes) }
    init(_ spool: BodySpool, _ range: Range<Int64>) { self.place = .disk(spool, range) }

    /// The number of bytes.
    public var count: Int64 {
        switch self.place {
        case .memory(let bytes): Int64(bytes.count)
        case .disk(_, let range): Int64(range.count)
        }
    }

    /// The bytes, if they are in memory; `nil` if they are on disk.
    public var inMemory: [UInt8]? {
        switch self.place {
        case .memory(let bytes): Array(bytes)
        case .disk: nil
        }
    }

    /// The content as a source, which can be sent, read in chunks or written to a file any number of times.
    public var source: BodySource {
        switch self.place {
        case .memory(let bytes): .bytes(Array(bytes))
        case .disk(let spool, let range): spool.source(range.lowerBound, Int64(range.count))
        }
    }

    /// Reads the content into memory. The disk is read on a separate thread.
    /// - Throws: What ``BodySource/bytes(upTo:)`` throws.
    public func bytes(upTo limit: Int) async throws -> [UInt8] {
        if let bytes = self.inMemory, bytes.count <= limit { return bytes }
        return try await self.source.bytes(upTo: limit)
    }

    /// Reads the content into memory. The disk is read on the caller's thread.
    func bytesNow(upTo limit: Int) throws(FormworkError) -> [UInt8] {
        let limit = max(0, limit)
        guard self.count <= Int64(limit) else {
            throw FormworkError(.limitExceeded, "the content has more than \(limit, "byte")")
        }
        if let bytes = self.inMemory { return bytes }
        return try BodyPlan(copying: self.source).makeReader().collect(upTo: limit)
    }

    /// Writes the content to a file on a separate thread. The file appears only when it is complete.
    /// - Parameters:
    ///   - path: The file to create.
    ///   - replacing: Whether an existing file is replaced; otherwise it is an error.
    ///   - durably: Whether to wait until the disk has the bytes before the file gets its name.
    /// - Throws: What ``BodySource/write(toFile:replacing:durably:)`` throws.
    public func write(
        toFile path: some PathConvertible, replacing: Bool = false, durably: Bool = false
    ) async throws {
        try await self.source.write(toFile: path, replacing: replacing, durably: durably)
    }
}
