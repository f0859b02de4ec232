#if Transfer
import FormworkClient
import FormworkCore

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
}
#endif
