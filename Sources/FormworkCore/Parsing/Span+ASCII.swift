// Case-insensitive comparison of field and parameter names.

extension Span<UInt8> {
    /// Whether `range` has `text`, which is in lower-case ASCII, in any case.
    @inline(__always)
    func holds(_ text: String, in range: Range<Int>) -> Bool {
        self.withRawSpan { $0.holds(text, in: range) }
    }
}

extension RawSpan {
    /// Whether `range` has `text`, which is in lower-case ASCII, in any case.
    @inline(__always)
    func holds(_ text: String, in range: Range<Int>) -> Bool {
        guard range.count == text.utf8.count else { return false }
        var at = range.lowerBound
        for byte in text.utf8 {
            let own = self[at]
            // Bit 5 makes letters lower-case. It also maps CR and LF to `-` and `*`, but a line has neither.
            guard own | 0x20 == byte else { return false }
            at += 1
        }
        return true
    }
}
