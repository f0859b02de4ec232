#if Transfer
import NIOCore
import Synchronization

/// How much to read from a connection at once: much for few connections, little for many, since the bytes wait in
/// memory.
final class ReadSizes: Sendable {
    /// How many reads of one connection may wait for their consumer: the bound of `NIOAsyncChannel`, and some extra.
    private static let readsThatWait = 12
    /// How many bytes of all connections together may wait.
    private static let allBytes = 32 << 20

    private let connections = Atomic(0)

    func opened() { self.connections.add(1, ordering: .relaxed) }
    func closed() { self.connections.subtract(1, ordering: .relaxed) }

    var next: Int {
        let count = max(1, self.connections.load(ordering: .relaxed))
        let share = max(16 << 10, min(256 << 10, Self.allBytes / (count * Self.readsThatWait)))
        // Buffer sizes are powers of two: rounded up, they would exceed the share.
        return 1 << (Int.bitWidth - 1 - share.leadingZeroBitCount)
    }
}

/// Gives a channel buffers of the current size.
struct ReadAllocator: RecvByteBufferAllocator {
    private let sizes: ReadSizes

    init(_ sizes: ReadSizes) { self.sizes = sizes }

    func buffer(allocator: ByteBufferAllocator) -> ByteBuffer { allocator.buffer(capacity: self.sizes.next) }
    func nextBufferSize() -> Int? { self.sizes.next }
    mutating func record(actualReadBytes: Int) -> Bool { false }
}
#endif
