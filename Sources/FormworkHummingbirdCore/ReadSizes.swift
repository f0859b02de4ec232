import NIOCore
import Synchronization

/// How much a server reads from a connection at once: much for few connections, little for many, since the bytes wait in
/// memory.
package final class ReadSizes: Sendable {
    /// How many reads of one connection may wait for their consumer: the bound of `NIOAsyncChannel`, and some extra.
    private static let readsThatWait = 12
    /// How many bytes of all connections together may wait.
    private static let allBytes = 32 << 20

    /// That of all servers that apps of this process make. Never less than NIO's own size.
    package static let shared = ReadSizes(least: 64 << 10)

    private let least: Int
    private let connections = Atomic(0)

    /// - Parameter least: The size for any number of connections; a power of two.
    package init(least: Int = 16 << 10) { self.least = least }

    package func opened() { self.connections.add(1, ordering: .relaxed) }
    package func closed() { self.connections.subtract(1, ordering: .relaxed) }

    /// Counts a connection while it is open, and has it read as much.
    func apply(to channel: any Channel) throws {
        try channel.syncOptions?.setOption(.recvAllocator, value: ReadAllocator(self))
        self.opened()
        channel.closeFuture.whenComplete { _ in self.closed() }
    }

    /// The most bytes to read next.
    var next: Int {
        let count = max(1, self.connections.load(ordering: .relaxed))
        let share = max(self.least, min(ReadAllocator.most, Self.allBytes / (count * Self.readsThatWait)))
        // Buffer sizes are powers of two: rounded up, they would exceed the share.
        return 1 << (Int.bitWidth - 1 - share.leadingZeroBitCount)
    }
}

/// Gives a channel buffers that grow with what arrives, up to the current size.
package struct ReadAllocator: RecvByteBufferAllocator {
    fileprivate static let most = 256 << 10

    private let sizes: ReadSizes
    private var arriving = AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 2048, maximum: Self.most)

    package init(_ sizes: ReadSizes) { self.sizes = sizes }

    package func nextBufferSize() -> Int? { min(self.sizes.next, self.arriving.nextBufferSize() ?? Self.most) }

    package func buffer(allocator: ByteBufferAllocator) -> ByteBuffer {
        allocator.buffer(capacity: self.nextBufferSize() ?? Self.most)
    }

    package mutating func record(actualReadBytes: Int) -> Bool {
        // A read that fills its share would count as a short one.
        let isFull = actualReadBytes >= self.sizes.next
        return self.arriving.record(actualReadBytes: isFull ? Self.most : actualReadBytes)
    }
}
