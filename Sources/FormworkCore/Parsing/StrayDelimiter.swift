/// Finds a delimiter that a parser doesn't take for one, because no CRLF is before it or after it.
///
/// The bytes may arrive in pieces of any size. Up to a delimiter's length is stored.
package struct StrayDelimiter: Sendable {
    /// The offset of the first one, at its `--`; `nil` if no such delimiter was seen.
    package private(set) var offset: Int64?
    /// Whether LF alone is before it.
    private(set) var followsLF = false
    /// Whether CRLF is before it, or it begins the content. Then LF alone is after it.
    private(set) var followsCRLF = false

    private let search: DelimiterSearch
    private let isInEpilogue: Bool
    /// Whether a delimiter after LF counts whatever follows it, as one after CR does.
    private let countsLongerLines: Bool
    /// Whether the delimiter's text counts in the middle of a line, too.
    private let countsText: Bool
    /// The last bytes, and the offset of the first of them.
    private var held: [UInt8] = []
    private var heldStart: Int64 = 0
    /// The byte before them; LF at the start.
    private var before: UInt8 = 0x0A

    /// - Parameters:
    ///   - boundary: 1 byte or more.
    ///   - isInEpilogue: Whether the bytes are those after the close delimiter's line. They are to be ignored (RFC 2046), so
    ///     a close delimiter doesn't count. Every other one does: Django takes its text for a delimiter in any place.
    ///   - countsLongerLines: Whether a delimiter after LF counts whatever follows it, as one after CR does.
    ///   - countsText: Whether the delimiter's text counts in the middle of a line, too.
    init(
        boundary: [UInt8], isInEpilogue: Bool = false, countsLongerLines: Bool = false, countsText: Bool = false
    ) {
        (self.search, self.isInEpilogue) = (DelimiterSearch([0x2D, 0x2D] + boundary), isInEpilogue)
        (self.countsLongerLines, self.countsText) = (countsLongerLines, countsText)
    }

    /// A search for the delimiter of `parser`.
    package init(of parser: MultipartParser) { self.init(boundary: Array(parser.delimiter.dropFirst(4))) }

    /// Forgets the bytes so far: other ones follow.
    mutating func restart() { (self.held, self.before) = ([], 0x0A) }

    /// Looks whether the bytes so far end with the delimiter, which a line end follows.
    mutating func end() {
        guard self.offset == nil, self.held.suffix(self.search.needle.count).elementsEqual(self.search.needle) else {
            return
        }
        self.offset = self.heldStart + Int64(self.held.count - self.search.needle.count)
    }

    /// Searches the next bytes.
    /// - Parameter offset: The place of the first of them in the body.
    package mutating func take(_ bytes: RawSpan, _ range: Range<Int>, at offset: Int64) {
        guard self.offset == nil, !range.isEmpty else { return }
        if self.held.isEmpty { self.heldStart = offset }
        let reach = self.search.needle.count + 2
        if !self.held.isEmpty {
            // A delimiter that begins in the held bytes.
            let joined = self.held.count
            self.held.append(bytes, range.prefix(reach))
            let place = self.held.withRawSpan {
                self.first(in: $0, 0..<$0.byteCount, after: self.before, startingBefore: joined)
            }
            if let place {
                self.note(before: [self.before] + self.held.prefix(place))
                return self.offset = self.heldStart + Int64(place)
            }
            self.held.removeLast(self.held.count - joined)
        }
        let last = self.held.last ?? self.before
        if let place = self.first(in: bytes, range, after: last, startingBefore: range.upperBound) {
            var preceding = [self.before] + self.held
            preceding.append(bytes, (range.lowerBound..<place).suffix(2))
            self.note(before: preceding)
            return self.offset = offset + Int64(place - range.lowerBound)
        }
        let kept = range.suffix(reach + 1)
        self.held.append(bytes, kept)
        let surplus = max(0, self.held.count - reach - 1)
        if kept.lowerBound > range.lowerBound {
            self.before = bytes[kept.lowerBound - 1]
        } else if surplus > 0 {
            self.before = self.held[surplus - 1]
        }
        self.held.removeFirst(surplus)
        self.heldStart = offset + Int64(range.count) - Int64(self.held.count)
    }

    /// - Parameter preceding: The byte before the first one, and the last ones before the delimiter.
    private mutating func note(before preceding: [UInt8]) {
        self.followsCRLF = preceding.count == 1 || preceding.suffix(2) == [0x0D, 0x0A]
        self.followsLF = !self.followsCRLF && preceding.last == 0x0A
    }

    /// The first place of a delimiter that counts.
    /// - Parameter before: The byte before the range.
    private func first(in bytes: RawSpan, _ range: Range<Int>, after before: UInt8, startingBefore limit: Int) -> Int? {
        var start = range.lowerBound
        while start < limit, let place = self.search.first(in: bytes, from: start, to: range.upperBound), place < limit
        {
            let end = place + self.search.needle.count
            let previous = place > range.lowerBound ? bytes[place - 1] : before
            let isCounted = previous == 0x0A ? self.countsLongerLines : previous == 0x0D || self.countsText
            if !self.isInEpilogue, isCounted { return place }
            let next = end < range.upperBound ? bytes[end] : nil
            let after = end + 1 < range.upperBound ? bytes[end + 1] : nil
            let isClose = next == 0x2D && after == 0x2D
            let isLine = next == 0x0A || next == 0x0D && after == 0x0A
            if self.isInEpilogue ? after != nil && !isClose : isClose || isLine { return place }
            start = place + 1
        }
        return nil
    }
}
