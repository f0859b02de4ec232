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

extension DigestField {
    /// The algorithms that a `Want-Repr-Digest` or `Want-Content-Digest` asks for (RFC 9530 §4), the most preferred
    /// first; those with a preference of 0 are left out. Empty if the value can't be read.
    static func wanted(_ fieldValue: String) -> [String] {
        guard let members = StructuredField.dictionary(fieldValue) else { return [] }
        var wanted: [(algorithm: String, preference: Int64)] = []
        for (key, value) in members {
            guard case .integer(let preference)? = value, (0...10).contains(preference) else { return [] }
            if preference > 0 { wanted.append((key, preference)) }
        }
        return wanted.enumerated().sorted {
            ($1.element.preference, $0.offset) < ($0.element.preference, $1.offset)
        }.map(\.element.algorithm)
    }
}

extension HTTPField.Name {
    package static let reprDigest = Self(known: "Repr-Digest")
    package static let contentDigest = Self(known: "Content-Digest")
    package static let wantReprDigest = Self(known: "Want-Repr-Digest")
}
