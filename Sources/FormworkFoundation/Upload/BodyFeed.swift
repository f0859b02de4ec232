import Foundation

/// What a ``BodyInputStream`` gives: apart from it, because Foundation's streams may not cross threads, and URLSession
/// reads on a queue of its own while others close and ask.
// @unchecked: the lock guards all state but a reader's own, which only the one read under way uses.
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
    /// Whether a read is under way. The lock isn't held meanwhile: a read lasts as long as the disk takes, and calls whoever
    /// watches the progress, who may ask here and close.
    private var isReading = false
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
        let (fetching, _) = self.lock.withLock {
            if self.state != .error { self.state = .closed }
            let used = (self.fetching, self.origin)
            // URLSession may keep the stream of a task that has ended: it must not keep files open, nor bytes. A read that
            // is under way has the reader for itself, and lets go of it.
            self.origin = .failure(FormworkError(.invalidArgument, "the stream is closed"))
            (self.chunk, self.used, self.fetched) = ([], 0, nil)
            self.lock.broadcast()
            return used
        }
        // Without the lock, as the source goes: a sequence hears of its end at once, and may ask here.
        fetching?.cancel()
    }

    /// - Returns: Bytes written; 0 at the end; `nil` when the feed is not open, has failed, or is being read by another.
    func read(into room: inout MutableRawSpan) -> Int? {
        if self.isComplete || self.status == .open && room.isEmpty { return 0 }
        let begun = self.lock.withLock { () -> (Origin, Int64)? in
            guard self.state == .open, !self.isReading else { return nil }
            self.isReading = true
            return (self.origin, self.position)
        }
        guard let (origin, position) = begun else { return nil }
        do throws(FormworkError) {
            guard let count = try self.fill(&room, from: origin) else { return self.end(nil) }
            guard count == 0 || position + Int64(count) == self.length else { return self.end(count) }
            // Behind the last bytes and not in a read of its own: the server may answer as soon as it has them, and
            // they had better not go out if the source turns out changed.
            var surplus: [UInt8] = []
            try surplus.append(upTo: 1) { room throws(FormworkError) in try self.fill(&room, from: origin) ?? 0 }
            return self.end(surplus.isEmpty ? count : nil, isLast: true)
        } catch {
            return self.end(nil, failure: error)
        }
    }

    /// Whether a body counts as delivered when the server answered, maybe early, that it has it, and the transfer has ended:
    /// all of it was given, or it is short (``EarlySuccess``).
    ///
    /// The rest of a short body is read here, as it may turn out to have changed. If the length isn't known, the end decides:
    /// a server that finds the end by the body's own syntax may answer before it. The end is waited for one second.
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
        for _ in 0..<200 where self.hasToWait {
            guard (try? await Task.sleep(for: .milliseconds(5))) != nil else { break }
        }
        if !self.hasToWait {
            var rest: [UInt8] = []
            rest.append(upTo: 1) { room in self.read(into: &room) ?? 0 }
        }
        return self.isComplete
    }

    private var readsAtOnce: Bool { self.lock.withLock { if case .reader = self.origin { true } else { false } } }

    /// Whether a read would wait for others than the disk; what it would wait for is fetched from then on.
    private var hasToWait: Bool {
        self.lock.withLock {
            guard case .chunks(let reader) = self.origin, self.state == .open, self.used == self.chunk.count else {
                return false
            }
            self.fetch(from: reader)
            return self.fetched == nil
        }
    }

    /// Takes note of what a read gave, unless the feed was closed meanwhile.
    /// - Returns: What the reader gets.
    private func end(_ count: Int?, isLast: Bool = false, failure: FormworkError? = nil) -> Int? {
        self.lock.withLock {
            self.isReading = false
            guard self.state == .open else { return nil }
            if let failure { (self.error, self.state) = (failure, .error) }
            guard let count else { return nil }
            self.position += Int64(count)
            if isLast { (self.sawEnd, self.state) = (true, .atEnd) }
            return count
        }
    }

    /// - Returns: Bytes written; `nil` when the feed was closed meanwhile.
    private func fill(_ room: inout MutableRawSpan, from origin: Origin) throws(FormworkError) -> Int? {
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
                guard self.state == .open else { return }
                self.fetched = result
                self.lock.broadcast()
            }
        }
    }
}
