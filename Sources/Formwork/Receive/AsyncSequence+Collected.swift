import FormworkCore

extension AsyncSequence where Self: Sendable, Element: BodyChunk {
    /// Collects a body that isn't multipart in memory.
    /// - Parameters:
    ///   - limit: The most bytes.
    ///   - deadlines: The deadlines, as for ``ReceivedParts``, without that for parts.
    /// - Throws: ``FormworkError/Code/limitExceeded`` at the first byte above the limit,
    ///   ``FormworkError/Code/timedOut``, and what the sequence throws.
    package func collected(upTo limit: Int, deadlines: ReceivingDeadlines) async throws -> [UInt8] {
        let chunks = CollectedChunks(self)
        let deadlines = RunningDeadlines(deadlines)
        var bytes: [UInt8] = []
        while let chunk = try await chunks.next(before: deadlines?.next, at: Int64(bytes.count)) {
            guard chunk.byteCount <= limit - bytes.count else {
                throw ParsingFailure(.totalBytesLimit, limit: Int64(limit))
                    .error("The body has more than \(limit) bytes.", at: Int64(limit))
            }
            chunk.withBytes { bytes.append($0, 0..<$0.byteCount) }
        }
        // Sources end early if the task was cancelled, so the body may be incomplete.
        try Task.checkCancellation()
        return bytes
    }
}

/// The chunks of a body that is collected, for one caller at a time.
///
/// SAFETY of `@unchecked Sendable`: one task iterates and waits for each pull. A pull that missed its deadline may
/// still use the iterator, but then collecting has thrown and nothing else uses it.
private final class CollectedChunks<Chunks: AsyncSequence & Sendable>: @unchecked Sendable
where Chunks.Element: BodyChunk {
    private var iterator: Chunks.AsyncIterator

    init(_ chunks: Chunks) { self.iterator = chunks.makeAsyncIterator() }

    func next(
        before deadline: (instant: ContinuousClock.Instant, subject: String)?, at offset: Int64
    ) async throws -> Chunks.Element? {
        guard let deadline else { return try await self.iterator.next(isolation: #isolation) }
        let late = FormworkError(
            .timedOut, "\(deadline.subject) took longer than its deadline allows", offset: offset)
        return try await Race.run(until: deadline.instant, late: late) { try await self.iterator.next(isolation: nil) }
    }
}
