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

/// A type-erased iterator of parts. It belongs to one reader.
class PartIterator {
    func next(isolation: isolated (any Actor)?) async throws -> BodyPart? { nil }
    /// What ``next(isolation:)`` returns if it needn't wait.
    func ready() throws -> ReadyStep<BodyPart> { .unknown }
}

/// The iterator of a sequence of parts.
final class SequencePartIterator<Iterator: AsyncIteratorProtocol>: PartIterator where Iterator.Element == BodyPart {
    private var iterator: Iterator

    init(_ iterator: Iterator) { self.iterator = iterator }

    override func next(isolation: isolated (any Actor)?) async throws -> BodyPart? {
        try await self.iterator.next(isolation: isolation)
    }
}
