import CFormworkBytes

/// SHA-256 (FIPS 180-4) that can be saved before its end, so that another process continues it.
///
/// swift-crypto's can't. Where the processor has instructions for it (x86-64, ARMv8), these are used.
package struct SavableSHA256: BodyDigest, Hashable {
    package static let algorithm = "sha-256"

    private var words = SIMD8<UInt32>(
        0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19)
    /// The bytes after the last whole block, fewer than 64.
    private var rest: [UInt8] = []
    /// The number of all bytes.
    private var count: UInt64 = 0

    package init() {}

    /// The number of bytes so far.
    package var byteCount: Int64 { Int64(clamping: self.count) }

    // MARK: saving

    /// Reads what ``saved`` returned; `nil` for other bytes.
    package init?(saved bytes: [UInt8]) {
        guard bytes.count >= 40 else { return nil }
        for index in 0..<8 {
            self.words[index] = UInt32(truncatingIfNeeded: Self.number(bytes[4 * index..<4 * index + 4]))
        }
        self.count = Self.number(bytes[32..<40])
        self.rest = Array(bytes[40...])
        guard UInt64(self.rest.count) == self.count % 64 else { return nil }
    }

    /// The state, in 40 to 103 bytes: the eight words and the number of bytes, each with its most significant byte first,
    /// and the bytes after the last whole block.
    package var saved: [UInt8] {
        (0..<8).flatMap { Self.bytes(UInt64(self.words[$0]), 4) } + Self.bytes(self.count, 8) + self.rest
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    private static func bytes(_ number: UInt64, _ count: Int) -> [UInt8] {
        (1...count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * (count - $0))) }
    }

    // MARK: BodyDigest

    package mutating func update(_ bytes: RawSpan) { self.update(bytes, usesInstructions: true) }

    private static let processorHasInstructions = formwork_has_sha256() != 0

    /// - Parameter usesInstructions: Whether the processor's instructions are used, if it has them.
    package mutating func update(_ bytes: RawSpan, usesInstructions: Bool) {
        let hasInstructions = usesInstructions && Self.processorHasInstructions
        self.count &+= UInt64(bytes.byteCount)
        var start = 0
        if !self.rest.isEmpty {
            start = min(64 - self.rest.count, bytes.byteCount)
            self.rest.append(bytes, 0..<start)
            guard self.rest.count == 64 else { return }
            self.rest.withRawSpan { self.words.take($0, hasInstructions) }
            self.rest = []
        }
        let end = bytes.byteCount - (bytes.byteCount - start) % 64
        self.words.take(bytes.extracting(start..<end), hasInstructions)
        self.rest.append(bytes, end..<bytes.byteCount)
    }

    package func finalized() -> [UInt8] {
        var last = self
        let padding = [0x80] + [UInt8](repeating: 0, count: (119 - self.rest.count) % 64)
        (padding + Self.bytes(self.count &* 8, 8)).withRawSpan { last.update($0) }
        return (0..<8).flatMap { Self.bytes(UInt64(last.words[$0]), 4) }
    }
}

extension SIMD8<UInt32> {
    /// Takes whole blocks of 64 bytes.
    fileprivate mutating func take(_ blocks: RawSpan, _ hasInstructions: Bool) {
        guard blocks.byteCount > 0 else { return }
        // SAFETY: a SIMD8 is its eight words, and both live through the call, which keeps no pointer to them.
        unsafe withUnsafeMutableBytes(of: &self) { words in
            unsafe blocks.withUnsafeBytes { bytes in
                guard let state = unsafe words.baseAddress?.assumingMemoryBound(to: UInt32.self) else { return }
                if hasInstructions {
                    unsafe formwork_sha256(state, bytes.baseAddress, bytes.count / 64)
                } else {
                    unsafe formwork_sha256_portable(state, bytes.baseAddress, bytes.count / 64)
                }
            }
        }
    }
}
