#if Digests
import Crypto
public import FormworkCore

/// SHA-256 (FIPS 180-4), computed with swift-crypto.
public struct SHA256Digest: BodyDigest {
    /// `sha-256`.
    public static let algorithm = "sha-256"
    private var hash = SHA256()

    /// The digest of no bytes.
    public init() {}

    /// Takes the next bytes.
    public mutating func update(_ bytes: RawSpan) {
        // SAFETY: the hash reads the bytes during the call and keeps no pointer to them.
        unsafe bytes.withUnsafeBytes { unsafe self.hash.update(bufferPointer: $0) }
    }

    /// 32 bytes.
    public func finalized() -> [UInt8] { Array(self.hash.finalize()) }
}

/// MD5 (RFC 1321), computed with swift-crypto: a checksum for stores that require it, not a protection against attacks.
public struct MD5Digest: BodyDigest {
    /// `md5`.
    public static let algorithm = "md5"
    private var hash = Insecure.MD5()

    /// The digest of no bytes.
    public init() {}

    /// Takes the next bytes.
    public mutating func update(_ bytes: RawSpan) {
        // SAFETY: the hash reads the bytes during the call and keeps no pointer to them.
        unsafe bytes.withUnsafeBytes { unsafe self.hash.update(bufferPointer: $0) }
    }

    /// 16 bytes.
    public func finalized() -> [UInt8] { Array(self.hash.finalize()) }
}
#elseif FORMWORK_FETCHED
#error("FormworkDigests is empty without its trait: .package(url: …, from: …, traits: [\"Digests\"])")
#elseif !FORMWORK_CHECKOUT
#warning("FormworkDigests is empty without its trait: .package(url: …, from: …, traits: [\"Digests\"])")
#endif
