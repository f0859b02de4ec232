import CFormworkBytes

/// CRC-32C (Castagnoli), RFC 9260 appendix A: the checksum of object stores and of SCTP.
///
/// It uses the processor's instruction if there is one, otherwise eight tables for eight bytes per step.
package struct CRC32C: BodyDigest {
    /// `crc32c`.
    package static let algorithm = "crc32c"
    private var state: UInt32 = 0xFFFF_FFFF

    /// The checksum of no bytes, 0.
    package init() {}

    /// The checksum so far.
    package var value: UInt32 { ~self.state }

    /// Adds the next bytes.
    package mutating func update(_ bytes: RawSpan) {
        guard Self.hasInstruction else { return self.updateByTables(bytes) }
        // SAFETY: the bytes live through the call, and are only read.
        self.state = unsafe bytes.withUnsafeBytes { bytes in
            unsafe formwork_crc32c(self.state, bytes.baseAddress, bytes.count)
        }
    }

    private static let hasInstruction = formwork_has_crc32c() != 0

    /// Adds the next bytes without the processor's instruction.
    mutating func updateByTables(_ bytes: RawSpan) {
        let tables = Self.tables.span
        var crc = self.state
        var index = 0
        let whole = bytes.byteCount & ~7
        while index < whole {
            let low = crc ^ Self.word(bytes, index)
            let high = Self.word(bytes, index + 4)
            crc =
                tables[1792 + Int(low & 0xFF)] ^ tables[1536 + Int(low >> 8 & 0xFF)]
                ^ tables[1280 + Int(low >> 16 & 0xFF)] ^ tables[1024 + Int(low >> 24)]
                ^ tables[768 + Int(high & 0xFF)] ^ tables[512 + Int(high >> 8 & 0xFF)]
                ^ tables[256 + Int(high >> 16 & 0xFF)] ^ tables[Int(high >> 24)]
            index += 8
        }
        while index < bytes.byteCount {
            crc = crc >> 8 ^ tables[Int((crc ^ UInt32(Self.byte(bytes, index))) & 0xFF)]
            index += 1
        }
        self.state = crc
    }

    /// The checksum as four bytes, most significant first.
    package func finalized() -> [UInt8] {
        let value = self.value
        return (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * UInt32($0))) }
    }

    @inline(__always) private static func byte(_ bytes: RawSpan, _ index: Int) -> UInt8 {
        // SAFETY: every bit pattern is a UInt8, and the offset is checked by the span.
        unsafe bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)
    }

    @inline(__always) private static func word(_ bytes: RawSpan, _ index: Int) -> UInt32 {
        // SAFETY: every bit pattern is a UInt32, and the offsets are checked by the span.
        UInt32(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt32.self))
    }

    /// Eight tables of 256 entries: the checksum of a byte followed by 0 to 7 zero bytes.
    private static let tables: [UInt32] = {
        var tables: [UInt32] = (0..<256).map { byte in
            (0..<8).reduce(UInt32(byte)) { crc, _ in crc >> 1 ^ (crc & 1 == 1 ? 0x82F6_3B78 : 0) }
        }
        for index in 256..<2048 {
            let before = tables[index - 256]
            tables.append(before >> 8 ^ tables[Int(before & 0xFF)])
        }
        return tables
    }()
}
