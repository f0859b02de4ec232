import FormworkCore
import HTTPTypes
import RawStructuredFieldValues

/// `Repr-Digest` and `Content-Digest` (RFC 9530 §2 and §3): digests by algorithm.
package struct DigestField: Sendable, Hashable {
    /// The digests in order; each algorithm appears once.
    package var values: [DigestValue]

    /// Creates a field of these digests.
    package init(_ values: [DigestValue]) { self.values = values }

    /// Reads a field's value; `nil` if it isn't a Dictionary of Byte Sequences, or has no members.
    package init?(_ fieldValue: String) {
        guard let members = StructuredField.dictionary(fieldValue), !members.isEmpty else { return nil }
        self.values = []
        for (key, value) in members {
            guard case .undecodedByteSequence(let text)? = value, let bytes = Base64.decode(text) else {
                return nil
            }
            self.values.append(DigestValue(algorithm: key, bytes: bytes))
        }
    }

    /// `sha-256=:…:, sha-512=:…:`.
    package var fieldValue: String {
        self.values.map { "\($0.algorithm)=:\(Base64.encode($0.bytes)):" }.joined(separator: ", ")
    }

    /// The digest for an algorithm's name in the registry of RFC 9530.
    subscript(algorithm: String) -> [UInt8]? {
        self.values.first { $0.algorithm == algorithm }?.bytes
    }
}

extension HTTPField.Name {
    package static let reprDigest = Self(known: "Repr-Digest")
    package static let contentDigest = Self(known: "Content-Digest")
    package static let wantReprDigest = Self(known: "Want-Repr-Digest")
}
