/// Reads a sequence's parts in order, as a ``PartMaker`` makes them, or as they arrive. A part that arrives is requested after
/// the content before it was read.
///
/// Framing and small content are gathered in one reused buffer. What has arrived needs no wait: a small form is one chunk.
final class PartsCursor: SourceCursor {
    /// Gathered bytes are returned when there are this many.
    private static let batch = 32 << 10
    /// A fetched chunk of more bytes isn't copied.
    private static let smallChunk = 4 << 10

    private var maker: PartMaker
    /// Whether making the first part waits for a stream.
    private let waitsFirst: Bool
    private var gathered: [UInt8] = []
    private var used = 0
    /// Content of the part that was made last, not yet opened.
    ///
    /// It is assigned instead of changed in place, as ``gathered`` is: one access in place, and every access to it is
    /// checked for exclusivity at runtime, which took a tenth of the time for small files.
    private var waiting: [PartMaker.Waiting] = []
    private var cursor: (any SourceCursor)?
    /// The last part whose content had to be opened.
    private var current: InnerPart?
    /// Gets the positions of the parts; `nil` for none. Only a cursor that began at 0 can give them.
    var validator: PlanValidator?
    /// The bytes returned so far.
    private var given: Int64 = 0
    /// The parts that arrive; `nil` for parts that are made.
    private let arriving: PartIterator?
    /// Where they stand.
    private let place: PartPath
    /// Whether a part that arrives may be planned and read here.
    private let mayBlock: Bool
    /// Whether the next part has to be waited for.
    private var awaitsPart = false
    /// A part that has arrived and can't be planned here.
    private var unplanned: BodyPart?
    /// An error in parts that arrive. It is thrown after the bytes before it were returned.
    private var failure: FormworkError?

    init(_ parts: PlannedParts, at offset: Int64, mayBlock: Bool) throws(FormworkError) {
        do { self.arriving = try parts.sequence.arrivals?() } catch { throw StreamSource.arrivingParts.named(error) }
        (self.place, self.mayBlock) = (parts.place, mayBlock)
        self.maker = PartMaker(parts, before: offset)
        self.waitsFirst = parts.deferral != nil
        try self.skip(offset - self.maker.offset)
    }

    var isFinished: Bool {
        self.used == self.gathered.count && self.cursor == nil && self.waiting.isEmpty && self.maker.isAtEnd
    }
    var mayWait: Bool {
        guard self.used == self.gathered.count else { return false }
        if self.failure != nil { return true }
        if self.arriving != nil, let chunks = self.cursor as? ChunkCursor {
            return chunks.fetchedCount > Self.smallChunk
        }
        if let cursor = self.cursor { return cursor.mayWait }
        if self.arriving != nil, case .planned(.stream(let stream)) = self.waiting.first, case .chunks = stream.opening
        {
            return false
        }
        if self.arriving == nil, self.waitsFirst, self.maker.walk.index < 0 { return true }
        switch self.waiting.first {
        case .planned(.stream): return true
        case .planned(.encoded(let content)): return content.raw.mayWait
        default: return false
        }
    }
    var needsChunk: Bool {
        self.used == self.gathered.count && self.failure == nil && self.cursor?.needsChunk ?? self.awaitsPart
    }
    var innerPart: InnerPart? {
        if let current = self.current, self.cursor != nil || !self.waiting.isEmpty { return current }
        return InnerPart(reference: self.maker.reference(), position: 0, length: nil)
    }

    func read(into buffer: inout MutableRawSpan) throws(FormworkError) -> Int {
        if let failure { throw failure }
        do throws(FormworkError) {
            let count = try self.readNext(into: &buffer)
            self.given += Int64(count)
            return count
        } catch {
            guard self.arriving != nil else { throw error }
            self.failure = error
            return 0
        }
    }

    private func readNext(into buffer: inout MutableRawSpan) throws(FormworkError) -> Int {
        while true {
            if self.used < self.gathered.count {
                let count = RawBytes.copy(self.gathered, self.used..<self.gathered.count, to: &buffer)
                self.used += count
                return count
            }
            if let cursor = self.cursor {
                if try !self.isReady(cursor) { return 0 }
                let count = try self.naming { () throws(FormworkError) in try cursor.read(into: &buffer) }
                self.current?.position += Int64(count)
                if self.arriving != nil, !cursor.isFinished {
                    // What comes next may be there, too. An error comes after these bytes.
                    do throws(FormworkError) { _ = try self.isReady(cursor) } catch { self.failure = error }
                }
                if cursor.isFinished { self.cursor = nil }
                if count > 0 || self.failure != nil { return count }
            } else if !self.waiting.isEmpty {
                try self.openNext()
                if self.cursor!.isFinished { self.cursor = nil }
                // A large chunk isn't copied behind the part's head.
                if self.arriving != nil, let cursor = self.cursor, try self.isReady(cursor) { return 0 }
            } else if self.maker.isAtEnd || self.awaitsPart || self.failure != nil {
                return 0
            } else {
                try self.gather()
            }
        }
    }

    /// Whether a source can be read, after a chunk that needs no wait was fetched.
    private func isReady(_ cursor: any SourceCursor) throws(FormworkError) -> Bool {
        guard cursor.needsChunk else { return true }
        return try self.naming { () throws(FormworkError) in try (cursor as? ChunkCursor)?.fetchReady() ?? false }
    }

    func takeFetched(upTo limit: Int) -> (any BodyChunk)? {
        guard self.used == self.gathered.count, let chunks = self.cursor as? ChunkCursor,
            chunks.fetchedCount > Self.smallChunk, let chunk = chunks.takeFetched(upTo: limit)
        else { return nil }
        self.given += Int64(chunk.byteCount)
        self.current?.position += Int64(chunk.byteCount)
        return chunk
    }

    func fetch(isolation: isolated (any Actor)?) async throws(FormworkError) {
        if let cursor = self.cursor {
            do throws(FormworkError) { try await cursor.fetch(isolation: isolation) } catch {
                throw error.naming(self.current?.reference)
            }
        } else if let arriving, self.awaitsPart {
            try await self.fetchPart(arriving, isolation: isolation)
        }
    }

    private func fetchPart(_ parts: PartIterator, isolation: isolated (any Actor)?) async throws(FormworkError) {
        let next: BodyPart?
        do {
            next = if let unplanned { unplanned } else { try await parts.next(isolation: isolation) }
            // Many sequences end when the task is cancelled. That isn't the end of the parts.
            if next == nil { try Task.checkCancellation() }
        } catch {
            throw StreamSource.arrivingParts.named(error)
        }
        (self.unplanned, self.awaitsPart) = (nil, false)
        guard let part = next else { return self.maker.end() }
        self.maker.walk.advance()
        let (place, index, mayBlock) = (self.place, self.maker.walk.place, self.mayBlock)
        do throws(FormworkError) {
            let planned =
                part.planningMayBlock(place) && !mayBlock
                ? try await BlockingThread().run { () throws(FormworkError) in
                    try part.planned(place, index, mayBlock: false)
                } : try part.planned(place, index, mayBlock: mayBlock)
            var (bytes, waiting): ([UInt8], [PartMaker.Waiting]) = ([], [])
            self.validator?.base = self.given
            defer { (self.gathered, self.used, self.waiting) = (bytes, 0, waiting) }
            try self.append(planned, to: &bytes, &waiting)
        } catch {
            throw error.naming(self.maker.reference(to: part))
        }
    }

    /// Begins parts that have arrived, until content has to be opened. An error comes after the bytes before it.
    private func gather(
        _ parts: PartIterator, _ bytes: inout [UInt8], _ waiting: inout [PartMaker.Waiting]
    ) throws(FormworkError) {
        do {
            while bytes.count < Self.batch, waiting.isEmpty {
                switch try parts.ready() {
                case .next(let part) where !self.mayBlock && part.planningMayBlock(self.place):
                    (self.unplanned, self.awaitsPart) = (part, true)
                    return
                case .next(let part):
                    self.maker.walk.advance()
                    do throws(FormworkError) {
                        let planned = try part.planned(self.place, self.maker.walk.place, mayBlock: self.mayBlock)
                        try self.append(planned, to: &bytes, &waiting)
                    } catch {
                        throw error.naming(self.maker.reference(to: part))
                    }
                case .end: return self.maker.end()
                case .unknown: return self.awaitsPart = true
                }
            }
        } catch {
            self.failure = StreamSource.arrivingParts.named(error)
        }
    }

    private func append(
        _ planned: (part: BodyPart, sources: [PlannedSource]), to bytes: inout [UInt8],
        _ waiting: inout [PartMaker.Waiting]
    ) throws(FormworkError) {
        let start = bytes.count
        let content = try self.maker.append(planned.part, planned.sources, to: &bytes, &waiting)
        let reference = self.maker.reference(to: planned.part)
        try self.validator?.comes(
            to: reference, planned.part.header, at: start, contentFrom: self.maker.headEnd)
        if !waiting.isEmpty { self.current = InnerPart(reference: reference, position: 0, length: content) }
    }

    var fileCount: Int64 {
        guard self.used == self.gathered.count else { return 0 }
        if let cursor = self.cursor { return cursor.fileCount }
        if case .planned(.file(let file))? = self.waiting.first { return file.length }
        return 0
    }

    var kernelRun: KernelRun? {
        get throws(FormworkError) {
            if self.cursor == nil { try self.openNext() }
            return try self.naming { () throws(FormworkError) in try self.cursor?.kernelRun }
        }
    }

    func advance(by count: Int) throws(FormworkError) {
        try self.naming { () throws(FormworkError) in try self.cursor?.advance(by: count) }
        self.current?.position += Int64(count)
        if self.cursor?.isFinished ?? false { self.cursor = nil }
    }

    func verify() throws(FormworkError) {
        if let cursor = self.cursor { try self.naming { () throws(FormworkError) in try cursor.verify() } }
    }

    private func nextWaiting() -> PartMaker.Waiting {
        // Keeps the array's memory for the next part's content.
        var waiting = self.waiting
        self.waiting = []
        defer { self.waiting = waiting }
        return waiting.removeFirst()
    }

    private func openNext() throws(FormworkError) {
        let source = self.nextWaiting()
        self.cursor = try self.naming { () throws(FormworkError) in
            switch source {
            case .planned(let source): return try source.makeCursor(at: 0)
            case .unseen(let path): return try FileCursor(opening: path)
            }
        }
    }

    /// Makes parts until the batch is full, or content has to be opened.
    private func gather() throws(FormworkError) {
        var (bytes, waiting) = (self.gathered, self.waiting)
        (self.gathered, self.waiting, self.used) = ([], [], 0)
        defer { (self.gathered, self.waiting) = (bytes, waiting) }
        bytes.removeAll(keepingCapacity: true)
        self.validator?.base = self.given
        if let arriving { return try self.gather(arriving, &bytes, &waiting) }
        if let part = try self.maker.gather(Self.batch, into: &bytes, &waiting, self.validator) { self.current = part }
    }

    /// Skips `count` bytes without reading content.
    private func skip(_ count: Int64) throws(FormworkError) {
        var left = count
        while left > 0, let part = try self.maker.next() {
            var bytes: [UInt8] = []
            var waiting: [PartMaker.Waiting] = []
            let content = try self.maker.append(part, to: &bytes, &waiting)
            let head = Int64(bytes.count)
            guard let content, content + head <= left else {
                self.current = InnerPart(reference: self.maker.reference(to: part), position: 0, length: content)
                (self.gathered, self.waiting) = (bytes, waiting)
                self.used = Int(min(head, left))
                return try self.skipInside(left - Int64(self.used))
            }
            left -= content + head
        }
    }

    private func skipInside(_ count: Int64) throws(FormworkError) {
        var left = count
        self.current?.position = count
        while left > 0, case .planned(let source)? = self.waiting.first {
            _ = self.nextWaiting()
            if let length = source.length, length <= left {
                left -= length
            } else {
                let place = left
                self.cursor = try self.naming { () throws(FormworkError) in try source.makeCursor(at: place) }
                left = 0
            }
        }
    }

    private func naming<Result>(_ body: () throws(FormworkError) -> Result) throws(FormworkError) -> Result {
        do throws(FormworkError) { return try body() } catch { throw error.naming(self.current?.reference) }
    }
}

extension PartMaker {
    /// Appends parts until there are `count` bytes, the sequence ends, or a part's content has to be opened. That part
    /// is returned.
    ///
    /// It is here and not in the cursor, so that ``PartsCursor/maker`` is checked for exclusivity only once per batch.
    fileprivate mutating func gather(
        _ count: Int, into bytes: inout [UInt8], _ waiting: inout [Waiting], _ validator: PlanValidator?
    ) throws(FormworkError) -> InnerPart? {
        while bytes.count < count, let part = try self.next() {
            let start = bytes.count
            let content = try self.append(part, to: &bytes, &waiting)
            try validator?.comes(to: self.reference(to: part), part.header, at: start, contentFrom: self.headEnd)
            if !waiting.isEmpty { return InnerPart(reference: self.reference(to: part), position: 0, length: content) }
        }
        return nil
    }
}

extension BodyPart {
    /// Whether ``planned(_:_:mayBlock:)`` asks the disk for anything.
    fileprivate func planningMayBlock(_ place: PartPath) -> Bool {
        self.planningMayBlock || self.isUndecided && place.types.headCount > 0
    }

    /// The part with its type, and the sources of its content.
    fileprivate func planned(
        _ place: PartPath, _ index: Int, mayBlock: Bool
    ) throws(FormworkError) -> (part: BodyPart, sources: [PlannedSource]) {
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
        if content.isSmall { return (part, []) }
        var sources: [PlannedSource] = []
        try resolver.resolve(content) { source throws(FormworkError) in sources.append(source) }
        if !mayBlock, sources.contains(where: \.mayBlock) {
            sources = [.stream(StreamSource(onOtherThread: try BodyPlan(copying: content, resolver: resolver)))]
        }
        return (part, sources)
    }
}

extension StreamSource {
    /// Names parts that arrive. It is never opened.
    static let arrivingParts = StreamSource(
        isReplayable: false, label: "an async sequence of parts", opening: .chunks { _ in ChunkIterator() })

    /// Content that may block, which nothing may do where its part has arrived.
    fileprivate init(onOtherThread plan: BodyPlan) {
        self.init(
            isReplayable: false, label: "the content",
            opening: .chunks { _ in OtherThreadIterator(AsyncBodyReader(plan.makeReader())) })
    }

    /// An error of this stream's source.
    func named(_ error: any Error) -> FormworkError { (error as? FormworkError) ?? self.readError(error) }
}

private final class OtherThreadIterator: ChunkIterator {
    private let reader: AsyncBodyReader

    init(_ reader: AsyncBodyReader) { self.reader = reader }

    override func next(isolation: isolated (any Actor)?) async throws -> (any BodyChunk)? {
        do { return try await self.reader.next() } catch let error as FormworkError { throw error.withoutPlace }
    }
}
