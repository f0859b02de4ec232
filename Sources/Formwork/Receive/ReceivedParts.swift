import FormworkCore

/// The parts of a multipart body as they arrive: one at a time, its header section first, its content when asked for.
///
/// A chunk is pulled when the one before is used up, so a source is never ahead of its consumer by more than a chunk. What
/// isn't read of a part is skipped when the next one is asked for; stopping early lets go of the source.
///
/// ```
/// for try await part in try ReceivedParts(body, contentType: contentType) {
///     switch part.name {
///     case "title": title = try await part.text(upTo: 200)
///     case "photo": try await part.write(toFile: folder.appending("photo"))
///     default: break
///     }
/// }
/// ```
///
/// Iterate it once: what a source has given is gone. The source is left alone behind the close delimiter.
public struct ReceivedParts<Chunks: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Chunks.Element: BodyChunk {
    /// A part: what names it, and the way to its content.
    public typealias Element = ReceivedPart<Chunks>

    let chunks: Chunks
    let parser: MultipartParser
    let deadlines: ReceivingDeadlines

    /// Reads a body of this `Content-Type`.
    /// - Parameters:
    ///   - chunks: The body, in chunks of any size.
    ///   - contentType: The request's own; `nil` when it has none, which is an error.
    ///   - profile: What is taken for a part.
    ///   - limits: How much is read.
    ///   - deadlines: How long is waited.
    /// - Throws: What ``MultipartParser/init(contentType:profile:limits:)`` throws. Iterating throws what the parser throws,
    ///   what the source throws, ``FormworkError/Code/timedOut``, and `CancellationError`.
    public init(
        _ chunks: Chunks, contentType: String?, profile: ParsingProfile = .default, limits: ParsingLimits = .default,
        deadlines: ReceivingDeadlines = ReceivingDeadlines()
    ) throws(FormworkError) {
        let parser = try MultipartParser(ofRequest: contentType, profile: profile, limits: limits)
        self.init(chunks, parser: parser, deadlines: deadlines)
    }

    /// Reads a body by a parser that has seen nothing of it yet.
    public init(
        _ chunks: Chunks, parser: MultipartParser, deadlines: ReceivingDeadlines = ReceivingDeadlines()
    ) {
        (self.chunks, self.parser, self.deadlines) = (chunks, parser, deadlines)
    }

    /// Gives part after part.
    public struct AsyncIterator: AsyncIteratorProtocol {
        @usableFromInline let reader: PartsReader<Chunks>

        @inlinable
        init(_ reader: PartsReader<Chunks>) { self.reader = reader }

        /// The next part, once its header section is there; `nil` behind the close delimiter. Skips the part before.
        @inlinable
        public mutating func next() async throws -> ReceivedPart<Chunks>? { try await self.reader.nextPart() }

        /// The next part, once its header section is there; `nil` behind the close delimiter. Skips the part before.
        @inlinable
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ReceivedPart<Chunks>? {
            try await self.reader.nextPart()
        }
    }

    /// Begins to read.
    @inlinable
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(PartsReader(self)) }
}

extension ReceivedParts where Chunks == BodyChunks {
    /// Reads a body that is in memory; ``ReceivedForm/init(_:contentType:profile:limits:)-(BodyChunk,_,_,_)`` does it without
    /// waiting.
    /// - Throws: What the initializer for chunks throws.
    public init(
        _ body: some BodyChunk, contentType: String?, profile: ParsingProfile = .default,
        limits: ParsingLimits = .default
    ) throws(FormworkError) {
        try self.init(
            BodyPlan(copying: .bytes(body.array)).chunks(), contentType: contentType, profile: profile, limits: limits)
    }
}

extension MultipartParser {
    /// Reads a body of a request's `Content-Type`, which may be missing.
    init(
        ofRequest contentType: String?, profile: ParsingProfile, limits: ParsingLimits
    ) throws(FormworkError) {
        guard let contentType else {
            throw ParsingFailure(.invalidContentType).error(
                "There is no Content-Type: pass the one that came with the body, which names its boundary.", at: nil)
        }
        try self.init(contentType: contentType, profile: profile, limits: limits)
    }
}
