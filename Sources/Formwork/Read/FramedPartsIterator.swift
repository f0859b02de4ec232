import FormworkCore

extension ArrivingParts {
    /// The parts of a sequence.
    init<Parts: AsyncSequence & Sendable>(_ parts: Parts) where Parts.Element == BodyPart {
        let once = OneShot(parts)
        self.init { framer, place, first in
            FramedPartsIterator(try once.take().makeAsyncIterator(), framer, place, first)
        }
    }
}

/// Requests a part after the previous one was returned, and holds at most one chunk of it.
final class FramedPartsIterator<Parts: AsyncIteratorProtocol>: ChunkIterator, PartLogging
where Parts.Element == BodyPart {
    /// The most bytes of content that are returned at once, after the part's head.
    private static var chunkSize: Int { 64 << 10 }

    private var parts: Parts
    private let framer: PartFramer
    private let place: FormPlace
    /// The current or next part.
    private var part: PartReference
    private var count = 0
    /// The content of the current part.
    private var content: BodyReader?
    /// The bytes returned so far.
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

    /// Appends the available content.
    /// - Returns: Whether the caller has to wait for a chunk.
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
