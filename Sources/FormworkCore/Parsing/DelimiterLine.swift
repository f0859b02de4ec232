/// Reads the bytes after `--boundary` on its line, and decides whether it is a delimiter.
struct DelimiterLine: Sendable {
    private enum State { case start, dash, padding, carriageReturn, lineFeed }

    enum Verdict {
        /// The line continues.
        case open
        /// CRLF, possibly after padding: a part follows.
        case part
        /// `--`: no more parts.
        case close
        /// Anything else: not a delimiter, but content. The last byte doesn't belong to it.
        case content
    }

    /// The most padding that is stored. If no line end follows, it is content and must be returned.
    static let paddingLimit = 256

    private var place = State.start
    /// The number of bytes read.
    private(set) var count = 0

    /// Whether LF alone ended the line.
    var isBare: Bool { self.place == .lineFeed }
    /// Whether it is CRLF or `--` alone, if it is a delimiter's.
    var isUsual: Bool { self.place == .dash || self.place == .carriageReturn && self.count == 2 }
    /// Whether there were blanks before the line's end.
    var isPadded: Bool { !self.isUsual && !(self.isBare && self.count == 1) }

    @inline(__always)
    mutating func take(_ byte: UInt8, _ profile: ParsingProfile) -> Verdict {
        self.count += 1
        switch (self.place, byte) {
        case (.start, 0x2D): self.place = .dash
        case (.dash, 0x2D): return .close
        case (.start, 0x0D), (.padding, 0x0D): self.place = .carriageReturn
        case (.carriageReturn, 0x0A): return .part
        case (.start, 0x0A), (.padding, 0x0A):
            self.place = .lineFeed
            return profile.lineFeedsEndLines ? .part : .content
        case (.start, 0x20), (.start, 0x09), (.padding, 0x20), (.padding, 0x09):
            guard !profile.refusesLooseFraming, self.count <= Self.paddingLimit else { return .content }
            self.place = .padding
        default: return .content
        }
        return .open
    }
}
