import CFormworkBytes

// Unsafe code in this file: copying between an array and a caller's buffer, and filling a buffer. All bounds are
// checked here.

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
    static func copy(_ range: Range<Int>, of buffer: inout MutableRawSpan, to offset: Int) -> Int {
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
    static func fillRandom(
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
