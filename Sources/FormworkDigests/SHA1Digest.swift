import CFormworkDigests
import FormworkCore

/// SHA-1 (FIPS 180-4): required of every tus 1.0 server, but not a protection against attacks.
package struct SHA1Digest: SavableDigest, Hashable {
    /// `sha`.
    package static let algorithm = "sha"
    private var state = HashState<SHA1Function>()

    /// The digest of no bytes.
    package init() {}

    package init?(saved bytes: [UInt8]) {
        guard let state = HashState<SHA1Function>(saved: bytes) else { return nil }
        self.state = state
    }

    package var byteCount: Int64 { Int64(clamping: self.state.count) }
    package var saved: [UInt8] { self.state.saved }

    /// Takes the next bytes.
    package mutating func update(_ bytes: RawSpan) { self.state.update(bytes) }

    /// 20 bytes.
    package func finalized() -> [UInt8] { self.state.finalized() }
}

enum SHA1Function: HashFunction {
    static var initial: SIMD8<UInt32> {
        SIMD8<UInt32>(0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0, 0, 0, 0)
    }
    static var wordCount: Int { 5 }

    static func take(_ bytes: UnsafeRawPointer?, blocks: Int, into words: UnsafeMutablePointer<UInt32>) {
        // SAFETY: `HashState` has all the words and these blocks.
        unsafe formwork_sha1(words, bytes, blocks)
    }
}
