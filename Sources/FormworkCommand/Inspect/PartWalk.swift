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
    private var recent = RecentBytes()

    init(_ input: BodyInput, _ parser: MultipartParser) {
        (self.input, self.parser) = (input, parser)
        self.diagnosis = BodyDiagnosis(
            for: parser, contentLength: input.contentLength, contentEncoding: input.contentEncoding)
    }

    /// Passes every part to `sink`.
    /// - Returns: Warnings about a body that could be read.
    mutating func run(_ sink: inout some PartSink) throws -> [String] {
        if let error = try self.read(&sink) {
            throw try self.diagnosis.status(of: error, self.input, self.parser.cause(of: error, self.recent))
        }
        let oddities = try self.input.findings()
        if self.parser.profile.refusesAmbiguity, let first = oddities.first {
            throw ExitStatus(70, "\(self.input.name): \(first.message)")
        }
        let doubts = oddities.filter { $0.oddity == .messageFraming }.map(\.message)
        let damage = self.diagnosis.finding(for: nil)?.message
        return self.input.notes + doubts + self.parser.warnings + [damage].compactMap { $0 }
    }

    /// All that is odd.
    mutating func lint() throws -> (findings: [Finding], leftOut: Int) {
        var sink = PartRecorder(wantsDigest: false) { _ in }
        let error = try self.read(&sink)
        let damage = [self.diagnosis.finding(for: error)].compactMap { $0 }
        let findings = try self.input.findings() + self.parser.findings(endingWith: error) + damage
        return (findings, self.parser.leftOutFindings)
    }

    /// - Returns: The parser's error; `nil` if the whole body was read.
    private mutating func read(_ sink: inout some PartSink) throws -> FormworkError? {
        while true {
            let chunk = try self.input.next()
            if chunk.isEmpty { break }
            self.diagnosis.take(chunk)
            self.recent.take(chunk)
            if let error = try self.feed(chunk, &sink) { return error }
        }
        do throws(FormworkError) { try self.parser.finish() } catch { return error }
        return nil
    }

    private mutating func feed(_ chunk: [UInt8], _ sink: inout some PartSink) throws -> FormworkError? {
        var position = 0
        while true {
            let event: MultipartParser.Event
            do throws(FormworkError) { event = try self.parser.next(in: chunk, from: &position) } catch { return error }
            self.diagnosis.take(event, in: chunk)
            switch event {
            case .partBegan(let header): try sink.begin(header, at: self.parser.offset)
            case .content(let range): try sink.take(chunk, range)
            case .heldContent(let bytes): try sink.take(bytes, 0..<bytes.count)
            case .partEnded: try sink.end()
            case .finished: break
            case .needsInput: return nil
            }
        }
    }
}

extension BodyDiagnosis {
    /// The error line for a body that can't be read: kind, offset, what was expected, and the probable cause.
    /// - Parameter cause: What the walk has seen, if the diagnosis has no better reason.
    func status(of error: FormworkError, _ input: BodyInput, _ cause: String? = nil) throws -> ExitStatus {
        let shown = error.changed { ($0.cause, $0.offset) = (nil, nil) }
        var line = error.parsingFailure.map { $0.kind.rawValue } ?? error.code.description
        if let offset = error.offset { line += " at offset \(offset)" }
        line += ": \(shown)"
        if line.hasSuffix(".") { line.removeLast() }
        let surplus = error.code == .truncatedBody ? try input.surplus() : nil
        let finding = self.finding(for: error)
        let hint = finding?.oddity == .lostCarriageReturns ? ": --profile lenient reads it" : ""
        let isVague = finding?.oddity == .cut || finding?.oddity == .otherBoundary
        let found = finding.map { $0.message + hint }
        // Bytes that were decoded as text have another length, too.
        let damage = finding?.oddity == .decodedAsText ? found : nil
        let reason = damage ?? input.shortfall ?? surplus ?? (isVague ? cause : nil) ?? found ?? cause
        // The cause is read first.
        if let reason { line = "probably \(reason) (\(line))" }
        return ExitStatus(error.code == .limitExceeded ? 63 : 70, "\(input.name): \(line)")
    }
}
