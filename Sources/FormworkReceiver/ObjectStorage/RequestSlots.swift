import Synchronization

/// What the copies of one upload's files have in common.
final class CopyWork: Sendable {
    /// Bound the copies, and the parts that are read.
    let copies, edges: RequestSlots
    private let beginnings = Mutex<[String: Task<Void, any Error>]>([:])

    init(_ options: S3Storage.Options) {
        self.copies = RequestSlots(limit: options.copiesAtOnce)
        self.edges = RequestSlots(limit: options.parallelism)
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

/// Bounds how many requests of a kind an upload makes at once.
final class RequestSlots: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(limit: Int) { self.state = Mutex(State(free: limit)) }

    /// Runs a request when fewer than the limit are under way.
    /// - Throws: Its error; `CancellationError` if the task was cancelled before its turn.
    func run<Result>(_ request: () async throws -> Result) async throws -> Result {
        await self.enter()
        defer { self.leave() }
        try Task.checkCancellation()
        return try await request()
    }

    private func enter() async {
        await withCheckedContinuation { continuation in
            let isFree = self.state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    private func leave() {
        let next = self.state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}
