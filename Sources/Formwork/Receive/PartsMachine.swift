/// Turns a parser's events into parts. It is the part of ``PartsReader`` that doesn't wait and doesn't depend on the
/// chunks' type, so that the compiler generates fast code for it once.
@usableFromInline
struct PartsMachine: Sendable {
    /// The result of requesting content.
    @usableFromInline
    enum ContentStep {
        case content(Range<Int>)
        case heldContent([UInt8])
        case partEnded
        case needsChunk
    }

    private var parser: MultipartParser
    /// How fields' names are read.
    @usableFromInline let names: FieldNames
    /// For the diagnosis in errors: the chunks before the current one. Most bodies end in their first chunk without an
    /// error, so a chunk is recorded when it is given back, or when an error needs it.
    private var diagnosis: BodyDiagnosis?
    private var hasSeenChunk = true
    private var position = 0
    /// The header of the last part that began.
    private(set) var header: ReceivedHeader?
    /// The number of parts that began.
    @usableFromInline private(set) var count = 0
    /// Whether that part may have more content.
    @usableFromInline private(set) var isInPart = false
    @usableFromInline private(set) var isFinished = false
    /// `nil` if no deadline is set.
    private(set) var deadlines: RunningDeadlines?

    @usableFromInline
    init(_ parser: MultipartParser) {
        // First what is made of the parser, so that it is moved here and not copied.
        self.names = FieldNames(parser.profile)
        self.parser = parser
    }

    /// Begins to count the time.
    @usableFromInline mutating func start(_ deadlines: ReceivingDeadlines) {
        self.deadlines = RunningDeadlines(deadlines)
    }

    /// The number of bytes of the body used so far.
    var offset: Int64 { self.parser.offset }

    /// Whether every later call throws the same error.
    @usableFromInline var hasFailed: Bool { self.parser.hasFailed }

    /// Whether a deadline is set.
    @usableFromInline var hasDeadlines: Bool { self.deadlines != nil }

    @usableFromInline mutating func begin() {
        self.position = 0
        self.hasSeenChunk = false
    }

    /// Records the current chunk. It is called before the chunk is given back.
    @usableFromInline mutating func end(_ chunk: RawSpan) {
        guard !self.hasSeenChunk else { return }
        self.hasSeenChunk = true
        if self.diagnosis == nil { self.diagnosis = BodyDiagnosis() }
        self.diagnosis?.take(chunk)
    }

    @usableFromInline mutating func limitContent(to bytes: Int64) { self.parser.limitContent(to: bytes) }

    @usableFromInline mutating func finish() throws(FormworkError) {
        try self.parser.finish()
        self.isFinished = true
    }

    /// The next part's header section; `nil` if a chunk is needed.
    @usableFromInline mutating func nextPart(in chunk: RawSpan) throws(FormworkError) -> ReceivedHeader? {
        while true {
            switch try self.parser.next(in: chunk, from: &self.position) {
            case .partBegan(let header):
                self.count += 1
                self.header = header
                self.isInPart = true
                self.deadlines?.partBegan()
                return header
            case .partEnded:
                self.isInPart = false
                self.deadlines?.partEnded()
            case .content, .heldContent: break
            // Not finished before the source's end: a body that is cut after its close delimiter isn't whole. But no
            // error of the parser's can come that needs this chunk for a diagnosis.
            case .finished: self.hasSeenChunk = true
            case .needsInput: return nil
            }
        }
    }

    /// The next part, if it is a field that is complete in the chunk and that nothing refuses.
    /// - Parameter room: The most bytes of its header section and its content.
    mutating func nextWholeField(in chunk: RawSpan, upTo room: Int) -> WholeField? {
        guard let field = self.parser.nextWholeField(in: chunk, from: &self.position, upTo: room) else { return nil }
        self.count += 1
        self.deadlines?.partEnded()
        return field
    }

    @usableFromInline mutating func nextContent(in chunk: RawSpan) throws(FormworkError) -> ContentStep {
        switch try self.parser.next(in: chunk, from: &self.position) {
        case .content(let range): return .content(range)
        case .heldContent(let bytes): return .heldContent(bytes)
        case .needsInput: return .needsChunk
        case .partEnded, .partBegan, .finished:
            self.isInPart = false
            self.deadlines?.partEnded()
            return .partEnded
        }
    }

    /// Collects content.
    /// - Returns: Whether the part has ended; otherwise a chunk is needed.
    @usableFromInline
    mutating func collect(
        into bytes: inout [UInt8], upTo limit: CollectingLimit, in chunk: RawSpan
    ) throws(FormworkError) -> Bool {
        while true {
            switch try self.nextContent(in: chunk) {
            case .content(let range):
                try self.check(range.count, limit.room - bytes.count, limit)
                if bytes.isEmpty { bytes = [UInt8](copying: chunk, range) } else { bytes.append(chunk, range) }
            case .heldContent(let held):
                try self.check(held.count, limit.room - bytes.count, limit)
                bytes += held
            case .partEnded: return true
            case .needsChunk: return false
            }
        }
    }

    /// Reads content ahead.
    /// - Returns: Whether there are that many bytes, or all; otherwise a chunk is needed.
    @usableFromInline
    mutating func peek(_ count: Int, into bytes: inout [UInt8], in chunk: RawSpan) throws(FormworkError) -> Bool {
        while bytes.count < count {
            switch try self.nextContent(in: chunk) {
            case .content(let range): bytes.append(chunk, range)
            case .heldContent(let held): bytes += held
            case .partEnded: return true
            case .needsChunk: return false
            }
        }
        return true
    }

    @usableFromInline
    func check(_ count: Int, _ room: Int, _ limit: CollectingLimit) throws(FormworkError) {
        guard count > room else { return }
        guard case .content = limit else { throw limit.formError }
        let bytes = limit.room
        let isFile = self.header?.isFile ?? false
        let failure = ParsingFailure(isFile ? .fileBytesLimit : .fieldBytesLimit, limit: Int64(bytes))
        throw failure.error(
            "the content has more than the \(bytes, "byte") that this call allows",
            at: self.offset - Int64(count - room))
    }

    /// The error in a chunk with its part, and the probable cause.
    @usableFromInline
    mutating func named(_ error: FormworkError, in chunk: RawSpan) -> FormworkError {
        self.end(chunk)
        return self.named(error)
    }

    /// The error with its part, and the probable cause.
    func named(_ error: FormworkError) -> FormworkError {
        var error = error
        if self.isInPart, let header = self.header {
            error = error.naming(PartReference(index: self.count - 1, name: header.name))
        }
        guard error.parsingFailure?.limit == nil, error.parsingFailure != nil else { return error }
        var diagnosis = self.diagnosis ?? BodyDiagnosis()
        diagnosis.boundary = String(decoding: self.parser.boundary, as: UTF8.self)
        diagnosis.parts = self.count
        guard let finding = diagnosis.finding(for: error) else { return error }
        if error.message.hasSuffix(".") { error.message.removeLast() }
        error.message += "; probably: \(finding.message)"
        return error
    }
}
