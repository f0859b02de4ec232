/// An extension of one to sixteen ASCII bytes, in lower case, as two numbers with the same order as the bytes.
struct FilenameExtension: Hashable, Comparable, Sendable {
    /// Bytes 1 to 8: the first is the highest, and zeros follow the last.
    let high: UInt64
    /// Bytes 9 to 16.
    let low: UInt64

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Makes an extension of bytes; `nil` if there are none or more than sixteen, or if one isn't a printable ASCII
    /// character.
    init?(_ bytes: Substring.UTF8View) {
        guard bytes.allSatisfy({ $0.isOfExtension }), let read = bytes.withRawSpan({ Self(ofAllowed: $0) }) else {
            return nil
        }
        self = read
    }

    /// Makes an extension of one to sixteen bytes, which are all allowed in one; `nil` for another number of bytes.
    private init?(ofAllowed bytes: RawSpan) {
        guard (1...Self.longest).contains(bytes.byteCount) else { return nil }
        (self.high, self.low) = (Self.word(bytes, 0), Self.word(bytes, 8))
    }

    /// Up to eight bytes in lower case, the first as the highest.
    private static func word(_ bytes: RawSpan, _ start: Int) -> UInt64 {
        var word: UInt64 = 0
        var shift: UInt64 = 56
        for index in start..<max(start, min(start + 8, bytes.byteCount)) {
            word |= UInt64(bytes[index].asciiLowercased) &<< shift
            shift &-= 8
        }
        return word
    }

    /// The most bytes of an extension.
    private static let longest = 16

    /// Eight blanks.
    private static let blanks: UInt64 = 0x2020_2020_2020_2020

    /// An extension of up to eight bytes, with blanks after the last.
    init(padded: UInt64) {
        let count = (padded ^ Self.blanks).trailingZeroBitCount / 8
        self.init(high: padded & ~(UInt64.max >> UInt64(64 - 8 * count)), low: 0)
    }

    /// The first eight bytes, with blanks after the last, if there are no more.
    var padded: UInt64? {
        self.low == 0 ? self.high | Self.blanks >> UInt64(64 - self.high.trailingZeroBitCount / 8 * 8) : nil
    }

    static func < (a: FilenameExtension, b: FilenameExtension) -> Bool { (a.high, a.low) < (b.high, b.low) }

    /// The extension as text.
    var text: String { self.text(after: "") }

    /// The extension after other text.
    func text(after prefix: StaticString) -> String { String(prefix, high: self.high, low: self.low) }
}

extension FilenameExtension {
    /// The possible extensions of a filename: after its last dot, and after the dot before.
    typealias Candidates = (lastTwo: FilenameExtension?, last: FilenameExtension?)

    /// Reads a path from its end, only as far as needed, and never beyond a slash.
    static func candidates(in path: Substring.UTF8View) -> Candidates {
        // Faster than an index of the text for each byte.
        path.withRawSpan { self.candidates(in: $0) }
    }

    /// The same for a path's bytes.
    static func candidates(in path: RawSpan) -> Candidates {
        var last: FilenameExtension?
        var start = path.byteCount
        // A byte more than the longest has, for the dot before it.
        let first = max(0, start - self.longest - 1)
        while start > first {
            let byte = path[start - 1]
            if byte == UInt8(ascii: "."), self.hasName(path.extracting(first: start - 1)) {
                guard let read = FilenameExtension(ofAllowed: path.extracting(start..<path.byteCount)) else { break }
                if last != nil { return (read, last) }
                last = read
            }
            guard byte.isOfExtension else { break }
            start -= 1
        }
        return (nil, last)
    }

    /// Whether the last component of a path has more than dots.
    private static func hasName(_ path: RawSpan) -> Bool {
        for index in (0..<path.byteCount).reversed() where path[index] != UInt8(ascii: ".") {
            return path[index] != UInt8(ascii: "/")
        }
        return false
    }
}

extension UInt8 {
    /// Whether an extension may have the byte: a printable ASCII character, but no slash.
    fileprivate var isOfExtension: Bool { (0x21...0x7E).contains(self) && self != UInt8(ascii: "/") }
}
