import FormworkCore
import FormworkSystem
import Foundation

/// The bytes of a ``BodyInputStream``. It is a separate object because Foundation's streams can't cross threads, and
/// URLSession reads on its own queue while other threads close the stream and ask for its status.
// SAFETY of `@unchecked Sendable`: the lock guards all state except a reader's own, which only the current read uses.
final class BodyFeed: @unchecked Sendable {
    /// The source of the bytes.
    private enum Supply {
        /// Read on the stream's thread: a read waits only for the disk.
        case reader(BodyReader)
        /// Fetched one chunk ahead, so that ``close()`` ends a wait at once.
        case chunks(AsyncBodyReader)
        /// Never read.
        case failure(FormworkError)
    }

    private var origin: Supply
    private let length: Int64?
    private let lock = NSCondition()
    private var state = Stream.Status.notOpen
    private var error: FormworkError?
    private var position: Int64 = 0
    private var sawEnd = false
    /// Whether a read is running. It doesn't hold the lock, because it may take as long as the disk needs, and it calls
    /// the progress observer, which may use and close this feed.
    private var isReading = false
    private var wasOpened = false
    private var opening: (@Sendable () -> Void)?
    private var failing: (@Sendable () -> Void)?

    private var chunk: [UInt8] = []
    private var used = 0
    private var fetched: Result<[UInt8]?, FormworkError>?
    private var fetching: Task<Void, Never>?
    /// How many fetches have ended.
    private let arrivals = WatchedState(0)
    private let thread = TaskThread()

    init(_ plan: BodyPlan, options: ReaderOptions) {
        self.length = plan.contentLength
        let isImmediate = plan.isReadableWithoutWaiting && options.rateLimit == nil
        self.origin =
            isImmediate
            ? .reader(BodyReader(plan, options: options))
            : .chunks(AsyncBodyReader(BodyReader(plan, options: options)))
    }

    /// Creates a feed whose first read fails.
    init(failing error: FormworkError) { (self.origin, self.length) = (.failure(error), nil) }

    var status: Stream.Status { self.lock.withLock { self.state } }
    var failure: FormworkError? { self.lock.withLock { self.error } }
    /// Whether all bytes were read, and they are the planned ones.
    var isComplete: Bool { self.lock.withLock { self.sawEnd } }
    /// Bytes read.
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

    /// Calls `action` after the reader called ``open()``, even if the feed is closed: at once if it already did.
    func whenOpened(_ action: @escaping @Sendable () -> Void) {
        let wasOpened = self.lock.withLock {
            if !self.wasOpened { self.opening = action }
            return self.wasOpened
        }
        if wasOpened { action() }
    }

    /// Calls `action` when reading fails, but not if it already did.
    func whenFailed(_ action: @escaping @Sendable () -> Void) { self.lock.withLock { self.failing = action } }

    func close() {
        let (fetching, _) = self.lock.withLock {
            if self.state != .error { self.state = .closed }
            let used = (self.fetching, self.origin)
            // URLSession may keep the stream of a task that has ended: the stream must not keep files open or hold
            // bytes. A running read has its own reference to the reader and releases it.
            self.origin = .failure(FormworkError(.invalidArgument, "the stream is closed"))
            (self.chunk, self.used, self.fetched, self.failing) = ([], 0, nil, nil)
            self.lock.broadcast()
            return used
        }
        // Without the lock, as this releases the source: a sequence is ended at once, and may use this feed.
        fetching?.cancel()
    }

    /// - Returns: Bytes written; 0 at the end; `nil` if the feed isn't open, has failed, or another read is running.
    func read(into room: inout MutableRawSpan) -> Int? {
        if self.isComplete || self.status == .open && room.isEmpty { return 0 }
        let begun = self.lock.withLock { () -> (Supply, Int64)? in
            guard self.state == .open, !self.isReading else { return nil }
            self.isReading = true
            return (self.origin, self.position)
        }
        guard let (origin, position) = begun else { return nil }
        do throws(FormworkError) {
            guard let count = try self.fill(&room, from: origin) else { return self.end(nil) }
            guard count == 0 || position + Int64(count) == self.length else { return self.end(count) }
            // Together with the last bytes and not in a later read: the server may answer as soon as it has them, and
            // they shouldn't be sent if the source has changed.
            var surplus: [UInt8] = []
            try surplus.append(upTo: 1) { room throws(FormworkError) in try self.fill(&room, from: origin) ?? 0 }
            return self.end(surplus.isEmpty ? count : nil, isLast: true)
        } catch {
            return self.end(nil, failure: error)
        }
    }

    /// Whether a body counts as delivered when the server answered that it has it and the transfer ended: all of it was
    /// read, or it is short (``EarlySuccess``).
    ///
    /// This reads the rest of a short body, since its source may turn out to have changed. For a body of unknown length
    /// the end decides: a server that finds the end in the body's syntax may answer earlier. This waits up to one second
    /// for the end.
    func wasAllGiven() async -> Bool {
        if let length = self.length, length <= EarlySuccess.believedLength {
            while self.readsAtOnce, !self.isComplete {
                var rest: [UInt8] = []
                rest.append(upTo: 64 << 10) { room in self.read(into: &room) ?? 0 }
                if rest.isEmpty { break }
            }
            return self.failure == nil
        }
        guard self.length == nil, self.count > 0, !self.isComplete else { return self.isComplete }
        let end = ContinuousClock.Instant.after(.seconds(1))
        while !Task.isCancelled, ContinuousClock.now < end {
            // The stream's own reader may take what arrives.
            let before = self.arrivals.withLock { $0 }
            guard self.hasToWait else { break }
            await self.arrivals.wait(for: ContinuousClock.now.duration(to: end)) { $0 > before }
        }
        if !self.hasToWait {
            var rest: [UInt8] = []
            rest.append(upTo: 1) { room in self.read(into: &room) ?? 0 }
        }
        return self.isComplete
    }

    private var readsAtOnce: Bool { self.lock.withLock { if case .reader = self.origin { true } else { false } } }

    /// Whether a read would wait for something other than the disk; if so, this starts to fetch it.
    private var hasToWait: Bool {
        self.lock.withLock {
            guard case .chunks(let reader) = self.origin, self.state == .open, self.used == self.chunk.count else {
                return false
            }
            self.fetch(from: reader)
            return self.fetched == nil
        }
    }

    /// Records the result of a read, unless the feed was closed meanwhile.
    /// - Returns: The result for the reader.
    private func end(_ count: Int?, isLast: Bool = false, failure: FormworkError? = nil) -> Int? {
        let (result, failing) = self.lock.withLock { () -> (Int?, (@Sendable () -> Void)?) in
            self.isReading = false
            guard self.state == .open else { return (nil, nil) }
            if let failure {
                (self.error, self.state) = (failure, .error)
                defer { self.failing = nil }
                return (nil, self.failing)
            }
            guard let count else { return (nil, nil) }
            self.position += Int64(count)
            if isLast { (self.sawEnd, self.state) = (true, .atEnd) }
            return (count, nil)
        }
        failing?()
        return result
    }

    /// - Returns: Bytes written; `nil` if the feed was closed meanwhile.
    private func fill(_ room: inout MutableRawSpan, from origin: Supply) throws(FormworkError) -> Int? {
        switch origin {
        case .reader(let reader): return try reader.read(into: &room)
        case .failure(let error): throw error
        case .chunks(let reader):
            self.lock.lock()
            defer { self.lock.unlock() }
            guard self.state == .open else { return nil }
            if self.used == self.chunk.count {
                self.fetch(from: reader)
                while self.fetched == nil, self.state == .open { self.lock.wait() }
                guard self.state == .open, let fetched = self.fetched else { return nil }
                (self.fetched, self.fetching) = (nil, nil)
                (self.chunk, self.used) = (try fetched.get() ?? [], 0)
                if !self.chunk.isEmpty { self.fetch(from: reader) }
            }
            let count = RawBytes.copy(self.chunk, self.used..<self.chunk.count, to: &room)
            self.used += count
            return count
        }
    }

    /// Starts to fetch the next chunk, if it isn't being fetched yet.
    private func fetch(from reader: AsyncBodyReader) {
        guard self.fetching == nil else { return }
        self.fetching = Task.detached(executorPreference: self.thread) {
            let result: Result<[UInt8]?, FormworkError>
            do { result = .success(try await reader.next()) } catch {
                let known = error as? FormworkError
                result = .failure(known ?? FormworkError(.sourceUnavailable, "the body can't be read", cause: error))
            }
            self.lock.withLock {
                guard self.state == .open else { return }
                self.fetched = result
                self.lock.broadcast()
            }
            self.arrivals.withLock { $0 += 1 }
        }
    }
}
