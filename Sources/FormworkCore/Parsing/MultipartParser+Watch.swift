/// What a parser notes of a body beside reading it.
struct BodyWatch: Sendable {
    /// The most findings that are kept, and the first of each kind.
    static let limit = 1_000

    private(set) var findings: [Finding] = []
    /// The number of findings that aren't kept.
    private(set) var leftOut = 0
    private(set) var seen: Set<Oddity> = []
    private(set) var hasAmbiguity = false
    /// The part that is being read.
    var part: PartReference?
    /// Searches for delimiters that aren't recognised, in content and after the close delimiter. `nil` for no search: then only
    /// what the parser comes across is noted.
    var strays: (content: StrayDelimiter, epilogue: StrayDelimiter)?
    /// The start of a field's content, enough for a charset's name or a number; `nil` in a file.
    var start: [UInt8]?
    /// The charset in which only some receivers read the field; `nil` for none.
    var charset: String?
    /// The value of `MAX_FILE_SIZE`: PHP drops larger files that follow.
    var maxFileSize = Int64.max
    /// The first names, without their brackets, with whether they had some.
    var names: [ArraySlice<UInt8>: Bool] = [:]

    mutating func add(_ finding: Finding) {
        let isFirst = self.seen.insert(finding.oddity).inserted
        guard isFirst || self.findings.count < Self.limit else { return self.leftOut += 1 }
        if finding.oddity.isAmbiguous { self.hasAmbiguity = true }
        self.findings.append(finding)
    }
}

// Out of the way of parsers that watch nothing.
extension MultipartParser {
    /// A parser that reads as much as it can, and notes all that is odd.
    /// - Throws: A type that has no boundary.
    package init(linting contentType: String, limits: ParsingLimits = .none) throws(FormworkError) {
        let type = ContentTypeCheck(contentType)
        if let error = type.error { throw error }
        var profile = ParsingProfile.lenient
        (profile.acceptsAnyMultipart, profile.readsLooseHeaders, profile.watches) = (true, true, true)
        profile.skipsPreambleDelimiters = true
        self.init(unchecked: type.boundary[...], profile, limits, contentType: contentType)
    }

    /// Whether all is noted that is odd.
    var isWatching: Bool { self.watch.first?.strays != nil }

    /// The number of findings that aren't kept.
    package var leftOutFindings: Int { self.watch.first?.leftOut ?? 0 }

    /// What was found odd so far, in the order of the body; the reason why it can't be read any further is the last.
    package func findings(endingWith error: FormworkError? = nil) -> [Finding] {
        let all = (self.watch.first?.findings ?? []).sorted { ($0.offset ?? -1) < ($1.offset ?? -1) }
        // Both are noted of a line in the preamble.
        let lost = all.first { $0.oddity == .delimiterInPreamble }
        let found = all.filter { lost == nil || $0.oddity != .strayDelimiter || $0.offset != lost?.offset }
        guard let error else { return found }
        var last = Finding(error, part: self.part)
        if error.parsingFailure?.kind == .unexpectedEnd, self.parts > 0 {
            last = Finding(.missingClose, part: self.isInPart ? self.part : nil, at: error.offset)
        }
        return found.filter { $0.oddity != last.oddity || $0.offset != last.offset } + [last]
    }

    /// The part that is being read; without its name in its header section.
    private var part: PartReference? {
        if self.isInPart { return self.watch.first?.part }
        guard case .headers = self.state else { return nil }
        return PartReference(index: self.parts - 1, name: nil)
    }

    @inline(__always)
    static func watch(_ boundary: ArraySlice<UInt8>, _ profile: ParsingProfile, _ contentType: String) -> [BodyWatch] {
        profile.watches || profile.refusesAmbiguity ? [self.newWatch(boundary, profile, contentType)] : []
    }

    @inline(never)
    private static func newWatch(
        _ boundary: ArraySlice<UInt8>, _ profile: ParsingProfile, _ contentType: String
    ) -> BodyWatch {
        let content = StrayDelimiter(
            boundary: Array(boundary), countsLongerLines: profile.refusesAmbiguity, countsText: true)
        var watch = BodyWatch(strays: (content, StrayDelimiter(boundary: Array(boundary), isInEpilogue: true)))
        for finding in ContentTypeCheck(contentType).findings { watch.add(finding) }
        return watch
    }

    /// Keeps each kind of note once.
    @inline(never)
    mutating func note(_ oddity: Oddity, _ details: String..., at offset: Int64, isInPart: Bool = false) {
        if self.watch.isEmpty { self.watch = [BodyWatch()] }
        guard !self.watch[0].seen.contains(oddity) else { return }
        self.watch[0].add(Finding(oddity, details, isInPart ? self.watch[0].part : nil, offset))
    }

    /// Throws the first finding that the profile refuses.
    @inline(never)
    mutating func refuse() throws(FormworkError) {
        guard self.profile.refusesAmbiguity, self.watch[0].hasAmbiguity,
            let finding = self.findings().first(where: { $0.oddity.isAmbiguous })
        else { return }
        throw finding.refusal
    }

    /// Begins the watch of a part.
    @inline(never)
    mutating func watchPart(_ header: ReceivedHeader, at offset: Int64) throws(FormworkError) {
        guard self.isWatching else { return }
        let part = PartReference(index: self.parts - 1, name: header.name)
        self.watch[0].part = part
        self.watch[0].strays?.content.restart()
        for var finding in HeaderCheck(header).findings {
            (finding.part, finding.offset) = (part, offset)
            self.watch[0].add(finding)
        }
        let search = DelimiterSearch(Array(self.delimiter.dropFirst(2)))
        if header.bytes.withRawSpan({ search.first(in: $0, from: 0, to: $0.byteCount) }) != nil {
            self.note(.strayDelimiter, at: offset, isInPart: true)
        }
        self.watch[0].start = header.isFile ? nil : []
        self.watch[0].charset = header.isFile || ["utf-8", "utf8"].contains(header.charset) ? nil : header.charset
        if self.profile.watches, let name = header.nameBytes { self.watchName(name, at: offset) }
        try self.refuse()
    }

    private mutating func watchName(_ name: ArraySlice<UInt8>, at offset: Int64) {
        let root = name.prefix { $0 != 0x5B }
        let hasKeys = root.count < name.count
        if let others = self.watch[0].names[root] {
            if others != hasKeys { self.note(.mixedName, at: offset, isInPart: true) }
        } else if root.count <= 100, self.watch[0].names.count < BodyWatch.limit {
            self.watch[0].names[Array(root)[...]] = hasKeys
        }
    }

    @inline(never)
    mutating func watchContent(_ chunk: RawSpan, _ range: Range<Int>, at offset: Int64) {
        if self.isInPart {
            if let count = self.watch[0].start?.count {
                self.watch[0].start?.append(chunk, range.prefix(max(0, 64 - count)))
            } else if self.contentBytes + Int64(range.count) > self.watch[0].maxFileSize {
                self.note(.maxFileSize, at: self.headerOffset, isInPart: true)
            }
            if let charset = self.watch[0].charset, range.contains(where: { chunk[$0] >= 0x80 }) {
                self.watch[0].charset = nil
                self.note(.otherCharset, charset, at: self.headerOffset, isInPart: true)
            }
        }
        guard let stray = self.watch[0].strays?.content, stray.offset == nil else { return }
        self.watch[0].strays?.content.take(chunk, range, at: offset)
        self.noteStray()
    }

    /// Ends the watch of a part's content.
    /// - Throws: The refusal of what was noted in it, if the profile refuses it.
    @inline(never)
    mutating func endContentWatch() throws(FormworkError) {
        if let stray = self.watch[0].strays?.content, stray.offset == nil {
            self.watch[0].strays?.content.end()
            self.noteStray()
        }
        if let start = self.watch[0].start { self.noteField(String(decoding: start, as: UTF8.self)) }
        try self.refuse()
    }

    /// - Parameter start: The start of the field's content.
    private mutating func noteField(_ start: String) {
        let name = self.watch[0].part?.name
        if start.utf8.starts(with: "\u{FEFF}".utf8) { self.note(.markedField, at: self.headerOffset, isInPart: true) }
        if name == "_charset_", !["utf-8", "utf8"].contains(start.lowercased()) {
            self.note(.defaultCharset, start, at: self.headerOffset, isInPart: true)
        }
        if name?.lowercased() == "max_file_size", !start.isEmpty {
            let size = start.utf8.count < 64 && start.utf8.allSatisfy(\.isDigit) ? Int64(start) ?? .max : -1
            self.watch[0].maxFileSize = size == 0 ? .max : max(0, size)
        }
    }

    private mutating func noteStray() {
        guard let stray = self.watch[0].strays?.content, let found = stray.offset else { return }
        let isBesideLineFeed = self.isInPart && (stray.followsLF || stray.followsCRLF)
        self.note(
            isBesideLineFeed ? .delimiterBesideLineFeed : .strayDelimiter, at: found, isInPart: self.isInPart)
    }

    @inline(never)
    mutating func watchEpilogue(_ chunk: RawSpan, _ range: Range<Int>, at offset: Int64) throws(FormworkError) {
        self.watch[0].strays?.epilogue.take(chunk, range, at: offset)
        if let found = self.watch[0].strays?.epilogue.offset { self.note(.partAfterEnd, at: found) }
        try self.refuse()
    }

    /// - Parameter count: The number of bytes before the first delimiter.
    @inline(never)
    mutating func notePreamble(of count: Int64) throws(FormworkError) {
        self.note(.preamble, "\(count, "byte") of \(self.hasPreambleText ? "text" : "line ends")", at: 0)
        try self.refuse()
    }

    @inline(__always)
    mutating func noteContent(at offset: Int64) {
        guard let oddity = self.contentOddity else { return }
        self.contentOddity = nil
        self.note(oddity, at: offset, isInPart: true)
    }

    /// - Parameter offset: The end of a delimiter's line.
    @inline(never)
    mutating func noteEnd(of line: DelimiterLine, at offset: Int64) {
        if line.isPadded { self.note(.padding, at: offset - Int64(line.count)) }
        if line.isBare { self.note(.bareLineFeed, at: offset - 1) }
    }

    /// - Parameter offset: The end of the delimiter with which the line begins.
    @inline(never)
    mutating func noteLine(_ line: DelimiterLine, at offset: Int64) {
        guard self.isInPart else { return }
        let oddity = line.isBare ? Oddity.delimiterBesideLineFeed : .longerLine
        self.note(oddity, at: offset - Int64(self.delimiter.count - 2), isInPart: true)
    }
}
