#if Resumable
import FormworkCore
import FormworkDigests

/// Digests of an upload's first bytes, computed while they arrive.
struct RunningDigests: Sendable {
    private var digests: [any BodyDigest]
    /// The number of these bytes. Stays 0 if there is no digest to compute.
    private(set) var count: Int64 = 0
    private var mark: (digests: [any BodyDigest], count: Int64)?

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

    /// Sets a mark here, to which ``rewind(to:)`` can return, or removes it.
    mutating func mark(_ isSet: Bool) { self.mark = isSet ? (self.digests, self.count) : nil }

    /// Takes the bytes after `offset` back: returns to the mark, or begins again at the upload's first byte.
    mutating func rewind(to offset: Int64) {
        guard self.count > offset else { return }
        if let mark = self.mark, mark.count <= offset {
            (self.digests, self.count) = mark
        } else {
            self.digests = self.digests.map { type(of: $0).init() }
            self.count = 0
        }
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
