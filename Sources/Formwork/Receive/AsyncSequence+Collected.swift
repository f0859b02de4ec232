extension AsyncSequence where Self: Sendable, Element: BodyChunk {
    /// Collects a body that isn't multipart in memory.
    /// - Parameters:
    ///   - limit: The most bytes.
    ///   - deadlines: The deadlines, as for ``ReceivedParts``, without that for parts.
    /// - Throws: ``FormworkError/Code/limitExceeded`` at the first byte above the limit,
    ///   ``FormworkError/Code/timedOut``, and what the sequence throws.
    @inlinable
    package func collected(upTo limit: Int, deadlines: ReceivingDeadlines) async throws -> [UInt8] {
        let chunks = CollectedChunks(self)
        var body = CollectedBody(limit, deadlines)
        while true {
            let chunk =
                body.hasDeadlines
                ? try await chunks.next(in: body) : try await chunks.iterator.next(isolation: #isolation)
            guard let chunk else { break }
            try chunk.withBytes { bytes throws(FormworkError) in try body.append(bytes) }
        }
        // Sources end early if the task was cancelled, so the body may be incomplete.
        try Task.checkCancellation()
        return body.bytes
    }
}

/// The bytes that were collected, and the limits for more.
@usableFromInline
struct CollectedBody: Sendable {
    private let limit: Int
    let deadlines: RunningDeadlines?
    @usableFromInline private(set) var bytes: [UInt8] = []

    @usableFromInline
    init(_ limit: Int, _ deadlines: ReceivingDeadlines) {
        (self.limit, self.deadlines) = (limit, RunningDeadlines(deadlines))
    }

    /// Whether a deadline is set.
    @usableFromInline var hasDeadlines: Bool { self.deadlines != nil }

    @usableFromInline
    mutating func append(_ chunk: RawSpan) throws(FormworkError) {
        guard chunk.byteCount <= self.limit - self.bytes.count else {
            throw ParsingFailure(.totalBytesLimit, limit: Int64(self.limit))
                .error("The body has more than \(self.limit, "byte").", at: Int64(self.limit))
        }
        self.bytes.append(chunk, 0..<chunk.byteCount)
    }
}

/// The chunks of a body that is collected, for one caller at a time.
///
/// SAFETY of `@unchecked Sendable`: one task iterates and waits for each pull. A pull that missed its deadline may
/// still use the iterator, but then collecting has thrown and nothing else uses it.
@usableFromInline
final class CollectedChunks<Chunks: AsyncSequence & Sendable>: @unchecked Sendable
where Chunks.Element: BodyChunk {
    @usableFromInline var iterator: Chunks.AsyncIterator

    @inlinable
    init(_ chunks: Chunks) { self.iterator = chunks.makeAsyncIterator() }

    @usableFromInline
    func next(in body: CollectedBody) async throws -> Chunks.Element? {
        try await body.deadlines?.race(at: Int64(body.bytes.count)) { try await self.iterator.next(isolation: nil) }
    }
}
