import FormworkResumable
import Synchronization

/// What the copies of one upload's files have in common.
final class CopyWork: Sendable {
    /// Bound the copies, and the parts that are read.
    let copies, edges: Gate
    private let beginnings = Mutex<[String: Task<Void, any Error>]>([:])

    init(_ options: S3Storage.Options) {
        self.copies = Gate(limit: options.copiesAtOnce)
        self.edges = Gate(limit: options.parallelism)
    }

    /// Begins a file after an earlier one with the same path, which gets the name.
    func begin(_ path: String, _ body: @escaping @Sendable () async throws -> Void) -> Task<Void, any Error> {
        self.beginnings.withLock { beginnings in
            let earlier = beginnings[path]
            let task = Task {
                _ = await earlier?.result
                try await body()
            }
            beginnings[path] = task
            return task
        }
    }
}

extension Gate {
    /// Runs a request when fewer than the limit are under way.
    /// - Throws: Its error; `CancellationError` if the task was cancelled before its turn.
    func run<Result>(_ request: () async throws -> Result) async throws -> Result {
        await self.enter()
        defer { self.leave() }
        try Task.checkCancellation()
        return try await request()
    }
}
