import Synchronization

/// A value with a deadline: the first result, value or error, wins.
package final class Race<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, any Error>?
        var waiter: CheckedContinuation<Value, any Error>?
    }

    private let state = Mutex(State())

    /// - Returns: Whether this was the first result.
    @discardableResult
    private func settle(_ result: Result<Value, any Error>) -> Bool {
        let (isFirst, waiter) = self.state.withLock { state -> (Bool, CheckedContinuation<Value, any Error>?) in
            guard state.result == nil else { return (false, nil) }
            state.result = result
            defer { state.waiter = nil }
            return (true, state.waiter)
        }
        waiter?.resume(with: result)
        return isFirst
    }

    private func wait() async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let result = self.state.withLock { state -> Result<Value, any Error>? in
                if state.result == nil { state.waiter = continuation }
                return state.result
            }
            if let result { continuation.resume(with: result) }
        }
    }

    /// Returns the result of `work`, or throws `late` at the instant. Then `work` is cancelled but not awaited, because
    /// it may ignore the cancellation.
    ///
    /// - Parameter lost: Called with a value that came too late.
    package static func run(
        until instant: ContinuousClock.Instant, late: @autoclosure @escaping @Sendable () -> any Error,
        lost: @escaping @Sendable (Value) -> Void = { _ in },
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let race = Race()
        let worker = Task {
            do {
                let value = try await work()
                if !race.settle(.success(value)) { lost(value) }
            } catch { race.settle(.failure(error)) }
        }
        let timer = Task {
            try await Task.sleep(until: instant, clock: .continuous)
            race.settle(.failure(late()))
        }
        defer {
            timer.cancel()
            worker.cancel()
        }
        return try await withTaskCancellationHandler {
            try await race.wait()
        } onCancel: {
            race.settle(.failure(CancellationError()))
        }
    }
}
