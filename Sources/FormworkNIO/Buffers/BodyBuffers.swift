import Formwork
import NIOCore

/// A body as an async sequence of `ByteBuffer`s. Every iteration has its own reader.
///
/// Files are read on a thread of their own, at most three buffers ahead of the consumer. A buffer that the consumer has
/// released is reused.
public struct BodyBuffers: AsyncSequence, Sendable {
    /// Bytes of the body: 1 or more.
    public typealias Element = ByteBuffer

    /// Bytes of the whole body; `nil` if the length isn't known before the end.
    public var contentLength: Int64? { self.plan.contentLength }

    let plan: BodyPlan
    let size: Int
    let allocator: ByteBufferAllocator
    let options: ReaderOptions

    /// Iterates over the buffers of one reader.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let feed: BufferFeed

        /// The next buffer; `nil` at the end.
        public mutating func next() async throws -> ByteBuffer? { try await self.feed.next() }
    }

    /// Creates a reader at the body's start.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(
            feed: BufferFeed(self.plan, size: self.size, allocator: self.allocator, options: self.options))
    }
}

extension BodyPlan {
    /// The body as `ByteBuffer`s, without blocking an event loop or a thread that tasks share.
    /// - Parameters:
    ///   - size: The largest size of a buffer, from 1 byte to 64 MiB; other values are clamped.
    ///   - allocator: Allocates the buffers.
    ///   - options: Rate limit, progress, digests and checks of each reader.
    public func buffers(
        of size: Int = 256 << 10, allocator: ByteBufferAllocator = ByteBufferAllocator(),
        options: ReaderOptions = ReaderOptions()
    ) -> BodyBuffers {
        BodyBuffers(plan: self, size: max(1, min(size, 64 << 20)), allocator: allocator, options: options)
    }
}
