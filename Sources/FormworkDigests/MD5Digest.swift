import CFormworkDigests
public import FormworkCore

/// MD5 (RFC 1321): a checksum for stores that require it, not a protection against attacks.
public struct MD5Digest: BodyDigest, SavableDigest, Hashable {
    /// `md5`.
    public static let algorithm = "md5"
    private var state = HashState<MD5Function>()

    /// The digest of no bytes.
    public init() {}

    package init?(saved bytes: [UInt8]) {
        guard let state = HashState<MD5Function>(saved: bytes) else { return nil }
        self.state = state
    }

    package var byteCount: Int64 { Int64(clamping: self.state.count) }
    package var saved: [UInt8] { self.state.saved }

    /// Takes the next bytes.
    public mutating func update(_ bytes: RawSpan) { self.state.update(bytes) }

    /// 16 bytes.
    public func finalized() -> [UInt8] { self.state.finalized() }
}

enum MD5Function: HashFunction {
    static var initial: SIMD4<UInt32> {
        SIMD4<UInt32>(0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476)
    }
    static var wordCount: Int { 4 }
    static var isLittleEndian: Bool { true }

    static func take(_ bytes: UnsafeRawPointer?, blocks: Int, into words: UnsafeMutablePointer<UInt32>) {
        // SAFETY: `HashState` has all the words and these blocks.
        unsafe formwork_md5(words, bytes, blocks)
    }
}
