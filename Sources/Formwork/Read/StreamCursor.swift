/// Counts what a cursor reads of a stream, and compares it with the declared length and with what other readers saw.
private struct StreamCheck {
    let source: StreamSource
    let start: Int64
    private(set) var remaining: Int64?
    private var comparison: StreamComparison?

    init(_ source: StreamSource, at offset: Int64) {
        (self.source, self.start) = (source, offset)
        self.remaining = source.length.map { $0 - offset }
        self.comparison = StreamComparison(source, at: offset)
    }

    /// The next bytes, of which there are no more than remain.
    mutating func take(_ bytes: RawSpan) throws(FormworkError) {
        guard self.comparison?.take(bytes) != false else { throw self.source.changedError() }
        if let remaining { self.remaining = remaining - Int64(bytes.byteCount) }
    }

    func end() throws(FormworkError) {
        if let remaining, remaining > 0 { throw self.source.shortError(missing: remaining) }
        guard self.comparison?.end() != false else { throw self.source.changedError() }
    }

    func leave() { self.comparison?.leave() }
}

/// Reads a pull stream, and checks its declared length.
final class StreamCursor: SourceCursor {
    private let source: StreamSource
    private var stream: any ByteStream
    private var check: StreamCheck
    private(set) var isFinished = false

    init(_ source: StreamSource, _ stream: any ByteStream, at offset: Int64) {
        self.source = source
        self.stream = stream
        self.check = StreamCheck(source, at: offset)
    }

    deinit { self.check.leave() }

    var mayWait: Bool { true }

    func read(into buffer: inout MutableRawSpan) throws(FormworkError) -> Int {
        guard !self.isFinished else { return 0 }
        let limit = Int(min(Int64(buffer.byteCount), self.check.remaining ?? .max))
        var room = buffer._mutatingExtracting(0..<limit)
        let count = limit > 0 ? try self.pull(&room) : 0
        if count > 0 { try self.check.take(room.bytes.extracting(0..<count)) }
        if self.check.remaining == 0 {
            if !self.source.ignoresSurplus { try self.checkEnd() }
            self.isFinished = true
        } else if count == 0 {
            try self.check.end()
            self.isFinished = true
        }
        return count
    }

    private func checkEnd() throws(FormworkError) {
        var probe: [UInt8] = []
        try probe.append(upTo: 1) { room throws(FormworkError) in try self.pull(&room) }
        guard probe.isEmpty else { throw self.source.longError(openedAt: self.check.start) }
    }

    private func pull(_ room: inout MutableRawSpan) throws(FormworkError) -> Int {
        do {
            return try self.stream.readChecked(into: &room)
        } catch let error as FormworkError {
            throw error
        } catch {
            throw self.source.readError(error)
        }
    }
}

/// Returns an async sequence's chunks, after an async caller has fetched them.
final class ChunkCursor: SourceCursor {
    private let source: StreamSource
    private let iterator: ChunkIterator
    private var chunk: any BodyChunk = [UInt8]()
    private var (used, count) = (0, 0)
    private var check: StreamCheck
    private(set) var isFinished = false

    init(_ source: StreamSource, _ iterator: ChunkIterator, at offset: Int64) {
        (self.source, self.iterator) = (source, iterator)
        self.check = StreamCheck(source, at: offset)
    }

    deinit { self.check.leave() }

    var mayWait: Bool { true }
    var needsChunk: Bool { !self.isFinished && self.used == self.count }

    func read(into buffer: inout MutableRawSpan) throws(FormworkError) -> Int {
        let range = self.used..<self.count
        let count = self.chunk.withBytes { RawBytes.copy($0.extracting(range), to: &buffer) }
        self.used += count
        return count
    }

    /// The fetched bytes that weren't read yet.
    var fetchedCount: Int { self.count - self.used }

    func takeFetched(upTo limit: Int) -> (any BodyChunk)? {
        guard 0 < self.fetchedCount, self.fetchedCount <= limit else { return nil }
        defer { self.used = self.count }
        return self.used == 0 && self.count == self.chunk.byteCount
            ? self.chunk : self.chunk.content(self.used..<self.count)
    }

    /// Fetches the next chunk, or the end.
    func fetch(isolation: isolated (any Actor)?) async throws(FormworkError) {
        do {
            if self.leavesRest { return self.isFinished = true }
            if let chunk = try await self.iterator.next(isolation: isolation) { return try self.accept(chunk) }
            // Many sequences end when the task is cancelled. That isn't the end of the content.
            try Task.checkCancellation()
            try self.finish()
        } catch {
            throw self.source.named(error)
        }
    }

    /// Fetches the next chunk, or the end, if that needs no wait.
    /// - Returns: Whether it did.
    func fetchReady() throws(FormworkError) -> Bool {
        do {
            if self.leavesRest { self.isFinished = true }
            guard !self.isFinished else { return true }
            switch try self.iterator.ready() {
            case .next(let chunk): try self.accept(chunk)
            case .end: try self.finish()
            case .unknown: return false
            }
            return true
        } catch {
            throw self.source.named(error)
        }
    }

    private var leavesRest: Bool { self.check.remaining == 0 && self.source.ignoresSurplus }

    private func finish() throws(FormworkError) {
        try self.check.end()
        self.isFinished = true
    }

    private func accept(_ chunk: any BodyChunk) throws(FormworkError) {
        (self.chunk, self.used, self.count) = (chunk, 0, chunk.byteCount)
        if let remaining = self.check.remaining, Int64(self.count) > remaining {
            guard self.source.ignoresSurplus else { throw self.source.longError(openedAt: self.check.start) }
            self.count = Int(remaining)
        }
        try chunk.withBytes { bytes throws(FormworkError) in try self.check.take(bytes.extracting(0..<self.count)) }
    }
}

extension ByteStream {
    /// Reads, and checks the count that a caller's stream returns.
    mutating func readChecked(into room: inout MutableRawSpan) throws -> Int {
        let limit = room.byteCount
        let count = try self.read(into: &room)
        guard (0...limit).contains(count) else {
            throw FormworkError(
                .sourceUnavailable, "a stream returned a count of \(count) for a buffer of \(limit, "byte")")
        }
        return count
    }
}

extension StreamSource {
    func shortError(missing: Int64) -> FormworkError {
        FormworkError(
            .lengthMismatch,
            "\(self.label) ended \(missing, "byte") before its declared length of \(self.length ?? 0)", path: self.path)
    }

    func longError(openedAt offset: Int64) -> FormworkError {
        let hint =
            offset == 0 || !self.beginsAtOffset ? "" : ": it was opened at byte \(offset), where it has to begin"
        return FormworkError(
            .lengthMismatch, "\(self.label) has more bytes than its declared length of \(self.length ?? 0)\(hint)",
            path: self.path)
    }

    func changedError() -> FormworkError {
        FormworkError(
            .notReplayable,
            "\(self.label) was opened again and returned other bytes than before: return a new one from the closure each "
                + "time; pass one that can be read only once with 'once:'", path: self.path)
    }

    func readError(_ error: any Error) -> FormworkError {
        if error is CancellationError {
            return FormworkError(
                .sourceUnavailable, "reading \(self.label) was cancelled, so its rest is unknown", path: self.path,
                cause: error)
        }
        return FormworkError(.sourceUnavailable, "\(self.label) can't be read", path: self.path, cause: error)
    }
}
