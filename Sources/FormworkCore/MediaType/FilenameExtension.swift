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
        var reader = BackwardReader()
        for byte in bytes.reversed() { guard reader.read(byte) else { return nil } }
        guard let read = reader.extension else { return nil }
        self = read
    }

    /// The first eight bytes, if there are no more.
    var short: UInt64? { self.low == 0 ? self.high : nil }

    static func < (a: FilenameExtension, b: FilenameExtension) -> Bool { (a.high, a.low) < (b.high, b.low) }

    /// The extension as text.
    var text: String { String(high: self.high, low: self.low) }
}

extension FilenameExtension {
    /// The possible extensions of a filename: after its last dot, and after the dot before.
    typealias Candidates = (lastTwo: FilenameExtension?, last: FilenameExtension?)

    /// Reads a path from its end, only as far as needed, and never beyond a slash.
    static func candidates(in path: Substring.UTF8View) -> Candidates {
        // Faster than an index of the text for each byte.
        path.withRawSpan { self.candidates(in: $0) }
    }

    private static func candidates(in path: RawSpan) -> Candidates {
        var reader = BackwardReader()
        var last: FilenameExtension?
        for start in (0..<path.byteCount).reversed() {
            let byte = path[start]
            if byte == UInt8(ascii: "."), self.hasName(path.extracting(first: start)) {
                guard let read = reader.extension else { break }
                if last != nil { return (read, last) }
                last = read
            }
            guard reader.read(byte) else { break }
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

    /// Collects up to sixteen bytes, from last to first.
    private struct BackwardReader {
        private var high: UInt64 = 0
        private var low: UInt64 = 0
        private var count = 0

        /// Adds a byte at the front; `false` if it isn't allowed in an extension, or would be the seventeenth.
        mutating func read(_ byte: UInt8) -> Bool {
            // NUL in particular isn't allowed, because zeros follow an extension's last byte.
            guard self.count < 16, (0x21...0x7E).contains(byte), byte != UInt8(ascii: "/") else { return false }
            self.low = self.low >> 8 | self.high << 56
            self.high = self.high >> 8 | UInt64(byte.asciiLowercased) << 56
            self.count += 1
            return true
        }

        /// The extension; `nil` if nothing was read.
        var `extension`: FilenameExtension? {
            self.count == 0 ? nil : FilenameExtension(high: self.high, low: self.low)
        }
    }
}
