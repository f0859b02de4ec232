/// Lists a form's departures from RFC 7578, and details that confuse real servers, from the body's bytes in chunks of
/// any size.
///
/// ```swift
/// var lint = FormLint(contentType: "multipart/form-data; boundary=b")
/// for chunk in received { lint.take(chunk) }
/// let departures = lint.finish().filter { $0.severity == .departure }
/// ```
///
/// It continues after errors at which a strict receiver stops: LF for CRLF, folded and repeated header fields,
/// `filename*`, an invalid boundary. If it can't continue, the last finding has the parser's error kind. Findings don't
/// depend on how the body is cut.
///
/// No content is stored: ``retainedBytes`` is at most a delimiter and a header section, twice, and at most
/// 1,000 findings are kept. The time is linear in the body's length. It is a value; use it from one place at
/// a time.
public struct FormLint: Sendable {
    /// The most findings that are kept.
    package static let findingLimit = 1_000
    /// The most bytes of a header section.
    static let headerLimit = 64 << 10

    /// The findings so far, in the order of the body.
    public private(set) var findings: [Finding] = []
    /// The number of findings beyond the first 1,000, which aren't kept.
    public private(set) var leftOut = 0

    /// `nil` after the body can't be read any further.
    var parser: MultipartParser?
    private var stray: StrayDelimiter?
    /// For the bytes after the close delimiter.
    private var strayAfterEnd: StrayDelimiter?
    let boundaryCount: Int
    private var isOver = false

    /// The offset up to which the body's bytes are accounted for: as content, a checked delimiter or a header section.
    var explained: Int64 = 0
    /// The bytes of earlier chunks after ``explained``: at most a delimiter or a header section.
    private var held: [UInt8] = []
    private var heldStart: Int64 = 0
    var closing = ClosingLine()

    private var part: PartReference?
    private var partCount = 0
    var hasReadFirstDelimiter = false
    private var finishedAt: Int64?
    /// Rules that are reported only once for a body, and were.
    private var told: Set<Rule> = []
    /// The start of the value of `_charset_`; `nil` outside such a field.
    private var charset: [UInt8]?

    /// The number of bytes that are stored: at most a delimiter or a header section, twice.
    public var retainedBytes: Int { self.held.count + (self.parser?.retainedBytes ?? 0) }

    /// A lint of a body with this `Content-Type`.
    public init(contentType: String) {
        let type = LintedContentType(contentType)
        self.boundaryCount = type.boundary.count
        var profile = ParsingProfile.lenient
        (profile.subtype, profile.duplicates, profile.blanksBeforeColon) = (.any, .last, .accepted)
        var limits = ParsingLimits.none
        limits.headerBytes = Self.headerLimit
        for (rule, message) in type.findings { self.add(rule, message, at: nil) }
        if let error = type.error {
            self.add(Self.rule(of: error), "\(Self.name(of: error)): \(error.message)", at: nil)
        } else {
            self.parser = MultipartParser(unchecked: type.boundary[...], profile, limits)
            if !type.boundary.isEmpty {
                self.stray = StrayDelimiter(boundary: type.boundary)
                self.strayAfterEnd = StrayDelimiter(boundary: type.boundary, isInEpilogue: true)
            }
        }
    }

    /// Checks the body's next bytes.
    public mutating func take(_ chunk: some BodyChunk) { chunk.withBytes { self.take($0) } }

    /// Checks the body's next bytes.
    public mutating func take(_ chunk: RawSpan) {
        var position = 0
        let start = self.parser?.offset ?? 0
        do throws(FormworkError) {
            while let event = try self.parser?.next(in: chunk, from: &position) {
                if case .needsInput = event { break }
                self.take(event, chunk, from: start)
            }
            self.readLoneClose(chunk, from: start)
        } catch {
            self.readLoneClose(chunk, from: start)
            self.giveUp(error)
        }
        self.keep(chunk, from: start)
    }

    /// Ends the body.
    /// - Returns: All findings, in the order of the body.
    public mutating func finish() -> [Finding] {
        guard !self.isOver else { return self.findings }
        self.isOver = true
        do throws(FormworkError) {
            try self.parser?.finish()
            self.ended()
        } catch {
            self.giveUp(error)
        }
        return self.findings
    }

    mutating func add(_ rule: Rule, _ message: String, _ part: PartReference? = nil, at offset: Int64?) {
        guard self.findings.count < Self.findingLimit else {
            self.leftOut += 1
            return
        }
        self.findings.append(Finding(rule: rule, part: part, offset: offset, message: message))
    }

    mutating func addOnce(_ rule: Rule, _ message: String, at offset: Int64) {
        guard self.told.insert(rule).inserted else { return }
        self.add(rule, message, at: offset)
    }

    // MARK: - Events of the parser

    private mutating func take(_ event: MultipartParser.Event, _ chunk: RawSpan, from start: Int64) {
        let offset = self.parser?.offset ?? 0
        switch event {
        case .partBegan(let header):
            if self.partCount == 0 { self.readFirstDelimiter(chunk, start, isClose: false, before: offset) }
            self.partCount += 1
            self.stray?.restart()
            let part = PartReference(index: self.partCount - 1, name: header.name)
            self.part = part
            self.checkLineEnds(of: header, self.bytes(max(self.explained, offset - 2)..<offset, chunk, start))
            var check = LintedHeader(header)
            check.run()
            for (rule, message) in check.findings { self.add(rule, message, part, at: self.explained) }
            self.charset = header.name == "_charset_" && !header.isFile ? [] : nil
            self.explained = offset
        case .content(let range):
            self.checkContent(chunk, range, at: self.explained)
            self.explained += Int64(range.count)
            if let count = self.charset?.count, count < 64 {
                self.charset?.append(chunk, range.prefix(64 - count))
            }
        case .heldContent(let held):
            let bytes = Array(held)
            bytes.withRawSpan { self.checkContent($0, 0..<$0.byteCount, at: self.explained) }
            self.explained += Int64(held.count)
            if let count = self.charset?.count, count < 64 { self.charset? += held.prefix(64 - count) }
        case .partEnded:
            self.checkDelimiter(self.bytes(self.explained..<offset, chunk, start), at: self.explained)
            self.checkCharset()
            self.explained = offset
            self.part = nil
        case .finished:
            if !self.hasReadFirstDelimiter { self.readFirstDelimiter(chunk, start, isClose: true, before: offset) }
            self.closing.take(self.bytes(max(self.explained, offset - 2)..<offset, chunk, start))
            self.checkClosing(upTo: offset)
            self.finishedAt = offset
            self.explained = offset
        case .needsInput: break
        }
    }

    /// The bytes in this range of the body, as far as they are stored or in the chunk.
    func bytes(_ range: Range<Int64>, _ chunk: RawSpan, _ start: Int64) -> ArraySlice<UInt8> {
        var bytes: [UInt8] = []
        if range.lowerBound < start {
            let from = Int(max(0, range.lowerBound - self.heldStart))
            let to = min(Int(min(range.upperBound, start) - self.heldStart), self.held.count)
            if from < to { bytes += self.held[from..<to] }
        }
        let from = Int(max(0, range.lowerBound - start))
        let to = Int(max(0, range.upperBound - start))
        if from < to { bytes.append(chunk, from..<to) }
        return bytes[...]
    }

    /// Checks a close delimiter without parts before it, for which there is no event until its line ends.
    private mutating func readLoneClose(_ chunk: RawSpan, from start: Int64) {
        guard !self.hasReadFirstDelimiter, case .closing = self.parser?.state else { return }
        self.readFirstDelimiter(chunk, start, isClose: true, before: start + Int64(chunk.byteCount))
    }

    /// Stores the bytes of the chunk that aren't accounted for yet.
    private mutating func keep(_ chunk: RawSpan, from start: Int64) {
        let end = start + Int64(chunk.byteCount)
        guard let parser = self.parser else { return self.held = [] }
        if let finished = self.finishedAt {
            self.held = []
            if end > finished {
                self.addOnce(
                    .epilogue, "Bytes follow the close delimiter's line: remove them.", at: finished)
                self.checkEpilogue(chunk, max(0, finished - start), from: start)
            }
            return
        }
        // There is no event for the preamble.
        if !self.hasReadFirstDelimiter { self.explained = max(self.explained, parser.preambleBytes) }
        var from = self.explained
        if case .closing = parser.state {
            // Any number of blanks may follow the close delimiter.
            from = max(from, end - 2)
        }
        if from > self.heldStart {
            self.held.removeFirst(min(self.held.count, Int(from - self.heldStart)))
            self.heldStart = from
        }
        if from < end { self.held.append(chunk, Int(max(from - start, 0))..<chunk.byteCount) }
    }

    private mutating func checkEpilogue(_ chunk: RawSpan, _ first: Int64, from start: Int64) {
        guard self.strayAfterEnd?.offset == nil else { return }
        self.strayAfterEnd?.take(chunk, Int(first)..<chunk.byteCount, at: start + first)
        guard let offset = self.strayAfterEnd?.offset else { return }
        self.add(
            .strayDelimiter,
            "A delimiter follows the close delimiter, so the part after it is lost: write --boundary-- only at the end.",
            at: offset)
    }

    private mutating func ended() {
        guard let parser = self.parser else { return }
        switch parser.state {
        case .headers, .partEnding(isLast: false):
            self.add(
                .missingClose, "The body ends after a delimiter that doesn't close it: write --boundary-- at the end.",
                at: parser.offset)
        case .closing:
            self.closing.take(self.held[...])
            self.checkClosing(upTo: parser.offset)
        default: break
        }
        if self.partCount == 0 {
            self.add(.noParts, "The form has no parts: RFC 2046 requires at least one.", at: 0)
        }
    }

    private mutating func giveUp(_ error: FormworkError) {
        let parser = self.parser
        self.parser = nil
        self.isOver = true
        let isCutOff = error.parsingFailure?.kind == .unexpectedEnd && parser?.parts ?? 0 > 0
        guard !isCutOff else {
            return self.add(
                .missingClose, "The body ends without its close delimiter: write --boundary-- at the end.", self.part,
                at: error.offset)
        }
        var part = self.part
        if part == nil, let parser, parser.parts > 0, parser.parts > self.partCount {
            part = PartReference(index: parser.parts - 1, name: nil)
        }
        self.add(Self.rule(of: error), "\(Self.name(of: error)): \(error.message)", part, at: error.offset)
    }

    private static func rule(of error: FormworkError) -> Rule {
        error.parsingFailure?.kind == .duplicateParameter ? .duplicateParameter : .malformed
    }

    private static func name(of error: FormworkError) -> String { error.parsingFailure?.description ?? "\(error.code)" }

    private mutating func checkContent(_ bytes: RawSpan, _ range: Range<Int>, at offset: Int64) {
        guard self.stray?.offset == nil else { return }
        self.stray?.take(bytes, range, at: offset)
        guard let offset = self.stray?.offset else { return }
        self.add(
            .strayDelimiter,
            "The content holds the delimiter without CRLF before it, so a part may be lost: write CRLF before it.",
            self.part, at: offset)
    }

    private mutating func checkCharset() {
        guard let value = self.charset else { return }
        self.charset = nil
        let text = String(decoding: value, as: UTF8.self)
        guard !["utf-8", "utf8"].contains(text.lowercased()) else { return }
        self.add(
            .defaultCharset, "The field _charset_ names \"\(text)\": send text as UTF-8, and leave out the field.",
            self.part, at: self.explained)
    }
}
