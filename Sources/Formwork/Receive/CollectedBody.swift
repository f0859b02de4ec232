import FormworkCore

extension AsyncSequence where Self: Sendable, Element: BodyChunk {
    /// A body that is no multipart, in memory.
    /// - Parameters:
    ///   - limit: Bytes allowed.
    ///   - deadlines: How long is waited, as for ``ReceivedParts``; a body has no parts.
    /// - Throws: ``FormworkError/Code/limitExceeded`` at the first byte more, ``FormworkError/Code/timedOut``, and what the
    ///   sequence throws.
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
        // Sources end early for who was cancelled: that is no whole body.
        try Task.checkCancellation()
        return bytes
    }
}

/// The chunks of a body that is collected, one waiting caller at a time.
///
/// SAFETY of `@unchecked Sendable`: one task iterates and waits for each pull; a pull that came too late may still use the
/// iterator, which nothing touches from then on, as the collecting has thrown.
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
