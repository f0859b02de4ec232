import Formwork

/// Receives the parts of a body, one after the other.
protocol PartSink {
    /// A part begins. Its content is at `offset` of the body.
    mutating func begin(_ header: ReceivedHeader, at offset: Int64) throws
    /// Content of the part. Not called for an empty part.
    mutating func take(_ bytes: [UInt8], _ range: Range<Int>) throws
    /// The part is complete.
    mutating func end() throws
}

/// Splits a body into parts, and describes in one line what is wrong with it.
struct PartWalk {
    private let input: BodyInput
    private var parser: MultipartParser
    private var diagnosis: BodyDiagnosis
    private var doubts = PartDoubts()
    private var lines = RecentBytes()

    init(_ input: BodyInput, _ parser: MultipartParser) {
        (self.input, self.parser) = (input, parser)
        self.diagnosis = BodyDiagnosis(
            for: parser, contentLength: input.contentLength, contentEncoding: input.contentEncoding)
    }

    /// Passes every part to `sink`.
    /// - Returns: Warnings about a body that could be read.
    mutating func run(_ sink: inout some PartSink) throws -> [String] {
        while true {
            let chunk = try self.input.next()
            if chunk.isEmpty { break }
            self.diagnosis.take(chunk)
            if self.parser.offset == 0 { self.doubts.take(start: chunk) }
            try self.feed(chunk, &sink)
            self.lines.take(chunk)
        }
        do throws(FormworkError) {
            try self.parser.finish()
        } catch {
            throw try self.diagnosis.status(
                of: error, self.input, self.doubts.cause(of: error, self.lines, [], self.parser))
        }
        let surplus = try self.input.surplus()
        let damage = self.diagnosis.finding(for: nil)?.sentence
        return self.input.notes + [self.input.shortfall, surplus].compactMap { $0 } + self.doubts.all(self.parser)
            + [self.doubts.encodedPart, damage].compactMap { $0 }
    }

    private mutating func feed(_ chunk: [UInt8], _ sink: inout some PartSink) throws {
        var position = 0
        while true {
            let event: MultipartParser.Event
            do throws(FormworkError) {
                event = try self.parser.next(in: chunk, from: &position)
            } catch {
                throw try self.diagnosis.status(
                    of: error, self.input, self.doubts.cause(of: error, self.lines, chunk, self.parser))
            }
            self.diagnosis.take(event, in: chunk)
            switch event {
            case .partBegan(let header):
                self.doubts.begin(header, in: self.parser)
                try sink.begin(header, at: self.parser.offset)
            case .content(let range): try sink.take(chunk, range)
            case .heldContent(let bytes):
                let bytes = Array(bytes)
                try sink.take(bytes, 0..<bytes.count)
            case .partEnded: try sink.end()
            case .finished: break
            case .needsInput: return
            }
        }
    }
}

extension BodyDiagnosis {
    /// The error line for a body that can't be read: kind, offset, what was expected, and the probable cause.
    /// - Parameter cause: What the walk has seen, if the diagnosis has no better reason.
    func status(
        of error: FormworkError, _ input: BodyInput, _ cause: String? = nil
    ) throws -> ExitStatus {
        var shown = error
        (shown.cause, shown.offset) = (nil, nil)
        var line = error.parsingFailure.map { $0.kind.rawValue } ?? error.code.description
        if let offset = error.offset { line += " at offset \(offset)" }
        line += ": \(shown)"
        if line.hasSuffix(".") { line.removeLast() }
        let surplus = error.code == .truncatedBody ? try input.surplus() : nil
        let finding = self.finding(for: error)
        let hint = finding?.cause == .bareLineFeeds ? ": --profile lenient reads it" : ""
        let isVague = finding?.cause == .cut || finding?.cause == .otherBoundary
        let found = finding.map { $0.sentence + hint }
        // Bytes that were decoded as text have another length, too.
        let damage = finding?.cause == .decodedAsText ? found : nil
        let reason = damage ?? input.shortfall ?? surplus ?? (isVague ? cause : nil) ?? found ?? cause
        // The cause is read first.
        if let reason { line = "probably \(reason) (\(line))" }
        let name = input.name.withControlCharactersEscaped
        return ExitStatus(error.code == .limitExceeded ? 63 : 70, "formwork: \(name): \(line)")
    }
}
