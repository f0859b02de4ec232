import FormworkResumable
import Synchronization

/// The memory of a receiver: buffers of all uploads, and what is held for answers. An upload or an answer has a ``Lease``.
///
/// Every admitted upload keeps a reserved minimum, so it can proceed regardless of the others. More memory is
/// shared: an upload waits until there is some, and reads no more from its connection meanwhile. So no two uploads wait for
/// each other.
///
/// The text fields of forms are held until the answer that repeats them has been sent, and so are answers. If there is no
/// memory for them, the request is refused.
final class ReceiverMemory: Sendable {
    /// Bytes of each upload for what has been read from its connection, or is read from the store: twelve reads of 256 KiB,
    /// or one range of an unfinished upload.
    static let readBytes = 4 << 20
    /// Bytes that the client of an upload may have sent before it is admitted: the window of a stream.
    private static let waitingBytes = 64 << 10
    /// How long an upload waits to be admitted.
    static let patience = Duration.seconds(2)
    /// Answers up to this size aren't counted: each request holds this many bytes anyway.
    private static let smallAnswer = 4 << 10

    /// Frees the buffer of a file.
    typealias Free = @Sendable () async -> Void

    /// What a lease has.
    private struct Share {
        /// Bytes that are reserved for an upload that is admitted.
        var reserved = 0
        /// Bytes of its buffers.
        var buffers = 0
        /// Bytes that are held for an answer.
        var held = 0
        /// Frees the buffers of complete files.
        var complete: [Free] = []
        /// Frees the buffer of the current file.
        var current: Free?
    }

    /// A lease that waits for more.
    private struct Waiter {
        let id, lease, reserved, buffers: Int
        let granted: AsyncStream<Void>.Continuation
    }

    private struct State {
        let limit, least: Int
        var shares: [Int: Share] = [:]
        var waiting: [Waiter] = []
        /// Bytes that uploads have reserved, and those of their buffers above that.
        var used = 0
        var peak = 0
        /// Bytes that are held for all answers.
        var held = 0
        var lastID = 0

        mutating func newID() -> Int {
            self.lastID += 1
            return self.lastID
        }

        func used(by share: Share) -> Int { share.reserved + max(0, share.buffers - self.least) }

        /// Gives a lease more memory, if it is there.
        /// - Parameter isFirst: Whether nobody else waits for what is shared, which is given in order of arrival.
        mutating func give(_ lease: Int, reserved: Int, buffers: Int, isFirst: Bool) -> Bool {
            guard var share = self.shares[lease] else { return false }
            let before = self.used(by: share)
            (share.reserved, share.buffers) = (share.reserved + reserved, share.buffers + buffers)
            let more = self.used(by: share) - before
            // What the upload has reserved is there, whatever the others have.
            guard more <= 0 || (isFirst && more <= self.limit - self.used) else { return false }
            (self.shares[lease], self.used) = (share, self.used + more)
            self.peak = max(self.peak, self.used)
            return true
        }
    }

    /// Bytes of all uploads together; `nil` for as many as they need.
    let limit: Int?
    private let heldLimit: Int
    /// Bytes of buffers that each upload can always have.
    private let least: Int
    private let state: Mutex<State>

    /// - Parameters:
    ///   - limit: Bytes of all uploads together; `nil` for as many as they need.
    ///   - least: Bytes of buffers that each upload can always have, such as those of one part.
    ///   - held: Bytes of all fields and answers together. With the copies in answers, the memory used is a small multiple
    ///     of this.
    init(limit: Int? = nil, least: Int = 0, held: Int = 64 << 20) {
        (self.limit, self.least, self.heldLimit) = (limit, least, held)
        self.state = Mutex(State(limit: limit ?? .max, least: least))
    }

    /// Holds 64 MiB, or more if the limits allow more for a single form with every byte escaped.
    convenience init(_ limits: ReceivingLimits, limit: Int? = nil, least: Int = 0) {
        let values = 8 * min(Int(clamping: limits.allFieldBytes), .max / 8)
        let names = 6 * min(limits.parsing.totalHeaderBytes, .max / 6)
        self.init(limit: limit, least: least, held: max(64 << 20, values + min(names, .max - values)))
    }

    /// Bytes that are reserved for each upload.
    private var whole: Int { self.least + Self.readBytes }
    /// The most uploads that can be admitted.
    var places: Int { self.limit.map { $0 / self.whole } ?? .max }
    /// Bytes that uploads have reserved or taken.
    var used: Int { self.state.withLock { $0.used } }
    /// The most bytes that were used at once.
    var peak: Int { self.state.withLock { $0.peak } }
    /// The uploads that are admitted.
    var uploads: Int { self.state.withLock { $0.shares.values.count { $0.reserved > 0 } } }
    /// The number of those that wait for memory.
    var queued: Int { self.state.withLock { $0.waiting.count } }

    /// The memory of one upload, or of one answer. It is released with the last reference to it.
    final class Lease: UploadMemory {
        private let memory: ReceiverMemory
        fileprivate let id: Int

        init(of memory: ReceiverMemory) {
            self.memory = memory
            self.id = memory.state.withLock { state in
                let id = state.newID()
                state.shares[id] = Share()
                return id
            }
        }

        deinit { self.memory.ended(self.id) }

        /// Bytes of buffers that it can always have. No buffer has more.
        var least: Int { self.memory.least }

        /// Bytes of buffers that the upload has.
        var count: Int { self.memory.state.withLock { $0.shares[self.id]?.buffers ?? 0 } }

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
            if self.memory.give(self.id, buffers: count) { return }
            // Otherwise an upload of many short files would wait for itself.
            for free in self.memory.takeComplete(of: [self.id]) { await free() }
            guard await self.memory.wait(self, buffers: count) else { throw CancellationError() }
            if Task.isCancelled {
                self.release(count)
                throw CancellationError()
            }
        }

        func release(_ count: Int) {
            _ = self.memory.give(self.id, buffers: -count)
            self.memory.serve()
        }

        /// Notes how to free the buffer of the file that is being written, once it has all its bytes.
        func holds(_ free: @escaping Free) { self.memory.state.withLock { $0.shares[self.id]?.current = free } }

        /// Notes that the file being written has all its bytes. Its buffer can be freed for whatever waits for memory.
        func fileEnded() {
            self.memory.state.withLock { state in
                guard let current = state.shares[self.id]?.current else { return }
                state.shares[self.id]?.complete.append(current)
                state.shares[self.id]?.current = nil
            }
            self.memory.freeComplete()
        }

        /// Holds more bytes for an answer.
        /// - Throws: 503 if all requests together would hold too much.
        func hold(_ count: Int) throws(ProblemDetails) { try self.memory.hold(self.id) { $0 + count } }
    }

    private func ended(_ lease: Int) {
        self.state.withLock { state in
            guard let share = state.shares.removeValue(forKey: lease) else { return }
            state.used -= state.used(by: share)
            state.held -= share.held
        }
        self.serve()
    }

    // MARK: Buffers

    /// Admits an upload.
    /// - Returns: `nil` if its least memory isn't there within ``patience``, or if what the clients of uploads that wait may
    ///   have sent is an eighth of the limit already.
    func admit(within patience: Duration = ReceiverMemory.patience) async -> Lease? {
        let lease = Lease(of: self)
        if self.give(lease.id, reserved: self.whole) { return lease }
        let waiting = self.state.withLock { $0.waiting.count { $0.reserved > 0 } }
        guard waiting < max(1, (self.limit ?? .max) / 8 / Self.waitingBytes) else { return nil }
        return await self.wait(lease, reserved: self.whole, within: patience) ? lease : nil
    }

    private func give(_ lease: Int, reserved: Int = 0, buffers: Int = 0) -> Bool {
        self.state.withLock { $0.give(lease, reserved: reserved, buffers: buffers, isFirst: $0.waiting.isEmpty) }
    }

    /// - Parameter patience: How long to wait; `nil` for as long as it takes.
    /// - Returns: Whether the memory is there; `false` if the task was cancelled before.
    private func wait(
        _ lease: Lease, reserved: Int = 0, buffers: Int = 0, within patience: Duration? = nil
    ) async -> Bool {
        let (grants, granted) = AsyncStream<Void>.makeStream()
        let id = self.state.withLock { state in
            let id = state.newID()
            state.waiting.append(
                Waiter(id: id, lease: lease.id, reserved: reserved, buffers: buffers, granted: granted))
            return id
        }
        self.serve()
        self.freeComplete()
        let timer = patience.map { patience in
            Task {
                try? await Task.sleep(for: patience.asWait)
                granted.finish()
            }
        }
        defer { timer?.cancel() }
        for await _ in grants { return true }
        let isServed = self.state.withLock { state in
            guard let index = state.waiting.firstIndex(where: { $0.id == id }) else { return true }
            state.waiting.remove(at: index)
            return false
        }
        if !isServed { self.serve() }
        return isServed
    }

    /// Gives memory to those that wait, in order of arrival. One that needs nothing shared doesn't wait for others.
    private func serve() {
        self.state.withLock { state in
            var left: [Waiter] = []
            for one in state.waiting {
                if state.give(one.lease, reserved: one.reserved, buffers: one.buffers, isFirst: left.isEmpty) {
                    one.granted.yield()
                } else {
                    left.append(one)
                }
            }
            state.waiting = left
        }
    }

    /// Frees what uploads hold for files that have all their bytes, if anyone waits.
    private func freeComplete() {
        let complete = self.takeComplete(of: self.state.withLock { $0.waiting.isEmpty ? [] : Array($0.shares.keys) })
        guard !complete.isEmpty else { return }
        Task { for free in complete { await free() } }
    }

    private func takeComplete(of leases: [Int]) -> [Free] {
        self.state.withLock { state in
            leases.flatMap { lease -> [Free] in
                defer { state.shares[lease]?.complete = [] }
                return state.shares[lease]?.complete ?? []
            }
        }
    }

    // MARK: Answers

    /// Holds an answer until it has been sent.
    /// - Parameters:
    ///   - count: Its bytes.
    ///   - lease: What holds the fields that it repeats; `nil` for another answer.
    /// - Throws: 503 if all requests together would hold too much.
    func hold(_ count: Int, _ lease: Lease?) throws(ProblemDetails) -> Lease? {
        guard count > Self.smallAnswer else { return lease }
        let lease = lease ?? Lease(of: self)
        try self.hold(lease.id) { max($0, count) }
        return lease
    }

    private func hold(_ lease: Int, _ change: (Int) -> Int) throws(ProblemDetails) {
        try self.state.withLock { state throws(ProblemDetails) in
            let held = state.shares[lease]?.held ?? 0
            let more = change(held) - held
            guard more <= self.heldLimit - state.held else {
                throw .unavailable("Forms in progress and answers that wait to be read use all memory: try again.")
            }
            state.held += more
            state.shares[lease]?.held = held + more
        }
    }
}
