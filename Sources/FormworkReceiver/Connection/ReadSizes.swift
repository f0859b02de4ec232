#if Transfer
import NIOCore
import Synchronization

/// How much is read from a connection at once: much for a few, little for many, as what was read waits in memory.
final class ReadSizes: Sendable {
    /// Reads of one connection that may wait for their consumer: `NIOAsyncChannel`'s own bound, and what comes with it.
    private static let readsThatWait = 12
    /// Bytes of all connections together that may wait.
    private static let allBytes = 32 << 20

    private let connections = Atomic(0)

    func opened() { self.connections.add(1, ordering: .relaxed) }
    func closed() { self.connections.subtract(1, ordering: .relaxed) }

    var next: Int {
        let count = max(1, self.connections.load(ordering: .relaxed))
        let share = max(16 << 10, min(256 << 10, Self.allBytes / (count * Self.readsThatWait)))
        // Buffers come in powers of two: rounded up they would be more than the share.
        return 1 << (Int.bitWidth - 1 - share.leadingZeroBitCount)
    }
}

/// Gives a channel buffers of the size of the moment.
struct ReadAllocator: RecvByteBufferAllocator {
    private let sizes: ReadSizes

    init(_ sizes: ReadSizes) { self.sizes = sizes }

    func buffer(allocator: ByteBufferAllocator) -> ByteBuffer { allocator.buffer(capacity: self.sizes.next) }
    func nextBufferSize() -> Int? { self.sizes.next }
    mutating func record(actualReadBytes: Int) -> Bool { false }
}
#endif
