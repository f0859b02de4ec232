import FormworkCore

/// Parts of an async sequence that are framed as they come: of a form that arrives while it is sent on.
struct ArrivingParts: Sendable {
    let identity = Identity()
    private let open: @Sendable (PartFramer, FormPlace, PartReference) throws -> ChunkIterator

    init<Parts: AsyncSequence & Sendable>(_ parts: Parts) where Parts.Element == BodyPart {
        let once = OneShot(parts)
        self.open = { framer, place, first in
            FramedPartsIterator(try once.take().makeAsyncIterator(), framer, place, first)
        }
    }

    /// The parts and their framing as one stream of bytes.
    func framed(by framer: PartFramer, place: FormPlace, first: PartReference) -> StreamSource {
        StreamSource(
            length: nil, isReplayable: false, label: "an async sequence of parts",
            opening: .chunks { [open] _ in try open(framer, place, first) })
    }
}

/// Asks for a part when the one before has been given, and holds a chunk of it at most.
final class FramedPartsIterator<Parts: AsyncIteratorProtocol>: ChunkIterator, PartLogging
where Parts.Element == BodyPart {
    /// Bytes of a chunk of content that needn't be waited for, beside the part's head.
    private static var chunkSize: Int { 64 << 10 }

    private var parts: Parts
    private let framer: PartFramer
    private let place: FormPlace
    /// The part that comes next, or is being given.
    private var part: PartReference
    private var count = 0
    /// The content of the part that is being given.
    private var content: BodyReader?
    /// Bytes given.
    private var given: Int64 = 0
    var log: PartLog?

    init(_ parts: Parts, _ framer: PartFramer, _ place: FormPlace, _ first: PartReference) {
        (self.parts, self.framer, self.place, self.part) = (parts, framer, place, first)
    }

    override func next(isolation: isolated (any Actor)?) async throws -> [UInt8]? {
        var bytes: [UInt8] = []
        while true {
            if let content = self.content {
                let needsChunk = try self.fill(&bytes, from: content)
                if !bytes.isEmpty {
                    self.given += Int64(bytes.count)
                    return bytes
                }
                if needsChunk {
                    do throws(FormworkError) {
                        try await content.fetchChunk(isolation: isolation)
                    } catch {
                        throw error.withoutPlace.naming(self.part)
                    }
                } else {
                    self.content = nil
                }
            } else if let part = try await self.parts.next(isolation: isolation) {
                bytes = try self.begin(part)
            } else {
                return nil
            }
        }
    }

    /// Begins a part.
    /// - Returns: Its delimiter and header section.
    private func begin(_ part: BodyPart) throws(FormworkError) -> [UInt8] {
        var part = part
        self.part.index += self.count > 0 ? 1 : 0
        self.part.name = part.header.name
        self.count += 1
        do throws(FormworkError) {
            let resolver = SourceResolver(place: self.place, part: self.part.index)
            if part.isUndecided {
                if self.place.types.headCount > 0 {
                    try part.decideTypeByLooking(self.place.types, resolver)
                } else {
                    part.decideType(by: self.place.types, head: nil)
                }
            }
            try part.takeMultipartType()
            var bytes: [UInt8] = []
            try self.framer.appendHead(of: part.header, isFirst: self.part.index == 0, to: &bytes)
            self.log?.base = self.given
            self.log?.add(part.header, self.part, 0, contentFrom: bytes.count)
            self.content = try BodyPlan(copying: part.content, resolver: resolver).makeReader()
            return bytes
        } catch {
            throw error.naming(self.part)
        }
    }

    /// Appends what is there of the content.
    /// - Returns: Whether a chunk has to be waited for.
    private func fill(_ bytes: inout [UInt8], from content: BodyReader) throws(FormworkError) -> Bool {
        do throws(FormworkError) {
            var needsChunk = false
            try bytes.append(upTo: Self.chunkSize) { room throws(FormworkError) in
                let step = try content.fill(&room)
                needsChunk = step.needsChunk
                return step.count
            }
            return needsChunk
        } catch {
            throw error.withoutPlace.naming(self.part)
        }
    }
}
