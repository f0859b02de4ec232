import FormworkCore

/// The algorithms that digest fields may name, by their names in the Hash Algorithms registry of RFC 9530.
package enum DigestAlgorithms {
    private static let all: [any SavableDigest.Type] = [
        SHA256Digest.self, SHA512Digest.self, SHA1Digest.self, MD5Digest.self,
    ]

    /// A digest of no bytes; `nil` for an algorithm that isn't supported.
    package static func digest(named name: String) -> (any SavableDigest)? {
        self.all.first { $0.algorithm == name }?.init()
    }

    /// A digest that was saved; `nil` also for bytes that aren't its saved state.
    package static func digest(named name: String, saved bytes: [UInt8]) -> (any SavableDigest)? {
        self.all.first { $0.algorithm == name }?.init(saved: bytes)
    }
}
