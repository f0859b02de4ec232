import CFormworkBytes

/// CRC-32C (Castagnoli), RFC 9260 appendix A: the checksum of object stores and of SCTP.
///
/// It uses the processor's instruction if there is one, otherwise a table.
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
        guard Self.hasInstruction else { return self.updateByTable(bytes) }
        // SAFETY: the bytes live through the call, and are only read.
        self.state = unsafe bytes.withUnsafeBytes { bytes in
            unsafe formwork_crc32c(self.state, bytes.baseAddress, bytes.count)
        }
    }

    private static let hasInstruction = formwork_has_crc32c() != 0

    /// Adds the next bytes without the processor's instruction.
    mutating func updateByTable(_ bytes: RawSpan) {
        let table = Self.table.span
        for index in 0..<bytes.byteCount {
            // SAFETY: every bit pattern is a UInt8, and the offset is checked by the span.
            let byte = unsafe bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)
            self.state = self.state >> 8 ^ table[Int(UInt8(truncatingIfNeeded: self.state) ^ byte)]
        }
    }

    /// The checksum as four bytes, most significant first.
    package func finalized() -> [UInt8] {
        let value = self.value
        return (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * UInt32($0))) }
    }

    /// The checksum of each byte.
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { crc, _ in crc >> 1 ^ (crc & 1 == 1 ? 0x82F6_3B78 : 0) }
    }
}
