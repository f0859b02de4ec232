import FormworkCore
import SystemPackage

/// Makes a sequence's parts again and reads them one behind the other.
///
/// Framing and small content are gathered in one buffer that is used over and over. What comes is compared with what
/// planning saw at every mark, and never goes beyond it.
final class PartsCursor: SourceCursor {
    /// A source whose turn comes: one that planning saw, or one that is looked at when it is opened.
    private enum Waiting {
        case planned(PlannedSource)
        case unseen(FilePath)
    }

    /// Gathered bytes are handed out when there are this many.
    private static let batch = 32 << 10

    private let parts: PlannedParts
    private var walk: PartWalk
    /// Bytes of the sequence before the next part to be made.
    private var offset: Int64
    private var filesSeen: Int
    private var gathered: [UInt8] = []
    private var used = 0
    /// Content of the part that was made last, not yet begun.
    private var waiting: [Waiting] = []
    private var cursor: (any SourceCursor)?
    /// The part whose content had to be opened last.
    private var current: InnerPart?
    private var madeAll = false

    init(_ parts: PlannedParts, at offset: Int64) throws(FormworkError) {
        self.parts = parts
        let number = max(0, parts.marks.partitioningIndex { $0.offset > offset || $0.offset < 0 } - 1)
        let mark = parts.isMeasured ? parts.marks[number] : PlannedParts.Mark(offset: 0, files: 0)
        self.walk = PartWalk(
            parts.sequence, framer: parts.framer, from: number * PlannedParts.stride, firstIndex: parts.firstIndex)
        self.offset = mark.offset
        self.filesSeen = mark.files
        try self.skip(offset - self.offset)
    }

    var isFinished: Bool {
        self.madeAll && self.used == self.gathered.count && self.cursor == nil && self.waiting.isEmpty
    }
    var mayWait: Bool {
        guard self.used == self.gathered.count else { return false }
        if let cursor = self.cursor { return cursor.mayWait }
        switch self.waiting.first {
        case .planned(.stream): return true
        default: return false
        }
    }
    var needsChunk: Bool { self.used == self.gathered.count && self.cursor?.needsChunk ?? false }
    var innerPart: InnerPart? {
        if let current = self.current, self.cursor != nil || !self.waiting.isEmpty { return current }
        return InnerPart(
            reference: PartReference(index: self.parts.firstIndex + max(0, self.walk.index), name: nil), position: 0,
            length: nil)
    }
    /// The chunks of the source that is being read.
    var chunkCursor: ChunkCursor? { self.cursor as? ChunkCursor }

    func read(into buffer: inout MutableRawSpan) throws(FormworkError) -> Int {
        while true {
            if self.used < self.gathered.count {
                let count = buffer.copy(self.gathered, self.used..<self.gathered.count, at: 0)
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
            } else if self.madeAll {
                return 0
            } else {
                try self.gather()
            }
        }
    }

    func verify() throws(FormworkError) {
        if let cursor = self.cursor { try self.naming { () throws(FormworkError) in try cursor.verify() } }
    }

    private func openNext() throws(FormworkError) {
        let source = self.waiting.removeFirst()
        self.cursor = try self.naming { () throws(FormworkError) in
            switch source {
            case .planned(let source): return try source.makeCursor(at: 0)
            case .unseen(let path): return try FileCursor(opening: path)
            }
        }
    }

    /// Makes parts until there is a batch, or one whose content has to be opened.
    private func gather() throws(FormworkError) {
        // Taken out of the object meanwhile: every access to an object's property is checked for exclusivity.
        var bytes: [UInt8] = []
        swap(&bytes, &self.gathered)
        defer { swap(&bytes, &self.gathered) }
        bytes.removeAll(keepingCapacity: true)
        self.used = 0
        while bytes.count < Self.batch, self.waiting.isEmpty, let part = try self.next() {
            _ = try self.append(part, to: &bytes)
        }
    }

    /// Appends what a part has in memory, and notes what has to be opened.
    /// - Returns: Bytes of the content that has to be opened; `nil` when unknown.
    private func append(_ part: BodyPart, to bytes: inout [UInt8]) throws(FormworkError) -> Int64? {
        let start = bytes.count
        do throws(FormworkError) {
            let isWhole = try self.walk.append(part, to: &bytes)
            let content = isWhole ? 0 : try self.wait(for: part)
            try self.move(by: content.addingLength(Int64(bytes.count - start)))
            return content
        } catch {
            throw error.naming(self.walk.reference(to: part))
        }
    }

    /// Skips what `count` bytes take, without reading content.
    private func skip(_ count: Int64) throws(FormworkError) {
        var left = count
        while left > 0, let part = try self.next() {
            var bytes: [UInt8] = []
            let content = try self.append(part, to: &bytes)
            let head = Int64(bytes.count)
            guard let content, content + head <= left else {
                self.gathered = bytes
                self.used = Int(min(head, left))
                return try self.skipInside(left - Int64(self.used))
            }
            left -= content + head
            self.waiting.removeAll()
        }
    }

    private func skipInside(_ count: Int64) throws(FormworkError) {
        var left = count
        self.current?.position = count
        while left > 0, case .planned(let source)? = self.waiting.first {
            self.waiting.removeFirst()
            if let length = source.length, length <= left {
                left -= length
            } else {
                let place = left
                self.cursor = try self.naming { () throws(FormworkError) in try source.makeCursor(at: place) }
                left = 0
            }
        }
    }

    private func next() throws(FormworkError) -> BodyPart? {
        let part = try self.walk.next()
        // `walk.index` is now the index of this part, or the count of all at the end.
        let index = self.walk.index
        let isMark = index % PlannedParts.stride == 0 && index / PlannedParts.stride < self.parts.marks.count
        let expected =
            if part == nil { self.parts.length } else if isMark {
                self.parts.marks[index / PlannedParts.stride].offset
            } else { Int64?.none }
        guard part != nil ? index < self.parts.count : index == self.parts.count, self.isExpected(expected) else {
            throw self.changed()
        }
        self.madeAll = part == nil
        return part
    }

    private func isExpected(_ offset: Int64?) -> Bool {
        guard let offset, offset >= 0, self.parts.length != nil else { return true }
        return offset == self.offset
    }

    /// Never beyond the next mark: a part that grew is told before it is sent.
    private func move(by count: Int64?) throws(FormworkError) {
        guard let count, let length = self.parts.length else { return }
        self.offset = try self.offset.addingLength(count)
        let mark = self.walk.index / PlannedParts.stride + 1
        guard self.offset <= (mark < self.parts.marks.count ? self.parts.marks[mark].offset : length) else {
            throw self.changed()
        }
    }

    private func changed() -> FormworkError {
        FormworkError(
            .sourceChanged, "the sequence of parts gave others than when it was planned: make it give the same again",
            part: PartReference(index: self.parts.firstIndex + self.walk.index, name: nil))
    }

    /// Appends the part's content to `waiting` and gives its length.
    private func wait(for part: BodyPart) throws(FormworkError) -> Int64? {
        let resolver = SourceResolver { path throws(FormworkError) in
            guard self.filesSeen < self.parts.files.count else { throw self.changed() }
            defer { self.filesSeen += 1 }
            return self.parts.files[self.filesSeen]
        }
        var length: Int64? = 0
        if !self.parts.isMeasured, let path = part.source.wholeFile {
            // Opened before it is looked at: one walk along its path instead of two.
            self.waiting.append(.unseen(path))
            length = nil
        } else {
            try (self.parts.isMeasured ? resolver : SourceResolver(status: SourceResolver.look)).resolve(part.source) {
                source throws(FormworkError) in
                length = try length.addingLength(source.length)
                self.waiting.append(.planned(source))
            }
        }
        self.current = InnerPart(reference: self.walk.reference(to: part), position: 0, length: length)
        return length
    }

    private func naming<Result>(_ body: () throws(FormworkError) -> Result) throws(FormworkError) -> Result {
        do throws(FormworkError) { return try body() } catch { throw error.naming(self.current?.reference) }
    }
}

extension Array {
    /// The first index whose element `belongsBehind` holds for, in an array that has all such behind the others.
    func partitioningIndex(_ belongsBehind: (Element) -> Bool) -> Int {
        var low = 0
        var high = self.count
        while low < high {
            let middle = (low + high) / 2
            if belongsBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
