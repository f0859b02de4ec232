#if Transfer
import NIOCore
import Synchronization

/// A buffer in pieces, each given when the channel has had its say about the one before: then the client's time-outs
/// see what moves, and TLS holds one piece, not the whole.
struct PacedSlices: AsyncSequence, Sendable {
    typealias Element = ByteBuffer
    let buffer: ByteBuffer
    let loop: any EventLoop
    let pace: BodyPace

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var rest: ByteBuffer
        fileprivate let loop: any EventLoop
        fileprivate let pace: BodyPace

        mutating func next() async throws -> ByteBuffer? {
            try await self.loop.submit {}.get()
            let size = Swift.min(self.rest.readableBytes, 256 << 10)
            self.pace.note(isOver: size == 0)
            return size == 0 ? nil : self.rest.readSlice(length: size)
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: self.buffer, loop: self.loop, pace: self.pace) }
}

/// When a body's next slice was asked for: the client's own time-out for writing stands still while the system takes
/// nothing, which is how a store looks that has stopped.
final class BodyPace: Sendable {
    private struct Stalled: Error, CustomStringConvertible {
        let time: Duration
        var description: String { "it has taken nothing for \(self.time)" }
    }

    /// `nil` when the body is over.
    private let last: Mutex<ContinuousClock.Instant?>

    init(isOver: Bool) { self.last = Mutex(isOver ? nil : .now) }

    func note(isOver: Bool) { self.last.withLock { $0 = isOver ? nil : .now } }

    /// Cancels an operation, and throws, when no slice is asked for in that time.
    func watch<Result: Sendable>(
        _ time: Duration, _ operation: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask { try await operation() }
            group.addTask {
                while let last = self.last.withLock({ $0 }) {
                    guard last + time > .now else { throw Stalled(time: time) }
                    try await Task.sleep(until: last + time, clock: .continuous)
                }
                return nil
            }
            defer { group.cancelAll() }
            while let result = try await group.next() {
                if let result { return result }
            }
            throw CancellationError()
        }
    }
}
#endif
