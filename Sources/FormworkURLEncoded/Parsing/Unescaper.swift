/// Unescapes pieces of text into one buffer.
///
/// A door to unsafe code: unescaped text is never longer than what it was made from, so a buffer of the input's length
/// has room for every store, blocks of eight included, as no more is written than was read.
@safe struct Unescaper: ~Copyable {
    /// A byte that ends a run, or what stopped it.
    enum Stop { case ampersand, equals, end }

    private(set) var bytes: UnsafeMutablePointer<UInt8>
    private(set) var count = 0
    private let capacity: Int
    private let readsPlusAsSpace: Bool
    /// Where the first `%` without two digits stood; `nil` when there was none since this was last cleared.
    var invalidEscape: Int?

    init(capacity: Int, readsPlusAsSpace: Bool) {
        unsafe self.bytes = .allocate(capacity: max(1, capacity))
        (self.capacity, self.readsPlusAsSpace) = (capacity, readsPlusAsSpace)
    }

    deinit { unsafe self.bytes.deallocate() }

    /// A copy of all that was written.
    var written: [UInt8] { unsafe Array(UnsafeBufferPointer(start: self.bytes, count: self.count)) }

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
        let end = source.count
        var output = unsafe self.bytes + self.count
        defer { self.count = unsafe output - self.bytes }
        while index < end {
            if end - index >= 8 {
                let block = unsafe UnsafeRawPointer(base + index).loadUnaligned(as: SIMD8<UInt8>.self)
                let special = (block .== 0x26) .| (block .== equals) .| (block .== plus) .| (block .== 0x25)
                if !any(special) {
                    unsafe UnsafeMutableRawPointer(output).storeBytes(of: block, as: SIMD8<UInt8>.self)
                    unsafe output += 8
                    index += 8
                    continue
                }
            }
            let stop = min(end, index + 8)
            while index < stop {
                let byte = unsafe base[index]
                index += 1
                if byte == 0x25 {
                    if index + 1 < end,
                        let high = unsafe Self.hexadecimal(base[index]), let low = unsafe Self.hexadecimal(base[index + 1])
                    {
                        unsafe output.pointee = high << 4 | low
                        index += 2
                    } else {
                        unsafe output.pointee = byte
                        if self.invalidEscape == nil { self.invalidEscape = index - 1 }
                    }
                    unsafe output += 1
                } else if byte == 0x26 {
                    return .ampersand
                } else if byte == equals {
                    return .equals
                } else {
                    unsafe output.pointee = byte == plus ? 0x20 : byte
                    unsafe output += 1
                }
            }
        }
        return .end
    }

    @inline(__always)
    private static func hexadecimal(_ byte: UInt8) -> UInt8? {
        let digit = byte &- 0x30
        if digit < 10 { return digit }
        let letter = (byte | 0x20) &- 0x61
        return letter < 6 ? letter + 10 : nil
    }
}
