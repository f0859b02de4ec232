import Formwork
import NIOCore
import Synchronization

/// The buffers of one reader, which are refilled after their consumers have released them.
///
/// A buffer whose storage is uniquely referenced has been sent. This is the only sign that works with any transport and
/// event loop, so the ring counts unsent buffers this way.
final class BufferRing: Sendable {
    private struct State {
        var buffers: [ByteBuffer] = []
    }

    /// How many buffers may be in use at once.
    let limit: Int
    private let allocator: ByteBufferAllocator
    private let state = Mutex(State())

    init(limit: Int, allocator: ByteBufferAllocator) { (self.limit, self.allocator) = (limit, allocator) }

    /// How many buffers were given and are still referenced.
    var countOnTheWay: Int {
        self.state.withLock { state in
            state.buffers.indices.count { state.buffers[$0].modifyIfUniquelyOwned { _ in } == nil }
        }
    }

    /// Lets `fill` write at most `size` bytes into a buffer; `nil` if it wrote none.
    func fill(
        upTo size: Int, _ fill: (inout MutableRawSpan) throws(FormworkError) -> Int
    ) throws(FormworkError) -> ByteBuffer? {
        var buffer = self.takeReleased() ?? self.makeBuffer(size)
        var failure: FormworkError?
        // SAFETY: the span covers the room that NIO gives for the call, and does not outlive it. All of it was
        // initialized when the buffer was made.
        let count = unsafe buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: size) { room in
            var span = unsafe MutableRawSpan(_unsafeStart: room.baseAddress!, byteCount: size)
            do throws(FormworkError) {
                let count = try fill(&span)
                precondition((0...size).contains(count), "a fill wrote more than its room")
                return count
            } catch {
                failure = error
                return 0
            }
        }
        if let failure { throw failure }
        self.state.withLock { state in
            // A consumer that keeps every buffer gets new ones; only `limit` buffers are tracked.
            if state.buffers.count >= self.limit { state.buffers.removeFirst() }
            state.buffers.append(buffer)
        }
        return count == 0 ? nil : buffer
    }

    /// Releases all buffers.
    func clear() { self.state.withLock { $0.buffers = [] } }

    private func takeReleased() -> ByteBuffer? {
        self.state.withLock { state in
            let index = state.buffers.indices.first { index in
                state.buffers[index].modifyIfUniquelyOwned { $0.clear() } != nil
            }
            return index.map { state.buffers.remove(at: $0) }
        }
    }

    private func makeBuffer(_ size: Int) -> ByteBuffer {
        var buffer = self.allocator.buffer(capacity: size)
        // Filled with zeros, so that a stream that claims more bytes than it wrote can't send old memory.
        buffer.writeRepeatingByte(0, count: size)
        buffer.clear()
        return buffer
    }
}
