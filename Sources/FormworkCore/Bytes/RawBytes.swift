import CFormworkBytes

// Unsafe code in this file: copying between an array and a caller's buffer, filling a buffer, putting pieces into fresh room,
// and reading text in words. All bounds are checked here.

/// Copies into buffers. Not methods of `MutableRawSpan`: Swift 6.2 allows none that change it.
package enum RawBytes {
    /// Copies as much of `source[range]` as fits after `offset` of a buffer, and returns the number of bytes.
    @discardableResult
    package static func copy(
        _ source: [UInt8], _ range: Range<Int>, to buffer: inout MutableRawSpan, at offset: Int = 0
    ) -> Int {
        precondition(range.lowerBound >= 0 && range.upperBound <= source.count, "range outside the source")
        precondition((0...buffer.byteCount).contains(offset), "offset outside the buffer")
        let count = min(range.count, buffer.byteCount - offset)
        guard count > 0 else { return 0 }
        // SAFETY: both ranges were checked above, and an array's storage never overlaps a span borrowed mutably.
        unsafe buffer.withUnsafeMutableBytes { target in
            unsafe source.withUnsafeBytes { bytes in
                let from = unsafe UnsafeRawBufferPointer(rebasing: bytes[range.lowerBound..<range.lowerBound + count])
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[offset..<offset + count]).copyMemory(from: from)
            }
        }
        return count
    }

    /// Copies as much of a span as fits into a buffer, and returns the number of bytes.
    package static func copy(_ source: RawSpan, to buffer: inout MutableRawSpan) -> Int {
        let count = min(source.byteCount, buffer.byteCount)
        guard count > 0 else { return 0 }
        // SAFETY: both have `count` bytes, and a borrowed span never overlaps one borrowed mutably.
        unsafe buffer.withUnsafeMutableBytes { target in
            unsafe source.withUnsafeBytes { bytes in
                let from = unsafe UnsafeRawBufferPointer(rebasing: bytes[0..<count])
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[0..<count]).copyMemory(from: from)
            }
        }
        return count
    }

    /// Copies `range` of a buffer to its `offset`, which is after it, and returns the number of bytes.
    package static func copy(_ range: Range<Int>, of buffer: inout MutableRawSpan, to offset: Int) -> Int {
        precondition(range.lowerBound >= 0 && range.upperBound <= offset, "source not before its copy")
        precondition(offset <= buffer.byteCount - range.count, "copy outside the buffer")
        // SAFETY: both ranges were checked above, and don't overlap.
        unsafe buffer.withUnsafeMutableBytes { bytes in
            let from = unsafe UnsafeRawBufferPointer(rebasing: bytes[range])
            unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[offset..<offset + range.count]).copyMemory(from: from)
        }
        return range.count
    }

    /// Writes `count` times 32 bytes of SplitMix64 at `offset` of a buffer, starting with the word of `index`.
    package static func fillRandom(
        _ buffer: inout MutableRawSpan, at offset: Int, blocks count: Int, from index: UInt64, seed: UInt64
    ) {
        precondition(offset >= 0 && count >= 0 && count <= (buffer.byteCount - offset) / 32, "fill outside the buffer")
        // SAFETY: the bounds were checked above.
        unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe formwork_fill_random(bytes.baseAddress.map { unsafe $0 + offset }, count, index, seed)
        }
    }
}

extension [UInt8] {
    /// Appends text as UTF-8: `append(contentsOf: text.utf8)` in half the time.
    @inline(__always)
    package mutating func append(_ text: String) {
        // SAFETY: the bytes are copied during the call.
        let appended: Void? = unsafe text.utf8.withContiguousStorageIfAvailable { unsafe self.append(contentsOf: $0) }
        if appended == nil { self.append(contentsOf: text.utf8) }
    }

    /// Appends the `count` bytes that `write` puts, in one step: to append each piece takes three times as long.
    @inline(__always)
    mutating func append(count: Int, _ write: (inout RoomWriter) -> Void) {
        // SAFETY: the writer stays in the room, which begins with as many written bytes as it says.
        self.append(addingCapacity: count) { room in
            unsafe room.withUnsafeMutableBufferPointer { room, written in
                var writer = unsafe RoomWriter(UnsafeMutableRawBufferPointer(room))
                write(&writer)
                written = writer.count
            }
        }
    }

    /// Calls `body` with all bytes, to be changed.
    package mutating func withMutableRawSpan<Result, Failure: Error>(
        _ body: (inout MutableRawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var all = self.mutableSpan
        // SAFETY: every bit pattern is a UInt8.
        var bytes = unsafe all.mutableBytes
        return try body(&bytes)
    }

    /// Appends bytes that `fill` writes into fresh room for at most `limit` of them.
    package mutating func append<Failure: Error>(
        upTo limit: Int, _ fill: (inout MutableRawSpan) throws(Failure) -> Int
    ) throws(Failure) {
        let start = self.count
        // Zeros, so that a stream that reports more bytes than it wrote can't leak old memory.
        let room = [UInt8](repeating: 0, count: limit)
        if start == 0 { self = room } else { self.append(contentsOf: room) }
        var written = 0
        defer { self.removeLast(limit - written) }
        var all = self.mutableSpan
        // SAFETY: every bit pattern is a UInt8.
        var bytes = unsafe all.mutableBytes
        var target = bytes._mutatingExtracting(start..<start + limit)
        written = try fill(&target)
        precondition((0...limit).contains(written), "a fill wrote more than its room")
    }
}

/// Puts pieces into fresh room, one after the other. With an `OutputSpan`, a field takes a third more instructions.
///
/// It is lent during one call, and each piece is checked against the room that is left.
@safe
struct RoomWriter: ~Copyable {
    private let room: UnsafeMutableRawBufferPointer
    /// The number of bytes put so far.
    fileprivate private(set) var count = 0

    fileprivate init(_ room: UnsafeMutableRawBufferPointer) { unsafe self.room = room }

    /// Puts a text as UTF-8.
    @inline(__always)
    mutating func put(_ text: String) {
        // SAFETY: the bytes are copied during the call.
        let isDone: Void? = unsafe text.utf8.withContiguousStorageIfAvailable { unsafe self.put(.init($0)) }
        if isDone == nil { self.put(Array(text.utf8)) }
    }

    /// Puts a literal.
    @inline(__always)
    mutating func put(_ text: StaticString) {
        // SAFETY: a literal's bytes live forever.
        unsafe self.put(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Puts an array's bytes from an offset.
    @inline(__always)
    mutating func put(_ bytes: [UInt8], from start: Int = 0) {
        precondition(start >= 0 && start <= bytes.count, "offset outside the bytes")
        // SAFETY: the bytes are copied during the call, and the offset was checked.
        unsafe bytes.withUnsafeBytes { unsafe self.put(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    }

    @inline(__always)
    private mutating func put(_ bytes: UnsafeRawBufferPointer) {
        unsafe precondition(bytes.count <= self.room.count - self.count, "more bytes than room")
        // SAFETY: the room was checked, and fresh room overlaps nothing.
        if let start = bytes.baseAddress, let room = unsafe self.room.baseAddress {
            unsafe (room + self.count).copyMemory(from: start, byteCount: bytes.count)
        }
        self.count += bytes.count
    }
}

extension String {
    /// Whether every byte is above 0x22, `"`, and none is 0x5C, `\`: then none has to be escaped between quotes. `false` if
    /// the text isn't one piece of memory.
    @inline(__always)
    var isAboveQuoteWithoutBackslash: Bool {
        // SAFETY: the buffer is read during the call, up to its count.
        unsafe self.utf8.withContiguousStorageIfAvailable { unsafe $0.isAboveQuoteWithoutBackslash } ?? false
    }

    /// Whether there is one of two bytes.
    package func contains(byte: UInt8, or other: UInt8) -> Bool {
        // SAFETY: the buffer is read during the call, up to its count.
        let isFound = unsafe self.utf8.withContiguousStorageIfAvailable { bytes in
            let (ones, first, second) = (Word.ones, UInt64(byte) &* Word.ones, UInt64(other) &* Word.ones)
            return unsafe !bytes.allWords { word in
                let (first, second) = (word ^ first, word ^ second)
                return ((first &- ones) & ~first | (second &- ones) & ~second) & Word.tops == 0
            } andAllRest: {
                $0 != byte && $0 != other
            }
        }
        return isFound ?? self.utf8.contains { $0 == byte || $0 == other }
    }

    /// A text, and after it the bytes of two words, the highest first, up to the last that isn't 0: ASCII.
    init(_ prefix: StaticString, high: UInt64, low: UInt64) {
        let count = low == 0 ? 8 - high.trailingZeroBitCount / 8 : 16 - low.trailingZeroBitCount / 8
        let start = prefix.utf8CodeUnitCount
        // SAFETY: every byte of the capacity asked for is written, and the prefix has that many.
        self = unsafe String(unsafeUninitializedCapacity: start + count) { room in
            for index in 0..<start { unsafe room[index] = prefix.utf8Start[index] }
            for index in 0..<count {
                let word = index < 8 ? high : low
                unsafe room[start + index] = UInt8(truncatingIfNeeded: word &>> UInt64(56 - 8 * (index & 7)))
            }
            return start + count
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether every byte is above 0x22, `"`, and none is 0x5C, `\`.
    @inline(__always)
    fileprivate var isAboveQuoteWithoutBackslash: Bool {
        let ones = Word.ones
        return unsafe self.allWords { word in
            // The highest bits are set in bytes below 0x23, and maybe in bytes after such a byte.
            let (low, backslash) = ((word &- ones &* 0x23) & ~word, word ^ (ones &* 0x5C))
            return (low | (backslash &- ones) & ~backslash) & Word.tops == 0
        } andAllRest: {
            $0 > 0x22 && $0 != 0x5C
        }
    }

    /// Whether all words of eight bytes satisfy a condition. Four to seven bytes make one word of their first and last four;
    /// of fewer, whether each byte satisfies another condition.
    @inline(__always)
    fileprivate func allWords(_ isWord: (UInt64) -> Bool, andAllRest isByte: (UInt8) -> Bool) -> Bool {
        let bytes = UnsafeRawBufferPointer(self)
        guard self.count >= 8 else {
            guard self.count >= 4 else { return unsafe self.allSatisfy(isByte) }
            // SAFETY: the first four bytes and the last four, which may be some of the first.
            let (first, last) = unsafe (
                bytes.loadUnaligned(as: UInt32.self),
                bytes.loadUnaligned(fromByteOffset: self.count - 4, as: UInt32.self)
            )
            return isWord(UInt64(first) << 32 | UInt64(last))
        }
        var at = 0
        while at < self.count {
            // The last word overlaps the one before.
            at = Swift.min(at, self.count - 8)
            // SAFETY: eight bytes from here are in the buffer.
            guard isWord(unsafe bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)) else { return false }
            at += 8
        }
        return true
    }
}

/// Words with the same bits in each of their eight bytes.
private enum Word {
    static let ones: UInt64 = 0x0101_0101_0101_0101
    static let tops: UInt64 = 0x8080_8080_8080_8080
}
