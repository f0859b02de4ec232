import FormworkCore
import FormworkDigests
import HTTPTypes

/// Digests of an upload's first bytes, and the places of a form's files in them, found while they arrive.
struct RunningDigests: Sendable {
    private struct State: Sendable {
        var digests: [any BodyDigest]
        var form: FormMapper?
        /// The number of these bytes. Stays 0 if nothing is to be computed.
        var count: Int64 = 0
    }

    private var state: State
    /// Before the first byte.
    private let empty: State
    private var mark: State?

    /// - Parameters:
    ///   - algorithms: Names in the registry of RFC 9530. Those that aren't supported are ignored.
    ///   - form: Finds a form's files; `nil` if it isn't a form, or they aren't wanted.
    init(_ algorithms: some Sequence<String> = [], form: FormMapper? = nil) {
        self.empty = State(
            digests: Set(algorithms).sorted().compactMap(DigestAlgorithms.digest(named:)), form: form)
        self.state = self.empty
    }

    var count: Int64 { self.state.count }
    /// What was found of a form in these bytes.
    var form: FormMapper? { self.state.form }
    /// Whether there is nothing to compute.
    var isEmpty: Bool { self.empty.digests.isEmpty && self.empty.form == nil }

    mutating func update(_ bytes: some BodyChunk) {
        guard !self.isEmpty else { return }
        bytes.withBytes { bytes in
            for index in self.state.digests.indices { self.state.digests[index].update(bytes) }
            self.state.form?.update(bytes)
        }
        self.state.count += Int64(bytes.byteCount)
    }

    /// Sets a mark here, to which ``rewind(to:)`` can return, or removes it.
    mutating func mark(_ isSet: Bool) { self.mark = isSet ? self.state : nil }

    /// Takes the bytes after `offset` back: returns to the mark, or begins again at the upload's first byte.
    mutating func rewind(to offset: Int64) {
        guard self.count > offset else { return }
        self.state = self.mark.flatMap { $0.count <= offset ? $0 : nil } ?? self.empty
    }

    var values: [DigestValue] {
        self.state.digests.map { DigestValue(algorithm: type(of: $0).algorithm, bytes: $0.finalized()) }
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
