/// Finds a delimiter in bytes at the speed of memory, whatever the bytes are.
///
/// Two anchors, the first and the last byte, are compared sixteen offsets at a time; only where both stand is the rest
/// looked at. Why no search table (KMP, Two-Way): a boundary cannot hold CR, so a match cannot begin inside another,
/// and what fails costs its own length at most. Why not a search for CR: content full of CRLF would stop it at every
/// line.
struct DelimiterSearch: Sendable {
    /// What is searched for: CRLF or LF, `--` and the boundary.
    let needle: [UInt8]

    init(_ needle: [UInt8]) { self.needle = needle }

    /// The offset of the first whole needle in `bytes[start..<end]`.
    func first(in bytes: RawSpan, from start: Int, to end: Int) -> Int? {
        let distance = self.needle.count - 1
        let (first, second, last) = (self.needle[0], self.needle[1], self.needle[distance])
        let heads = SIMD16<UInt8>(repeating: first)
        let seconds = SIMD16<UInt8>(repeating: second)
        let tails = SIMD16<UInt8>(repeating: last)
        // Where the last candidate ends.
        let stop = end - distance
        var at = start
        while at + 16 <= stop {
            at = bytes.skipBlocks(from: at, to: stop, first: first, last: last, distance: distance)
            guard at + 16 <= stop else { break }
            // The second byte too: content made of both anchors would be compared at every offset otherwise.
            let places =
                (bytes.lanes(at: at) .== heads) .& (bytes.lanes(at: at + 1) .== seconds)
                .& (bytes.lanes(at: at + distance) .== tails)
            let words = places.words
            var low = UInt64(littleEndian: words[0])
            var high = UInt64(littleEndian: words[1])
            while low | high != 0 {
                let lane = low != 0 ? low.trailingZeroBitCount >> 3 : 8 + high.trailingZeroBitCount >> 3
                if bytes.holds(self.needle, at: at + lane, before: end) { return at + lane }
                // The lane's eight bits are the lowest that are set.
                if low != 0 { low &= ~(0xFF << UInt64(lane * 8)) } else { high &= ~(0xFF << UInt64(lane * 8 - 64)) }
            }
            at += 16
        }
        while at < stop {
            if bytes[at] == first, bytes[at + distance] == last, bytes.holds(self.needle, at: at, before: end) {
                return at
            }
            at += 1
        }
        return nil
    }

    /// Where a needle begins that the end of `bytes[start..<end]` cuts off; `nil` when none does.
    func cutOff(in bytes: RawSpan, from start: Int, to end: Int) -> Int? {
        // The first byte of a needle stands nowhere else in it, so only its last occurrence can begin one.
        var at = end - 1
        let oldest = Swift.max(start, end - self.needle.count + 1)
        while at >= oldest {
            if bytes[at] == self.needle[0] { return bytes.holds(self.needle, at: at, before: end) ? at : nil }
            at -= 1
        }
        return nil
    }
}
