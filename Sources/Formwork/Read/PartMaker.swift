/// Makes a planned sequence's parts again, starting at a mark. It compares their lengths with the plan at every mark,
/// and never goes beyond the next mark.
struct PartMaker {
    /// A source to open: a planned one, or one whose state is read when it is opened.
    enum Waiting {
        case planned(PlannedSource)
        case unseen(FilePath)
    }

    private let parts: PlannedParts
    /// Where it is in the sequence. The reader moves it to parts that have arrived.
    var walk: PlanningWalk
    /// The offset of the next part in the sequence.
    private(set) var offset: Int64
    private var filesSeen: Int
    private var typesSeen: Int
    /// Whether all parts were made.
    private(set) var isAtEnd = false
    /// The end of the last part's head in the bytes to which it was appended.
    private(set) var headEnd = 0

    /// Starts at the last mark at or before `offset`.
    init(_ parts: PlannedParts, before offset: Int64) {
        self.parts = parts
        let number = max(0, parts.marks.partitioningIndex { $0.offset > offset || $0.offset < 0 } - 1)
        let mark = parts.isMeasured ? parts.marks[number] : PlannedParts.Mark(offset: 0, files: 0, types: 0)
        self.walk = PlanningWalk(parts, from: number * PlannedParts.stride)
        self.offset = mark.offset
        self.filesSeen = mark.files
        self.typesSeen = mark.types
    }

    /// The reference to the part that was made last.
    func reference(to part: BodyPart? = nil) -> PartReference {
        self.walk.reference(named: part?.header.name)
    }

    mutating func next() throws(FormworkError) -> BodyPart? {
        // `part == nil` and a second `if let` copy the part: check once.
        guard let part = try self.walk.next() else {
            // `walk.index` is now the count of all parts.
            guard self.walk.index == self.parts.count else { throw self.changed() }
            try self.checkOffset(at: self.walk.index, isEnd: true)
            self.isAtEnd = true
            return nil
        }
        let index = self.walk.index
        guard index < self.parts.count else { throw self.changed() }
        if index % PlannedParts.stride == 0 { try self.checkOffset(at: index, isEnd: false) }
        if part.isUndecided { return try self.decided(part) }
        return consume part
    }

    /// The part with the type that planning found, or, if the sequence wasn't measured, a type found now.
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

    /// Records that no more parts arrive.
    mutating func end() { self.isAtEnd = true }

    /// Appends a part's content in memory, and adds sources that have to be opened to `waiting`.
    /// - Parameter sources: Those of a part that has arrived; `nil` for one that was made.
    /// - Returns: The number of bytes in the sources to open; `nil` if it is unknown.
    mutating func append(
        _ part: BodyPart, _ sources: [PlannedSource]? = nil, to bytes: inout [UInt8], _ waiting: inout [Waiting]
    ) throws(FormworkError) -> Int64? {
        let start = bytes.count
        do throws(FormworkError) {
            // Most parts are fields.
            if let head = self.walk.appendField(part, to: &bytes) {
                self.headEnd = start + head
                try self.move(by: Int64(bytes.count - start))
                return 0
            }
            try self.walk.appendHead(of: part, to: &bytes)
            self.headEnd = bytes.count
            if self.walk.appendIfSmall(part, to: &bytes) {
                try self.move(by: Int64(bytes.count - start))
                return 0
            }
            if let sources {
                waiting += sources.map { .planned($0) }
                return nil
            }
            let content = try self.wait(for: part, &waiting)
            try self.move(by: content.addingLength(Int64(bytes.count - start)))
            return content
        } catch {
            bytes.removeLast(bytes.count - start)
            throw error.naming(self.reference(to: part))
        }
    }

    private func checkOffset(at index: Int, isEnd: Bool) throws(FormworkError) {
        guard let length = self.parts.length else { return }
        let expected = isEnd ? length : self.parts.marks[index / PlannedParts.stride].offset
        guard expected == self.offset else { throw self.changed() }
    }

    /// Moves the offset, but never beyond the next mark, so that a part that grew is reported before it is sent.
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
            // The file is opened first and checked afterwards, which resolves its path once instead of twice.
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

    /// The resolver for the last part's content.
    private func resolver() -> SourceResolver { SourceResolver(place: self.parts.place, part: self.walk.place) }

    private func changed() -> FormworkError {
        FormworkError(
            .sourceChanged, "the sequence of parts changed since it was planned: make it give the same parts each time",
            part: self.reference())
    }
}

extension RandomAccessCollection where Index == Int {
    /// The first index whose element satisfies `belongsBehind`, in a collection that has all such elements at its end.
    package func partitioningIndex(_ belongsBehind: (Element) -> Bool) -> Int {
        var low = self.startIndex
        var high = self.endIndex
        while low < high {
            let middle = (low + high) / 2
            if belongsBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
