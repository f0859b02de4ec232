/// Reads a sequence's parts in order, as a ``PartMaker`` makes them.
///
/// Framing and small content are gathered in one reused buffer.
final class PartsCursor: SourceCursor, PartLogging {
    /// Gathered bytes are returned when there are this many.
    private static let batch = 32 << 10

    private var maker: PartMaker
    /// Whether making the first part waits for a stream.
    private let waitsFirst: Bool
    private var gathered: [UInt8] = []
    private var used = 0
    /// Content of the part that was made last, not yet opened.
    ///
    /// It is assigned instead of changed in place, as ``gathered`` is. Otherwise every access to it is checked for
    /// exclusivity at runtime, which took a tenth of the time for small files.
    private var waiting: [PartMaker.Waiting] = []
    private var cursor: (any SourceCursor)?
    /// The last part whose content had to be opened.
    private var current: InnerPart?
    /// The log of part positions; `nil` for none. Only a cursor that began at 0 can fill it.
    var log: PartLog?
    /// The bytes returned so far.
    private var given: Int64 = 0

    init(_ parts: PlannedParts, at offset: Int64) throws(FormworkError) {
        self.maker = PartMaker(parts, before: offset)
        self.waitsFirst = parts.deferral != nil
        try self.skip(offset - self.maker.offset)
    }

    var isFinished: Bool {
        self.used == self.gathered.count && self.cursor == nil && self.waiting.isEmpty && self.maker.isAtEnd
    }
    var mayWait: Bool {
        guard self.used == self.gathered.count else { return false }
        if let cursor = self.cursor { return cursor.mayWait }
        if self.waitsFirst, self.maker.isAtStart { return true }
        switch self.waiting.first {
        case .planned(.stream): return true
        case .planned(.encoded(let content)): return content.raw.mayWait
        default: return false
        }
    }
    var needsChunk: Bool { self.used == self.gathered.count && self.cursor?.needsChunk ?? false }
    var innerPart: InnerPart? {
        if let current = self.current, self.cursor != nil || !self.waiting.isEmpty { return current }
        return InnerPart(reference: self.maker.reference(), position: 0, length: nil)
    }
    /// The current source's chunks.
    var chunkCursor: ChunkCursor? { self.cursor?.chunkCursor }

    func read(into buffer: inout MutableRawSpan) throws(FormworkError) -> Int {
        let count = try self.readNext(into: &buffer)
        self.given += Int64(count)
        return count
    }

    private func readNext(into buffer: inout MutableRawSpan) throws(FormworkError) -> Int {
        while true {
            if self.used < self.gathered.count {
                let count = RawBytes.copy(self.gathered, self.used..<self.gathered.count, to: &buffer)
                self.used += count
                return count
            }
            if let cursor = self.cursor {
                if cursor.needsChunk { return 0 }
                let count = try self.naming { () throws(FormworkError) in try cursor.read(into: &buffer) }
                self.current?.position += Int64(count)
                if cursor.isFinished { self.cursor = nil }
                if count > 0 || cursor.needsChunk { return count }
            } else if !self.waiting.isEmpty {
                try self.openNext()
                if self.cursor!.isFinished { self.cursor = nil }
                if self.cursor?.needsChunk ?? false { return 0 }
            } else if self.maker.isAtEnd {
                return 0
            } else {
                try self.gather()
            }
        }
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
        self.log?.base = self.given
        if let part = try self.maker.gather(Self.batch, into: &bytes, &waiting, self.log) { self.current = part }
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
        _ count: Int, into bytes: inout [UInt8], _ waiting: inout [Waiting], _ log: PartLog?
    ) throws(FormworkError) -> InnerPart? {
        while bytes.count < count, let part = try self.next() {
            let start = bytes.count
            let content = try self.append(part, to: &bytes, &waiting)
            log?.add(part.header, self.reference(to: part), start, contentFrom: self.headEnd)
            if !waiting.isEmpty { return InnerPart(reference: self.reference(to: part), position: 0, length: content) }
        }
        return nil
    }
}
