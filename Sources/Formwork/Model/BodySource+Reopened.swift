// Streams and sequences that are opened again, in the forms in which callers have them.

extension BodySource {
    /// A pull stream that can be opened any number of times, at its beginning. A reader that begins at an offset reads the
    /// bytes before it and leaves them out.
    /// - Parameters:
    ///   - length: The number of bytes; `nil` if it is unknown. Fewer are an error.
    ///   - ignoringSurplus: Whether bytes beyond `length` are left; otherwise they are an error.
    ///   - open: Returns a new stream that begins at the first byte.
    public static func stream(
        length: Int64? = nil, ignoringSurplus: Bool = false, open: @escaping @Sendable () throws -> any ByteStream
    ) -> BodySource {
        .stream(length, ignoringSurplus, .pull { offset in SkippingStream(try open(), leavingOut: offset) })
    }

    /// Chunks of an async sequence that can be opened any number of times, at its beginning. A reader that begins at an
    /// offset reads the bytes before it and leaves them out.
    ///
    /// ```swift
    /// let log = BodySource.chunks { logLines() }
    /// ```
    /// - Parameters:
    ///   - length: The number of bytes; `nil` if it is unknown. Fewer are an error.
    ///   - ignoringSurplus: Whether bytes beyond `length` are left; otherwise they are an error.
    ///   - open: Returns a new sequence that begins at the first byte.
    public static func chunks<Chunks: AsyncSequence & SendableMetatype>(
        length: Int64? = nil, ignoringSurplus: Bool = false, open: @escaping @Sendable () throws -> Chunks
    ) -> BodySource where Chunks.Element: Sequence<UInt8> {
        .stream(
            length, ignoringSurplus, .chunks { SkippingChunkIterator(try open().byteIterator(), leavingOut: $0) })
    }

    /// Chunks of an async sequence of buffers that can be opened any number of times, at its beginning.
    @_disfavoredOverload
    public static func chunks<Chunks: AsyncSequence & Sendable>(
        length: Int64? = nil, ignoringSurplus: Bool = false, open: @escaping @Sendable () throws -> Chunks
    ) -> BodySource where Chunks.Element: BodyChunk {
        .stream(
            length, ignoringSurplus, .chunks { SkippingChunkIterator(try open().chunkIterator(), leavingOut: $0) })
    }

    /// Bytes of an async sequence that can be opened any number of times, at its beginning; collected into chunks of
    /// 16 KiB.
    public static func chunks<Bytes: AsyncSequence & Sendable>(
        length: Int64? = nil, ignoringSurplus: Bool = false, open: @escaping @Sendable () throws -> Bytes
    ) -> BodySource where Bytes.Element == UInt8 {
        .stream(
            length, ignoringSurplus, .chunks { SkippingChunkIterator(try open().gatheringIterator(), leavingOut: $0) })
    }

    /// Chunks of an async sequence of buffers that can be opened any number of times, at any offset.
    @_disfavoredOverload
    public static func chunks<Chunks: AsyncSequence & Sendable>(
        length: Int64? = nil, ignoringSurplus: Bool = false,
        open: @escaping @Sendable (_ offset: Int64) throws -> Chunks
    ) -> BodySource where Chunks.Element: BodyChunk {
        .stream(length, ignoringSurplus, beginsAtOffset: true, .chunks { try open($0).chunkIterator() })
    }

    /// Bytes of an async sequence that can be opened any number of times, at any offset; collected into chunks of 16 KiB.
    public static func chunks<Bytes: AsyncSequence & Sendable>(
        length: Int64? = nil, ignoringSurplus: Bool = false,
        open: @escaping @Sendable (_ offset: Int64) throws -> Bytes
    ) -> BodySource where Bytes.Element == UInt8 {
        .stream(length, ignoringSurplus, beginsAtOffset: true, .chunks { try open($0).gatheringIterator() })
    }
}

/// A stream without its first bytes.
private struct SkippingStream: ByteStream {
    private var base: any ByteStream
    private var rest: Int64

    init(_ base: any ByteStream, leavingOut count: Int64) { (self.base, self.rest) = (base, count) }

    mutating func read(into buffer: inout MutableRawSpan) throws -> Int {
        while self.rest > 0 {
            var room = buffer._mutatingExtracting(0..<Int(min(Int64(buffer.byteCount), self.rest)))
            let count = try self.base.readChecked(into: &room)
            guard count > 0 else { return 0 }
            self.rest -= Int64(count)
        }
        return try self.base.readChecked(into: &buffer)
    }
}

/// An iterator without its first bytes.
private final class SkippingChunkIterator: ChunkIterator {
    private let base: ChunkIterator
    private var rest: Int64

    init(_ base: ChunkIterator, leavingOut count: Int64) { (self.base, self.rest) = (base, count) }

    override func next(isolation: isolated (any Actor)?) async throws -> (any BodyChunk)? {
        while let chunk = try await self.base.next(isolation: isolation) {
            guard self.rest > 0 else { return chunk }
            let count = chunk.byteCount
            let left = Int(min(self.rest, Int64(count)))
            self.rest -= Int64(left)
            if left < count { return chunk.content(left..<count) }
        }
        return nil
    }
}
