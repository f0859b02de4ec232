import FormworkCore
import SystemPackage

/// Makes a planned sequence's parts again from a mark on, and compares them with what planning saw: at every mark, and
/// never beyond the next.
struct PartMaker {
    /// A source whose turn comes: one that planning saw, or one that is looked at when it is opened.
    enum Waiting {
        case planned(PlannedSource)
        case unseen(FilePath)
    }

    private let parts: PlannedParts
    private var walk: PartWalk
    /// Bytes of the sequence before the next part to be made.
    private(set) var offset: Int64
    private var filesSeen: Int
    private var typesSeen: Int
    /// Whether the last part was made.
    private(set) var isAtEnd = false
    /// Where the last part's head ended in the bytes it was appended to.
    private(set) var headEnd = 0

    /// Stands at the last mark at or before `offset`.
    init(_ parts: PlannedParts, before offset: Int64) {
        self.parts = parts
        let number = max(0, parts.marks.partitioningIndex { $0.offset > offset || $0.offset < 0 } - 1)
        let mark = parts.isMeasured ? parts.marks[number] : PlannedParts.Mark(offset: 0, files: 0, types: 0)
        self.walk = PartWalk(parts, from: number * PlannedParts.stride)
        self.offset = mark.offset
        self.filesSeen = mark.files
        self.typesSeen = mark.types
    }

    /// Whether no part was made yet.
    var isAtStart: Bool { self.walk.index < 0 }

    /// The part that was made last.
    func reference(to part: BodyPart? = nil) -> PartReference {
        self.walk.reference(named: part?.header.name)
    }

    mutating func next() throws(FormworkError) -> BodyPart? {
        let part = try self.walk.next()
        // `walk.index` is now the index of this part, or the count of all at the end.
        let index = self.walk.index
        guard part != nil ? index < self.parts.count : index == self.parts.count else { throw self.changed() }
        if part == nil || index % PlannedParts.stride == 0 { try self.checkOffset(at: index, isEnd: part == nil) }
        self.isAtEnd = part == nil
        if part?.isUndecided ?? false, let part { return try self.decided(part) }
        return consume part
    }

    /// The part with the type that planning found, or that is found by looking now where nothing was planned.
    @inline(never)
    private mutating func decided(_ part: BodyPart) throws(FormworkError) -> BodyPart {
        var part = part
        do throws(FormworkError) {
            guard self.parts.isMeasured else {
                try part.decideTypeByLooking(self.parts.types, self.resolver())
                return part
            }
            guard self.typesSeen < self.parts.found.count else { throw self.changed() }
            let found = self.parts.found[self.typesSeen]
            part.decideType(MediaTypeChoice(found, by: .content, reason: "found when planned"))
            self.typesSeen += 1
            return part
        } catch {
            throw error.naming(self.reference(to: part))
        }
    }

    /// Appends what a part has in memory, and adds to `waiting` what has to be opened.
    /// - Returns: Bytes of the content that has to be opened; `nil` when unknown.
    mutating func append(
        _ part: BodyPart, to bytes: inout [UInt8], _ waiting: inout [Waiting]
    ) throws(FormworkError) -> Int64? {
        let start = bytes.count
        do throws(FormworkError) {
            try self.walk.appendHead(of: part, to: &bytes)
            self.headEnd = bytes.count
            let content = self.walk.appendIfSmall(part, to: &bytes) ? 0 : try self.wait(for: part, &waiting)
            try self.move(by: content.addingLength(Int64(bytes.count - start)))
            return content
        } catch {
            throw error.naming(self.reference(to: part))
        }
    }

    private func checkOffset(at index: Int, isEnd: Bool) throws(FormworkError) {
        guard let length = self.parts.length else { return }
        let expected = isEnd ? length : self.parts.marks[index / PlannedParts.stride].offset
        guard expected == self.offset else { throw self.changed() }
    }

    /// Never beyond the next mark: a part that grew is told before it is sent.
    private mutating func move(by count: Int64?) throws(FormworkError) {
        guard let length = self.parts.length, let count else { return }
        self.offset = try self.offset.addingLength(count)
        let mark = self.walk.index / PlannedParts.stride + 1
        guard self.offset <= (mark < self.parts.marks.count ? self.parts.marks[mark].offset : length) else {
            throw self.changed()
        }
    }

    private mutating func wait(for part: BodyPart, _ waiting: inout [Waiting]) throws(FormworkError) -> Int64? {
        if !self.parts.isMeasured, let path = part.content.wholeFile {
            // Opened before it is looked at: one walk along its path instead of two.
            waiting.append(.unseen(path))
            return nil
        }
        let (files, changed) = (self.parts.files, self.changed())
        var seen = self.filesSeen
        var resolver = self.resolver()
        if self.parts.isMeasured {
            resolver.status = { _ throws(FormworkError) in
                guard seen < files.count else { throw changed }
                defer { seen += 1 }
                return files[seen]
            }
        }
        var length: Int64? = 0
        try resolver.resolve(part.content) { source throws(FormworkError) in
            length = try length.addingLength(source.length)
            waiting.append(.planned(source))
        }
        self.filesSeen = seen
        return length
    }

    /// Looks at the last part's content.
    private func resolver() -> SourceResolver { SourceResolver(place: self.parts.place, part: self.walk.place) }

    private func changed() -> FormworkError {
        FormworkError(
            .sourceChanged, "the sequence of parts gave others than when it was planned: make it give the same again",
            part: self.reference())
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
