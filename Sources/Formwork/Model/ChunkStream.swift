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

/// An async sequence of single bytes, collected into chunks.
struct GatheredBytes<Bytes: AsyncSequence & Sendable>: AsyncSequence, Sendable where Bytes.Element == UInt8 {
    typealias Element = [UInt8]

    private let bytes: Bytes

    init(_ bytes: Bytes) { self.bytes = bytes }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var bytes: Bytes.AsyncIterator
        private var isOver = false

        fileprivate init(_ bytes: Bytes.AsyncIterator) { self.bytes = bytes }

        mutating func next() async throws -> [UInt8]? { try await self.next(isolation: #isolation) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> [UInt8]? {
            guard !self.isOver else { return nil }
            var chunk: [UInt8] = []
            while chunk.count < 16 << 10 {
                guard let byte = try await self.bytes.next(isolation: actor) else {
                    self.isOver = true
                    return chunk.isEmpty ? nil : chunk
                }
                chunk.append(byte)
            }
            return chunk
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self.bytes.makeAsyncIterator()) }
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
