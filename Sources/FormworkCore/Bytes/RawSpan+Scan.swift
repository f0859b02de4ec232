import CFormworkBytes

// Unsafe code in this file: loading sixteen bytes at a time. Every function checks its bounds before the first load.

extension RawSpan {
    /// The byte at an offset, which is checked.
    @inline(__always) subscript(offset: Int) -> UInt8 {
        // SAFETY: every bit pattern is a UInt8, and the span checks the offset.
        unsafe self.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }

    /// Sixteen bytes from an offset, which is checked.
    @inline(__always) func lanes(at offset: Int) -> SIMD16<UInt8> {
        // SAFETY: every bit pattern is a vector, and the span checks both ends.
        unsafe self.unsafeLoadUnaligned(fromByteOffset: offset, as: SIMD16<UInt8>.self)
    }

    /// Four bytes from an offset, which is checked, in the machine's byte order.
    @inline(__always) func word(at offset: Int) -> UInt32 {
        // SAFETY: every bit pattern is a UInt32, and the span checks both ends.
        unsafe self.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)
    }

    /// Moves from `start` in steps of 64 while no offset of the step has `first`, with `last` `distance` bytes after
    /// it. It stops when fewer than 64 offsets are left before `end`.
    ///
    /// In C, because a debug build of Swift takes a hundred times as long.
    @inline(__always)
    func skipBlocks(from start: Int, to end: Int, first: UInt8, last: UInt8, distance: Int) -> Int {
        precondition(start >= 0 && distance >= 0 && end <= self.byteCount - distance, "offsets outside the bytes")
        guard start + 64 <= end else { return start }
        // SAFETY: the bounds were checked above, and the bytes live through the call.
        return unsafe self.withUnsafeBytes { bytes in
            unsafe formwork_skip_blocks(bytes.baseAddress, start, end, first, last, distance)
        }
    }

    /// Whether `needle` is at an offset, compared up to `end`.
    func holds(_ needle: [UInt8], at offset: Int, before end: Int) -> Bool {
        let count = Swift.min(needle.count, end - offset)
        guard count >= 16 else {
            var index = 0
            while index < count {
                if self[offset + index] != needle[index] { return false }
                index += 1
            }
            return true
        }
        // SAFETY: reading a span's bytes as bytes.
        let bytes = unsafe needle.span.bytes
        var index = 0
        while true {
            let same = (self.lanes(at: offset + index) .== bytes.lanes(at: index)).words
            if same[0] & same[1] != .max { return false }
            if index == count - 16 { return true }
            // The last step compares some bytes twice, instead of fewer bytes.
            index = Swift.min(index + 16, count - 16)
        }
    }

    /// The first offset from `start` with `byte`; `end` if there is none.
    func firstIndex(of byte: UInt8, from start: Int, to end: Int) -> Int {
        let wanted = SIMD16<UInt8>(repeating: byte)
        var at = start
        while at + 16 <= end {
            if let lane = (self.lanes(at: at) .== wanted).firstLane { return at + lane }
            at += 16
        }
        while at < end, self[at] != byte { at += 1 }
        return at
    }

    /// The first offset from `start` with CR, LF or NUL; `end` if there is none.
    func firstBreak(from start: Int, to end: Int) -> Int {
        var at = start
        while at + 16 <= end {
            if let lane = self.lanes(at: at).breaks.firstLane { return at + lane }
            at += 16
        }
        while at < end, !self[at].isBreak { at += 1 }
        return at
    }

    /// The first offset from `start` with `"`, CR, LF or NUL; `end` if there is none.
    @inline(__always)
    func firstQuoteOrBreak(from start: Int, to end: Int) -> Int {
        let quotes = SIMD16<UInt8>(repeating: 0x22)
        var at = start
        while at + 16 <= end {
            let bytes = self.lanes(at: at)
            if let lane = (bytes.breaks .| (bytes .== quotes)).firstLane { return at + lane }
            at += 16
        }
        while at < end, !self[at].isBreak, self[at] != 0x22 { at += 1 }
        return at
    }
}

extension SIMD16<UInt8> {
    /// The lanes with CR, LF or NUL.
    @inline(__always) fileprivate var breaks: SIMDMask<SIMD16<Int8>> {
        (self .== Self(repeating: 0x0D)) .| (self .== Self(repeating: 0x0A)) .| (self .== Self(repeating: 0))
    }
}

extension UInt8 {
    /// CR, LF or NUL.
    @inline(__always) fileprivate var isBreak: Bool { self == 0x0D || self == 0x0A || self == 0 }
}

extension SIMDMask<SIMD16<Int8>> {
    /// The mask as two words, in which all bits of a set lane's byte are set. `any` has half the speed.
    @inline(__always) var words: SIMD2<UInt64> {
        // SAFETY: both have sixteen bytes, and every bit pattern is a vector of integers.
        unsafe unsafeBitCast(self, to: SIMD2<UInt64>.self)
    }

    /// The first set lane; `nil` if there is none.
    @inline(__always) var firstLane: Int? {
        let words = self.words
        let low = UInt64(littleEndian: words[0])
        if low != 0 { return low.trailingZeroBitCount >> 3 }
        let high = UInt64(littleEndian: words[1])
        return high == 0 ? nil : 8 + high.trailingZeroBitCount >> 3
    }
}

extension [UInt8] {
    /// Copies some bytes of a span, with one allocation of their size.
    @inline(__always) package init(copying bytes: RawSpan, _ range: Range<Int>) {
        // SAFETY: the bytes are copied during the call; `extracting` checks the range.
        self = unsafe bytes.extracting(range).withUnsafeBytes { unsafe Array($0) }
    }

    /// Appends some bytes of a span.
    @inline(__always) package mutating func append(_ bytes: RawSpan, _ range: Range<Int>) {
        // SAFETY: the bytes are copied during the call; `extracting` checks the range.
        unsafe bytes.extracting(range).withUnsafeBytes { unsafe self.append(contentsOf: $0) }
    }

    /// Calls `body` with the bytes.
    @inlinable
    @inline(__always)
    package func withRawSpan<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // SAFETY: reading a span's bytes as bytes.
        try body(unsafe self.span.bytes)
    }
}

extension Substring.UTF8View {
    /// Calls `body` with the bytes, which are copied only if the text isn't one piece of memory.
    func withRawSpan<Result>(_ body: (RawSpan) -> Result) -> Result {
        // SAFETY: the buffer is read during the call, up to its count.
        unsafe self.withContiguousStorageIfAvailable { unsafe body($0.span.bytes) } ?? Array(self).withRawSpan(body)
    }
}

extension String {
    /// Calls `body` with the bytes, which are copied only if the text isn't one piece of memory.
    @inline(__always)
    func withRawSpan<Result>(_ body: (RawSpan) -> Result) -> Result {
        // SAFETY: the buffer is read during the call, up to its count.
        unsafe self.utf8.withContiguousStorageIfAvailable { unsafe body($0.span.bytes) }
            ?? Array(self.utf8).withRawSpan(body)
    }

    /// Whether both have the same UTF-8. `==` also accepts another spelling of a letter, and `elementsEqual` on the views
    /// takes ten times as long.
    package func hasSameBytes(as other: String) -> Bool {
        guard self.utf8.count == other.utf8.count else { return false }
        // SAFETY: both buffers are read during the calls, up to their counts.
        let isSame = unsafe self.utf8.withContiguousStorageIfAvailable { own in
            unsafe other.utf8.withContiguousStorageIfAvailable { other in unsafe own.elementsEqual(other) }
        }
        return (isSame ?? nil) ?? self.utf8.elementsEqual(other.utf8)
    }

    /// Whether some bytes are the text's UTF-8.
    package func hasSameBytes(as bytes: RawSpan, _ range: Range<Int>) -> Bool {
        guard self.utf8.count == range.count else { return false }
        let bytes = bytes.extracting(range)
        // SAFETY: the buffer is read during the call, up to its count, which is the span's.
        let isSame = unsafe self.utf8.withContiguousStorageIfAvailable { own in
            var at = 0
            while at < bytes.byteCount {
                if unsafe own[at] != bytes[at] { return false }
                at += 1
            }
            return true
        }
        return isSame ?? self.utf8.enumerated().allSatisfy { bytes[$0] == $1 }
    }
}

extension RawSpan {
    /// The text of a range, repaired if it isn't UTF-8.
    package func text(in range: Range<Int>) -> String {
        // SAFETY: the bytes are copied during the call; `extracting` checks the range.
        unsafe self.extracting(range).withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
}

extension RawSpan {
    /// Whether all bytes of a range are ASCII.
    func isASCII(in range: Range<Int>) -> Bool {
        var at = range.lowerBound
        var seen: UInt32 = 0
        while at + 4 <= range.upperBound {
            seen |= self.word(at: at)
            at += 4
        }
        while at < range.upperBound {
            seen |= UInt32(self[at])
            at += 1
        }
        return seen & 0x8080_8080 == 0
    }

    /// The text of a range of valid UTF-8; `nil` for other bytes.
    ///
    /// Most text is short and ASCII, for which the standard library's validation takes four times as long.
    package func validText(in range: Range<Int>) -> String? {
        guard self.isASCII(in: range) else {
            // SAFETY: the bytes are copied during the call; `extracting` checks the range.
            return unsafe self.extracting(range).withUnsafeBytes { unsafe String(validating: $0, as: UTF8.self) }
        }
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            // SAFETY: all bytes are ASCII, which is valid UTF-8, and every bit pattern is a UInt8.
            return unsafe String(
                copying: UTF8Span(
                    unchecked: Span(_bytes: self.extracting(range)), isKnownASCII: true))
        }
        return self.text(in: range)
    }

    /// The whole number of a range of decimal digits, which may follow a sign; `nil` for other bytes and for one that may
    /// be too large.
    package func wholeNumber(in range: Range<Int>) -> Int64? {
        var at = range.lowerBound
        guard at < range.upperBound else { return nil }
        let sign = self[at]
        if sign == 0x2D || sign == 0x2B { at += 1 }
        guard (1...18).contains(range.upperBound - at) else { return nil }
        // Where Int has 32 bits, so many digits may not fit into it.
        var number: Int64 = 0
        while at < range.upperBound {
            let digit = self[at] &- 0x30
            guard digit < 10 else { return nil }
            number = number * 10 + Int64(digit)
            at += 1
        }
        return sign == 0x2D ? -number : number
    }
}

extension [UInt8] {
    /// The text of valid UTF-8; `nil` for other bytes.
    package var validText: String? {
        self.withRawSpan { $0.validText(in: 0..<$0.byteCount) }
    }
}

extension Span<UInt8> {
    /// Calls `body` with the bytes.
    @inlinable
    @inline(__always)
    package func withRawSpan<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // SAFETY: reading a span's bytes as bytes.
        try body(unsafe self.bytes)
    }
}
