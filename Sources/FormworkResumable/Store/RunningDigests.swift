#if Resumable
import FormworkCore
import FormworkDigests

/// Digests of an upload's first bytes, computed while they arrive.
struct RunningDigests: Sendable {
    private var digests: [any BodyDigest]
    /// The number of these bytes. Stays 0 if there is no digest to compute.
    private(set) var count: Int64 = 0

    /// - Parameter algorithms: Names in the registry of RFC 9530. Those that aren't supported are ignored.
    init(_ algorithms: some Sequence<String> = []) {
        self.digests = Set(algorithms).sorted().compactMap(DigestAlgorithms.digest(named:))
    }

    /// Whether there is no digest to compute.
    var isEmpty: Bool { self.digests.isEmpty }

    mutating func update(_ bytes: some BodyChunk) {
        guard !self.isEmpty else { return }
        for index in self.digests.indices {
            bytes.withBytes { self.digests[index].update($0) }
        }
        self.count += Int64(bytes.byteCount)
    }

    /// Begins again at the upload's first byte.
    mutating func reset() {
        self.digests = self.digests.map { type(of: $0).init() }
        self.count = 0
    }

    var values: [DigestValue] {
        self.digests.map { DigestValue(algorithm: type(of: $0).algorithm, bytes: $0.finalized()) }
    }
}

extension UploadRecord {
    /// The digests that the client announced or asked for, when it created the upload.
    var digestAlgorithms: [String] { self.announcedDigests.values.map(\.algorithm) + self.wantedDigests }

    /// The `Repr-Digest` of the creation.
    var announcedDigests: DigestField {
        self.request.headerFields[.reprDigest].flatMap(DigestField.init(_:)) ?? DigestField([])
    }
}
#endif
