import AsyncHTTPClient
import NIOCore
import Synchronization

/// Records when a body's next slice was asked for. The client's own write time-out doesn't run while the system accepts
/// no bytes, which is how a stopped store looks.
final class BodyPace: Sendable {
    private struct Stalled: Error, CustomStringConvertible {
        let time: Duration
        var description: String { "it has accepted no bytes for \(self.time)" }
    }

    private let last: Mutex<(time: ContinuousClock.Instant, isOver: Bool)>

    init(isOver: Bool) { self.last = Mutex((.now, isOver)) }

    func note(isOver: Bool) { self.last.withLock { $0 = (.now, isOver) } }

    /// A body in slices. Each is given after the channel has handled the one before: so the client's time-outs see progress,
    /// and TLS holds one slice, not the whole body.
    func slices(of body: ByteBuffer, on loop: any EventLoop) -> Unfolded<ByteBuffer, ByteBuffer> {
        Unfolded(body) { rest in
            try await loop.submit {}.get()
            let size = min(rest.readableBytes, 256 << 10)
            self.note(isOver: size == 0)
            return size == 0 ? nil : rest.readSlice(length: size)
        }
    }

    /// Cancels an operation, and throws, if no slice is asked for within `time`.
    /// - Parameter limitsAnswer: Whether the operation must also end within `time` after the body's end. The client's read
    ///   time-out begins anew with each byte and each interim answer.
    func watch<Result: Sendable>(
        _ time: Duration, limitsAnswer: Bool = false, _ operation: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask { try await operation() }
            group.addTask {
                while true {
                    let (last, isOver) = self.last.withLock { $0 }
                    if isOver && !limitsAnswer { return nil }
                    guard last + time > .now else {
                        if isOver { throw HTTPClientError.readTimeout }
                        throw Stalled(time: time)
                    }
                    try await Task.sleep(until: last + time, clock: .continuous)
                }
            }
            defer { group.cancelAll() }
            while let result = try await group.next() {
                if let result { return result }
            }
            throw CancellationError()
        }
    }
}
