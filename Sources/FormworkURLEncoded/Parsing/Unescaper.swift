/// Unescapes pieces of text into one buffer.
///
/// A door to unsafe code: unescaped text is never longer than its input, so a buffer of the input's length has room for
/// every store, including blocks of sixteen, as no more is written than was read.
@safe struct Unescaper: ~Copyable {
    /// The byte that ended a run, or the input's end.
    enum Stop { case ampersand, equals, end }
    /// What is known about a run's text without reading it twice; `unknown` in doubt.
    enum Text: UInt8 { case ascii, utf8, unknown }

    private let bytes: UnsafeMutablePointer<UInt8>
    private let capacity: Int
    private let readsPlusAsSpace: Bool
    private(set) var count = 0
    /// What is known about the text of the last run.
    private(set) var text = Text.ascii
    /// The position of the first `%` without two digits; `nil` if there was none since this was last cleared.
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

    /// Unescapes from `index` up to `&`, `=` if requested, or the end; `index` is after it then.
    @inline(__always)
    mutating func run(
        _ source: UnsafeBufferPointer<UInt8>, from index: inout Int, stopsAtEquals: Bool
    ) -> Stop {
        // Nothing is read twice, so what was written so far and what is left never exceed the input.
        precondition(self.count <= index && source.count <= self.capacity)
        guard let base = source.baseAddress else { return .end }
        let plus: UInt8 = self.readsPlusAsSpace ? 0x2B : 0x26
        let equals: UInt8 = stopsAtEquals ? 0x3D : 0x26
        let end = source.count
        var output = unsafe self.bytes + self.count
        var seen = SIMD16<UInt8>()
        self.text = .ascii
        defer {
            self.count = unsafe output - self.bytes
            if seen.hasTopBits { self.text = .unknown }
        }
        let (plusLanes, equalsLanes) = (SIMD16<UInt8>(repeating: plus), SIMD16<UInt8>(repeating: equals))
        while end - index >= 16 {
            let lanes = unsafe UnsafeRawPointer(base + index).loadUnaligned(as: SIMD16<UInt8>.self)
            let special =
                (lanes .== SIMD16<UInt8>(repeating: 0x26)) .| (lanes .== SIMD16<UInt8>(repeating: 0x25))
                .| (lanes .== equalsLanes)
            // Bytes after the special one count too, which matters only for text that isn't properly escaped.
            seen |= lanes
            // Plus signs become spaces here, so that they don't end a run. All bytes are stored; those after the first
            // special one are overwritten.
            let plain = lanes.replacing(with: 0x20, where: lanes .== plusLanes)
            unsafe UnsafeMutableRawPointer(output).storeBytes(of: plain, as: SIMD16<UInt8>.self)
            guard let count = special.firstLane else {
                unsafe output += 16
                index += 16
                continue
            }
            unsafe output += count
            index += count
            let byte = unsafe base[index]
            index += 1
            guard byte == 0x25 else { return byte == 0x26 ? .ampersand : .equals }
            unsafe self.unescape(base, &index, end, &output)
        }
        while index < end {
            let byte = unsafe base[index]
            index += 1
            if byte == 0x25 {
                unsafe self.unescape(base, &index, end, &output)
            } else if byte == 0x26 {
                return .ampersand
            } else if byte == equals {
                return .equals
            } else {
                seen[0] |= byte
                unsafe output.pointee = byte == plus ? 0x20 : byte
                unsafe output += 1
            }
        }
        return .end
    }

    /// Unescapes the digits after a `%`, and further escapes directly after it: other alphabets have runs of them.
    ///
    /// Branches decide how many there are, because a processor predicts them: without branches it would wait for the
    /// count before reading the next bytes, and CJK took half as long again.
    @inline(__always)
    private mutating func unescape(
        _ base: UnsafePointer<UInt8>, _ index: inout Int, _ end: Int, _ output: inout UnsafeMutablePointer<UInt8>
    ) {
        while true {
            if end - index >= 8,
                let bytes = unsafe UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self).littleEndian
                    .threeEscapes,
                // A character of three bytes may follow one of ASCII.
                bytes & 0x80 != 0 || bytes & 0x80_8080 == 0
            {
                // This stores one byte too many, which is overwritten: nine were read for it.
                unsafe UnsafeMutableRawPointer(output).storeBytes(of: bytes.littleEndian, as: UInt32.self)
                unsafe output += 3
                index += 8
                if bytes & 0x80 != 0, self.text != .unknown {
                    self.text = bytes.isCharacterOfThreeBytes ? .utf8 : .unknown
                }
            } else {
                let (high, low) = index + 1 < end ? unsafe (base[index], base[index + 1]) : (0, 0)
                let isEscape = high.isHexadecimal && low.isHexadecimal
                let byte = isEscape ? high.hexadecimalValue << 4 | low.hexadecimalValue : 0x25
                if byte >= 0x80 { self.text = .unknown }
                unsafe output.pointee = byte
                unsafe output += 1
                if isEscape { index += 2 } else if self.invalidEscape == nil { self.invalidEscape = index - 1 }
            }
            guard index < end, unsafe base[index] == 0x25 else { return }
            index += 1
        }
    }
}

extension String {
    /// Like `String(decoding:as:)`, but doesn't validate text again that is known to be UTF-8, which takes a third of
    /// the time for CJK.
    @inline(__always)
    init(decoding bytes: UnsafeBufferPointer<UInt8>, knownAs text: Unescaper.Text) {
        if text != .unknown, #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            // SAFETY: the run that wrote the bytes checked that they are UTF-8, and they are copied during the call.
            let span = unsafe UTF8Span(unchecked: Span(_unsafeElements: bytes), isKnownASCII: text == .ascii)
            self = String(copying: span)
        } else {
            self = unsafe String(decoding: bytes, as: UTF8.self)
        }
    }
}

extension UInt8 {
    /// Without a branch between digits and letters, whose order a processor can't predict.
    @inline(__always)
    fileprivate var isHexadecimal: Bool {
        let (isDigit, isLetter) = (self &- 0x30 < 10, (self | 0x20) &- 0x61 < 6)
        return isDigit != isLetter
    }

    @inline(__always)
    fileprivate var hexadecimalValue: UInt8 { (self & 15) &+ 9 &* (self >> 6) }
}

extension UInt64 {
    /// The three bytes, first one lowest, that eight bytes after a `%` encode if they are like `E6%B1%89`.
    @inline(__always)
    fileprivate var threeEscapes: UInt32? {
        let top: UInt64 = 0x8080_8080_8080_8080
        // With the top bits clear no sum carries into the next byte, and a sum's top bit shows whether the byte has
        // reached a bound. The signs are replaced by digits for this.
        let signs: UInt64 = 0x0000_2500_0025_0000
        guard self & 0x8080_FF80_80FF_8080 == signs else { return nil }
        let (word, lower) = (self | 0x0000_3500_0035_0000, self | 0x2020_3520_2035_2020)
        let digits = (word &+ 0x5050_5050_5050_5050) & ~(word &+ 0x4646_4646_4646_4646)
        let letters = (lower &+ 0x1F1F_1F1F_1F1F_1F1F) & ~(lower &+ 0x1919_1919_1919_1919)
        guard (digits | letters) & top == top else { return nil }
        let nibbles = (self & 0x0F0F_0F0F_0F0F_0F0F) &+ 9 &* (self >> 6 & 0x0101_0101_0101_0101)
        let joined = nibbles << 4 | nibbles >> 8
        return UInt32(truncatingIfNeeded: joined & 0xFF | joined >> 16 & 0xFF00 | joined >> 32 & 0xFF_0000)
    }
}

extension UInt32 {
    /// Whether these are the three bytes of a character in UTF-8, first one lowest, and not an overlong form or half of
    /// a surrogate pair.
    @inline(__always)
    fileprivate var isCharacterOfThreeBytes: Bool {
        let lead = self & 0x200F
        return self & 0xC0_C0F0 == 0x80_80E0 && lead != 0 && lead != 0x200D
    }
}

extension SIMD16<UInt8> {
    @inline(__always)
    fileprivate var hasTopBits: Bool {
        // SAFETY: both have sixteen bytes, and every bit pattern is a vector of integers.
        let words = unsafe unsafeBitCast(self, to: SIMD2<UInt64>.self)
        return (words[0] | words[1]) & 0x8080_8080_8080_8080 != 0
    }
}

extension SIMDMask<SIMD16<Int8>> {
    /// The first lane that is true.
    @inline(__always)
    fileprivate var firstLane: Int? {
        // SAFETY: both have sixteen bytes, and every bit pattern is a vector of integers.
        let words = unsafe unsafeBitCast(self, to: SIMD2<UInt64>.self)
        let (first, second) = (words[0].littleEndian, words[1].littleEndian)
        if first | second == 0 { return nil }
        return (first != 0 ? first.trailingZeroBitCount : 64 &+ second.trailingZeroBitCount) >> 3
    }
}
