import Synchronization

/// Runs a parser over a source. All parts of a body share it.
///
/// Code that runs at least once per part is inlinable, and so are its callers. Specialised for the chunks' type in the
/// caller's module it takes half the time.
///
/// SAFETY of `@unchecked Sendable`: all mutable state is used only between ``enter()`` and ``leave()``, which admit one
/// caller at a time. The iterator is made here from a Sendable sequence. A pull that missed its deadline may still use
/// the iterator, but then the failure is stored and nothing else uses it.
@usableFromInline
final class PartsReader<Chunks: AsyncSequence & Sendable>: @unchecked Sendable where Chunks.Element: BodyChunk {
    @usableFromInline let isBusy = Atomic(false)
    @usableFromInline var iterator: Chunks.AsyncIterator
    /// SAFETY: one caller at a time uses it, so no accesses overlap. Checking that for each one takes a thirtieth of a small
    /// form's time.
    @exclusivity(unchecked) @usableFromInline var uncheckedState: PartsState<Chunks.Element>

    @inlinable var state: PartsState<Chunks.Element> {
        _read { yield unsafe self.uncheckedState }
        _modify { yield unsafe &self.uncheckedState }
    }

    @inlinable
    init(_ chunks: Chunks, _ parser: MultipartParser, _ deadlines: ReceivingDeadlines) {
        self.iterator = chunks.makeAsyncIterator()
        unsafe self.uncheckedState = PartsState(PartsMachine(parser, deadlines))
    }

    @inlinable
    func nextPart() async throws -> ReceivedPart<Chunks>? {
        try self.enter()
        defer { self.leave() }
        while true {
            switch try self.state.nextPart() {
            case .part(let header, let index): return ReceivedPart(reader: self, header: header, index: index)
            case .finished: return nil
            case .needsChunk: try await self.pull()
            }
        }
    }

    @inlinable
    func nextContent(of part: Int) async throws -> Chunks.Element.Content? {
        try self.enter()
        defer { self.leave() }
        while true {
            switch try self.state.nextContent(of: part) {
            case .content(let content): return content
            case .partEnded: return nil
            case .needsChunk: try await self.pull()
            }
        }
    }

    /// The next part, if the chunk has it.
    func readyPart() throws -> PartsState<Chunks.Element>.PartStep {
        try self.enter()
        defer { self.leave() }
        return try self.state.nextPart()
    }

    /// The next content, if the chunk has it.
    func readyContent(of part: Int) throws -> PartsState<Chunks.Element>.ContentStep {
        try self.enter()
        defer { self.leave() }
        return try self.state.nextContent(of: part)
    }

    @inlinable
    func collect(upTo limit: CollectingLimit, of part: Int) async throws -> [UInt8] {
        try self.enter()
        defer { self.leave() }
        var collected: [UInt8] = []
        do {
            if try self.state.collect(into: &collected, upTo: limit, of: part, isFirst: true) { return collected }
            repeat { try await self.pull() } while try !self.state.collect(into: &collected, upTo: limit, of: part)
            return collected
        } catch {
            // At the limit the bytes that didn't fit were read too.
            if !collected.isEmpty || (error as? FormworkError)?.code == .limitExceeded { self.state.lose(part) }
            throw error
        }
    }

    /// Collects all parts. What a chunk has of them is read without waiting.
    @inlinable
    func collectForm(_ limits: CollectingLimits) async throws -> ReceivedForm {
        try self.enter()
        defer { self.leave() }
        var collector = FormCollector(limits)
        while true {
            switch try self.state.collect(&collector) {
            case .finished: return try await collector.finish(self.state.machine.names)
            case .needsChunk: try await self.pull()
            case .writes(let range):
                if let piece = self.state.chunk?.content(range) { try await collector.write(piece) }
            case .writesHeld(let bytes): try await collector.write(bytes)
            }
        }
    }

    @inlinable
    func skipContent(of part: Int) async throws {
        try self.enter()
        defer { self.leave() }
        if self.state.lostPart == part { self.state.lostPart = -1 }
        do {
            while true {
                switch try self.state.nextContent(of: part) {
                case .content: continue
                case .partEnded: return
                case .needsChunk: try await self.pull()
                }
            }
        } catch {
            self.state.lose(part)
            throw error
        }
    }

    /// Refuses to read the rest of a part, except to skip it: a call that failed has read some of its content.
    func lose(_ part: Int) {
        guard (try? self.enter()) != nil else { return }
        defer { self.leave() }
        self.state.lose(part)
    }

    @inlinable
    func limitContent(to bytes: Int64, of part: Int) throws(FormworkError) {
        try self.enter()
        defer { self.leave() }
        if try self.state.isOpen(part) { self.state.machine.limitContent(to: bytes) }
    }

    /// Checks that a part has content that wasn't read, or isn't known to have none.
    @usableFromInline
    func checkUnread(_ part: Int) throws(FormworkError) {
        try self.enter()
        defer { self.leave() }
        try self.state.checkUnread(part)
    }

    // MARK: one caller at a time

    @inlinable
    func enter() throws(FormworkError) {
        guard self.isBusy.exchange(true, ordering: .acquiring) else { return }
        throw FormworkError(.invalidArgument, "the parts of one body are read in two tasks at once: read them in one")
    }

    @inlinable
    func leave() { self.isBusy.store(false, ordering: .releasing) }

    // MARK: pulling

    /// Gets the next chunk, or finishes at the end.
    @inlinable
    func pull() async throws {
        self.state.end()
        // This isn't stored as a failure: after a cancelled task, another task may continue.
        try Task.checkCancellation()
        do {
            let chunk =
                self.state.machine.hasDeadlines
                ? try await self.nextChunkInTime() : try await self.iterator.next(isolation: #isolation)
            if let chunk { return self.state.begin(chunk) }
        } catch {
            throw self.state.fail(error)
        }
        // Sources end early if the task was cancelled. That isn't a truncated body.
        try Task.checkCancellation()
        do { try self.state.machine.finish() } catch { throw self.state.fail(error) }
    }

    @usableFromInline
    func nextChunkInTime() async throws -> Chunks.Element? {
        guard let deadline = self.state.machine.deadline else {
            return try await self.iterator.next(isolation: #isolation)
        }
        let late = FormworkError(
            .timedOut, "\(deadline.subject) took longer than its deadline allows", offset: self.state.machine.offset)
        return try await Race.run(until: deadline.instant, late: late) {
            try await self.iterator.next(isolation: nil)
        }
    }
}

/// The state that a ``PartsReader`` changes without waiting. It is one value, so that a call checks exclusive access
/// once.
@usableFromInline
struct PartsState<Chunk: BodyChunk> {
    @usableFromInline
    enum PartStep {
        case part(ReceivedHeader, index: Int)
        case finished
        case needsChunk
    }

    @usableFromInline
    enum ContentStep {
        case content(Chunk.Content)
        case partEnded
        case needsChunk
    }

    @usableFromInline var machine: PartsMachine
    @usableFromInline var chunk: Chunk?
    /// The error that every later call throws.
    @usableFromInline var failure: (any Error)?
    /// The part of which a failed call has read some content, so that its rest would be taken for all; -1 for none.
    @usableFromInline var lostPart = -1

    @inlinable
    init(_ machine: PartsMachine) { (self.machine, self.chunk, self.failure) = (machine, nil, nil) }

    @inlinable
    mutating func nextPart() throws -> PartStep {
        if self.machine.isFinished { return .finished }
        let step = try self.inChunk(.needsChunk) { machine, bytes throws(FormworkError) in
            try machine.nextPart(in: bytes)
        }
        switch step {
        case .part(let header): return .part(header, index: self.machine.count - 1)
        case .needsChunk: return .needsChunk
        }
    }

    @inlinable
    mutating func nextContent(of part: Int) throws -> ContentStep {
        guard try self.isOpen(part) else { return .partEnded }
        let step = try self.inChunk(.needsChunk) { machine, bytes throws(FormworkError) in
            try machine.nextContent(in: bytes)
        }
        switch step {
        case .content(let range): return self.chunk.map { .content($0.content(range)) } ?? .needsChunk
        case .heldContent(let bytes): return .content(Chunk.Content(copying: bytes[...]))
        case .partEnded: return .partEnded
        case .needsChunk: return .needsChunk
        }
    }

    /// Collects content.
    /// - Parameter isFirst: Whether content that was read already is an error.
    /// - Returns: Whether the part has ended; otherwise a chunk is needed.
    @inlinable
    mutating func collect(
        into bytes: inout [UInt8], upTo limit: CollectingLimit, of part: Int, isFirst: Bool = false
    ) throws -> Bool {
        guard try self.isOpen(part) else {
            if isFirst { throw Self.readAlready(part) }
            return true
        }
        return try self.inChunk(false) { machine, chunk throws(FormworkError) in
            try machine.collect(into: &bytes, upTo: limit, in: chunk)
        }
    }

    /// Collects what the chunk has of the form.
    @inlinable
    mutating func collect(_ collector: inout FormCollector) throws -> FormCollector.Step {
        if self.machine.isFinished { return .finished }
        return try self.inChunk(.needsChunk) { machine, chunk throws(FormworkError) in
            try collector.advance(&machine, in: chunk)
        }
    }

    /// Whether a part may have more content.
    @inlinable
    @inline(__always)
    func isOpen(_ part: Int) throws(FormworkError) -> Bool {
        guard part == self.machine.count - 1, !self.machine.isFinished else {
            throw FormworkError(
                .invalidArgument,
                "part \(part + 1) has ended: read its content before requesting the next part, or pass all parts on with "
                    + "append(once:)")
        }
        if part == self.lostPart { throw Self.lost(part) }
        return self.machine.isInPart
    }

    /// A stored failure is thrown by every later call anyway.
    @usableFromInline
    mutating func lose(_ part: Int) {
        guard self.failure == nil, !self.machine.hasFailed, part == self.machine.count - 1 else { return }
        self.lostPart = part
    }

    @usableFromInline
    static func lost(_ part: Int) -> FormworkError {
        FormworkError(
            .invalidArgument,
            "a call that failed has read some of the content of part \(part + 1), so only its rest is left: skip the part"
        )
    }

    func checkUnread(_ part: Int) throws(FormworkError) {
        guard try self.isOpen(part) else { throw Self.readAlready(part) }
    }

    @usableFromInline
    static func readAlready(_ part: Int) -> FormworkError {
        FormworkError(
            .invalidArgument,
            "the content of part \(part + 1) has been read already: keep what the first call gave")
    }

    /// Makes a step in the current chunk.
    /// - Parameter starved: The result if there is none.
    @inlinable
    @inline(__always)
    mutating func inChunk<Step>(
        _ starved: Step, _ body: (inout PartsMachine, RawSpan) throws(FormworkError) -> Step
    ) throws -> Step {
        if self.failure != nil, let failure = self.failure { throw failure }
        return try Self.lend(self.chunk, to: &self.machine, starved, body)
    }

    @inlinable
    @inline(__always)
    static func lend<Step>(
        _ chunk: Chunk?, to machine: inout PartsMachine, _ starved: Step,
        _ body: (inout PartsMachine, RawSpan) throws(FormworkError) -> Step
    ) throws -> Step {
        guard let chunk else { return starved }
        do {
            return try chunk.withBytes { bytes throws(FormworkError) in try body(&machine, bytes) }
        } catch {
            // A limit of this call ends only the call. The parser's errors end the body, and the parser repeats them.
            throw chunk.withBytes { bytes in machine.named(error, in: bytes) }
        }
    }

    @inlinable
    mutating func begin(_ chunk: Chunk) {
        self.machine.begin()
        self.chunk = chunk
    }

    /// Gives the chunk back.
    @inlinable
    mutating func end() {
        self.chunk?.withBytes { self.machine.end($0) }
        self.chunk = nil
    }

    /// Stores a failure.
    /// - Returns: The failure with its part.
    @usableFromInline
    mutating func fail(_ error: any Error) -> any Error {
        let failure = (error as? FormworkError).map { self.machine.named($0) } ?? error
        self.failure = failure
        return failure
    }
}
