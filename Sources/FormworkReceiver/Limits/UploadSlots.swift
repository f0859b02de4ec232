import Formwork
import Synchronization

/// The uploads in progress: limited in number, and dropped together when the grace period ends.
final class UploadSlots: Sendable {
    private struct Entry {
        /// The client whose slot it occupies; `nil` for a task without a slot.
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

    let limit: Int
    private let clientLimit: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: Uploads at once.
    ///   - clientLimit: Uploads of one client at once.
    init(limit: Int, clientLimit: Int = .max) { (self.limit, self.clientLimit) = (limit, clientLimit) }

    var isStopping: Bool { self.state.withLock { $0.isStopping } }
    var isDropped: Bool { self.state.withLock { $0.isDropped } }
    /// Uploads that occupy a slot.
    var used: Int { self.state.withLock { $0.entries.values.count { $0.client != nil } } }
    var count: Int { self.state.withLock { $0.entries.count } }

    /// Runs an upload if a slot is free.
    ///
    /// The upload ends with the request's task and with ``drop()``. Its cleanup then isn't waited for here, but by
    /// ``settle(within:)``.
    /// - Parameter left: Called once the slot is free again, or if none was.
    /// - Throws: `CancellationError` for an upload that was dropped or whose request was cancelled.
    func run<Result: Sendable>(
        for client: String, left: @escaping @Sendable () -> Void = {},
        _ upload: @escaping @Sendable () async -> Result, without: (RefusalReason) -> Result
    ) async throws -> Result {
        let slot: Int
        do throws(RefusalReason) { slot = try self.enter(client) } catch {
            left()
            return without(error)
        }
        let (results, continuation) = AsyncStream<Result>.makeStream()
        // Not a child of the request's task: a storage that has stopped responding would hold the connection, and with
        // it the service.
        let task = Task {
            let result = await upload()
            self.leave(slot)
            left()
            continuation.yield(result)
            continuation.finish()
        }
        self.hold(slot) {
            // In this order: the answer of an upload that is dropped isn't sent.
            continuation.finish()
            task.cancel()
        }
        for await result in results { return result }
        // Cancelled before the request ends: a cancelled task doesn't mistake a body that ends with its connection for
        // a complete one.
        task.cancel()
        throw CancellationError()
    }

    /// Makes ``drop()`` cancel a task that may outlive its request. The task occupies no slot.
    func watch(_ task: Task<some Sendable, Never>) {
        let slot = self.state.withLock { $0.add(Entry(client: nil)) }
        self.hold(slot) { task.cancel() }
        // Ends with the watched task.
        Task {
            _ = await task.value
            self.leave(slot)
        }
    }

    private func enter(_ client: String) throws(RefusalReason) -> Int {
        try self.state.withLock { state throws(RefusalReason) in
            guard !state.isStopping else { throw .stopping }
            let clients = state.entries.values.compactMap(\.client)
            guard clients.count(where: { $0 == client }) < self.clientLimit else { throw .clientLimit }
            guard clients.count < self.limit else { throw .uploadsLimit }
            return state.add(Entry(client: client))
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

    /// Accepts no more uploads.
    func stop() { self.state.withLock { $0.isStopping = true } }

    /// Ends the uploads still in progress.
    /// - Returns: The number of uploads ended.
    @discardableResult
    func drop() -> Int {
        let entries = self.state.withLock { state in
            (state.isStopping, state.isDropped) = (true, true)
            return Array(state.entries.values)
        }
        for entry in entries { entry.cancel?() }
        return entries.count
    }

    /// Waits until no upload is in progress; for dropped uploads, no longer than `limit`.
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

/// How much the receiver accepts.
struct ReceivingLimits: Sendable, Hashable {
    /// Bytes of a request's body. Default 64 GiB.
    var bodyBytes: Int64 = 64 << 30
    /// Bytes of one file. Default 64 GiB.
    var fileBytes: Int64 = 64 << 30
    /// Bytes of all stored files together; `nil`, the default, for no limit.
    var totalBytes: Int64?
    /// Files of one form. Default 1,000, as in Starlette.
    var files = 1_000
    /// Text fields of one form. Default 1,000, as in Starlette.
    var fields = 1_000
    /// Bytes of one field. Default 1 MiB, as in busboy and Starlette.
    var fieldBytes: Int64 = 1 << 20
    /// Bytes of all fields of a form together, which are held in memory for the answer. Default 4 MiB.
    var allFieldBytes: Int64 = 4 << 20
    /// Uploads at once. Default 256.
    var uploads = 256
    /// Uploads of one client at once. A client is an IPv4 address, or the first 64 bits of an IPv6 address. `nil`, the
    /// default, is a quarter of ``uploads``, or of those for which the memory is enough; unlimited if only this machine reaches
    /// the receiver.
    var uploadsPerClient: Int?
    /// Unfinished resumable uploads that are kept of one client. `nil`, the default, is a tenth of what the store
    /// keeps, or unlimited if only this machine reaches the receiver.
    var unfinishedPerClient: Int?

    /// The same limits for a parser.
    var parsing: ParsingLimits {
        var limits = ParsingLimits()
        (limits.totalBytes, limits.fileBytes, limits.fieldBytes) = (self.bodyBytes, self.fileBytes, self.fieldBytes)
        (limits.files, limits.fields) = (self.files, self.fields)
        limits.parts = self.files + min(self.fields, .max - self.files)
        limits.totalHeaderBytes = min(max(limits.parts, 64), .max >> 10) << 10
        return limits
    }
}
