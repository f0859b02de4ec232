#if Digests
import Crypto
import FormworkCore

/// SHA-512 (FIPS 180-4), computed with swift-crypto.
package struct SHA512Digest: BodyDigest {
    package static let algorithm = "sha-512"
    private var hash = SHA512()

    package init() {}

    package mutating func update(_ bytes: RawSpan) {
        // SAFETY: the hash reads the bytes during the call and keeps no pointer to them.
        unsafe bytes.withUnsafeBytes { unsafe self.hash.update(bufferPointer: $0) }
    }

    package func finalized() -> [UInt8] { Array(self.hash.finalize()) }
}

/// SHA-1 (FIPS 180-4), computed with swift-crypto: required of every tus 1.0 server, but not a protection against
/// attacks.
package struct SHA1Digest: BodyDigest {
    package static let algorithm = "sha"
    private var hash = Insecure.SHA1()

    package init() {}

    package mutating func update(_ bytes: RawSpan) {
        // SAFETY: the hash reads the bytes during the call and keeps no pointer to them.
        unsafe bytes.withUnsafeBytes { unsafe self.hash.update(bufferPointer: $0) }
    }

    package func finalized() -> [UInt8] { Array(self.hash.finalize()) }
}
#endif
