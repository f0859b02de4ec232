import FormworkSystem

/// The parts of a multipart body as they arrive, one at a time: first the header section, then the content if it is
/// requested.
///
/// ```swift
/// for try await part in try ReceivedParts(body, contentType: contentType) {
///     switch part.name {
///     case "title": title = try await part.text(upTo: 200)
///     case "photo" where part.isFile:
///         let name = part.header.safeFilename ?? "photo"
///         try await part.write(toFile: "received-\(name)")
///     default: break
///     }
/// }
/// ```
///
/// A chunk is pulled after the previous one is used up, so the source is never ahead by more than one chunk, and memory
/// doesn't depend on the body's size. Unread content is skipped when the next part is requested. The time is linear in the
/// body's length, however it is cut into chunks.
///
/// It is one position in one body, whatever the source is, and its copies share it. A second loop continues with the part
/// after the last one that was requested, and so do ``ReceivedForm/init(collecting:limits:)`` and
/// ``writeFiles(into:durably:)``. After the end, each of them throws ``FormworkError/Code/invalidArgument``, and so does
/// reading in two tasks at once. The source is released with the parts.
///
/// After the last part the source is read to its end, so a body that is cut after its close delimiter is an error, too. To
/// have all parts at once, use ``ReceivedForm``. To read url-encoded bodies too, use the request functions of FormworkHummingbird, or
/// ``ReceivedForm/init(_:contentType:profile:limits:)-(BodyChunk,_,_,_)``.
public struct ReceivedParts<Chunks: AsyncSequence & Sendable>: AsyncSequence, AsyncIteratorProtocol, Sendable
where Chunks.Element: BodyChunk {
    /// A part: its header section, and access to its content.
    public typealias Element = ReceivedPart<Chunks>

    @usableFromInline let reader: PartsReader<Chunks>
    /// Whether a loop over the parts begins.
    @usableFromInline var isFirst = true

    /// Reads a body of this `Content-Type`.
    /// - Parameters:
    ///   - chunks: The body, in chunks of any size.
    ///   - contentType: The request's `Content-Type`; `nil`, for none, is an error.
    ///   - profile: How strictly the body is parsed.
    ///   - limits: The limits of what is read.
    ///   - deadlines: How long the body may take.
    /// - Throws: What ``MultipartParser/init(contentType:profile:limits:)`` throws. Iterating throws what the parser throws,
    ///   what the source throws, ``FormworkError/Code/timedOut``, and `CancellationError`.
    @inlinable
    public init(
        _ chunks: Chunks, contentType: String?, profile: ParsingProfile = .default, limits: ParsingLimits = .default,
        deadlines: ReceivingDeadlines = ReceivingDeadlines()
    ) throws(FormworkError) {
        let parser = try MultipartParser(ofRequest: contentType, profile: profile, limits: limits)
        self.init(chunks, parser: parser, deadlines: deadlines)
    }

    /// Reads a body with a new parser.
    @inlinable
    public init(
        _ chunks: Chunks, parser: MultipartParser, deadlines: ReceivingDeadlines = ReceivingDeadlines()
    ) {
        self.reader = PartsReader(chunks, parser, deadlines)
    }

    /// The next part, after its header section has arrived; `nil` at the body's end. Skips the previous part.
    @inlinable
    public mutating func next() async throws -> ReceivedPart<Chunks>? { try await self.next(isolation: #isolation) }

    /// The next part, after its header section has arrived; `nil` at the body's end. Skips the previous part.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ReceivedPart<Chunks>? {
        let isFirst = self.isFirst
        self.isFirst = false
        return try await self.reader.nextPart(isFirst: isFirst)
    }

    /// Continues after the parts that were requested already.
    @inlinable
    public func makeAsyncIterator() -> ReceivedParts {
        var parts = self
        parts.isFirst = true
        return parts
    }
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
    /// A parser for a request's `Content-Type`, which may be missing.
    @usableFromInline
    init(
        ofRequest contentType: String?, profile: ParsingProfile, limits: ParsingLimits
    ) throws(FormworkError) {
        guard let contentType else {
            throw ParsingFailure(.invalidContentType).error(
                "There is no Content-Type: pass the one of the body's request, which has the boundary.", at: nil)
        }
        try self.init(contentType: contentType, profile: profile, limits: limits)
    }
}

extension ReceivedParts {
    /// Writes each file that wasn't requested yet to a new file in a folder, as ``ReceivedPart/write(into:durably:)`` does,
    /// and skips the fields.
    ///
    /// All or nothing: if a part fails, or the body after it, the files that were written before are removed.
    /// - Parameters:
    ///   - folder: The folder. It is created if only its last component is missing.
    ///   - durably: Whether to wait until the disk has the bytes before a file gets its name.
    /// - Returns: The files' paths, in order; none for a file control that was left empty.
    /// - Throws: ``FormworkError/Code/writeFailed``, and what iterating throws.
    @discardableResult
    public func writeFiles(into folder: some PathConvertible, durably: Bool = false) async throws -> [FilePath] {
        try await self.writeFiles { part in try await part.write(into: folder, durably: durably) }
    }

    /// Writes each file, and removes those that were written before an error.
    package func writeFiles(
        _ write: (ReceivedPart<Chunks>) async throws -> FilePath?
    ) async throws -> [FilePath] {
        var paths: [FilePath] = []
        do {
            for try await part in self where part.isFile {
                if let path = try await write(part) { paths.append(path) }
            }
        } catch {
            for path in paths { SystemCalls.unlink(path) }
            throw error
        }
        return paths
    }
}
