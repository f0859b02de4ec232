/// Content made by rule instead of read: bodies of any size for tests, without a disk and the same on every machine.
public struct SyntheticBytes: Hashable, Sendable, Codable {
    /// The rule that says which byte stands where.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Pattern: Hashable, Sendable, Codable {
        /// Zero bytes.
        case zeros
        /// These bytes over and over; empty stands for zeros.
        case repeating([UInt8])
        /// SplitMix64 over a counter: the bytes `8k` to `8k + 7` are, least significant first, `mix(seed + (k + 1) · γ)`
        /// with γ = 0x9E3779B97F4A7C15 and SplitMix64's finalizer, all modulo 2⁶⁴. No byte needs the ones before it.
        case random(seed: UInt64)
    }

    /// Which byte stands where.
    public var pattern: Pattern
    /// Bytes in all, 0 or more.
    public var count: Int64

    /// Describes `count` bytes; none is made yet.
    public init(_ pattern: Pattern, count: Int64) {
        self.pattern = pattern
        self.count = count
    }

    /// Writes the bytes from `offset` on into `buffer`, as many as there are and fit.
    /// - Returns: How many were written; 0 at the end.
    package func fill(_ buffer: inout MutableRawSpan, from offset: Int64) -> Int {
        let count = Int(min(Int64(buffer.byteCount), self.count - offset))
        guard count > 0 else { return 0 }
        switch self.pattern {
        case .random(let seed): Self.fillRandom(&buffer, count: count, from: offset, seed: seed)
        case .repeating(let unit) where !unit.isEmpty: Self.fill(&buffer, count: count, with: unit, from: offset)
        default: Self.fill(&buffer, count: count, with: [0], from: offset)
        }
        return count
    }

    private static func fill(_ buffer: inout MutableRawSpan, count: Int, with unit: [UInt8], from offset: Int64) {
        let phase = Int(offset % Int64(unit.count))
        var done = buffer.copy(unit, phase..<min(unit.count, phase + count), at: 0)
        done += buffer.copy(unit, 0..<min(phase, count - done), at: done)
        // One unit stands, whichever byte of it comes first: what stands is copied behind itself again and again. In a
        // debug build too, most of the work is memmove's.
        while done < count { done += buffer.copyWithin(0..<min(done, count - done), to: done) }
    }

    private static func fillRandom(_ buffer: inout MutableRawSpan, count: Int, from offset: Int64, seed: UInt64) {
        var position = UInt64(offset)
        var done = 0
        while done < count {
            if position % 8 == 0, count - done >= 32 {
                let blocks = (count - done) / 32
                buffer.fillRandom(blocks, from: position / 8, seed: seed, at: done)
                done += blocks * 32
                position += UInt64(blocks) * 32
                continue
            }
            var word = SplitMix64.word(position / 8, seed: seed) >> (8 * (position % 8))
            let bytes = min(8 - Int(position % 8), count - done)
            for place in 0..<bytes {
                buffer.storeBytes(of: UInt8(truncatingIfNeeded: word), toByteOffset: done + place, as: UInt8.self)
                word >>= 8
            }
            done += bytes
            position += UInt64(bytes)
        }
    }
}
