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
    @usableFromInline let chunks: Chunks
    @usableFromInline let deadlines: ReceivingDeadlines
    /// `nil` until the first chunk is needed: some sources can be iterated only once.
    @usableFromInline var iterator: Chunks.AsyncIterator?
    /// SAFETY: one caller at a time uses it, so no accesses overlap. Checking that for each one takes a thirtieth of a small
    /// form's time.
    @exclusivity(unchecked) @usableFromInline var uncheckedState: PartsState<Chunks.Element>

    @inlinable var state: PartsState<Chunks.Element> {
        _read { yield unsafe self.uncheckedState }
        _modify { yield unsafe &self.uncheckedState }
    }

    @inlinable
    init(_ chunks: Chunks, _ parser: MultipartParser, _ deadlines: ReceivingDeadlines) {
        (self.chunks, self.deadlines) = (chunks, deadlines)
        unsafe self.uncheckedState = PartsState(PartsMachine(parser))
    }

    // MARK: steps

    /// Takes steps until one has a result, and pulls a chunk after each that hasn't.
    /// - Parameter check: What is checked before the first step. It changes nothing: passed in place, the state isn't copied.
    /// - Returns: `nil` at the end.
    @inlinable
    @inline(__always)
    func run<Element>(
        _ check: (inout PartsState<Chunks.Element>) throws -> Void = { _ in },
        _ step: (inout PartsState<Chunks.Element>) throws -> ReadyStep<Element>
    ) async throws -> Element? {
        try self.enter()
        defer { self.leave() }
        try check(&self.state)
        while true {
            switch try step(&self.state) {
            case .next(let element): return element
            case .end: return nil
            case .unknown: try await self.pull()
            }
        }
    }

    /// Takes one step, which needs no chunk but the current one.
    @inlinable
    @inline(__always)
    func ready<Element>(
        _ step: (inout PartsState<Chunks.Element>) throws -> ReadyStep<Element>
    ) throws -> ReadyStep<Element> {
        try self.enter()
        defer { self.leave() }
        return try step(&self.state)
    }

    /// - Parameter isFirst: Whether a loop over the parts begins, which isn't possible after their end.
    @inlinable
    func nextPart(isFirst: Bool) async throws -> ReceivedPart<Chunks>? {
        try await self.run({ if isFirst { try $0.checkUnfinished() } }, { try $0.nextPart(of: self) { $0 } })
    }

    /// - Parameter access: What a loop that begins wants; `nil` for a loop that continues.
    @inlinable
    func nextContent(of part: Int, beginning access: ContentAccess?) async throws -> Chunks.Element.Content? {
        try await self.run(
            { if let access { try $0.checkUnread(part, access) } }, { try $0.nextContent(of: part) { $0 } })
    }

    @inlinable
    func collect(upTo limit: Int, of part: Int, _ access: ContentAccess) async throws -> [UInt8] {
        var collected: [UInt8] = []
        _ = try await self.run({ try $0.checkUnread(part, access) }) { state in
            try state.collect(into: &collected, upTo: limit, of: part) ? .end : .unknown as ReadyStep<Never>
        }
        return collected
    }

    /// The first bytes of the content, which are read again by the next call.
    @inlinable
    func peek(_ count: Int, of part: Int) async throws -> [UInt8] {
        try await self.run({ try $0.checkUnread(part, .whole) }) { state in
            try state.peek(count, of: part) ? .next(Array((state.peeked ?? []).prefix(count))) : .unknown
        } ?? []
    }

    /// Collects all parts. What a chunk has of them is read without waiting.
    @inlinable
    func collectForm(_ limits: CollectingLimits) async throws -> ReceivedForm {
        try self.enter()
        defer { self.leave() }
        try self.state.checkUnfinished()
        var collector = FormCollector(limits)
        while true {
            switch try self.state.collect(&collector) {
            case .finished: return collector.finish(self.state.machine.names)
            case .needsChunk: try await self.pull()
            case .writes(let range):
                if let piece = self.state.chunk?.content(range) { try await collector.write(piece) }
            case .writesHeld(let bytes): try await collector.write(bytes)
            }
        }
    }

    @inlinable
    func skipContent(of part: Int) async throws {
        _ = try await self.run { state in
            while true {
                switch try state.nextContent(of: part, { _ in () }) {
                case .next: continue
                case .end: return .end as ReadyStep<Never>
                case .unknown: return .unknown
                }
            }
        }
    }

    @inlinable
    func limitContent(to bytes: Int64, of part: Int) throws(FormworkError) {
        try self.enter()
        defer { self.leave() }
        if try self.state.isOpen(part) { self.state.machine.limitContent(to: bytes) }
    }

    /// Checks that a part has content that wasn't read, or isn't known to have none.
    func checkUnread(_ part: Int, _ access: ContentAccess) throws(FormworkError) {
        try self.enter()
        defer { self.leave() }
        try self.state.checkUnread(part, access)
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
        if self.iterator == nil { self.begin() }
        do {
            let chunk =
                self.state.machine.hasDeadlines
                ? try await self.nextChunkInTime() : try await self.iterator?.next(isolation: #isolation)
            if let chunk { return self.state.begin(chunk) }
        } catch {
            throw self.state.fail(error)
        }
        // Sources end early if the task was cancelled. That isn't a truncated body.
        try Task.checkCancellation()
        do { try self.state.machine.finish() } catch { throw self.state.fail(error) }
    }

    @inlinable
    func begin() {
        self.iterator = self.chunks.makeAsyncIterator()
        self.state.machine.start(self.deadlines)
    }

    @usableFromInline
    func nextChunkInTime() async throws -> Chunks.Element? {
        try await self.state.machine.deadlines?.race(at: self.state.machine.offset) {
            try await self.iterator?.next(isolation: nil)
        }
    }
}

/// Which content a call asks for.
@usableFromInline
enum ContentAccess: Sendable {
    /// All of it, which is an error if some was read before.
    case whole
    /// What wasn't read yet.
    case rest
}

/// The state that a ``PartsReader`` changes without waiting. It is one value, so that a call checks exclusive access
/// once.
@usableFromInline
struct PartsState<Chunk: BodyChunk> {
    @usableFromInline var machine: PartsMachine
    @usableFromInline var chunk: Chunk?
    /// The error that every later call throws.
    @usableFromInline var failure: (any Error)?
    /// The part of which some content was read, so that its rest would be taken for all; -1 for none.
    @usableFromInline var begunPart = -1
    /// The content of the current part that was read ahead. The next call gets it. `nil` if nothing was.
    @usableFromInline var peeked: [UInt8]?

    @inlinable
    init(_ machine: PartsMachine) { (self.machine, self.chunk, self.failure) = (machine, nil, nil) }

    /// Checks that parts can follow: after the end, an empty form would be taken for the one that was sent.
    @inlinable
    func checkUnfinished() throws(FormworkError) {
        if self.machine.isFinished { throw PartsMachine.allRead }
    }

    /// - Parameter made: What is made of the part here: the step of a type that is known takes no look-up at runtime.
    @inlinable
    @inline(__always)
    mutating func nextPart<Chunks, Part>(
        of reader: PartsReader<Chunks>, _ made: (ReceivedPart<Chunks>) -> Part
    ) throws -> ReadyStep<Part> {
        if self.machine.isFinished { return .end }
        if self.peeked != nil { self.peeked = nil }
        let header = try self.inChunk(nil) { machine, bytes throws(FormworkError) in try machine.nextPart(in: bytes) }
        guard let header else { return .unknown }
        return .next(made(ReceivedPart(reader: reader, header: header, index: self.machine.count - 1)))
    }

    /// - Parameter made: What is made of the content here, as with ``nextPart(of:_:)``.
    @inlinable
    @inline(__always)
    mutating func nextContent<Content>(
        of part: Int, _ made: (Chunk.Content) -> Content
    ) throws -> ReadyStep<Content> {
        guard try self.isOpen(part) else { return .end }
        if self.peeked != nil {
            let bytes = self.takePeeked(of: part)
            if !bytes.isEmpty { return .next(made(Chunk.Content(copying: bytes[...]))) }
            guard self.machine.isInPart else { return .end }
        }
        let step = try self.inChunk(.needsChunk) { machine, bytes throws(FormworkError) in
            try machine.nextContent(in: bytes)
        }
        switch step {
        case .content(let range):
            self.begunPart = part
            guard let chunk = self.chunk else { return .unknown }
            return .next(made(chunk.content(range)))
        case .heldContent(let bytes):
            self.begunPart = part
            return .next(made(Chunk.Content(copying: bytes[...])))
        case .partEnded: return .end
        case .needsChunk: return .unknown
        }
    }

    /// Collects content.
    /// - Returns: Whether the part has ended; otherwise a chunk is needed.
    @inlinable
    mutating func collect(into bytes: inout [UInt8], upTo limit: Int, of part: Int) throws -> Bool {
        guard try self.isOpen(part) else { return true }
        let begunPart = self.begunPart
        // Also at the limit, as the bytes that didn't fit were read too.
        self.begunPart = part
        if let count = self.peeked?.count {
            try self.machine.check(count, limit, .content(limit))
            bytes = self.takePeeked(of: part)
            guard self.machine.isInPart else { return true }
        }
        let isWhole = try self.inChunk(false) { machine, chunk throws(FormworkError) in
            try machine.collect(into: &bytes, upTo: .content(limit), in: chunk)
        }
        if !isWhole, bytes.isEmpty { self.begunPart = begunPart }
        return isWhole
    }

    /// Reads content ahead.
    /// - Returns: Whether there are that many bytes, or all; otherwise a chunk is needed.
    @inlinable
    mutating func peek(_ count: Int, of part: Int) throws -> Bool {
        var bytes = self.peeked ?? []
        self.peeked = []
        defer { self.peeked = bytes }
        guard self.machine.isInPart else { return true }
        return try self.inChunk(false) { machine, chunk throws(FormworkError) in
            try machine.peek(count, into: &bytes, in: chunk)
        }
    }

    @usableFromInline
    mutating func takePeeked(of part: Int) -> [UInt8] {
        defer { self.peeked = nil }
        guard let bytes = self.peeked, !bytes.isEmpty else { return [] }
        self.begunPart = part
        return bytes
    }

    /// Collects what the chunk has of the form.
    @inlinable
    mutating func collect(_ collector: inout FormCollector) throws -> FormCollector.Step {
        if self.machine.isFinished { return .finished }
        if self.peeked != nil { self.peeked = nil }
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
        return self.machine.isInPart || self.peeked != nil
    }

    /// Checks that a part has the content that a call asks for, or isn't known to have none. A stored failure is thrown by
    /// the call itself.
    @inlinable
    func checkUnread(_ part: Int, _ access: ContentAccess) throws(FormworkError) {
        guard try self.isOpen(part) else { throw PartsMachine.readAlready(part) }
        guard part == self.begunPart, access == .whole, self.failure == nil, !self.machine.hasFailed else { return }
        throw PartsMachine.partlyRead(part)
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

extension PartsMachine {
    @usableFromInline static var allRead: FormworkError {
        FormworkError(
            .invalidArgument,
            "all parts of this body have been read already: keep what the first loop read, or collect a ReceivedForm")
    }

    @usableFromInline
    static func readAlready(_ part: Int) -> FormworkError {
        FormworkError(
            .invalidArgument, "the content of part \(part + 1) has been read already: keep what the first call gave")
    }

    @usableFromInline
    static func partlyRead(_ part: Int) -> FormworkError {
        FormworkError(
            .invalidArgument,
            "some of the content of part \(part + 1) has been read already: look at first bytes with peek(_:), read what is left "
                + "with rest, or skip the part")
    }
}
