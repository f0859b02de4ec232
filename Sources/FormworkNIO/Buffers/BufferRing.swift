#if NIO
import Formwork
import NIOCore
import Synchronization

/// The buffers that one reader fills, and again as soon as whoever got them has let go of them.
///
/// That a buffer's storage is nobody else's is also the one sign, in any transport and on any event loop, that its bytes
/// have left: so this tells how much is still on its way.
final class BufferRing: Sendable {
    private struct State {
        var buffers: [ByteBuffer] = []
    }

    /// Buffers that may be on their way at once.
    let limit: Int
    private let allocator: ByteBufferAllocator
    private let state = Mutex(State())

    init(limit: Int, allocator: ByteBufferAllocator) { (self.limit, self.allocator) = (limit, allocator) }

    /// Buffers that were given and are still held by somebody.
    var countOnTheWay: Int {
        self.state.withLock { state in
            state.buffers.indices.count { state.buffers[$0].modifyIfUniquelyOwned { _ in } == nil }
        }
    }

    /// Has `fill` write at most `size` bytes into a buffer; `nil` when it wrote none.
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
            // Whoever keeps every buffer gets new ones; only as many are watched as may be on their way.
            if state.buffers.count >= self.limit { state.buffers.removeFirst() }
            state.buffers.append(buffer)
        }
        return count == 0 ? nil : buffer
    }

    /// Waits until fewer than ``limit`` buffers are on their way, but not for ever: a consumer that keeps what it gets
    /// would never go on.
    func waitForRoom() async throws {
        var pause = Duration.microseconds(100)
        var waited = Duration.zero
        while self.countOnTheWay >= self.limit, waited < .seconds(1) {
            try await Task.sleep(for: pause.asWait)
            waited += pause
            pause = min(pause * 2, .milliseconds(10))
        }
    }

    /// Lets go of all buffers.
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
        // Zeros, so that a stream which claims more than it wrote can't send what was in memory before.
        buffer.writeRepeatingByte(0, count: size)
        buffer.clear()
        return buffer
    }
}
#endif
