/// Unescapes pieces of text into one buffer.
///
/// A door to unsafe code: unescaped text is never longer than what it was made from, so a buffer of the input's length
/// has room for every store, blocks of eight included, as no more is written than was read.
@safe struct Unescaper: ~Copyable {
    /// A byte that ends a run, or what stopped it.
    enum Stop { case ampersand, equals, end }

    private let bytes: UnsafeMutablePointer<UInt8>
    private let capacity: Int
    private let readsPlusAsSpace: Bool
    private(set) var count = 0
    /// Where the first `%` without two digits stood; `nil` when there was none since this was last cleared.
    var invalidEscape: Int?

    /// - Parameter room: Has to outlive this value; `nil` for an empty text.
    init?(room: UnsafeMutableBufferPointer<UInt8>, readsPlusAsSpace: Bool) {
        guard let base = room.baseAddress else { return nil }
        unsafe (self.bytes, self.capacity, self.readsPlusAsSpace) = (base, room.count, readsPlusAsSpace)
    }

    func isUTF8(_ range: Range<Int>) -> Bool {
        precondition(range.lowerBound >= 0 && range.upperBound <= self.count)
        let bytes = unsafe UnsafeBufferPointer(start: self.bytes + range.lowerBound, count: range.count)
        return unsafe String(validating: bytes, as: UTF8.self) != nil
    }

    mutating func truncate(to count: Int) {
        precondition(count >= 0 && count <= self.count)
        self.count = count
    }

    /// Unescapes from `index` on up to `&`, to `=` where that is asked for, or to the end; `index` is then behind it.
    mutating func run(
        _ source: UnsafeBufferPointer<UInt8>, from index: inout Int, stopsAtEquals: Bool
    ) -> Stop {
        // Nothing is read twice, so what was written so far and what is left never exceed the input.
        precondition(self.count <= index && source.count <= self.capacity)
        guard let base = source.baseAddress else { return .end }
        let plus: UInt8 = self.readsPlusAsSpace ? 0x2B : 0x26
        let equals: UInt8 = stopsAtEquals ? 0x3D : 0x26
        let (plusWord, equalsWord) = (UInt64(repeating: plus), UInt64(repeating: equals))
        let end = source.count
        var output = unsafe self.bytes + self.count
        defer { self.count = unsafe output - self.bytes }
        while index < end {
            if end - index >= 8 {
                let word = unsafe UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self).littleEndian
                let special =
                    (word ^ 0x2626_2626_2626_2626).zeroBytes | (word ^ 0x2525_2525_2525_2525).zeroBytes
                    | (word ^ equalsWord).zeroBytes
                // Plus signs become spaces on the way, so that they end no run. All eight bytes are stored; those
                // behind the first special one are overwritten.
                let plain = word ^ (word ^ plusWord).allZeroBytes >> 7 &* 0x0B
                unsafe UnsafeMutableRawPointer(output).storeBytes(of: plain.littleEndian, as: UInt64.self)
                let count = special.trailingZeroBitCount >> 3
                unsafe output += count
                index += count
                if count == 8 { continue }
            }
            let byte = unsafe base[index]
            index += 1
            if byte == 0x25 {
                unsafe self.unescape(base, &index, end, &output)
            } else if byte == 0x26 {
                return .ampersand
            } else if byte == equals {
                return .equals
            } else {
                unsafe output.pointee = byte == plus ? 0x20 : byte
                unsafe output += 1
            }
        }
        return .end
    }

    /// Unescapes what follows a `%`, and further escapes right behind it: other alphabets come in runs of them.
    @inline(__always)
    private mutating func unescape(
        _ base: UnsafePointer<UInt8>, _ index: inout Int, _ end: Int, _ output: inout UnsafeMutablePointer<UInt8>
    ) {
        while true {
            let (high, low) = index + 1 < end ? unsafe (base[index], base[index + 1]) : (0, 0)
            let isEscape = high.isHexadecimal && low.isHexadecimal
            unsafe output.pointee = isEscape ? high.hexadecimalValue << 4 | low.hexadecimalValue : 0x25
            unsafe output += 1
            if isEscape { index += 2 } else if self.invalidEscape == nil { self.invalidEscape = index - 1 }
            guard index < end, unsafe base[index] == 0x25 else { return }
            index += 1
        }
    }
}

extension UInt8 {
    /// Without a branch between digits and letters, which come in no order that a processor could guess.
    @inline(__always)
    fileprivate var isHexadecimal: Bool {
        let (isDigit, isLetter) = (self &- 0x30 < 10, (self | 0x20) &- 0x61 < 6)
        return isDigit != isLetter
    }

    @inline(__always)
    fileprivate var hexadecimalValue: UInt8 { (self & 15) &+ 9 &* (self >> 6) }
}

extension UInt64 {
    @inline(__always)
    fileprivate init(repeating byte: UInt8) { self = UInt64(byte) &* 0x0101_0101_0101_0101 }

    /// The top bit of each byte that is zero; exact up to the first one, which is all that is asked.
    @inline(__always)
    fileprivate var zeroBytes: UInt64 { (self &- 0x0101_0101_0101_0101) & ~self & 0x8080_8080_8080_8080 }

    /// The top bit of each byte that is zero, exact for all eight.
    @inline(__always)
    fileprivate var allZeroBytes: UInt64 {
        ~(((self & 0x7F7F_7F7F_7F7F_7F7F) &+ 0x7F7F_7F7F_7F7F_7F7F) | self | 0x7F7F_7F7F_7F7F_7F7F)
    }
}
