#if Transfer
import FormworkCore
import Synchronization

/// The uploads under way: bounded in number, and dropped together when the time for them is over.
final class UploadSlots: Sendable {
    private struct Entry {
        /// Whose place it takes; `nil` for none.
        var client: String?
        var cancel: (@Sendable () -> Void)?
    }

    private struct State {
        var entries: [Int: Entry] = [:]
        var next = 0
        var isStopping = false
        var isDropped = false

        mutating func add(_ entry: Entry) -> Int {
            self.next += 1
            self.entries[self.next] = entry
            return self.next
        }
    }

    /// Why there is no place.
    enum Lack { case all, client, stopping }

    private let limit: Int
    private let clientLimit: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: Uploads at once.
    ///   - clientLimit: Those of one client.
    init(limit: Int, clientLimit: Int = .max) { (self.limit, self.clientLimit) = (limit, clientLimit) }

    var isStopping: Bool { self.state.withLock { $0.isStopping } }
    var isDropped: Bool { self.state.withLock { $0.isDropped } }
    var count: Int { self.state.withLock { $0.entries.count } }

    /// Runs an upload, if there is a place.
    ///
    /// It ends with the request's task and with ``drop()``; what it does then to leave nothing behind isn't waited for
    /// here, but by ``settle(within:)``.
    /// - Throws: `CancellationError` for an upload that was ended.
    func run<Result: Sendable>(
        for client: String, _ upload: @escaping @Sendable () async -> Result, without: (Lack) -> Result
    ) async throws -> Result {
        let slot: Int
        switch self.enter(client) {
        case .success(let number): slot = number
        case .failure(let refusal): return without(refusal.lack)
        }
        let (results, continuation) = AsyncStream<Result>.makeStream()
        // No child of the request's task: a storage that has stopped would hold the connection, and with it the service.
        let task = Task {
            let result = await upload()
            self.leave(slot)
            continuation.yield(result)
            continuation.finish()
        }
        self.hold(slot) {
            task.cancel()
            continuation.finish()
        }
        for await result in results { return result }
        // Before the request's end: a body that ends with its connection is no whole one for a task that is cancelled.
        task.cancel()
        throw CancellationError()
    }

    /// Has ``drop()`` cancel a task that may outlive its request, and takes no place.
    func watch(_ task: Task<some Sendable, Never>) {
        let slot = self.state.withLock { $0.add(Entry(client: nil)) }
        self.hold(slot) { task.cancel() }
        // Ends with the task that it waits for.
        Task {
            _ = await task.value
            self.leave(slot)
        }
    }

    private struct NoPlace: Error { var lack: Lack }

    private func enter(_ client: String) -> Result<Int, NoPlace> {
        self.state.withLock { state in
            guard !state.isStopping else { return .failure(NoPlace(lack: .stopping)) }
            var (all, own) = (0, 0)
            for entry in state.entries.values {
                guard let other = entry.client else { continue }
                all += 1
                if other == client { own += 1 }
            }
            guard own < self.clientLimit else { return .failure(NoPlace(lack: .client)) }
            guard all < self.limit else { return .failure(NoPlace(lack: .all)) }
            return .success(state.add(Entry(client: client)))
        }
    }

    private func hold(_ slot: Int, _ cancel: @escaping @Sendable () -> Void) {
        let isDropped = self.state.withLock { state in
            state.entries[slot]?.cancel = cancel
            return state.isDropped
        }
        if isDropped { cancel() }
    }

    private func leave(_ slot: Int) { self.state.withLock { _ = $0.entries.removeValue(forKey: slot) } }

    /// Lets no more in.
    func stop() { self.state.withLock { $0.isStopping = true } }

    /// Ends what is still under way.
    /// - Returns: How many uploads that were.
    @discardableResult
    func drop() -> Int {
        let entries = self.state.withLock { state in
            (state.isStopping, state.isDropped) = (true, true)
            return Array(state.entries.values)
        }
        for entry in entries { entry.cancel?() }
        return entries.count
    }

    /// Waits until nothing is under way; of what was dropped, no longer than a time.
    func settle(within limit: Duration) async {
        var end: ContinuousClock.Instant?
        while self.count > 0 {
            if self.isDropped {
                let last = end ?? .after(limit)
                if .now >= last { return }
                end = last
            }
            do { try await Task.sleep(for: .milliseconds(20)) } catch {
                self.drop()
                return
            }
        }
    }
}
#endif
