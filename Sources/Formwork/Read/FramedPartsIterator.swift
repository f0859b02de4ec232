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

    /// How a part's content is read.
    private enum Content {
        case none
        case here(BodyReader)
        /// It may block, which nothing may do where this iterator runs.
        case elsewhere(AsyncBodyReader)
    }

    private var parts: Parts
    private let framer: PartFramer
    private let place: FormPlace
    /// The current or next part.
    private var part: PartReference
    private var count = 0
    /// The content of the current part.
    private var content = Content.none
    /// The bytes returned so far.
    private var given: Int64 = 0
    var log: PartLog?

    init(_ parts: Parts, _ framer: PartFramer, _ place: FormPlace, _ first: PartReference) {
        (self.parts, self.framer, self.place, self.part) = (parts, framer, place, first)
    }

    override func next(isolation: isolated (any Actor)?) async throws -> (any BodyChunk)? {
        while true {
            switch self.content {
            case .none:
                guard let part = try await self.parts.next(isolation: isolation) else { return nil }
                return self.give(try await self.begin(part, isolation: isolation))
            case .here(let reader):
                if let chunk = try await self.next(of: reader, isolation: isolation) { return self.give(chunk) }
            case .elsewhere(let reader):
                do {
                    if let bytes = try await reader.next() { return self.give(bytes) }
                } catch let error as FormworkError {
                    throw error.withoutPlace.naming(self.part)
                }
            }
            self.content = .none
        }
    }

    private func give(_ chunk: any BodyChunk) -> any BodyChunk {
        self.given += Int64(chunk.byteCount)
        return chunk
    }

    /// The next bytes of a content; `nil` at its end.
    private func next(
        of content: BodyReader, isolation: isolated (any Actor)?
    ) async throws(FormworkError) -> (any BodyChunk)? {
        do throws(FormworkError) {
            while true {
                if let chunk = try content.takeChunk() { return chunk }
                if content.isExhausted { return nil }
                if !content.awaitsChunk {
                    var bytes: [UInt8] = []
                    let needsChunk = try Self.fill(&bytes, upTo: Self.chunkSize, from: content)
                    if !bytes.isEmpty { return bytes }
                    guard needsChunk else { return nil }
                }
                try await content.fetchChunk(isolation: isolation)
            }
        } catch {
            throw error.withoutPlace.naming(self.part)
        }
    }

    /// Appends content that needn't be waited for.
    /// - Returns: Whether the rest has to be waited for.
    private static func fill(
        _ bytes: inout [UInt8], upTo count: Int, from content: BodyReader
    ) throws(FormworkError) -> Bool {
        var needsChunk = false
        try bytes.append(upTo: count) { room throws(FormworkError) in
            let step = try content.fill(&room)
            needsChunk = step.needsChunk
            return step.count
        }
        return needsChunk
    }

    /// Begins a part.
    /// - Returns: Its delimiter and header section, and content that is there.
    private func begin(
        _ part: BodyPart, isolation: isolated (any Actor)?
    ) async throws(FormworkError) -> [UInt8] {
        self.part.index += self.count > 0 ? 1 : 0
        self.part.name = part.header.name
        self.count += 1
        do throws(FormworkError) {
            let (place, index) = (self.place, self.part.index)
            let mayBlock = !(isolation is PoolReader)
            let looks = part.asksTheDisk || part.isUndecided && place.types.headCount > 0
            let (planned, plan) =
                looks && !mayBlock
                ? try await BlockingThread().run { () throws(FormworkError) in try part.planned(place, index) }
                : try part.planned(place, index)
            var bytes: [UInt8] = []
            try self.framer.appendHead(of: planned.header, isFirst: index == 0, to: &bytes)
            self.log?.base = self.given
            self.log?.add(planned.header, self.part, 0, contentFrom: bytes.count)
            guard !plan.mayBlock || mayBlock else {
                self.content = .elsewhere(AsyncBodyReader(plan.makeReader()))
                return bytes
            }
            let reader = plan.makeReader()
            self.content = .here(reader)
            // Little room for a content of unknown length: this only begins to read it.
            let count = Int(min(plan.contentLength ?? (plan.mayBlock ? 0 : 64), Int64(Self.chunkSize)))
            if count > 0 {
                do throws(FormworkError) { _ = try Self.fill(&bytes, upTo: count, from: reader) } catch {
                    throw error.withoutPlace
                }
            }
            return bytes
        } catch {
            throw error.naming(self.part)
        }
    }
}

extension BodyPart {
    /// The part with its type, and its content's plan.
    fileprivate func planned(_ place: FormPlace, _ index: Int) throws(FormworkError) -> (BodyPart, BodyPlan) {
        var part = self
        let resolver = SourceResolver(place: place, part: index)
        if part.isUndecided {
            if place.types.headCount > 0 {
                try part.decideTypeByLooking(place.types, resolver)
            } else {
                part.decideType(by: place.types, head: nil)
            }
        }
        try part.takeMultipartType()
        return (part, try BodyPlan(copying: part.content, resolver: resolver))
    }
}
