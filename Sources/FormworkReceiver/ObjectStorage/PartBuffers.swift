#if Transfer
import NIOCore
import Synchronization

/// Buffers of parts that have been sent, reused for the next parts of any upload.
///
/// If each thread returned them to the system's allocator and requested new ones, they would use several times the
/// memory.
final class PartBuffers: Sendable {
    private let buffers = Mutex<[ByteBuffer]>([])
    private let size: Int
    private let limit: Int

    /// - Parameters:
    ///   - size: Bytes of a part: smaller buffers aren't kept.
    ///   - limit: Buffers that are kept at most.
    init(of size: Int, limit: Int) { (self.size, self.limit) = (size, limit) }

    /// An empty buffer, with reserved space if one is available.
    func take() -> ByteBuffer {
        var buffer = self.buffers.withLock { $0.popLast() } ?? ByteBuffer()
        buffer.clear()
        return buffer
    }

    func give(_ buffer: ByteBuffer) {
        guard buffer.capacity >= self.size else { return }
        self.buffers.withLock { if $0.count < self.limit { $0.append(buffer) } }
    }

    /// Keeps at most `count`, until more are given.
    func trim(to count: Int) { self.buffers.withLock { $0 = Array($0.prefix(count)) } }
}
#endif
