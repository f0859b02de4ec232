/// Recognises the header section of a field with only a name, as most parts have, without reading its lines. That would
/// take half the time of a small part.
package struct PlainField {
    /// The place of `form-data` in the section.
    static let disposition = 21..<30

    /// The section's length, including its empty line.
    var count: Int
    /// The place of the name in the section.
    var name: Range<Int>

    /// The number of bytes of the section of a field, without its empty line.
    package static func length(_ name: Range<Int>) -> Int { 41 + name.count }

    /// - Returns: `nil` for every other section, and for one that `end` cuts off.
    @inline(__always)
    init?(_ bytes: RawSpan, from start: Int, to end: Int) {
        let name = start + 38
        guard name + 16 <= end, Self.isHead(bytes, at: start) else { return nil }
        let nameEnd = bytes.firstQuoteOrBreak(from: name, to: end)
        guard end - nameEnd >= 5, bytes[nameEnd] == 0x22, bytes.word(at: nameEnd + 1) == Self.twoLineEnds else {
            return nil
        }
        self.count = nameEnd + 5 - start
        self.name = 38..<nameEnd - start
    }

    /// Whether the bytes are `Content-Disposition: form-data; name="`, compared sixteen at a time, the last
    /// overlapping.
    @inline(__always)
    private static func isHead(_ bytes: RawSpan, at start: Int) -> Bool {
        let one = bytes.lanes(at: start) .== Self.head.one
        let two = bytes.lanes(at: start + 16) .== Self.head.two
        let three = bytes.lanes(at: start + 22) .== Self.head.three
        let same = (one .& two .& three).words
        return same[0] & same[1] == .max
    }

    private typealias Lanes = SIMD16<UInt8>

    /// Computed, so that it is a constant in the code.
    @inline(__always) private static var head: (one: Lanes, two: Lanes, three: Lanes) {
        (
            Lanes(0x43, 0x6F, 0x6E, 0x74, 0x65, 0x6E, 0x74, 0x2D, 0x44, 0x69, 0x73, 0x70, 0x6F, 0x73, 0x69, 0x74),
            Lanes(0x69, 0x6F, 0x6E, 0x3A, 0x20, 0x66, 0x6F, 0x72, 0x6D, 0x2D, 0x64, 0x61, 0x74, 0x61, 0x3B, 0x20),
            Lanes(0x6F, 0x72, 0x6D, 0x2D, 0x64, 0x61, 0x74, 0x61, 0x3B, 0x20, 0x6E, 0x61, 0x6D, 0x65, 0x3D, 0x22)
        )
    }

    /// CR LF CR LF, as ``RawSpan/word(at:)`` reads it.
    private static var twoLineEnds: UInt32 { UInt32(littleEndian: 0x0A0D_0A0D) }
}
