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
    private var parser: MultipartParser
    private var seen: BodyObservation

    init(_ input: BodyInput, _ parser: MultipartParser) {
        (self.input, self.parser) = (input, parser)
        self.seen = BodyObservation(
            for: parser, contentLength: input.contentLength, contentEncoding: input.contentEncoding)
    }

    /// Passes every part to `sink`.
    /// - Returns: Warnings about a body that could be read.
    mutating func run(_ sink: inout some PartSink) throws -> [String] {
        while true {
            let chunk = try self.input.next()
            if chunk.isEmpty { break }
            self.seen.take(chunk)
            try self.feed(chunk, &sink)
        }
        do throws(FormworkError) {
            try self.parser.finish()
        } catch {
            throw try Self.status(of: error, self.seen, self.input)
        }
        let surplus = try self.input.surplus()
        let diagnosis = BodyDiagnosis(of: nil, in: self.seen)?.description
        return [self.input.shortfall, surplus, self.preamble, diagnosis].compactMap { $0 }
    }

    private var preamble: String? {
        self.parser.preambleDelimiterOffset.map { offset in
            "a line at offset \(offset), before the first part, begins like a delimiter but isn't one, so a part may "
                + "be lost: a delimiter needs CRLF before and after it (--profile lenient accepts LF too)"
        }
    }

    private mutating func feed(_ chunk: [UInt8], _ sink: inout some PartSink) throws {
        var position = 0
        while true {
            let event: MultipartParser.Event
            do throws(FormworkError) {
                event = try self.parser.next(in: chunk, from: &position)
            } catch {
                throw try Self.status(of: error, self.seen, self.input)
            }
            self.seen.take(event, in: chunk)
            switch event {
            case .partBegan(let header): try sink.begin(header, at: self.parser.offset)
            case .content(let range): try sink.take(chunk, range)
            case .heldContent(let bytes): try sink.take(Array(bytes), 0..<bytes.count)
            case .partEnded: try sink.end()
            case .finished: continue
            case .needsInput: return
            }
        }
    }

    /// The error line for a body that can't be read: kind, offset, what was expected, and the probable cause.
    static func status(of error: FormworkError, _ seen: BodyObservation, _ input: BodyInput) throws -> ExitStatus {
        var shown = error
        (shown.cause, shown.offset) = (nil, nil)
        var line = error.parsingFailure.map { $0.kind.rawValue } ?? error.code.description
        if let offset = error.offset { line += " at offset \(offset)" }
        line += ": \(shown)"
        if line.hasSuffix(".") { line.removeLast() }
        let surplus = error.code == .truncatedBody ? try input.surplus() : nil
        let diagnosis = BodyDiagnosis(of: error, in: seen)
        let hint = diagnosis?.cause == .bareLineFeeds ? ": --profile lenient reads it" : ""
        let reason = input.shortfall ?? surplus ?? diagnosis.map { $0.description + hint }
        if let reason { line += "; probably: \(reason)" }
        let name = input.name.withControlCharactersEscaped
        return ExitStatus(error.code == .limitExceeded ? 63 : 70, "formwork: \(name): \(line)")
    }
}
#endif
