#if NIO
import Formwork
import NIOCore

/// A body as an async sequence of `ByteBuffer`s. Every iteration is a reader of its own.
///
/// Files are read on a thread of the reader's, one buffer ahead of its consumer. A buffer that its consumer has let go
/// of is filled again.
public struct BodyBuffers: AsyncSequence, Sendable {
    /// Bytes of the body: 1 or more.
    public typealias Element = ByteBuffer

    /// Bytes in all; `nil` when only the end can tell.
    public var contentLength: Int64? { self.plan.contentLength }

    let plan: BodyPlan
    let size: Int
    let allocator: ByteBufferAllocator
    let options: ReaderOptions

    /// Gives the buffers of one reader.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let feed: BufferFeed

        /// The next buffer; `nil` at the end.
        public mutating func next() async throws -> ByteBuffer? { try await self.feed.next() }
    }

    /// A reader at the body's start.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(
            feed: BufferFeed(
                self.plan, size: self.size, isBounded: false, allocator: self.allocator, options: self.options))
    }
}

extension BodyPlan {
    /// The body as `ByteBuffer`s, without blocking an event loop or a thread that tasks share.
    /// - Parameters:
    ///   - size: Bytes of a buffer at most, from 1 to 64 MiB; fewer or more count as these.
    ///   - allocator: Makes the buffers.
    ///   - options: What each reader does besides reading.
    public func buffers(
        of size: Int = 256 << 10, allocator: ByteBufferAllocator = ByteBufferAllocator(),
        options: ReaderOptions = ReaderOptions()
    ) -> BodyBuffers {
        BodyBuffers(plan: self, size: max(1, min(size, 64 << 20)), allocator: allocator, options: options)
    }
}
#endif
