import FormworkSystem

/// Reads a planned body in pieces, like an `InputStream`.
///
/// ```swift
/// let reader = plan.makeReader()
/// while true {
///     let bytes = try reader.read(upTo: 64 << 10)
///     if bytes.isEmpty { break }
///     try send(bytes)
/// }
/// ```
///
/// Use it from one place at a time: it isn't `Sendable`. It blocks its thread while it waits for a disk or a stream.
/// Async code uses an ``AsyncBodyReader`` or ``BodyPlan/chunks(of:options:)``, and a body goes to a descriptor or a
/// file faster with `plan.write(to:)`.
///
/// It has at most one file open and keeps no content, so its memory doesn't depend on the body's size. After an error
/// every call throws that error again, so a body is complete only when a read returned 0 bytes. Its deinit closes open
/// files.
public final class BodyReader: ByteStream {
    /// The plan that is read.
    public let plan: BodyPlan
    /// The offset in the body of the next byte.
    public private(set) var position: Int64 = 0

    private let pieces: [Layout.Piece]
    private var index = 0
    private var pieceOffset: Int64 = 0
    private var cursor: (any SourceCursor)?
    /// Where reading stops before the body's end; `nil` to read all.
    private var end: Int64?
    private var failure: FormworkError?
    private var limiter: RateLimiter?
    private var meter: ProgressMeter?
    private let report: (@Sendable (UploadProgress) -> Void)?
    private let monitor: UploadMonitor?
    private var digests: [any BodyDigest]
    private let readsFiles: Bool
    /// Whether reading may block its thread.
    var mayBlock: Bool
    /// Whether every byte from 0 was read without a seek. Otherwise the digests are invalid.
    private var digestsAreWhole = true
    /// Where the content of the current part began.
    private var contentStart: Int64 = 0
    /// Parses the body as it is read; `nil` unless the options request it.
    private var checker: PlanValidator?

    package init(_ plan: BodyPlan, options: ReaderOptions) {
        self.plan = plan
        self.pieces = plan.layoutPieces
        self.limiter = options.rateLimit.map(RateLimiter.init)
        self.report = options.progress
        self.meter = options.progress.map { _ in ProgressMeter(every: options.progressInterval) }
        self.monitor = options.monitor
        self.digests = options.digests
        self.readsFiles = options.readsFiles
        self.mayBlock = plan.mayBlock
        // A collected form was checked when it was collected.
        if options.checksFraming, plan.storage.isForm { self.checker = PlanValidator(plan) }
    }

    /// Writes the next bytes into `buffer`. Every read but the last fills it, unless it would have to wait for a
    /// stream, or a rate limit's packet is smaller.
    /// - Returns: The number of bytes written; 0 at the end, and for an empty buffer.
    /// - Throws: `sourceUnavailable`, `sourceChanged` or `lengthMismatch` with part, path and offset; `notReplayable`
    ///   when a source that can be read only once is read again, or a stream opened again has other bytes;
    ///   `contentNotEncodable` for content that its encoding can't carry; `framingBroken` with
    ///   ``ReaderOptions/checksFraming``; `invalidArgument` after ``close()``, and for a body
    ///   with an async sequence, which needs an ``AsyncBodyReader``.
    public func read(into buffer: inout MutableRawSpan) throws(FormworkError) -> Int {
        let (count, needsChunk) = try self.fill(&buffer)
        if needsChunk, count == 0 {
            throw self.fail(
                FormworkError(
                    .invalidArgument, "a synchronous reader can't wait for an async sequence: use an AsyncBodyReader",
                    part: self.currentPart))
        }
        return count
    }

    /// Reads at most `count` bytes into a new array; empty at the end.
    /// - Parameter count: The most bytes to read, clamped to 0 to 64 MiB.
    /// - Throws: What ``read(into:)`` throws.
    public func read(upTo count: Int) throws(FormworkError) -> [UInt8] {
        var bytes: [UInt8] = []
        let count = max(0, min(count, Self.largestChunk))
        try bytes.append(upTo: count) { room throws(FormworkError) in try self.read(into: &room) }
        return bytes
    }

    /// Reads the rest into memory.
    /// - Parameter limit: The most bytes; a negative limit counts as 0.
    /// - Throws: ``FormworkError/Code/limitExceeded`` if the rest is longer than `limit` bytes, and what
    ///   ``read(into:)`` throws.
    public func collect(upTo limit: Int) throws(FormworkError) -> [UInt8] {
        let rest = self.plan.contentLength.map { min($0, self.end ?? $0) - self.position }
        let limit = max(0, limit)
        // Nothing is reserved, because a length may come from a peer and exceed the memory.
        var bytes: [UInt8] = []
        while rest ?? 0 <= limit, bytes.count <= limit {
            let room = max(1, min(256 << 10, Int(rest ?? .max) - bytes.count, limit - bytes.count))
            let before = bytes.count
            try bytes.append(upTo: room) { room throws(FormworkError) in try self.read(into: &room) }
            if bytes.count == before { return bytes }
        }
        throw self.fail(
            FormworkError(.limitExceeded, "The body is longer than the \(limit, "byte") allowed in memory."))
    }

    /// Moves to `offset` without reading the bytes between. It takes O(log parts) and opens nothing yet.
    /// - Throws: `invalidArgument` for an offset outside the body, `lengthUnknown` for one after a part of unknown
    ///   length, `notReplayable` for one inside a source that can be read only once.
    public func seek(to offset: Int64) throws(FormworkError) {
        try self.checkUsable()
        guard offset != self.position else { return }
        guard self.checker == nil || offset == 0 else {
            throw FormworkError(
                .invalidArgument,
                "a reader that checks the framing begins at 0, not at \(offset): turn off the check, or the offset")
        }
        if self.checker != nil { self.checker = PlanValidator(self.plan) }
        let layout = self.plan.storage.layout
        guard offset >= 0, offset <= layout.length ?? .max else {
            throw FormworkError(
                .invalidArgument, "offset \(offset) is outside the body of \(layout.length ?? 0, "byte")")
        }
        let index = max(0, layout.pieceIndex(at: offset))
        let place = self.pieces.isEmpty ? 0 : offset - self.pieces[index].start
        if place > 0, index < self.pieces.count {
            if self.pieces[index].length == nil {
                let blocker = self.plan.lengthBlocker
                throw FormworkError(
                    .lengthUnknown,
                    "offset \(offset) is after the beginning of a part of unknown length: "
                        + (blocker?.message ?? "a stream"), part: blocker?.part)
            }
            if case .source(let number) = self.pieces[index].content,
                case .stream(let stream) = self.plan.storage.sources[number], !stream.isReplayable,
                place < stream.length ?? .max
            {
                throw FormworkError(
                    .notReplayable, "offset \(offset) is inside \(stream.label), which can be read only once",
                    part: self.part(of: index))
            }
        }
        self.cursor = nil
        self.index = index
        self.pieceOffset = place
        self.position = offset
        self.digestsAreWhole = false
        if index < self.pieces.count, place == self.pieces[index].length ?? .max, place > 0 { self.nextPiece() }
        self.contentStart = self.startOfContent()
    }

    /// Makes the reader stop after `count` more bytes.
    func limit(to count: Int64) throws(FormworkError) {
        guard count >= 0 else { throw FormworkError(.invalidArgument, "a count can't be negative, but is \(count)") }
        let (end, overflow) = self.position.addingReportingOverflow(count)
        if !overflow { self.end = end }
    }

    /// Closes open files. Reading afterwards is an error, so that a cut body is never taken for a complete one. May be
    /// called any number of times.
    public func close() {
        self.cursor = nil
        if self.failure == nil { self.failure = FormworkError(.invalidArgument, "the reader is closed") }
    }

    /// How long to wait before the next read to respect the rate limit; zero without one.
    public var delay: Duration { self.limiter?.delay(at: .now) ?? .zero }

    /// The digests of the whole body, in the order of ``ReaderOptions/digests``; `nil` until every byte from the first
    /// to the last was read without a seek.
    public var digestValues: [DigestValue]? {
        guard self.digestsAreWhole, self.isAtEnd, self.end == nil || self.end == self.plan.contentLength else {
            return nil
        }
        return self.digests.map { DigestValue(algorithm: type(of: $0).algorithm, bytes: $0.finalized()) }
    }

    /// The reader's progress.
    public var progress: UploadProgress {
        var progress = UploadProgress()
        (progress.sent, progress.total) = (self.position, self.plan.contentLength)
        if let inner = self.cursor?.innerPart {
            progress.part = inner.reference
            (progress.partPosition, progress.partLength) = (inner.position, inner.length)
        } else if self.index < self.pieces.count, self.pieces[self.index].part >= 0 {
            let part = self.plan.storage.parts[self.pieces[self.index].part]
            progress.part = part.reference
            (progress.partPosition, progress.partLength) = (max(0, self.position - self.contentStart), part.length)
        }
        return progress
    }

    // MARK: - The walk

    /// Whether nothing is left to read.
    private var isAtEnd: Bool { self.index == self.pieces.count || self.position == self.end }

    /// Fills `buffer` from the reader's position.
    /// - Parameter minimum: Stop before file content of at least this many bytes, which the kernel moves faster.
    /// - Returns: The number of bytes written, and whether more bytes need a wait for an async sequence.
    func fill(
        _ buffer: inout MutableRawSpan, leavingFilesFrom minimum: Int64 = .max
    ) throws(FormworkError) -> (count: Int, needsChunk: Bool) {
        try self.checkUsable()
        do throws(FormworkError) {
            let result = try self.walk(&buffer, minimum)
            try self.checker?.check(
                buffer.bytes.extracting(first: result.count), isEnd: self.index == self.pieces.count)
            self.account(for: result.count, in: buffer.bytes)
            return result
        } catch {
            throw self.fail(error)
        }
    }

    private func walk(
        _ buffer: inout MutableRawSpan, _ minimum: Int64
    ) throws(FormworkError) -> (count: Int, needsChunk: Bool) {
        var capacity = min(buffer.byteCount, self.limiter?.limit.packet ?? .max)
        capacity = Int(min(Int64(capacity), try self.room()))
        var filled = 0
        while filled < capacity, self.index < self.pieces.count {
            switch self.pieces[self.index].content {
            case .framing(let range), .value(let range):
                if let checker = self.checker, self.pieceOffset == 0 {
                    try checker.comes(to: self.pieces[self.index], at: self.position + Int64(filled))
                }
                let start = range.lowerBound + Int(self.pieceOffset)
                let stop = min(range.upperBound, start + capacity - filled)
                RawBytes.copy(self.plan.storage.layout.bytes, start..<stop, to: &buffer, at: filled)
                self.pieceOffset += Int64(stop - start)
                filled += stop - start
                if stop == range.upperBound { self.nextPiece(contentAt: self.position + Int64(filled)) }
            case .source(let number):
                let cursor = try self.openCursor(number, at: self.position + Int64(filled))
                if cursor.needsChunk { return (filled, true) }
                if filled > 0, cursor.mayWait { return (filled, false) }
                if self.prefersKernel(cursor, minimum, after: filled) { return (filled, false) }
                if !cursor.isFinished {
                    var room = buffer._mutatingExtracting(filled..<capacity)
                    let count = try cursor.read(into: &room)
                    filled += count
                    self.pieceOffset += Int64(count)
                    if cursor.needsChunk { return (filled, true) }
                }
                if cursor.isFinished { self.nextPiece(contentAt: self.position + Int64(filled)) }
            }
        }
        if self.position + Int64(filled) == self.end { try self.cursor?.verify() }
        return (filled, false)
    }

    /// How many bytes may follow: up to ``end``, and up to the largest offset. A body of unknown length can reach that
    /// if it is read from a large offset.
    private func room() throws(FormworkError) -> Int64 {
        let room = (self.end ?? .max) - self.position
        guard room == 0, self.end == nil, self.index < self.pieces.count else { return room }
        throw FormworkError(.limitExceeded, "The body is longer than 2^63 - 1 bytes.")
    }

    private func openCursor(_ number: Int, at offset: Int64) throws(FormworkError) -> any SourceCursor {
        if let cursor = self.cursor { return cursor }
        let cursor = try self.plan.storage.sources[number]
            .makeCursor(at: self.pieceOffset, mayBlock: self.mayBlock)
        self.cursor = cursor
        self.checker?.opens(cursor, of: self.pieces[self.index], at: offset)
        return cursor
    }

    private func nextPiece(contentAt position: Int64? = nil) {
        if case .framing = self.pieces[self.index].content, let position { self.contentStart = position }
        self.cursor = nil
        self.pieceOffset = 0
        self.index += 1
    }

    private func startOfContent() -> Int64 {
        guard self.index < self.pieces.count else { return self.position }
        let part = self.pieces[self.index].part
        let first = self.pieces[...self.index].lastIndex {
            if case .framing = $0.content { $0.part == part } else { false }
        }
        guard let first, let length = self.pieces[first].length else { return self.position }
        return self.pieces[first].start + length
    }

    private func account(for count: Int, in bytes: RawSpan) {
        if count > 0, !self.digests.isEmpty {
            let given = bytes.extracting(first: count)
            for index in self.digests.indices { self.digests[index].update(given) }
        }
        self.moved(count)
    }

    /// Records that `count` bytes were read.
    private func moved(_ count: Int) {
        self.position += Int64(count)
        self.monitor?.read(self.position, of: self.plan.contentLength)
        guard self.limiter != nil || self.meter != nil else { return }
        let now = ContinuousClock.now
        self.limiter?.spend(count, at: now)
        if self.meter?.isDue(at: now, isEnd: self.isAtEnd) ?? false { self.report?(self.progress) }
    }

    // MARK: - Content that the kernel moves

    /// The most bytes of a new array in one read.
    static let largestChunk = 64 << 20

    /// - Parameter count: The bytes that were read since ``position``.
    private func prefersKernel(_ cursor: any SourceCursor, _ minimum: Int64, after count: Int = 0) -> Bool {
        guard minimum < .max, !self.readsFiles, self.digests.isEmpty, self.checker == nil else { return false }
        return min(cursor.fileCount, (self.end ?? .max) - self.position - Int64(count)) >= minimum
    }

    /// The next file content, for the kernel to move; `nil` if it is less than `minimum` bytes.
    func kernelRun(from minimum: Int64) throws(FormworkError) -> KernelRun? {
        guard let cursor = self.cursor, self.prefersKernel(cursor, minimum) else { return nil }
        do throws(FormworkError) {
            guard var run = try cursor.kernelRun else { return nil }
            run.remaining = min(run.remaining, try self.room())
            run.packet = Int64(self.limiter?.limit.packet ?? .max)
            return run
        } catch {
            throw self.fail(error)
        }
    }

    /// Records that `count` bytes of the last ``kernelRun(from:)``, 1 or more, were moved.
    func advance(by count: Int) throws(FormworkError) {
        do throws(FormworkError) {
            guard let cursor = self.cursor else { return }
            try cursor.advance(by: count)
            self.pieceOffset += Int64(count)
            if cursor.isFinished { self.nextPiece() }
            self.moved(count)
            if self.position == self.end { try self.cursor?.verify() }
        } catch {
            throw self.fail(error)
        }
    }

    /// Bytes of an async sequence that were fetched, uncopied; `nil` if others come first, or if something looks at them.
    /// - Parameter limit: More bytes aren't taken.
    func takeChunk(upTo limit: Int) throws(FormworkError) -> (any BodyChunk)? {
        try self.checkUsable()
        guard self.digests.isEmpty, self.checker == nil, self.limiter == nil, self.meter == nil, self.monitor == nil,
            self.end == nil,
            let chunk = self.cursor?.takeFetched(upTo: limit)
        else { return nil }
        self.pieceOffset += Int64(chunk.byteCount)
        self.position += Int64(chunk.byteCount)
        return chunk
    }

    /// Whether the next bytes need a wait for an async sequence (``fetchChunk(isolation:)``).
    var awaitsChunk: Bool { self.failure == nil && self.cursor?.needsChunk ?? false }

    /// Whether the next read may have to wait for anything but the disk.
    var mayWait: Bool { self.cursor?.mayWait ?? self.plan.mayWait }

    /// Checks the open source as far as possible, because the caller stops here.
    func verify() throws(FormworkError) { try self.cursor?.verify() }

    /// Fetches the chunk that ``fill(_:leavingFilesFrom:)`` needs.
    func fetchChunk(isolation: isolated (any Actor)?) async throws(FormworkError) {
        do throws(FormworkError) {
            try await self.cursor?.fetch(isolation: isolation)
        } catch {
            throw self.fail(error)
        }
    }

    // MARK: - Errors

    private var currentPart: PartReference? { self.cursor?.innerPart?.reference ?? self.part(of: self.index) }

    private func part(of index: Int) -> PartReference? {
        guard index < self.pieces.count, self.pieces[index].part >= 0 else { return nil }
        return self.plan.storage.parts[self.pieces[index].part].reference
    }

    private func checkUsable() throws(FormworkError) {
        if let failure = self.failure { throw failure }
    }

    /// Stores an error, which every later call throws.
    func fail(_ error: FormworkError) -> FormworkError {
        var error = error.naming(self.currentPart)
        // The check knows the place; the reader's position is before the bytes that it checked.
        if error.code != .framingBroken || error.offset == nil { error = error.at(self.position) }
        self.cursor = nil
        self.failure = error
        return error
    }
}

/// Additional work of a reader.
public struct ReaderOptions: Sendable {
    /// The limit on the body's speed; `nil` for none.
    ///
    /// Every read returns at most one packet. A ``BodyReader`` never sleeps: ``BodyReader/delay`` says how long to
    /// wait. ``BodyReader/write(to:)`` waits on its caller's thread, ``AsyncBodyReader`` suspends its task.
    public var rateLimit: RateLimit?
    /// Receives progress reports, on the thread that reads, between two reads; `nil` for none.
    public var progress: (@Sendable (UploadProgress) -> Void)?
    /// The least time between two reports, by default a tenth of a second. The first and the last are always made.
    public var progressInterval: Duration
    /// Gets the position after each read; `nil` for none.
    var monitor: UploadMonitor?
    /// Digests of all bytes that are read.
    public var digests: [any BodyDigest]

    /// Whether every byte is parsed before it is returned, and compared with the plan.
    ///
    /// Then reading fails if content contains the delimiter, or header fields break the framing. Parts inside parts
    /// count as content. Such a reader begins at 0, and ``BodyReader/seek(to:)`` accepts no other offset. File content
    /// is read instead of moved by the kernel.
    public var checksFraming: Bool

    /// Whether file content is always read, never moved by the kernel.
    ///
    /// The kernel puts references to a file's cached pages into a pipe, not copies. A process that forwards them with
    /// `splice` or `tee`, as `pv` does, still uses them after the last check of the file. Set this to `true` if such a
    /// process reads the pipe, so that later changes of the file can't reach it.
    public var readsFiles: Bool

    /// Options. By default there is no limit, no progress, no digest and no check.
    public init(
        rateLimit: RateLimit? = nil, progress: (@Sendable (UploadProgress) -> Void)? = nil,
        progressInterval: Duration = .milliseconds(100), digests: [any BodyDigest] = [], checksFraming: Bool = false,
        readsFiles: Bool = false
    ) {
        self.rateLimit = rateLimit
        self.progress = progress
        self.progressInterval = progressInterval
        self.digests = digests
        self.checksFraming = checksFraming
        self.readsFiles = readsFiles
    }
}
