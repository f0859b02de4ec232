#if Transfer
import NIOCore
import Synchronization

/// Buffers of parts that have been sent, for the parts to come, of whichever upload.
///
/// Given back to the system's allocator and asked for anew, by one thread and another, they come to a multiple of what is
/// in use.
final class PartBuffers: Sendable {
    private let buffers = Mutex<[ByteBuffer]>([])
    private let size: Int
    private let limit: Int

    /// - Parameters:
    ///   - size: Bytes of a part: smaller ones aren't kept.
    ///   - limit: Buffers that are kept while no upload is under way.
    init(of size: Int, limit: Int) { (self.size, self.limit) = (size, limit) }

    /// An empty buffer, with room if one is there.
    func take() -> ByteBuffer {
        var buffer = self.buffers.withLock { $0.popLast() } ?? ByteBuffer()
        buffer.clear()
        return buffer
    }

    func give(_ buffer: ByteBuffer) {
        guard buffer.capacity >= self.size else { return }
        self.buffers.withLock { if $0.count < self.limit { $0.append(buffer) } }
    }
}
#endif
