import FormworkCore

/// Parts of an async sequence that are framed as they arrive, such as those of a form that is forwarded.
struct ArrivingParts: Sendable {
    let identity = Identity()
    private let open: @Sendable (PartFramer, FormPlace, PartReference) throws -> ChunkIterator

    /// - Parameter open: Begins to read the parts, once.
    init(_ open: @escaping @Sendable (PartFramer, FormPlace, PartReference) throws -> ChunkIterator) {
        self.open = open
    }

    /// The parts and their framing as one stream of bytes.
    func framed(by framer: PartFramer, place: FormPlace, first: PartReference) -> StreamSource {
        StreamSource(
            length: nil, isReplayable: false, label: "an async sequence of parts",
            opening: .chunks { [open] _ in try open(framer, place, first) })
    }
}
