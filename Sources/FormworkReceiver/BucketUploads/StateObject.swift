import FormworkResumable

/// The object with an upload's state, as one receiver changes it: one change after another, and each only if no other
/// receiver has changed the state in the meantime.
///
/// It belongs to one ``BucketContent``, and is used on that actor only.
final class StateObject {
    private let uploads: BucketUploads
    private let name: String
    private(set) var state: BucketState
    /// The state's entity tag.
    private var tag: String
    /// The bytes when the upload was opened, or last cut.
    var opened: BucketState.Mark
    /// The error after which no change is made.
    var failure: (any Error)?
    /// What makes files, and isn't in the state yet.
    private var unnoted: Set<BucketState.Placing> = []
    private let changing = Gate()

    init(_ name: String, in uploads: BucketUploads, _ state: BucketState, tag: String) {
        (self.name, self.uploads, self.state, self.tag) = (name, uploads, state, tag)
        self.opened = BucketState.Mark(state.bytes)
    }

    /// Writes the next version of the state, and removes the pieces that it doesn't need any more.
    /// - Parameter isNeeded: Asked when it is this change's turn.
    /// - Throws: ``UploadIsBusy`` if another receiver has changed it; ``S3Error``; `CancellationError`.
    func change(
        removesPieces: Bool = true, if isNeeded: () -> Bool = { true }, _ body: (inout BucketState) -> Void
    ) async throws {
        // One at a time: another of this receiver would seem to be another receiver's.
        await self.changing.enter()
        defer { self.changing.leave() }
        if let failure { throw failure }
        guard isNeeded() else { return }
        var next = self.state.changed()
        // Only the bytes of the moment when this receiver began may have to be restored.
        next.mark = self.opened
        body(&next)
        let old = self.state.keys
        let client = self.uploads.client
        let tag = try await client.put(
            next.encoded(), key: self.uploads.key(self.name, .state), if: self.uploads.current(self.tag))
        guard let tag else { throw UploadIsBusy() }
        (self.state, self.tag) = (next, tag)
        guard removesPieces else { return }
        // If this fails, they go with the upload.
        for key in old.subtracting(next.keys) { try? await client.delete(key, versionID: nil) }
    }

    /// Whether no other receiver has changed the state.
    func isCurrent() async throws -> Bool {
        try await self.uploads.client.get(self.uploads.key(self.name, .state))?.tag == self.tag
    }

    // MARK: What makes files

    /// Makes sure that this receiver still has the upload, and notes what makes a file. One change notes all that have come
    /// before it begins.
    func note(_ placing: BucketState.Placing) async throws {
        self.unnoted.insert(placing)
        var noted: Set<BucketState.Placing> = []
        try await self.change {
            self.unnoted.contains(placing)
        } _: { state in
            noted = self.unnoted
            state.placings = (state.placings ?? []).filter { !noted.contains($0) } + noted
        }
        // One that came after the change had begun needs a change of its own, because another receiver may have taken the
        // upload since.
        self.unnoted.subtract(noted)
    }

    /// Ends what a receiver began that processed the upload before.
    /// - Returns: The keys under which another has made the file of the whole upload, perhaps. They stay noted until this
    ///   one makes it.
    func endPlacings() async throws -> [String] {
        let client = self.uploads.client
        let placings = self.state.placings ?? []
        for placing in placings {
            if let upload = placing.upload { _ = try await client.abortUpload(placing.key, id: upload) }
        }
        // A receiver that was overtaken must not process it as well. Its files are removed only after that, and noted
        // until then.
        try await self.change { _ in }
        // Their uploads are aborted, so only the key counts. Each failed try leaves another one.
        var keys: Set<String> = []
        let whole = placings.filter { $0.marker == nil && keys.insert($0.key).inserted }
        if whole.count < placings.count {
            for placing in placings where placing.marker != nil {
                guard let object = try await client.head(placing.key), object.marker == placing.marker else { continue }
                try await client.delete(placing.key, versionID: object.versionID)
            }
            let ended = Set(placings).subtracting(whole)
            try await self.change { state in state.removePlacings { ended.contains($0) } }
        }
        return whole.map(\.key)
    }
}
