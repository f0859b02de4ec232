#if Transfer
import Formwork
import FormworkCore
import Synchronization

/// The memory that all uploads together may use: buffers of parts for a store, and bytes that wait to be stored.
///
/// Each upload that is admitted has its least memory reserved, with which it can continue whatever the others do. More is
/// shared: an upload waits until there is some, and reads no more from its connection meanwhile. So no two uploads wait for
/// each other.
package final class UploadMemory: Sendable {
    /// The memory of the upload that the current task receives; `nil` without a limit.
    @TaskLocal static var lease: Lease?

    /// Bytes of each upload for what has been read from its connection, or is read from the store: twelve reads of 256 KiB,
    /// or one range of an unfinished upload.
    package static let readBytes = 4 << 20
    /// How long an upload waits to be admitted.
    static let patience = Duration.seconds(2)

    fileprivate struct Waiter {
        let id: Int
        /// The upload that waits for more; `nil` for one that waits to be admitted.
        let lease: Lease?
        let count: Int
        let continuation: CheckedContinuation<Bool, Never>
    }

    fileprivate struct WeakLease {
        weak var lease: Lease?
    }

    fileprivate struct State {
        /// The least memory of all uploads that are admitted.
        var reserved = 0
        /// What uploads have above that.
        var shared = 0
        var peak = 0
        var waiting: [Waiter] = []
        var lastID = 0
        var leases: [ObjectIdentifier: WeakLease] = [:]

        var used: Int { self.reserved + self.shared }
    }

    package let limit: Int
    /// Bytes of buffers that each upload can always have.
    let least: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: Bytes of all uploads together.
    ///   - least: Bytes of buffers that each upload can always have, such as those of one part.
    package init(limit: Int, least: Int) { (self.limit, self.least) = (limit, least) }

    /// The most uploads that can be admitted.
    var places: Int { self.limit / (self.least + Self.readBytes) }
    /// Bytes that are reserved or taken.
    var used: Int { self.state.withLock { $0.used } }
    /// The uploads that are admitted.
    var uploads: Int { self.state.withLock { $0.reserved / (self.least + Self.readBytes) } }
    /// The number of those that wait for memory.
    var queued: Int { self.state.withLock { $0.waiting.count } }
    /// The most bytes that were used at once.
    var peak: Int { self.state.withLock { $0.peak } }

    /// The memory of one upload, released with the last reference to it.
    package final class Lease: Sendable {
        fileprivate struct Held {
            var bytes = 0
            /// Of these, above the least.
            var shared = 0
        }

        private let memory: UploadMemory
        /// Changed while the memory's state is locked.
        fileprivate let held = Mutex(Held())
        private let files = Mutex(Files())

        /// How to free the buffers of the upload's files.
        private struct Files {
            /// Of those that have all their bytes.
            var complete: [@Sendable () async -> Void] = []
            /// Of the one that is being written.
            var current: (@Sendable () async -> Void)?

            mutating func takeComplete() -> [@Sendable () async -> Void] {
                defer { self.complete = [] }
                return self.complete
            }
        }

        fileprivate init(_ memory: UploadMemory) { self.memory = memory }

        deinit { self.memory.ended(self) }

        /// Bytes of buffers that it can always have. No buffer has more.
        var least: Int { self.memory.least }

        /// Bytes of buffers that the upload has.
        var count: Int { self.held.withLock { $0.bytes } }

        /// Waits until the upload may have this many bytes more. Must be followed by ``release(_:)``.
        /// - Throws: ``FormworkError/Code/limitExceeded`` for more than ``least``, which may never be there;
        ///   `CancellationError`.
        func take(_ count: Int) async throws {
            guard count <= self.least else {
                throw FormworkError(
                    .limitExceeded,
                    """
                    the file needs parts of \(count, "byte"), and an upload has \(self.least, "byte") of memory: use a \
                    larger part size
                    """)
            }
            if self.memory.takes(count, self) { return }
            // Otherwise an upload of many short files would wait for itself.
            for free in self.takeComplete() { await free() }
            try await self.memory.wait(count, self)
        }

        func release(_ count: Int) { self.memory.released(count, self) }

        /// Notes how to free the buffer of the file that is being written, once it has all its bytes.
        func holds(_ free: @escaping @Sendable () async -> Void) { self.files.withLock { $0.current = free } }

        /// Notes that the file being written has all its bytes. Its buffer can be freed for whatever waits for memory.
        func fileEnded() {
            self.files.withLock { files in
                if let current = files.current { files.complete.append(current) }
                files.current = nil
            }
            self.memory.freeComplete()
        }

        /// What frees the buffers of files that have all their bytes.
        fileprivate func takeComplete() -> [@Sendable () async -> Void] { self.files.withLock { $0.takeComplete() } }
    }

    /// Admits an upload.
    /// - Returns: `nil` if its least memory isn't there within ``patience``.
    func admit(within patience: Duration = UploadMemory.patience) async -> Lease? {
        let whole = self.least + Self.readBytes
        let isAdmitted = self.state.withLock { $0.waiting.isEmpty && $0.reserve(whole, self.limit) }
        if isAdmitted { return self.begun() }
        return await self.queue(nil, whole, within: patience) ? self.begun() : nil
    }

    private func begun() -> Lease {
        let lease = Lease(self)
        self.state.withLock { $0.leases[ObjectIdentifier(lease)] = WeakLease(lease: lease) }
        return lease
    }

    private func takes(_ count: Int, _ lease: Lease) -> Bool {
        self.state.withLock { state in
            // What is shared is given in order of arrival.
            let needsShared = lease.held.withLock { $0.bytes + count > self.least }
            return (state.waiting.isEmpty || !needsShared) && state.take(count, lease, self.limit, self.least)
        }
    }

    private func wait(_ count: Int, _ lease: Lease) async throws {
        guard await self.queue(lease, count, within: nil) else { throw CancellationError() }
        if Task.isCancelled {
            lease.release(count)
            throw CancellationError()
        }
    }

    /// - Parameter patience: How long to wait; `nil` for as long as it takes.
    /// - Returns: Whether the memory is there.
    private func queue(_ lease: Lease?, _ count: Int, within patience: Duration?) async -> Bool {
        let id = self.state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Before the waiter could be given up.
                let isOver = Task.isCancelled
                self.state.withLock { state in
                    guard !isOver else { return }
                    state.waiting.append(Waiter(id: id, lease: lease, count: count, continuation: continuation))
                }
                if isOver { continuation.resume(returning: false) }
                self.serve()
                self.freeComplete()
                // It may have been cancelled in between.
                if Task.isCancelled { self.give(up: id) }
                guard let patience else { return }
                _ = Task {
                    try? await Task.sleep(for: patience.asWait)
                    self.give(up: id)
                }
            }
        } onCancel: {
            self.give(up: id)
        }
    }

    /// Frees what uploads hold for files that have all their bytes, if anyone waits.
    private func freeComplete() {
        let leases = self.state.withLock { state in
            state.waiting.isEmpty ? [] : state.leases.values.compactMap(\.lease)
        }
        let complete = leases.flatMap { $0.takeComplete() }
        guard !complete.isEmpty else { return }
        Self.$lease.withValue(nil) { _ = Task { for free in complete { await free() } } }
    }

    private func give(up id: Int) {
        let waiter = self.state.withLock { state in
            state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0) }
        }
        waiter?.continuation.resume(returning: false)
        if waiter != nil { self.serve() }
    }

    /// Gives memory to those that wait, in order of arrival. One that needs nothing shared doesn't wait for others.
    private func serve() {
        let served = self.state.withLock { state in
            var (served, left, isShort): ([Waiter], [Waiter], Bool) = ([], [], false)
            for waiter in state.waiting {
                let isServed: Bool
                if let lease = waiter.lease {
                    let needsShared = lease.held.withLock { $0.bytes + waiter.count > self.least }
                    isServed = (!isShort || !needsShared) && state.take(waiter.count, lease, self.limit, self.least)
                } else {
                    isServed = !isShort && state.reserve(waiter.count, self.limit)
                }
                if isServed { served.append(waiter) } else { (left, isShort) = (left + [waiter], true) }
            }
            state.waiting = left
            return served
        }
        for waiter in served { waiter.continuation.resume(returning: true) }
    }

    private func released(_ count: Int, _ lease: Lease) {
        self.state.withLock { state in
            lease.held.withLock { held in
                held.bytes -= count
                let shared = max(0, held.bytes - self.least)
                state.shared -= held.shared - shared
                held.shared = shared
            }
        }
        self.serve()
    }

    private func ended(_ lease: Lease) {
        self.state.withLock { state in
            state.reserved -= self.least + Self.readBytes
            state.shared -= lease.held.withLock { $0.shared }
            state.leases[ObjectIdentifier(lease)] = nil
        }
        self.serve()
    }
}

extension UploadMemory.State {
    fileprivate mutating func reserve(_ count: Int, _ limit: Int) -> Bool {
        guard count <= limit - self.used else { return false }
        self.reserved += count
        self.peak = max(self.peak, self.used)
        return true
    }

    fileprivate mutating func take(_ count: Int, _ lease: UploadMemory.Lease, _ limit: Int, _ least: Int) -> Bool {
        lease.held.withLock { held in
            let shared = max(0, held.bytes + count - least)
            guard shared - held.shared <= limit - self.used else { return false }
            self.shared += shared - held.shared
            (held.bytes, held.shared) = (held.bytes + count, shared)
            self.peak = max(self.peak, self.used)
            return true
        }
    }
}
#endif
