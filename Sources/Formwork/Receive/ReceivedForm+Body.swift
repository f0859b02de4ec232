extension ReceivedForm {
    /// Collects a body as it arrives: multipart, whose large files go to disk, or url-encoded, whose pairs become fields.
    ///
    /// - Parameters:
    ///   - body: The body, in chunks of any size.
    ///   - contentType: The request's `Content-Type`; `nil`, for none, is an error.
    ///   - contentLength: The body's length in bytes, if it was announced. A body that is announced as too long is refused
    ///     before it is read, and url-encoded text that is shorter is an error.
    ///   - profile: How strictly the body is parsed.
    ///   - limits: The limits of what is read.
    ///   - memory: How much of the form stays in memory, and where the rest is stored.
    ///   - deadlines: How long the body may take.
    /// - Throws: What ``init(collecting:limits:)`` throws, and ``FormworkError/Code/limitExceeded`` for `contentLength`.
    @inlinable
    public init<Chunks: AsyncSequence & Sendable>(
        collecting body: Chunks, contentType: String?, contentLength: Int64? = nil, profile: ParsingProfile = .default,
        limits: ParsingLimits = .default, memory: CollectingLimits = CollectingLimits(),
        deadlines: ReceivingDeadlines = ReceivingDeadlines()
    ) async throws where Chunks.Element: BodyChunk {
        guard Self.isURLEncoded(contentType) else {
            let reader = try Self.reader(body, contentType, contentLength, profile, limits, deadlines)
            self = try await reader.collectForm(memory)
            return
        }
        let limit = Int(clamping: Swift.min(limits.totalBytes, Int64(memory.memoryBytes)))
        try limits.check(contentLength: contentLength, upTo: Int64(limit))
        let text = try await body.collected(upTo: limit, deadlines: deadlines)
        try Self.checkWhole(text.count, contentLength)
        try self.init(urlEncoded: text, limits: limits, byteLimit: limit, memory: memory.memoryBytes)
    }

    /// Makes a reader. Not where it is awaited: a parser is large, and asynchronous functions allocate their variables.
    @inlinable
    static func reader<Chunks>(
        _ body: consuming Chunks, _ contentType: String?, _ contentLength: Int64?, _ profile: ParsingProfile,
        _ limits: ParsingLimits, _ deadlines: ReceivingDeadlines
    ) throws(FormworkError) -> PartsReader<Chunks> {
        let parser = try MultipartParser(ofRequest: contentType, profile: profile, limits: limits)
        try limits.check(contentLength: contentLength, upTo: limits.totalBytes)
        return PartsReader(body, parser, deadlines)
    }

    /// Url-encoded text doesn't mark its own end, and Hummingbird takes the end of an HTTP/2 connection for the end of
    /// its body.
    @usableFromInline
    static func checkWhole(_ count: Int, _ contentLength: Int64?) throws(FormworkError) {
        guard let contentLength, count < contentLength else { return }
        throw ParsingFailure(.unexpectedEnd)
            .error("The body ended after \(count, "byte") of \(contentLength)", at: Int64(count))
    }
}

extension ParsingLimits {
    /// Refuses a body whose Content-Length is too large, before any of it is read.
    @usableFromInline
    package func check(contentLength: Int64?, upTo limit: Int64) throws(FormworkError) {
        guard let contentLength, contentLength > limit else { return }
        throw ParsingFailure(.totalBytesLimit, limit: limit)
            .error("Content-Length is \(contentLength): the limit is \(limit).", at: nil)
    }
}
