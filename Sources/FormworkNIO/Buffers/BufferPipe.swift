import Formwork
import FormworkSystem
import NIOCore
import Synchronization

/// Passes a body's buffers from the thread that reads them to one consumer, with a few read ahead.
///
/// A waiting side is woken directly: a buffer costs at most one wake-up per side, and none while the other side is
/// ahead. The last buffer is held back until the source has proved to match its plan.
package final class BufferPipe: Sendable {
    private struct State: Sendable {
        var ready: [ByteBuffer] = []
        /// Bytes that were read and may be given.
        var read: Int64 = 0
        var isOver = false
        var failure: (any Error)?
        var consumer: CheckedContinuation<ByteBuffer?, any Error>?
        var producer: CheckedContinuation<Void, Never>?
    }

    /// How many buffers may wait for the consumer.
    private static let depth = 2

    private let length: Int64?
    private let reader: AsyncBodyReader
    private let ring: BufferRing
    private let state = WatchedState(State())
    private let producing = Mutex<Task<Void, Never>?>(nil)

    /// - Parameters:
    ///   - reader: The reader, not used elsewhere from then on.
    ///   - length: The bytes that it will give; `nil` if unknown.
    ///   - size: The largest size of a buffer.
    ///   - allocator: Allocates the buffers.
    package init(
        _ reader: sending BodyReader, length: Int64?, size: Int, allocator: ByteBufferAllocator = ByteBufferAllocator()
    ) {
        self.length = length
        self.ring = BufferRing(limit: Self.depth + 16, allocator: allocator)
        self.reader = AsyncBodyReader(reader, chunkSize: size)
    }

    /// The next bytes; `nil` at the end of a whole body. One caller at a time.
    /// - Throws: The source's error, or `CancellationError` if the task is cancelled while no bytes are ready. They can
    ///   still be read later, in another task.
    package func next() async throws -> ByteBuffer? {
        self.begin()
        return try await withTaskCancellationHandler {
            try await self.wait()
        } onCancel: {
            let consumer = self.state.withLock { state in
                defer { state.consumer = nil }
                return state.consumer
            }
            consumer?.resume(throwing: CancellationError())
        }
    }

    private func wait() async throws -> ByteBuffer? {
        try await withCheckedThrowingContinuation { continuation in
            let (result, producer) = self.state.withLock {
                state -> (Result<ByteBuffer?, any Error>?, CheckedContinuation<Void, Never>?) in
                defer { state.producer = state.ready.count < Self.depth ? nil : state.producer }
                if !state.ready.isEmpty {
                    let buffer = state.ready.removeFirst()
                    return (.success(buffer), state.producer)
                }
                if let failure = state.failure { return (.failure(failure), nil) }
                if state.isOver { return (.success(nil), nil) }
                // Not earlier: the handler may have run before there was anything to resume.
                if Task.isCancelled { return (.failure(CancellationError()), nil) }
                state.consumer = continuation
                return (nil, nil)
            }
            producer?.resume()
            if let result { continuation.resume(with: result) }
        }
    }

    /// Waits until the consumer uses fewer buffers than that, but for at most a second: one that keeps its buffers would
    /// otherwise wait forever.
    func waitForRoom(below count: Int) async throws {
        var pause = Duration.microseconds(100)
        var waited = Duration.zero
        while self.ring.countOnTheWay - self.state.withLock({ $0.ready.count }) >= count, waited < .seconds(1) {
            try await Task.sleep(for: pause.asWait)
            waited += pause
            pause = min(pause * 2, .milliseconds(10))
        }
    }

    /// Waits until the end was found without more than the given bytes, but for at most a second.
    /// - Returns: Whether it was.
    func ends(after given: Int64) async -> Bool {
        await self.state.wait(for: .seconds(1)) { $0.isOver || $0.read > given }
        return self.state.withLock { $0.isOver && $0.failure == nil && $0.read == given }
    }

    /// Stops reading, and closes open files as soon as possible.
    package func stop(_ error: any Error) {
        self.end(error)
        self.state.withLock { $0.ready = [] }
        self.ring.clear()
        self.producing.withLock { $0?.cancel() }
        Task { [reader] in await reader.close() }
    }

    private func begin() {
        self.producing.withLock { producing in
            guard producing == nil else { return }
            producing = Task { [self] in await self.reader.actor.fill(self) }
        }
    }

    /// Adds a buffer, and waits until there is room for another.
    /// - Returns: Whether more is wanted.
    fileprivate func put(_ buffer: ByteBuffer) async -> Bool {
        let consumer = self.state.withLock { state -> CheckedContinuation<ByteBuffer?, any Error>? in
            if state.isOver { return nil }
            defer { state.consumer = nil }
            state.read += Int64(buffer.readableBytes)
            if state.consumer == nil { state.ready.append(buffer) }
            return state.consumer
        }
        consumer?.resume(returning: buffer)
        await withCheckedContinuation { continuation in
            let hasRoom = self.state.withLock { state in
                if state.isOver || state.ready.count < Self.depth { return true }
                state.producer = continuation
                return false
            }
            if hasRoom { continuation.resume() }
        }
        return self.state.withLock { !$0.isOver }
    }

    fileprivate func end(_ failure: (any Error)?) {
        let (consumer, producer) = self.state.withLock { state in
            if !state.isOver { (state.isOver, state.failure) = (true, failure) }
            defer { (state.consumer, state.producer) = (nil, nil) }
            return (state.consumer, state.producer)
        }
        producer?.resume()
        if let failure { consumer?.resume(throwing: failure) } else { consumer?.resume(returning: nil) }
    }

    /// The next bytes from the reader; `nil` at the end.
    fileprivate func read(_ reader: isolated some ReadingActor) async throws -> ByteBuffer? {
        try await reader.next { [ring] size, fill throws(FormworkError) in try ring.fill(upTo: size, fill) }
    }

    fileprivate func isLast(_ given: Int64) -> Bool { given == self.length }
}

extension ReadingActor {
    /// Reads everything into a pipe, where the reader is.
    fileprivate func fill(_ pipe: BufferPipe) async {
        var given: Int64 = 0
        do {
            while let buffer = try await pipe.read(self) {
                given += Int64(buffer.readableBytes)
                // The server may answer as soon as it has the last bytes, so they must not be sent if the source has
                // changed.
                if pipe.isLast(given), try await pipe.read(self) != nil {
                    throw FormworkError(.lengthMismatch, "the body is longer than its plan", offset: given)
                }
                guard await pipe.put(buffer) else { return }
            }
            pipe.end(nil)
        } catch { pipe.end(error) }
    }
}
