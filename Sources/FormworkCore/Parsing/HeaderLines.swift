/// Reads the complete lines of one header section, and stores the places of the two fields that the parser needs.
///
/// A line is checked only after its end has arrived, so the result doesn't depend on how the input was cut.
struct HeaderLines: Sendable {
    private enum Field { case none, disposition, contentType, other }

    /// The start of the first line that isn't checked yet.
    private var lineStart = 0
    /// The offset up to which line ends were searched, so that no byte is read twice.
    private var searched = 0
    /// Whether the line has CR, LF or NUL where it isn't allowed.
    private var isBroken = false
    private var last = Field.none
    /// The place of the first line end without CR; negative if there was none.
    private(set) var bareLineFeed: Int32 = -1
    /// The number of fields so far.
    private(set) var count = 0
    /// Whether a line is continued by a next line that begins with a blank.
    private(set) var hasFolds = false
    /// The value of `Content-Disposition`, including folds.
    private(set) var disposition: Range<Int>?
    /// The value of `Content-Type`, including folds.
    private(set) var contentType: Range<Int>?

    /// Checks the complete lines.
    /// - Parameter offset: The offset of `section` in the body, for errors.
    /// - Returns: Whether the empty line was reached.
    mutating func read(
        _ section: [UInt8], _ profile: ParsingProfile, countLimit: Int, at offset: Int64
    ) throws(FormworkError) -> Bool {
        try section.withRawSpan { bytes throws(FormworkError) -> Bool in
            let end = bytes.byteCount
            while true {
                let at = bytes.firstBreak(from: self.searched, to: end)
                self.searched = at
                guard at < end else { return false }
                let isLF = bytes[at] == 0x0A
                // A CR at the end can't be judged before the next byte arrives.
                if bytes[at] == 0x0D, at + 1 == end { return false }
                let isCRLF = bytes[at] == 0x0D && bytes[at + 1] == 0x0A
                guard isCRLF || (isLF && profile.lineFeedsEndLines) else {
                    self.isBroken = true
                    self.searched = at + 1
                    continue
                }
                if isLF, self.bareLineFeed < 0 { self.bareLineFeed = Int32(at) }
                if at == self.lineStart { return true }
                try self.judge(bytes, self.lineStart..<at, profile, countLimit, offset)
                self.lineStart = at + (isCRLF ? 2 : 1)
                self.searched = self.lineStart
                self.isBroken = false
            }
        }
    }

    private mutating func judge(
        _ bytes: RawSpan, _ line: Range<Int>, _ profile: ParsingProfile, _ countLimit: Int, _ offset: Int64
    ) throws(FormworkError) {
        let offset = offset + Int64(line.lowerBound)
        guard !self.isBroken else {
            throw Self.malformed("A header line contains a bare CR, a bare LF or NUL.", offset)
        }
        var start = line.lowerBound
        if bytes[start].isBlank {
            guard profile.readsFoldsAsLines else { return try self.join(line, offset) }
            while start < line.upperBound, bytes[start].isBlank { start += 1 }
        }
        self.count += 1
        guard self.count <= countLimit else {
            throw ParsingFailure(.headerCountLimit, limit: Int64(countLimit))
                .error("A part has more than \(countLimit, "header field").", at: offset)
        }
        var (colon, field) = Self.name(bytes, start..<line.upperBound)
        let isEmpty = colon == start
        if profile.readsLooseHeaders {
            while colon < line.upperBound, bytes[colon].isBlank { colon += 1 }
        }
        guard !isEmpty, colon < line.upperBound, bytes[colon] == 0x3A else {
            throw Self.malformed("A header line has no name followed by a colon.", offset)
        }
        switch field {
        case .disposition:
            guard self.disposition == nil || profile.readsLooseHeaders else {
                throw Self.duplicate("Content-Disposition", offset)
            }
            self.disposition = colon + 1..<line.upperBound
        case .contentType:
            guard self.contentType == nil || profile.readsLooseHeaders else {
                throw Self.duplicate("Content-Type", offset)
            }
            self.contentType = colon + 1..<line.upperBound
        default: field = .other
        }
        self.last = field
    }

    private mutating func join(_ line: Range<Int>, _ offset: Int64) throws(FormworkError) {
        self.hasFolds = true
        switch self.last {
        case .none: throw Self.malformed("The first header line begins with a blank.", offset)
        case .disposition: self.disposition = (self.disposition?.lowerBound ?? 0)..<line.upperBound
        case .contentType: self.contentType = (self.contentType?.lowerBound ?? 0)..<line.upperBound
        case .other: break
        }
    }

    /// The end of the name, and the field that it names.
    private static func name(_ bytes: RawSpan, _ line: Range<Int>) -> (end: Int, field: Field) {
        let start = line.lowerBound
        // The first line of nearly every part, compared sixteen bytes at once. Bit 5 makes letters lower-case. It also
        // maps CR to `-`, but a line has no CR.
        if line.count > 19, bytes[start + 19] == 0x3A {
            let small = bytes.lanes(at: start) | SIMD16<UInt8>(repeating: 0x20)
            let same = (small .== Self.contentDisposit).words
            if same[0] & same[1] == .max, bytes[start + 16] | 0x20 == 0x69, bytes[start + 17] | 0x20 == 0x6F,
                bytes[start + 18] | 0x20 == 0x6E
            {
                return (start + 19, .disposition)
            }
        }
        var end = start
        while end < line.upperBound, bytes[end].isTokenByte { end += 1 }
        if bytes.holds("content-type", in: start..<end) { return (end, .contentType) }
        return (end, bytes.holds("content-disposition", in: start..<end) ? .disposition : .other)
    }

    /// Computed, so that it is a constant in the code.
    @inline(__always) private static var contentDisposit: SIMD16<UInt8> {
        SIMD16(0x63, 0x6F, 0x6E, 0x74, 0x65, 0x6E, 0x74, 0x2D, 0x64, 0x69, 0x73, 0x70, 0x6F, 0x73, 0x69, 0x74)
    }

    private static func malformed(_ message: String, _ offset: Int64) -> FormworkError {
        ParsingFailure(.malformedHeader).error(message, at: offset)
    }

    private static func duplicate(_ name: String, _ offset: Int64) -> FormworkError {
        ParsingFailure(.duplicateHeader).error("A part has two \(name) fields.", at: offset)
    }

    /// A section with every fold replaced by one space (RFC 9112 §5.2), and with CRLF line ends.
    static func unfolded(_ section: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(section.count)
        for line in section.split(separator: 0x0A) {
            var line = line.last == 0x0D ? line.dropLast() : line
            if line.first?.isBlank ?? false, !text.isEmpty {
                text.removeLast(2)
                while text.last?.isBlank ?? false { text.removeLast() }
                text.append(0x20)
                line = line.drop(while: \.isBlank)
            }
            text.append(contentsOf: line)
            text.append("\r\n")
        }
        return text
    }
}
