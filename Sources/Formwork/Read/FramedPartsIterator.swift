extension ArrivingParts {
    /// The parts of a sequence.
    /// - Parameter iterator: Begins to read them, once.
    init<Parts: AsyncSequence & Sendable>(
        _ parts: Parts, _ iterator: @escaping @Sendable (Parts.AsyncIterator) -> PartIterator
    ) {
        let once = OneShot(parts)
        self.init { framer, place, first in
            FramedPartsIterator(iterator(try once.take().makeAsyncIterator()), framer, place, first)
        }
    }
}

/// Frames parts as they arrive. A part is requested after the content before it was read.
///
/// What needs no wait is gathered: a small form that has arrived is one chunk.
final class FramedPartsIterator: ChunkIterator, PartLogging {
    /// No more bytes are gathered when there are this many.
    private static var batch: Int { 64 << 10 }
    /// A chunk of more bytes isn't copied.
    private static var smallChunk: Int { 4 << 10 }

    private enum State {
        case betweenParts
        /// Beginning this part may block.
        case unbegun(BodyPart)
        /// The chunks of a part's content.
        case chunks(ChunkCursor)
        /// Another content, which is read here.
        case here(BodyReader)
        /// Another content. It may block, which nothing may do where this iterator runs.
        case elsewhere(AsyncBodyReader)
        case ended
        case failed(any Error)
    }

    private let parts: PartIterator
    private let framer: PartFramer
    private let place: PartPath
    /// The current or next part.
    private var part: PartReference
    private var count = 0
    private var state = State.betweenParts
    /// The bytes returned so far.
    private var given: Int64 = 0
    var log: PartLog?

    init(_ parts: PartIterator, _ framer: PartFramer, _ place: PartPath, _ first: PartReference) {
        (self.parts, self.framer, self.place, self.part) = (parts, framer, place, first)
    }

    override func next(isolation: isolated (any Actor)?) async throws -> (any BodyChunk)? {
        var bytes: [UInt8] = []
        while true {
            switch try self.gather(&bytes) {
            case .next(let chunk):
                self.given += Int64(chunk.byteCount)
                return chunk
            case .end: return nil
            case .unknown: try await self.wait(isolation: isolation, &bytes)
            }
        }
    }

    // MARK: - What needs no wait

    /// Appends what is there. An error comes after the bytes before it.
    /// - Returns: The bytes, or a chunk that isn't copied.
    private func gather(_ bytes: inout [UInt8]) throws -> ReadyStep<any BodyChunk> {
        do {
            gathering: while bytes.count < Self.batch {
                switch self.state {
                case .betweenParts:
                    switch try self.parts.ready() {
                    case .next(let part) where part.planningMayBlock(self.place): self.state = .unbegun(part)
                    case .next(let part): try self.begin(part, &bytes)
                    case .end: self.state = .ended
                    case .unknown: break gathering
                    }
                case .chunks(let cursor):
                    if let chunk = cursor.takeFetched(upTo: bytes.isEmpty ? .max : Self.smallChunk) {
                        if chunk.byteCount > Self.smallChunk { return .next(chunk) }
                        chunk.withBytes { bytes.append($0, 0..<$0.byteCount) }
                    } else if cursor.isFinished {
                        self.state = .betweenParts
                    } else if try !self.fetch(cursor) {
                        break gathering
                    }
                case .here(let reader): if try !self.read(reader, &bytes) { break gathering }
                case .ended:
                    if bytes.isEmpty { return .end }
                    break gathering
                case .failed(let error): throw error
                case .unbegun, .elsewhere: break gathering
                }
            }
        } catch {
            self.state = .failed(error)
            if bytes.isEmpty { throw error }
        }
        return bytes.isEmpty ? .unknown : .next(bytes)
    }

    /// Fetches a chunk that is there.
    /// - Returns: Whether it did. A large chunk has to be returned first.
    private func fetch(_ cursor: ChunkCursor) throws(FormworkError) -> Bool {
        guard cursor.needsChunk else { return false }
        do throws(FormworkError) { return try cursor.fetchReady() } catch { throw error.naming(self.part) }
    }

    /// Appends content that is there, or ends the part.
    /// - Returns: Whether to continue.
    private func read(_ reader: BodyReader, _ bytes: inout [UInt8]) throws(FormworkError) -> Bool {
        if reader.awaitsChunk || !bytes.isEmpty && reader.mayWait { return false }
        let (before, length) = (bytes.count, reader.plan.contentLength ?? .max)
        var needsChunk = false
        let room = Int(max(1, min(length, Int64(Self.batch - before))))
        do throws(FormworkError) {
            try bytes.append(upTo: room) { room throws(FormworkError) in
                let step = try reader.fill(&room)
                needsChunk = step.needsChunk
                return step.count
            }
        } catch {
            throw error.withoutPlace.naming(self.part)
        }
        if bytes.count == before, !needsChunk { self.state = .betweenParts }
        return true
    }

    /// Begins a part that needn't look at the disk.
    private func begin(_ part: BodyPart, _ bytes: inout [UInt8]) throws(FormworkError) {
        self.count(part)
        do throws(FormworkError) {
            try self.begin(try part.planned(self.place, self.part.index), mayBlock: false, &bytes)
        } catch {
            throw error.naming(self.part)
        }
    }

    private func count(_ part: BodyPart) {
        self.part.index += self.count > 0 ? 1 : 0
        self.part.name = part.header.name
        self.count += 1
    }

    /// Appends a part's delimiter and header section, and begins its content.
    private func begin(
        _ planned: (part: BodyPart, content: PlannedContent), mayBlock: Bool, _ bytes: inout [UInt8]
    ) throws(FormworkError) {
        let start = bytes.count
        do throws(FormworkError) {
            try self.framer.appendHead(of: planned.part.header, isFirst: self.part.index == 0, to: &bytes)
        } catch {
            bytes.removeLast(bytes.count - start)
            throw error
        }
        self.log?.base = self.given
        self.log?.add(planned.part.header, self.part, start, contentFrom: bytes.count)
        switch planned.content {
        case .chunks(let stream):
            let cursor = try PlannedSource.stream(stream).makeCursor(at: 0).chunkCursor
            if let cursor { self.state = .chunks(cursor) }
        case .plan(let plan) where plan.mayBlock && !mayBlock:
            self.state = .elsewhere(AsyncBodyReader(plan.makeReader()))
        case .plan(let plan): self.state = .here(plan.makeReader())
        }
    }

    // MARK: - What waits

    /// Waits for what ``gather(_:)`` lacks.
    private func wait(isolation: isolated (any Actor)?, _ bytes: inout [UInt8]) async throws {
        switch self.state {
        case .betweenParts:
            guard let part = try await self.parts.next(isolation: isolation) else { return self.state = .ended }
            try await self.begin(part, isolation: isolation, &bytes)
        case .unbegun(let part):
            try await self.begin(part, isolation: isolation, &bytes)
        case .chunks(let cursor):
            do throws(FormworkError) { try await cursor.fetch(isolation: isolation) } catch {
                throw error.naming(self.part)
            }
        case .here(let reader):
            do throws(FormworkError) { try await reader.fetchChunk(isolation: isolation) } catch {
                throw error.withoutPlace.naming(self.part)
            }
        case .elsewhere(let reader):
            do {
                guard let chunk = try await reader.next() else { return self.state = .betweenParts }
                bytes = chunk
            } catch let error as FormworkError {
                throw error.withoutPlace.naming(self.part)
            }
        case .ended, .failed: break
        }
    }

    /// Begins a part. It is planned on another thread if that looks at the disk and nothing may block here.
    private func begin(
        _ part: BodyPart, isolation: isolated (any Actor)?, _ bytes: inout [UInt8]
    ) async throws(FormworkError) {
        self.count(part)
        let mayBlock = !(isolation is PoolReader)
        let (place, index) = (self.place, self.part.index)
        do throws(FormworkError) {
            let planned =
                part.planningMayBlock(place) && !mayBlock
                ? try await BlockingThread().run { () throws(FormworkError) in try part.planned(place, index) }
                : try part.planned(place, index)
            try self.begin(planned, mayBlock: mayBlock, &bytes)
        } catch {
            throw error.naming(self.part)
        }
    }
}

/// How a part's content is read.
private enum PlannedContent: Sendable {
    /// The chunks of an async sequence, as they are.
    case chunks(StreamSource)
    case plan(BodyPlan)
}

extension BodyPart {
    /// Whether ``planned(_:_:)`` asks the disk for anything.
    fileprivate func planningMayBlock(_ place: PartPath) -> Bool {
        self.planningMayBlock || self.isUndecided && place.types.headCount > 0
    }

    /// The part with its type, and its content.
    fileprivate func planned(_ place: PartPath, _ index: Int) throws(FormworkError) -> (BodyPart, PlannedContent) {
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
        let content = part.content
        if case .stream(let stream) = content.kind, case .chunks = stream.opening { return (part, .chunks(stream)) }
        return (part, .plan(try BodyPlan(copying: content, resolver: resolver)))
    }
}
