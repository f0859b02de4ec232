/// Lists a form's departures from RFC 7578, and details that confuse real servers, from the body's bytes in chunks of
/// any size.
///
/// It continues after errors at which a strict receiver stops: LF for CRLF, folded and repeated header fields,
/// `filename*`, an invalid boundary. If it can't continue, the last finding has the parser's error kind. Findings don't
/// depend on how the body is cut.
///
/// No content is stored: ``retainedBytes`` is at most a delimiter and a header section, twice, and at most
/// 1,000 findings are kept. The time is linear in the body's length. It is a value; use it from one place at
/// a time.
package struct FormLint: Sendable {
    /// The most findings that are kept.
    static let findingLimit = 1_000
    /// The most bytes of a header section.
    static let headerLimit = 64 << 10

    /// The findings so far, in the order of the body.
    private(set) var findings: [Finding] = []
    /// The number of findings beyond the first 1,000, which aren't kept.
    package private(set) var leftOut = 0

    /// `nil` after the body can't be read any further.
    private var parser: MultipartParser?
    private var isOver = false
    /// The number of the parser's notes that are findings already.
    private var noteCount = 0

    private var part: PartReference?
    private var partCount = 0
    private var contentOffset: Int64 = 0
    /// The start of the value of `_charset_`; `nil` outside such a field.
    private var charset: [UInt8]?

    /// The number of bytes that are stored: at most a delimiter and a header section.
    var retainedBytes: Int { self.parser?.retainedBytes ?? 0 }

    /// A lint of a body with this `Content-Type`.
    /// - Parameter headLine: A line of the message's head that isn't a header field; `nil` for none.
    package init(contentType: String, headLine: String? = nil) {
        let type = LintedContentType(contentType)
        var profile = ParsingProfile.lenient
        (profile.acceptsAnyMultipart, profile.readsLooseHeaders, profile.findsDelimiters) = (true, true, true)
        var limits = ParsingLimits.none
        limits.headerBytes = Self.headerLimit
        if let headLine {
            self.add(.malformed, "The head's line \"\(headLine)\" isn't a header field: remove it.", at: nil)
        }
        for (rule, message) in type.findings { self.add(rule, message, at: nil) }
        if let error = type.error {
            self.add(Self.rule(of: error), "\(Self.name(of: error)): \(error.message)", at: nil)
        } else {
            self.parser = MultipartParser(unchecked: type.boundary[...], profile, limits)
        }
    }

    /// Checks the body's next bytes.
    package mutating func take(_ chunk: some BodyChunk) { chunk.withBytes { self.take($0) } }

    /// Checks the body's next bytes.
    mutating func take(_ chunk: RawSpan) {
        var position = 0
        do throws(FormworkError) {
            while let event = try self.parser?.next(in: chunk, from: &position) {
                self.addNotes()
                if case .needsInput = event { break }
                self.take(event, chunk)
            }
        } catch {
            self.giveUp(error)
        }
    }

    /// Ends the body.
    /// - Returns: All findings, in the order of the body.
    package mutating func finish() -> [Finding] {
        guard !self.isOver else { return self.findings }
        self.isOver = true
        do throws(FormworkError) {
            try self.parser?.finish()
            self.addNotes()
            if self.partCount == 0, self.parser != nil {
                self.add(.noParts, "The form has no parts: RFC 2046 requires at least one.", at: 0)
            }
        } catch {
            self.giveUp(error)
        }
        return self.findings
    }

    private mutating func add(_ rule: Rule, _ message: String, _ part: PartReference? = nil, at offset: Int64?) {
        guard self.findings.count < Self.findingLimit else {
            self.leftOut += 1
            return
        }
        self.findings.append(Finding(rule: rule, part: part, offset: offset, message: message))
    }

    private mutating func addNotes() {
        guard let notes = self.parser?.notes, notes.count > self.noteCount else { return }
        // In the preamble an error says so, or the rule of the preamble.
        for note in notes[self.noteCount...].sorted(by: { $0.offset < $1.offset }) where !note.isInPreamble {
            self.add(note.rule, note.message, note.part == nil ? nil : self.part, at: note.offset)
        }
        self.noteCount = notes.count
    }

    private mutating func take(_ event: MultipartParser.Event, _ chunk: RawSpan) {
        switch event {
        case .partBegan(let header):
            self.partCount += 1
            let part = PartReference(index: self.partCount - 1, name: header.name)
            self.part = part
            var check = LintedHeader(header)
            check.run()
            for (rule, message) in check.findings { self.add(rule, message, part, at: self.parser?.headerOffset) }
            if let parser, parser.isDelimiter(in: header) {
                self.add(.strayDelimiter, Sentence.strayDelimiter, part, at: parser.headerOffset)
            }
            self.charset = header.name == "_charset_" && !header.isFile ? [] : nil
            self.contentOffset = self.parser?.offset ?? 0
        case .content(let range):
            if let count = self.charset?.count { self.charset?.append(chunk, range.prefix(max(0, 64 - count))) }
        case .heldContent(let held):
            if let count = self.charset?.count { self.charset? += held.prefix(max(0, 64 - count)) }
        case .partEnded:
            self.checkCharset()
            self.part = nil
        case .finished, .needsInput: break
        }
    }

    private mutating func giveUp(_ error: FormworkError) {
        self.addNotes()
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

    private mutating func checkCharset() {
        guard let value = self.charset else { return }
        self.charset = nil
        let text = String(decoding: value, as: UTF8.self)
        guard !["utf-8", "utf8"].contains(text.lowercased()) else { return }
        self.add(
            .defaultCharset, "The field _charset_ names \"\(text)\": send text as UTF-8, and leave out the field.",
            self.part, at: self.contentOffset)
    }
}
