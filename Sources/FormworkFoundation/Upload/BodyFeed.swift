import Foundation

/// What a ``BodyInputStream`` gives: apart from it, because Foundation's streams may not cross threads, and URLSession
/// reads on a queue of its own while others close and ask.
// @unchecked: the lock guards all state.
final class BodyFeed: @unchecked Sendable {
    /// Where the bytes come from.
    private enum Origin {
        /// Read where the stream is read: nobody but the disk is waited for.
        case reader(BodyReader)
        /// Fetched ahead by one chunk, so that ``close()`` ends a wait at once.
        case chunks(AsyncBodyReader)
        /// Never read.
        case failure(FormworkError)
    }

    private var origin: Origin
    private let length: Int64?
    private let lock = NSCondition()
    private var state = Stream.Status.notOpen
    private var error: FormworkError?
    private var position: Int64 = 0
    private var sawEnd = false
    private var wasOpened = false
    private var opening: (@Sendable () -> Void)?

    private var chunk: [UInt8] = []
    private var used = 0
    private var fetched: Result<[UInt8]?, FormworkError>?
    private var fetching: Task<Void, Never>?
    private let thread = TaskThread()

    init(_ plan: BodyPlan, options: ReaderOptions) {
        self.length = plan.contentLength
        let isImmediate = plan.waitsForNobody && options.rateLimit == nil
        self.origin =
            isImmediate
            ? .reader(BodyReader(plan, options: options))
            : .chunks(AsyncBodyReader(BodyReader(plan, options: options)))
    }

    /// A feed whose first read fails.
    init(failing error: FormworkError) { (self.origin, self.length) = (.failure(error), nil) }

    var status: Stream.Status { self.lock.withLock { self.state } }
    var failure: FormworkError? { self.lock.withLock { self.error } }
    /// Whether all bytes were given, and are what was planned.
    var isComplete: Bool { self.lock.withLock { self.sawEnd } }
    /// Bytes given.
    var count: Int64 { self.lock.withLock { self.position } }

    func open() {
        let opening = self.lock.withLock {
            if self.state == .notOpen { self.state = .open }
            self.wasOpened = true
            defer { self.opening = nil }
            return self.opening
        }
        opening?()
    }

    /// Calls `action` once the reader has called ``open()``, closed or not: at once if it already has.
    func whenOpened(_ action: @escaping @Sendable () -> Void) {
        let wasOpened = self.lock.withLock {
            if !self.wasOpened { self.opening = action }
            return self.wasOpened
        }
        if wasOpened { action() }
    }

    func close() {
        self.lock.withLock {
            if self.state != .error { self.state = .closed }
            self.fetching?.cancel()
            // URLSession may keep the stream of a task that has ended: it must not keep files open, nor bytes.
            self.origin = .failure(FormworkError(.invalidArgument, "the stream is closed"))
            (self.chunk, self.used, self.fetched) = ([], 0, nil)
            self.lock.broadcast()
        }
    }

    /// - Returns: Bytes written; 0 at the end; `nil` when the feed is not open or has failed.
    func read(into room: inout MutableRawSpan) -> Int? {
        self.lock.lock()
        defer { self.lock.unlock() }
        if self.sawEnd { return 0 }
        guard self.state == .open else { return nil }
        guard !room.isEmpty else { return 0 }
        do throws(FormworkError) {
            guard let count = try self.fill(&room) else { return nil }
            self.position += Int64(count)
            if count == 0 || self.position == self.length {
                // Behind the last bytes and not in a read of its own: the server may answer as soon as it has them, and
                // they had better not go out if the source turns out changed.
                var surplus: [UInt8] = []
                try surplus.append(upTo: 1) { room throws(FormworkError) in try self.fill(&room) ?? 0 }
                guard self.state == .open, surplus.isEmpty else { return nil }
                (self.sawEnd, self.state) = (true, .atEnd)
            }
            return count
        } catch {
            (self.error, self.state) = (error, .error)
            return nil
        }
    }

    /// - Returns: Bytes written; `nil` when the feed was closed meanwhile.
    private func fill(_ room: inout MutableRawSpan) throws(FormworkError) -> Int? {
        switch self.origin {
        case .reader(let reader): return try reader.read(into: &room)
        case .failure(let error): throw error
        case .chunks(let reader):
            if self.used == self.chunk.count {
                self.fetch(from: reader)
                while self.fetched == nil, self.state == .open { self.lock.wait() }
                guard self.state == .open, let fetched = self.fetched else { return nil }
                (self.fetched, self.fetching) = (nil, nil)
                (self.chunk, self.used) = (try fetched.get() ?? [], 0)
                if !self.chunk.isEmpty { self.fetch(from: reader) }
            }
            let count = room.copy(self.chunk, self.used..<self.chunk.count, at: 0)
            self.used += count
            return count
        }
    }

    /// Begins to fetch the next chunk, if that isn't under way.
    private func fetch(from reader: AsyncBodyReader) {
        guard self.fetching == nil else { return }
        self.fetching = Task.detached(executorPreference: self.thread) {
            let result: Result<[UInt8]?, FormworkError>
            do { result = .success(try await reader.next()) } catch {
                let known = error as? FormworkError
                result = .failure(known ?? FormworkError(.sourceUnavailable, "the body can't be read", cause: error))
            }
            self.lock.withLock {
                self.fetched = result
                self.lock.broadcast()
            }
        }
    }
}
