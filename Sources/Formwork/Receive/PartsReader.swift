import FormworkCore
import Synchronization

/// Drives a parser over a source: what all parts of a body share.
///
/// What runs once a part or more often is inlinable, as is what calls it: made for the chunks' own type in the caller's
/// module it takes half the time.
///
/// SAFETY of `@unchecked Sendable`: everything mutable is used between ``enter()`` and ``leave()`` alone, which let one
/// caller in and refuse others; the iterator is made here, of a sequence that is Sendable. A pull that came too late for its
/// deadline may still use the iterator, which nothing touches from then on, as the failure is remembered.
@usableFromInline
final class PartsReader<Chunks: AsyncSequence & Sendable>: @unchecked Sendable where Chunks.Element: BodyChunk {
    @usableFromInline let isBusy = Atomic(false)
    @usableFromInline var state: PartsState<Chunks.Element>
    private var iterator: Chunks.AsyncIterator

    @usableFromInline
    init(_ parts: ReceivedParts<Chunks>) {
        self.iterator = parts.chunks.makeAsyncIterator()
        self.state = PartsState(PartsMachine(parts.parser, parts.deadlines))
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

    @inlinable
    func collect(upTo limit: CollectingLimit, of part: Int) async throws -> [UInt8] {
        try self.enter()
        defer { self.leave() }
        var collected: [UInt8] = []
        while try !self.state.collect(into: &collected, upTo: limit, of: part) { try await self.pull() }
        return collected
    }

    @inlinable
    func skipContent(of part: Int) async throws {
        while try await self.nextContent(of: part) != nil {}
    }

    @inlinable
    func limitContent(to bytes: Int64, of part: Int) throws(FormworkError) {
        try self.enter()
        defer { self.leave() }
        if try self.state.isOpen(part) { self.state.machine.limitContent(to: bytes) }
    }

    // MARK: one caller at a time

    @inlinable
    func enter() throws(FormworkError) {
        guard self.isBusy.exchange(true, ordering: .acquiring) else { return }
        throw FormworkError(.invalidArgument, "the parts of one body are read in two tasks at once")
    }

    @inlinable
    func leave() { self.isBusy.store(false, ordering: .releasing) }

    // MARK: pulling

    /// Gets the next chunk, or learns that there is none.
    @usableFromInline
    func pull() async throws {
        self.state.chunk = nil
        // Not a failure of the body: who was cancelled in one part may go on in another task.
        try Task.checkCancellation()
        do {
            if let chunk = try await self.nextChunk() {
                self.state.begin(chunk)
            } else {
                // Sources end early for who was cancelled: that is no truncated body.
                try Task.checkCancellation()
                try self.state.machine.finish()
            }
        } catch {
            throw self.state.fail(error)
        }
    }

    private func nextChunk() async throws -> Chunks.Element? {
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

/// What a ``PartsReader`` changes while it doesn't wait: in one value, so that a call checks for exclusive access once.
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
    /// What every further call throws.
    @usableFromInline var failure: (any Error)?

    init(_ machine: PartsMachine) { self.machine = machine }

    @inlinable
    mutating func nextPart() throws -> PartStep {
        if self.machine.isFinished { return .finished }
        let step = try self.inChunk(.needsChunk) { machine, bytes throws(FormworkError) in
            try machine.nextPart(in: bytes)
        }
        switch step {
        case .part(let header): return .part(header, index: self.machine.count - 1)
        case .needsChunk: return .needsChunk
        case .finished:
            self.chunk = nil
            return .finished
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
    /// - Returns: Whether the part has ended; a chunk is needed otherwise.
    @inlinable
    mutating func collect(into bytes: inout [UInt8], upTo limit: CollectingLimit, of part: Int) throws -> Bool {
        guard try self.isOpen(part) else { return true }
        return try self.inChunk(false) { machine, chunk throws(FormworkError) in
            try machine.collect(into: &bytes, upTo: limit, in: chunk)
        }
    }

    /// Whether there may be content left of a part.
    @inlinable
    func isOpen(_ part: Int) throws(FormworkError) -> Bool {
        guard part == self.machine.count - 1 else {
            throw FormworkError(
                .invalidArgument,
                "part \(part + 1) is over: its content is to be read before the next part is asked for")
        }
        return self.machine.isInPart
    }

    /// Takes a step in the chunk that is there.
    /// - Parameter starved: The step when there is none.
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
            // More than one call's own limit ends the call; whatever the parser says ends the body, and it says so again.
            throw machine.named(error)
        }
    }

    mutating func begin(_ chunk: Chunk) {
        chunk.withBytes { self.machine.begin($0) }
        self.chunk = chunk
    }

    /// Remembers a failure.
    /// - Returns: The failure, told in which part it happened.
    mutating func fail(_ error: any Error) -> any Error {
        let failure = (error as? FormworkError).map { self.machine.named($0) } ?? error
        self.failure = failure
        return failure
    }
}
