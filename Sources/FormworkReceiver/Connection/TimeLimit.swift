import FormworkClient

/// Ends an operation that takes too long.
enum TimeLimit {
    struct Passed: Error, CustomStringConvertible {
        var limit: Duration

        var description: String { "there was no whole answer within \(self.limit.text)" }
    }

    /// - Throws: ``Passed``, and the operation's errors.
    static func run<Result: Sendable>(
        _ limit: Duration, _ operation: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result.self) { group in
            group.addTask { try await operation() }
            group.addTask {
                try await Task.sleep(for: limit.asWait)
                throw Passed(limit: limit)
            }
            defer { group.cancelAll() }
            guard let result = try await group.next() else { throw CancellationError() }
            return result
        }
    }

    /// Waits for a task, but not for one that hangs in a call which can't be cancelled: that continues alone.
    /// - Parameter limit: How long to wait; `nil` until the caller is cancelled.
    /// - Returns: `nil` if there was no result until then.
    static func result<Result: Sendable>(
        of task: Task<Result, Never>, within limit: Duration?
    ) async -> Result? {
        let (results, continuation) = AsyncStream<Result>.makeStream()
        // These aren't children of the caller's task, which would have to wait for them.
        Task {
            continuation.yield(await task.value)
            continuation.finish()
        }
        let timer = limit.map { limit in
            Task {
                try? await Task.sleep(for: limit.asWait)
                continuation.finish()
            }
        }
        defer { timer?.cancel() }
        for await result in results { return result }
        return nil
    }
}

/// The body stopped arriving, or arrived too slowly.
struct BodyTimeout: Error, CustomStringConvertible {
    var description: String { "the body stopped arriving or arrived too slowly" }
}
