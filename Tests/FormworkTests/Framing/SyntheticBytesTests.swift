@testable import Formwork
import TestSupport
import Testing

@Suite("SyntheticBytes", .timeLimit(.minutes(10)))
struct SyntheticBytesTests {
    struct First: Sendable, CustomTestStringConvertible {
        var seed: UInt64
        var offset: Int64
        var bytes: [UInt8]
        var guardsAgainst: String
        var testDescription: String { self.guardsAgainst }
    }

    /// Computed by an independent SplitMix64, once.
    static let firsts = [
        First(
            seed: 0, offset: 0,
            bytes: [
                0xAF, 0xCD, 0x1D, 0x7B, 0x39, 0xA8, 0x20, 0xE2, 0xF4, 0x65, 0xB9, 0xA1, 0x6A, 0x9E, 0x78, 0x6E,
                0x4F, 0x45, 0x09, 0x80, 0x18, 0x5D, 0xC4, 0x06,
            ], guardsAgainst: "a seed of zero that gives zeros"),
        First(
            seed: 1, offset: 0,
            bytes: [
                0xC1, 0x5C, 0x02, 0x89, 0xEC, 0x2D, 0x0A, 0x91, 0x67, 0xEC, 0x8E, 0x65, 0xA1, 0x8D, 0xEB, 0xBE,
                0x5E, 0x55, 0x32, 0xFB, 0xEE, 0xA2, 0x93, 0xF8,
            ], guardsAgainst: "words that are most significant byte first"),
        First(
            seed: 42, offset: 0,
            bytes: [
                0x95, 0x6E, 0xEB, 0x2F, 0x26, 0x32, 0xD7, 0xBD, 0x03, 0xF1, 0x66, 0xB2, 0x33, 0xE3, 0xEF, 0x28,
                0x52, 0x9F, 0x0F, 0x13, 0x57, 0x67, 0x52, 0x47,
            ], guardsAgainst: "a counter that begins at 0"),
        First(
            seed: .max, offset: 0,
            bytes: [
                0x20, 0x2C, 0x65, 0x1B, 0x77, 0x71, 0xD9, 0xE4, 0xC9, 0x82, 0xF6, 0xDB, 0x67, 0xF8, 0x9F, 0xE9,
                0xE9, 0x81, 0x72, 0xB2, 0x4C, 0xF8, 0x2F, 0x38,
            ], guardsAgainst: "arithmetic that traps instead of wrapping"),
        First(
            seed: 42, offset: 1_099_511_627_779,
            bytes: [0xA1, 0x25, 0x86, 0x59, 0x8C, 0x66, 0x05, 0xEC, 0x77, 0x89, 0xD3],
            guardsAgainst: "an offset cut to 32 bits, or one inside a word"),
        First(
            seed: 42, offset: 9_223_372_036_854_775_802, bytes: [0x62, 0x48, 0xB0, 0xF2, 0x77],
            guardsAgainst: "the end of the largest body"),
    ]

    @Test("Random bytes are SplitMix64's on every machine", arguments: firsts)
    func random(row: First) {
        let bytes = SyntheticBytes(.random(seed: row.seed), count: .max)
        #expect(Self.read(bytes, row.bytes.count, from: row.offset) == row.bytes)
    }

    static let rows: [Row<SyntheticBytes.Pattern, Void>] = [
        Row(.zeros, against: "zeros"),
        Row(.random(seed: 9), against: "random"),
    ]

    @Test("Any stretch is the whole's stretch", arguments: rows)
    func stretches(row: Row<SyntheticBytes.Pattern, Void>) {
        let bytes = SyntheticBytes(row.given, count: 12_345)
        let whole = Self.read(bytes, 20_000, from: 0)
        #expect(whole.count == 12_345)
        for offset in [0, 1, 3, 5, 8, 63, 4_095, 4_097, 4_999, 5_000, 12_344, 12_345] {
            for size in [0, 1, 7, 8, 9, 17, 4_095, 4_099, 20_000] {
                #expect(
                    Self.read(bytes, size, from: Int64(offset)) == Array(whole.dropFirst(offset).prefix(size)),
                    "\(size) bytes from \(offset)")
            }
        }
    }

    @Test("At and behind the end there is nothing")
    func end() {
        let bytes = SyntheticBytes(.random(seed: 1), count: 10)
        #expect(Self.read(bytes, 5, from: 10) == [])
        #expect(Self.read(bytes, 5, from: 99) == [])
        #expect(Self.read(SyntheticBytes(.zeros, count: 0), 5, from: 0) == [])
    }

    private static func read(_ bytes: SyntheticBytes, _ size: Int, from offset: Int64) -> [UInt8] {
        var result: [UInt8] = []
        result.append(upTo: size) { room in bytes.fill(&room, from: offset) }
        return result
    }
}
