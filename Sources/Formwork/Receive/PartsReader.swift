import FormworkCore
import Synchronization

/// Drives a parser over a source: what all parts of a body share.
///
/// SAFETY of `@unchecked Sendable`: everything mutable is used between ``enter()`` and ``leave()`` alone, which let one
/// caller in and refuse others; the iterator is made here, of a sequence that is Sendable. A pull that came too late for its
/// deadline may still use the iterator, which nothing touches from then on, as the failure is remembered.
final class PartsReader<Chunks: AsyncSequence & Sendable>: @unchecked Sendable where Chunks.Element: BodyChunk {
    private let isBusy = Atomic(false)
    private var iterator: Chunks.AsyncIterator
    private var machine: PartsMachine
    private var deadlines: RunningDeadlines
    private var chunk: Chunks.Element?
    /// What every further call throws.
    private var failure: (any Error)?

    init(_ parts: ReceivedParts<Chunks>) {
        self.iterator = parts.chunks.makeAsyncIterator()
        self.machine = PartsMachine(parts.parser)
        self.deadlines = RunningDeadlines(parts.deadlines)
    }

    func nextPart() async throws -> ReceivedPart<Chunks>? {
        try self.enter()
        defer { self.leave() }
        while !self.machine.isFinished {
            let step = try self.inChunk(.needsChunk) { machine, bytes throws(FormworkError) in
                try machine.nextPart(in: bytes)
            }
            switch step {
            case .part(let header):
                self.deadlines.partBegan()
                return ReceivedPart(reader: self, header: header, index: self.machine.count - 1)
            case .finished: self.chunk = nil
            case .needsChunk: try await self.pull()
            }
        }
        return nil
    }

    func nextContent(of part: Int) async throws -> Chunks.Element.Content? {
        try self.enter()
        defer { self.leave() }
        guard try self.isOpen(part) else { return nil }
        while true {
            let step = try self.inChunk(.needsChunk) { machine, bytes throws(FormworkError) in
                try machine.nextContent(in: bytes)
            }
            switch step {
            case .content(let range): return self.chunk?.content(range)
            case .heldContent(let bytes): return .init(copying: bytes)
            case .partEnded:
                self.deadlines.partEnded()
                return nil
            case .needsChunk: try await self.pull()
            }
        }
    }

    func collect(upTo limit: Int, of part: Int) async throws -> [UInt8] {
        try self.enter()
        defer { self.leave() }
        var collected: [UInt8] = []
        guard try self.isOpen(part) else { return collected }
        while true {
            let isWhole = try self.inChunk(false) { machine, bytes throws(FormworkError) in
                try machine.collect(into: &collected, upTo: limit, in: bytes)
            }
            if isWhole {
                self.deadlines.partEnded()
                return collected
            }
            try await self.pull()
        }
    }

    func skipContent(of part: Int) async throws {
        while try await self.nextContent(of: part) != nil {}
    }

    func limitContent(to bytes: Int64, of part: Int) throws(FormworkError) {
        try self.enter()
        defer { self.leave() }
        if try self.isOpen(part) { self.machine.limitContent(to: bytes) }
    }

    // MARK: one caller at a time

    private func enter() throws(FormworkError) {
        guard self.isBusy.exchange(true, ordering: .acquiring) else { return }
        throw FormworkError(.invalidArgument, "the parts of one body are read in two tasks at once")
    }

    private func leave() { self.isBusy.store(false, ordering: .releasing) }

    /// Whether there may be content left of a part.
    private func isOpen(_ part: Int) throws(FormworkError) -> Bool {
        guard part == self.machine.count - 1 else {
            throw FormworkError(
                .invalidArgument,
                "part \(part + 1) is over: its content is to be read before the next part is asked for")
        }
        return self.machine.header != nil
    }

    // MARK: pulling

    /// Takes a step in the chunk that is there.
    /// - Parameter starved: The step when there is none.
    private func inChunk<Step>(
        _ starved: Step, _ body: (inout PartsMachine, RawSpan) throws(FormworkError) -> Step
    ) throws -> Step {
        if self.failure != nil, let failure = self.failure { throw failure }
        guard let chunk = self.chunk else { return starved }
        do {
            return try chunk.withBytes { bytes throws(FormworkError) in try body(&self.machine, bytes) }
        } catch {
            // More than one call's own limit ends the call; whatever the parser says ends the body, and it says so again.
            throw self.machine.named(error)
        }
    }

    /// Gets the next chunk, or learns that there is none.
    private func pull() async throws {
        self.chunk = nil
        // Not a failure of the body: who was cancelled in one part may go on in another task.
        try Task.checkCancellation()
        do {
            if let chunk = try await self.nextChunk() {
                self.machine.chunkBegins()
                self.chunk = chunk
            } else {
                // Sources end early for who was cancelled: that is no truncated body.
                try Task.checkCancellation()
                try self.machine.finish()
            }
        } catch {
            self.failure = (error as? FormworkError).map { self.machine.named($0) } ?? error
            throw self.failure ?? error
        }
    }

    private func nextChunk() async throws -> Chunks.Element? {
        guard let deadline = self.deadlines.next else {
            return try await self.iterator.next(isolation: #isolation)
        }
        let late = FormworkError(
            .timedOut, "\(deadline.subject) took longer than its deadline allows", offset: self.machine.offset)
        return try await Race.run(until: deadline.instant, late: late) {
            try await self.iterator.next(isolation: nil)
        }
    }
}
