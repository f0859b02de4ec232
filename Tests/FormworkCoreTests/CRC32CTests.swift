import FormworkCore
import Testing

@Suite("CRC32C", .timeLimit(.minutes(10)))
struct CRC32CTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var bytes: [UInt8]
        var checksum: [UInt8]
        var guardsAgainst: String
        var testDescription: String { self.guardsAgainst }
    }

    /// RFC 3720 B.4 prints the checksums in the order they are sent, least significant byte first: `aa 36 91 8a`.
    static let rows = [
        Row(bytes: [], checksum: [0, 0, 0, 0], guardsAgainst: "a missing final complement"),
        Row(bytes: Array("a".utf8), checksum: [0xC1, 0xD0, 0x43, 0x30], guardsAgainst: "less than a step of eight"),
        Row(
            bytes: Array("123456789".utf8), checksum: [0xE3, 0x06, 0x92, 0x83],
            guardsAgainst: "another polynomial, such as zlib's"),
        Row(
            bytes: Array(repeating: 0, count: 32), checksum: [0x8A, 0x91, 0x36, 0xAA],
            guardsAgainst: "RFC 3720: zeros that leave the state alone"),
        Row(
            bytes: Array(repeating: 0xFF, count: 32), checksum: [0x62, 0xA8, 0xAB, 0x43],
            guardsAgainst: "RFC 3720: all ones"),
        Row(bytes: Array(0...31), checksum: [0x46, 0xDD, 0x79, 0x4E], guardsAgainst: "RFC 3720: bytes out of order"),
        Row(
            bytes: Array((0...31).reversed()), checksum: [0x11, 0x3F, 0xDB, 0x5C],
            guardsAgainst: "RFC 3720: reversed within a word"),
        Row(
            bytes: (0..<1_000).map { UInt8(truncatingIfNeeded: $0 * 7) }, checksum: [0x79, 0xA1, 0x6A, 0xE6],
            guardsAgainst: "a wrong entry in one of the tables"),
    ]

    @Test("The checksum is this, however the bytes are cut", arguments: rows)
    func checksums(row: Row) {
        var whole = CRC32C()
        whole.update(row.bytes.span.bytes)
        #expect(whole.finalized() == row.checksum)
        #expect(whole.finalized() == row.checksum, "asking changes nothing")
        for cut in 0...row.bytes.count {
            var parts = CRC32C()
            parts.update(row.bytes.span.bytes.extracting(0..<cut))
            parts.update(row.bytes.span.bytes.extracting(cut..<row.bytes.count))
            #expect(parts.finalized() == row.checksum, "cut before byte \(cut)")
        }
        var single = CRC32C()
        for byte in row.bytes { single.update([byte].span.bytes) }
        #expect(single.finalized() == row.checksum, "byte by byte")
    }

    @Test("Tables and the processor's instruction agree, wherever the bytes lie")
    func tables() {
        var generator = SplitMix64(seed: 9)
        let bytes = (0..<5_000).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        for (start, end) in [(0, 5_000), (1, 5_000), (3, 4_099), (7, 71), (8, 15), (9, 9)] {
            let span = bytes.span.bytes.extracting(start..<end)
            var (one, other) = (CRC32C(), CRC32C())
            one.update(span)
            other.updateByTables(span)
            #expect(one.value == other.value, "\(start)..<\(end)")
        }
        var byTables = CRC32C()
        byTables.updateByTables(Array("123456789".utf8).span.bytes)
        #expect(byTables.finalized() == [0xE3, 0x06, 0x92, 0x83])
    }

    @Test("The algorithm has RFC 9530's name, and a digest prints as sha256sum does")
    func names() {
        #expect(CRC32C.algorithm == "crc32c")
        #expect(DigestValue(algorithm: "crc32c", bytes: [0x00, 0x0F, 0xA0, 0xFF]).hex == "000fa0ff")
    }
}
