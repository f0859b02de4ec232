#if Resumable
import Formwork
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
    /// - Throws: ``UnknownChecksum`` for a tus checksum that can't be verified.
    init?(_ check: UploadCheck?) throws(UnknownChecksum) {
        switch check {
        case nil: return nil
        case .malformedChecksum?: throw UnknownChecksum()
        case .checksum(let value)?:
            self.isChecksum = true
            switch value.algorithm {
            case "sha1": self.digests = [(SHA1Digest(), value.bytes)]
            case "sha256": self.digests = [(SHA256Digest(), value.bytes)]
            default: throw UnknownChecksum()
            }
        case .contentDigest(let field)?:
            self.isChecksum = false
            self.digests = Self.digests(of: field)
            if self.digests.isEmpty { return nil }
        }
    }

    struct UnknownChecksum: Error {}

    private static func digests(of field: DigestField) -> [(digest: any BodyDigest, expected: [UInt8])] {
        field.values.compactMap { value in
            switch value.algorithm {
            case SHA256Digest.algorithm: (SHA256Digest(), value.bytes)
            case SHA512Digest.algorithm: (SHA512Digest(), value.bytes)
            default: nil
            }
        }
    }

    mutating func update(_ bytes: some BodyChunk) {
        for index in self.digests.indices {
            bytes.withBytes { self.digests[index].digest.update($0) }
        }
    }

    var matches: Bool { self.digests.allSatisfy { $0.digest.finalized() == $0.expected } }

    /// Whether a complete upload matches its digest, and the digest that was asked for.
    enum Verdict {
        case right(DigestField?)
        case wrong
    }

    /// Reads all bytes once, if the creation had `Repr-Digest` or `Want-Repr-Digest`.
    static func whole(_ record: UploadRecord, _ content: BodySource) async throws -> Verdict {
        let expected = record.request.headerFields[.reprDigest].flatMap(DigestField.init(_:)) ?? DigestField([])
        var digests: [any BodyDigest] = []
        if expected[SHA256Digest.algorithm] != nil || record.wantedDigests.contains(SHA256Digest.algorithm) {
            digests.append(SHA256Digest())
        }
        if expected[SHA512Digest.algorithm] != nil || record.wantedDigests.contains(SHA512Digest.algorithm) {
            digests.append(SHA512Digest())
        }
        guard !digests.isEmpty else { return .right(nil) }
        let plan = try BodyPlan(copying: content)
        let reader = AsyncBodyReader(try plan.makeReader(options: ReaderOptions(digests: digests)))
        while try await reader.next() != nil { try Task.checkCancellation() }
        let values = await reader.digestValues ?? []
        for value in values {
            if let announced = expected[value.algorithm], announced != value.bytes { return .wrong }
        }
        let wanted = values.filter { record.wantedDigests.contains($0.algorithm) }
        return .right(wanted.isEmpty ? nil : DigestField(wanted))
    }
}
#endif
