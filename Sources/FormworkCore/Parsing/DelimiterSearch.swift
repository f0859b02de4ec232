/// Finds a delimiter at memory speed, for any content.
///
/// Two anchors, the first and the last byte, are compared at sixteen offsets at once. The other bytes are compared only
/// if both match. It needs no search table (KMP, Two-Way): a boundary can't contain CR, so a match can't begin inside
/// another one, and a failed match costs at most its own length. It doesn't search for CR, because content with many
/// CRLFs would stop it at every line.
struct DelimiterSearch: Sendable {
    /// The bytes to search for: CRLF or LF, `--` and the boundary.
    let needle: [UInt8]

    init(_ needle: [UInt8]) { self.needle = needle }

    /// The offset of the first whole needle in `bytes[start..<end]`.
    func first(in bytes: RawSpan, from start: Int, to end: Int) -> Int? {
        let distance = self.needle.count - 1
        let (first, second, last) = (self.needle[0], self.needle[1], self.needle[distance])
        let heads = SIMD16<UInt8>(repeating: first)
        let seconds = SIMD16<UInt8>(repeating: second)
        let tails = SIMD16<UInt8>(repeating: last)
        // The end of the last candidate.
        let stop = end - distance
        var at = start
        while at + 16 <= stop {
            at = bytes.skipBlocks(from: at, to: stop, first: first, last: last, distance: distance)
            guard at + 16 <= stop else { break }
            // The second byte is compared too. Otherwise content that consists of both anchors would match at every
            // offset.
            let places =
                (bytes.lanes(at: at) .== heads) .& (bytes.lanes(at: at + 1) .== seconds)
                .& (bytes.lanes(at: at + distance) .== tails)
            let words = places.words
            var low = UInt64(littleEndian: words[0])
            var high = UInt64(littleEndian: words[1])
            while low | high != 0 {
                let lane = low != 0 ? low.trailingZeroBitCount >> 3 : 8 + high.trailingZeroBitCount >> 3
                if bytes.holds(self.needle, at: at + lane, before: end) { return at + lane }
                // The lane's eight bits are the lowest set bits.
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

    /// The start of a needle that the end of `bytes[start..<end]` cuts off; `nil` if there is none.
    func cutOff(in bytes: RawSpan, from start: Int, to end: Int) -> Int? {
        // A needle has its first byte only once, so only the last occurrence can begin one.
        var at = end - 1
        let oldest = Swift.max(start, end - self.needle.count + 1)
        while at >= oldest {
            if bytes[at] == self.needle[0] { return bytes.holds(self.needle, at: at, before: end) ? at : nil }
            at -= 1
        }
        return nil
    }
}
