// Names of fields and parameters, compared without regard to case.

extension Span<UInt8> {
    /// Whether `range` holds `text`, which is in small ASCII letters, in any case.
    @inline(__always)
    func holds(_ text: String, in range: Range<Int>) -> Bool {
        self.withRawSpan { $0.holds(text, in: range) }
    }
}

extension RawSpan {
    /// Whether `range` holds `text`, which is in small ASCII letters, in any case.
    @inline(__always)
    func holds(_ text: String, in range: Range<Int>) -> Bool {
        guard range.count == text.utf8.count else { return false }
        var at = range.lowerBound
        for byte in text.utf8 {
            let own = self[at]
            // Bit 5 makes letters small; what else it maps to `-` and `*` is CR and LF, which no line holds.
            guard own | 0x20 == byte else { return false }
            at += 1
        }
        return true
    }
}
