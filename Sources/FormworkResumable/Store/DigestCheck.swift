import FormworkCore

/// Compares a request's content with its announced digests.
struct DigestCheck: Sendable {
    private var running: RunningDigests
    private let announced: [DigestValue]
    /// Whether the digest was in tus' own field.
    let isChecksum: Bool

    /// - Returns: `nil` if no known algorithm was announced: RFC 9530 requires ignoring others.
    /// - Throws: ``UnknownChecksum`` for a tus checksum that can't be verified, and a digest that can't be read.
    init?(_ check: UploadCheck?) throws(UnknownChecksum) {
        guard let check else { return nil }
        guard let digests = check.digests else { throw UnknownChecksum(isChecksum: check.isChecksum) }
        (self.announced, self.isChecksum) = (digests, check.isChecksum)
        self.running = RunningDigests(digests.map(\.algorithm))
        if self.running.isEmpty { return nil }
    }

    struct UnknownChecksum: Error {
        /// Whether it was in tus' own field.
        let isChecksum: Bool
    }

    mutating func update(_ bytes: some BodyChunk) { self.running.update(bytes) }

    var matches: Bool { self.running.values.match(self.announced) }
}

extension [DigestValue] {
    /// Whether none of them differs from an announced one of the same algorithm.
    func match(_ announced: [DigestValue]) -> Bool {
        self.allSatisfy { value in
            announced.allSatisfy { $0.algorithm != value.algorithm || $0.bytes == value.bytes }
        }
    }
}
