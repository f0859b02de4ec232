#if Command
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
    /// Whether a body with warnings is refused.
    private let isStrict: Bool
    private var parser: MultipartParser
    private var seen: BodyObservation
    private var doubts: PartDoubts
    private var lines = RecentBytes()

    /// - Parameter isStrict: Whether a body that other receivers read differently is refused.
    init(_ input: BodyInput, _ parser: MultipartParser, isStrict: Bool = false) {
        (self.input, self.parser, self.isStrict) = (input, parser, isStrict)
        self.seen = BodyObservation(
            for: parser, contentLength: input.contentLength, contentEncoding: input.contentEncoding)
        self.doubts = PartDoubts(parser)
    }

    /// Passes every part to `sink`.
    /// - Returns: Warnings about a body that could be read.
    mutating func run(_ sink: inout some PartSink) throws -> [String] {
        while true {
            let chunk = try self.input.next()
            if chunk.isEmpty { break }
            self.seen.take(chunk)
            if self.parser.parts == 0 { self.doubts.take(preamble: chunk) }
            if self.parser.isAfterEnd { self.doubts.take(epilogue: chunk, from: 0, at: self.parser.offset) }
            try self.feed(chunk, &sink)
            self.lines.take(chunk)
        }
        do throws(FormworkError) {
            try self.parser.finish()
        } catch {
            throw try Self.status(of: error, self.seen, self.input, self.doubts.cause(of: error, self.lines, []))
        }
        let surplus = try self.input.surplus()
        let diagnosis = BodyDiagnosis(of: nil, in: self.seen)?.description
        let doubts = self.doubts.all(self.parser)
        if self.isStrict, let first = doubts.first {
            let name = self.input.name.withControlCharactersEscaped
            throw ExitStatus(70, "formwork: \(name): \(first)")
        }
        return self.input.notes + [self.input.shortfall, surplus].compactMap { $0 } + doubts
            + [self.doubts.encodedPart, diagnosis].compactMap { $0 }
    }

    private mutating func feed(_ chunk: [UInt8], _ sink: inout some PartSink) throws {
        var position = 0
        while true {
            let event: MultipartParser.Event
            do throws(FormworkError) {
                event = try self.parser.next(in: chunk, from: &position)
            } catch {
                throw try Self.status(
                    of: error, self.seen, self.input, self.doubts.cause(of: error, self.lines, chunk))
            }
            self.seen.take(event, in: chunk)
            switch event {
            case .partBegan(let header):
                self.doubts.begin(header, at: self.parser.offset)
                try sink.begin(header, at: self.parser.offset)
            case .content(let range):
                self.doubts.take(chunk, range)
                try sink.take(chunk, range)
            case .heldContent(let bytes):
                let bytes = Array(bytes)
                self.doubts.take(bytes, 0..<bytes.count)
                try sink.take(bytes, 0..<bytes.count)
            case .partEnded: try sink.end()
            case .finished: self.doubts.take(epilogue: chunk, from: position, at: self.parser.offset)
            case .needsInput: return
            }
        }
    }

    /// The error line for a body that can't be read: kind, offset, what was expected, and the probable cause.
    /// - Parameter cause: What the walk has seen, if the diagnosis has no better reason.
    static func status(
        of error: FormworkError, _ seen: BodyObservation, _ input: BodyInput, _ cause: String? = nil
    ) throws -> ExitStatus {
        var shown = error
        (shown.cause, shown.offset) = (nil, nil)
        var line = error.parsingFailure.map { $0.kind.rawValue } ?? error.code.description
        if let offset = error.offset { line += " at offset \(offset)" }
        line += ": \(shown)"
        if line.hasSuffix(".") { line.removeLast() }
        let surplus = error.code == .truncatedBody ? try input.surplus() : nil
        let diagnosis = BodyDiagnosis(of: error, in: seen)
        let hint = diagnosis?.cause == .bareLineFeeds ? ": --profile lenient reads it" : ""
        let isVague = diagnosis?.cause == .cut || diagnosis?.cause == .otherBoundary
        let found = diagnosis.map { $0.description + hint }
        // Bytes that were decoded as text have another length, too.
        let damage = diagnosis?.cause == .decodedAsText ? found : nil
        let reason =
            input.notes.last { $0.hasPrefix("packets") } ?? damage ?? input.shortfall ?? surplus
            ?? (isVague ? cause : nil) ?? found ?? cause
        // The cause is read first.
        if let reason { line = "probably \(reason) (\(line))" }
        let name = input.name.withControlCharactersEscaped
        return ExitStatus(error.code == .limitExceeded ? 63 : 70, "formwork: \(name): \(line)")
    }
}
#endif
