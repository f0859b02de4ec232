/// Runs the file calls of requests, which block, on a thread of its own instead of the pool that all tasks share.
actor StoreThread {
    private nonisolated let executor: any SerialExecutor

    init(_ executor: any SerialExecutor) { self.executor = executor }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor holds its executor as long as it lives.
        unsafe self.executor.asUnownedSerialExecutor()
    }

    func run<Result: Sendable>(_ work: @Sendable () async throws -> Result) async rethrows -> Result {
        try await work()
    }
}
