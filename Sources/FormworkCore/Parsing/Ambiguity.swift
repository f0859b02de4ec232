/// A detail of a body that receivers read differently: a name, a part or a boundary depends on who reads it.
///
/// The parser reports each one that it read, whatever its profile. ``ParsingProfile/strict`` refuses the body instead.
public struct Ambiguity: Hashable, Sendable, CustomStringConvertible {
    let rule: FormLint.Rule
    /// One sentence: what was read, and what to write instead. Text of the sender's in it may have control characters.
    public let description: String

    /// The name of the rule that the sender broke, usable as a metrics label: `duplicateHeader`.
    public var name: String { self.rule.rawValue }

    init?(_ rule: FormLint.Rule, _ message: String) {
        guard rule.isAmbiguous else { return nil }
        (self.rule, self.description) = (rule, message)
    }

    /// The error of a profile that refuses it.
    func error(at offset: Int64?) -> FormworkError {
        ParsingFailure(self.rule.failure).error(self.description, at: offset)
    }
}

extension ReceivedHeader {
    /// What other receivers may read differently in the header section, in the order of the rules. It is looked for when
    /// this is read, in time linear in the section's length.
    public var ambiguities: [Ambiguity] {
        var check = LintedHeader(self)
        check.run()
        return check.findings.compactMap { Ambiguity($0.0, $0.1) }
    }
}

/// Framing that was read, although other receivers read it differently, or a standard advises against it.
package struct FramingNote: Sendable {
    package let rule: FormLint.Rule
    package let message: String
    package let offset: Int64
    /// The number of the part whose content it is in, from 1; `nil` for the framing itself.
    package let part: Int?
    /// Whether it is a delimiter that wasn't recognised before the first part.
    package var isInPreamble: Bool {
        self.part == nil && self.rule == .strayDelimiter && self.message != FormLint.Sentence.partAfterEnd
    }
}

extension MultipartParser {
    typealias Sentence = FormLint.Sentence

    /// What other receivers may read differently in the `Content-Type`, and in the framing so far. Those of a part are in its
    /// ``ReceivedHeader/ambiguities``.
    public var ambiguities: [Ambiguity] {
        self.typeAmbiguities + self.notes.compactMap { Ambiguity($0.rule, $0.message) }
    }

    /// What other receivers may read differently in the `Content-Type`.
    package var typeAmbiguities: [Ambiguity] { LintedContentType(self.contentType).ambiguities }

    /// What was read of the framing, although other receivers read it differently.
    package var notes: [FramingNote] { self.watch.first?.notes ?? [] }

    /// Keeps each kind of note once.
    @inline(never)
    mutating func note(_ rule: FormLint.Rule, _ message: String, at offset: Int64, isInPart: Bool = false) {
        guard !self.notes.contains(where: { $0.rule == rule && $0.message == message }) else { return }
        if self.watch.isEmpty { self.watch = [FramingWatch()] }
        self.watch[0].notes.append(
            FramingNote(rule: rule, message: message, offset: offset, part: isInPart ? self.parts : nil))
    }

    func refusal(of note: FramingNote) -> FormworkError {
        ParsingFailure(note.rule.failure).error(note.message, at: note.offset)
    }
}

/// What a parser notes of the framing beside reading it.
struct FramingWatch: Sendable {
    var notes: [FramingNote] = []
    /// Searches for delimiters that aren't recognised, in content and after the close delimiter. `nil` for no search.
    var strays: (content: StrayDelimiter, epilogue: StrayDelimiter)?

    @inline(never)
    static func ofStrays(_ boundary: ArraySlice<UInt8>, _ profile: ParsingProfile) -> [FramingWatch] {
        guard !boundary.isEmpty else { return [] }
        let content = StrayDelimiter(
            boundary: Array(boundary), countsLongerLines: profile.refusesAmbiguity, countsText: true)
        return [FramingWatch(strays: (content, StrayDelimiter(boundary: Array(boundary), isInEpilogue: true)))]
    }
}

// Out of the way of parsers that watch nothing.
extension MultipartParser {
    @inline(never)
    mutating func findStray(_ chunk: RawSpan, _ range: Range<Int>, at offset: Int64) {
        guard let stray = self.watch[0].strays?.content, stray.offset == nil else { return }
        self.watch[0].strays?.content.take(chunk, range, at: offset)
        self.noteStray()
    }

    /// Begins the watch of a part.
    @inline(never)
    mutating func watchPart(_ header: ReceivedHeader, at offset: Int64) throws(FormworkError) {
        self.watch[0].strays?.content.restart()
        guard self.profile.refusesAmbiguity, self.isDelimiter(in: header) else { return }
        throw ParsingFailure(FormLint.Rule.strayDelimiter.failure).error(Sentence.strayDelimiter, at: offset)
    }

    /// Whether the delimiter's text is in a header section.
    package func isDelimiter(in header: ReceivedHeader) -> Bool {
        let search = DelimiterSearch(Array(self.delimiter.dropFirst(2)))
        return header.bytes.withRawSpan { search.first(in: $0, from: 0, to: $0.byteCount) != nil }
    }

    /// Ends the watch of a part's content.
    /// - Throws: The refusal of what was noted in it, if the profile refuses it.
    @inline(never)
    mutating func endContentWatch() throws(FormworkError) {
        if let stray = self.watch[0].strays?.content, stray.offset == nil {
            self.watch[0].strays?.content.end()
            self.noteStray()
        }
        guard self.profile.refusesAmbiguity, let note = self.notes.first(where: { $0.part != nil }) else { return }
        throw self.refusal(of: note)
    }

    private mutating func noteStray() {
        guard let stray = self.watch[0].strays?.content, let found = stray.offset else { return }
        let isBesideLF = self.isInPart && (stray.followsLF || stray.followsCRLF)
        self.note(
            .strayDelimiter, isBesideLF ? Sentence.delimiterBesideLF : Sentence.strayDelimiter, at: found,
            isInPart: self.isInPart)
    }

    @inline(never)
    mutating func findPartAfterEnd(_ chunk: RawSpan, _ range: Range<Int>, at offset: Int64) throws(FormworkError) {
        self.watch[0].strays?.epilogue.take(chunk, range, at: offset)
        guard let found = self.watch[0].strays?.epilogue.offset else { return }
        self.note(.strayDelimiter, Sentence.partAfterEnd, at: found)
        if self.profile.refusesAmbiguity, let note = self.notes.last { throw self.refusal(of: note) }
    }

    @inline(__always)
    mutating func noteContent(at offset: Int64) {
        guard self.isUnnamedFile else { return }
        self.isUnnamedFile = false
        self.note(.emptyFilename, Sentence.emptyFilename, at: offset, isInPart: true)
    }

    /// - Parameter offset: The end of a delimiter's line.
    @inline(never)
    mutating func noteEnd(of line: DelimiterLine, at offset: Int64) {
        if line.isPadded { self.note(.padding, Sentence.padding, at: offset - Int64(line.count)) }
        if line.isBare { self.note(.bareLineFeed, Sentence.bareLineFeed, at: offset - 1) }
    }

    /// - Parameter offset: The end of the delimiter with which the line begins.
    @inline(never)
    mutating func noteLine(_ line: DelimiterLine, at offset: Int64) {
        guard self.isInPart else { return }
        let (rule, sentence) =
            line.isBare
            ? (FormLint.Rule.strayDelimiter, Sentence.delimiterBesideLF) : (.longerLine, Sentence.longerLine)
        self.note(rule, sentence, at: offset - Int64(self.delimiter.count - 2), isInPart: true)
    }
}
