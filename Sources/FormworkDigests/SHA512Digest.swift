import CFormworkDigests
import FormworkCore

/// SHA-512 (FIPS 180-4).
struct SHA512Digest: SavableDigest, Hashable {
    /// `sha-512`.
    static let algorithm = "sha-512"
    private var state = HashState<SHA512Function>()

    /// The digest of no bytes.
    init() {}

    init?(saved bytes: [UInt8]) {
        guard let state = HashState<SHA512Function>(saved: bytes) else { return nil }
        self.state = state
    }

    var byteCount: Int64 { Int64(clamping: self.state.count) }
    var saved: [UInt8] { self.state.saved }

    /// Takes the next bytes.
    mutating func update(_ bytes: RawSpan) { self.state.update(bytes) }

    /// 64 bytes.
    func finalized() -> [UInt8] { self.state.finalized() }
}

enum SHA512Function: HashFunction {
    static var initial: SIMD8<UInt64> {
        SIMD8<UInt64>(
            0x6A09_E667_F3BC_C908, 0xBB67_AE85_84CA_A73B, 0x3C6E_F372_FE94_F82B, 0xA54F_F53A_5F1D_36F1,
            0x510E_527F_ADE6_82D1, 0x9B05_688C_2B3E_6C1F, 0x1F83_D9AB_FB41_BD6B, 0x5BE0_CD19_137E_2179)
    }
    static var wordCount: Int { 8 }

    static func take(_ bytes: UnsafeRawPointer?, blocks: Int, into words: UnsafeMutablePointer<UInt64>) {
        // SAFETY: `HashState` has all the words and these blocks.
        unsafe formwork_sha512(words, bytes, blocks)
    }
}
