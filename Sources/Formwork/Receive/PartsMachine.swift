import FormworkCore

/// Turns a parser's events into parts, chunk by lent chunk: all of a ``PartsReader`` that doesn't wait and doesn't depend on
/// the chunks' type, so that the compiler makes fast code of it once.
struct PartsMachine: Sendable {
    /// What asking for a part came to.
    enum PartStep {
        case part(ReceivedHeader)
        case finished
        case needsChunk
    }

    /// What asking for content came to.
    enum ContentStep {
        case content(Range<Int>)
        case heldContent(ArraySlice<UInt8>)
        case partEnded
        case needsChunk
    }

    private var parser: MultipartParser
    private var position = 0
    /// Parts begun.
    private(set) var count = 0
    /// The part whose content isn't over; `nil` between parts.
    private(set) var header: ReceivedHeader?
    private(set) var isFinished = false

    init(_ parser: MultipartParser) { self.parser = parser }

    /// Bytes of the body used so far.
    var offset: Int64 { self.parser.offset }

    mutating func chunkBegins() { self.position = 0 }

    mutating func limitContent(to bytes: Int64) { self.parser.limitContent(to: bytes) }

    mutating func finish() throws(FormworkError) {
        try self.parser.finish()
        self.isFinished = true
    }

    mutating func nextPart(in chunk: RawSpan) throws(FormworkError) -> PartStep {
        while true {
            switch try self.parser.next(in: chunk, from: &self.position) {
            case .partBegan(let header):
                self.count += 1
                self.header = header
                return .part(header)
            case .partEnded: self.header = nil
            case .content, .heldContent: break
            case .finished:
                self.isFinished = true
                return .finished
            case .needsInput: return .needsChunk
            }
        }
    }

    mutating func nextContent(in chunk: RawSpan) throws(FormworkError) -> ContentStep {
        switch try self.parser.next(in: chunk, from: &self.position) {
        case .content(let range): return .content(range)
        case .heldContent(let bytes): return .heldContent(bytes)
        case .needsInput: return .needsChunk
        case .partEnded, .partBegan, .finished:
            self.header = nil
            return .partEnded
        }
    }

    /// Collects content.
    /// - Returns: Whether the part has ended; a chunk is needed otherwise.
    mutating func collect(
        into bytes: inout [UInt8], upTo limit: Int, in chunk: RawSpan
    ) throws(FormworkError) -> Bool {
        while true {
            switch try self.nextContent(in: chunk) {
            case .content(let range):
                try self.check(range.count, limit - bytes.count, limit)
                bytes.append(chunk, range)
            case .heldContent(let held):
                try self.check(held.count, limit - bytes.count, limit)
                bytes += held
            case .partEnded: return true
            case .needsChunk: return false
            }
        }
    }

    private func check(_ count: Int, _ room: Int, _ limit: Int) throws(FormworkError) {
        guard count > room else { return }
        let isFile = self.header?.isFile ?? false
        let failure = ParsingFailure(isFile ? .fileBytesLimit : .fieldBytesLimit, limit: Int64(limit))
        throw self.named(
            failure.error("the content has more than \(limit) bytes", at: self.offset - Int64(count - room)))
    }

    /// An error told in which part it happened.
    func named(_ error: FormworkError) -> FormworkError {
        guard let header = self.header else { return error }
        return error.naming(PartReference(index: self.count - 1, name: header.name))
    }
}
