import FormworkCore
import FormworkDigests
import FormworkHTTP
import HTTPTypes

/// Compares content with its announced digests.
struct DigestCheck: Sendable {
    private var digests: [(digest: any BodyDigest, expected: [UInt8])] = []
    /// Whether the digest was in tus' own field.
    let isChecksum: Bool

    /// Creates the check of a request's content.
    /// - Returns: `nil` if no known algorithm was announced: RFC 9530 requires ignoring others.
    /// - Throws: ``UnknownChecksum`` for a tus checksum that can't be verified, and a digest that can't be read.
    init?(_ check: UploadCheck?) throws(UnknownChecksum) {
        switch check {
        case nil: return nil
        case .malformedChecksum?: throw UnknownChecksum(isChecksum: true)
        case .malformedDigest?: throw UnknownChecksum(isChecksum: false)
        case .checksum(let value)?:
            self.isChecksum = true
            // tus has names of its own for two of the algorithms.
            let names = ["sha1": SHA1Digest.algorithm, "sha256": SHA256Digest.algorithm]
            guard let name = names[value.algorithm], let digest = DigestAlgorithms.digest(named: name) else {
                throw UnknownChecksum(isChecksum: true)
            }
            self.digests = [(digest, value.bytes)]
        case .contentDigest(let field)?:
            self.isChecksum = false
            self.digests = Self.digests(of: field)
            if self.digests.isEmpty { return nil }
        }
    }

    struct UnknownChecksum: Error {
        /// Whether it was in tus' own field.
        let isChecksum: Bool
    }

    private static func digests(of field: DigestField) -> [(digest: any BodyDigest, expected: [UInt8])] {
        field.values.compactMap { value in
            DigestAlgorithms.digest(named: value.algorithm).map { ($0, value.bytes) }
        }
    }

    mutating func update(_ bytes: some BodyChunk) {
        for index in self.digests.indices {
            bytes.withBytes { self.digests[index].digest.update($0) }
        }
    }

    var matches: Bool { self.digests.allSatisfy { $0.digest.finalized() == $0.expected } }

    /// Whether a complete upload matches its digest, and the digest that was asked for.
    enum Verdict: Equatable {
        case right(DigestField?)
        case wrong
    }

    /// Compares a complete upload with the `Repr-Digest` of its creation.
    /// - Parameter values: The digests of all its bytes.
    static func whole(_ record: UploadRecord, _ values: [DigestValue]) -> Verdict {
        let expected = record.announcedDigests
        for value in values {
            if let announced = expected[value.algorithm], announced != value.bytes { return .wrong }
        }
        let wanted = values.filter { record.wantedDigests.contains($0.algorithm) }
        return .right(wanted.isEmpty ? nil : DigestField(wanted))
    }
}
