/// Bytes in memory as a stream.
struct ChunkStream<Chunk: BodyChunk>: ByteStream {
    private let chunk: Chunk
    private var place: Int

    init(_ chunk: Chunk, from place: Int) { (self.chunk, self.place) = (chunk, place) }

    mutating func read(into buffer: inout MutableRawSpan) -> Int {
        let (place, room) = (self.place, buffer.byteCount)
        let bytes = self.chunk.withBytes { bytes in
            [UInt8](copying: bytes, place..<min(bytes.byteCount, place + min(room, 64 << 10)))
        }
        self.place += RawBytes.copy(bytes, 0..<bytes.count, to: &buffer)
        return bytes.count
    }
}

/// The single bytes of an async sequence, collected into chunks of 16 KiB.
private final class GatheringIterator<Base: AsyncIteratorProtocol>: ChunkIterator where Base.Element == UInt8 {
    private var base: Base
    private var isOver = false

    init(_ base: Base) { self.base = base }

    override func next(isolation: isolated (any Actor)?) async throws -> (any BodyChunk)? {
        var chunk: [UInt8] = []
        while !self.isOver, chunk.count < 16 << 10 {
            if let byte = try await self.base.next(isolation: isolation) {
                chunk.append(byte)
            } else {
                self.isOver = true
            }
        }
        return chunk.isEmpty ? nil : chunk
    }
}

extension AsyncSequence where Element == UInt8 {
    /// The bytes, collected into chunks.
    func gatheringIterator() -> ChunkIterator { GatheringIterator(self.makeAsyncIterator()) }
}

/// A pull stream: the source of a part's content, or a whole body.
///
/// A type that holds a resource releases it in its deinit. Streams are read on threads of their own, so the conformance can't
/// be isolated to an actor.
public protocol ByteStream: SendableMetatype {
    /// Writes the next bytes into `buffer`. It may block until there are some.
    /// - Returns: The number of bytes written, at most the buffer's size; 0 at the end, and for every later call.
    mutating func read(into buffer: inout MutableRawSpan) throws -> Int
}
