/// Collects a form's parts. It doesn't wait: what must be written to disk is returned as a step, after which
/// ``advance(_:in:)`` continues. So a body in memory and one that arrives in chunks are read by the same code.
///
/// An unfinished collection leaves no file.
@usableFromInline
struct FormCollector {
    /// Why collecting stopped.
    @usableFromInline
    enum Step {
        case finished
        case needsChunk
        /// A range of the chunk must be written.
        case writes(Range<Int>)
        /// Bytes of an earlier chunk must be written.
        case writesHeld([UInt8])
    }

    /// A larger content has its own array, so that no form is copied often while it grows, and no copy of a content has to
    /// be made for its reader.
    private static let smallContent = 4096

    /// The size of a block. One array for all would be copied each time it grows, and need twice the memory meanwhile.
    private static let blockSize = 64 << 10

    /// The parts on disk, by their index among the others.
    private struct Stored {
        let index: Int
        let range: Range<Int64>
    }

    private let limits: CollectingLimits
    private var memory: Int
    /// The first block of names and contents, or the last one.
    private var fields: [UInt8] = []
    /// The blocks before it.
    private var blocks: [[UInt8]] = []
    private var parts: [CollectedParts.Part] = []
    private var others: [CollectedParts.Other] = []
    /// Whether a part is being collected, and whether it is a file. The machine has its header.
    private var isInPart = false
    private var isFile = false
    /// What was collected of the part in memory.
    private var bytes: [UInt8] = []
    /// The file's start on disk; `nil` while it is in memory.
    private var start: Int64?
    private var stored: [Stored] = []
    private var writer: FileWriter?
    /// The length of the unnamed file.
    private var diskEnd: Int64 { self.writer?.count ?? 0 }

    @usableFromInline
    init(_ limits: CollectingLimits) {
        self.limits = limits
        self.memory = limits.memoryBytes
        // Most forms are small.
        self.parts.reserveCapacity(8)
        self.fields.reserveCapacity(224)
    }

    /// Collects what a chunk has.
    @usableFromInline
    mutating func advance(_ machine: inout PartsMachine, in chunk: RawSpan) throws(FormworkError) -> Step {
        while true {
            if !self.isInPart {
                self.collectFields(&machine, in: chunk)
                guard let header = try machine.nextPart(in: chunk) else { return .needsChunk }
                try self.begin(header)
            }
            if self.isFile {
                if let step = try self.collectFile(&machine, in: chunk) { return step }
            } else {
                // If the parser's limit is lower, its error is thrown.
                let limit = CollectingLimit.form(left: self.memory, of: self.limits.memoryBytes)
                guard try machine.collect(into: &self.bytes, upTo: limit, in: chunk) else { return .needsChunk }
            }
            self.end(machine.header)
        }
    }

    /// Collects the fields that are complete in a chunk and that nothing refuses.
    private mutating func collectFields(_ machine: inout PartsMachine, in chunk: RawSpan) {
        while self.memory > CollectingLimits.partOverhead,
            let field = machine.nextWholeField(in: chunk, upTo: self.memory - CollectingLimits.partOverhead)
        {
            self.memory -= PlainField.length(field.name) + CollectingLimits.partOverhead + field.content.count
            if field.content.count <= Self.smallContent {
                self.append(chunk, field.name, content: field.content)
            } else {
                let name = [UInt8](copying: chunk, field.name)
                let content = CollectedContent([UInt8](copying: chunk, field.content))
                self.append(machine.names.header(of: name[...]), content)
            }
        }
    }

    /// Appends a field with the bytes between its name and its content, as one copy takes less time than two.
    private mutating func append(_ bytes: RawSpan, _ name: Range<Int>, content: Range<Int>) {
        self.makeRoom(content.upperBound - name.lowerBound)
        let move = self.fields.count - name.lowerBound
        self.fields.append(bytes, name.lowerBound..<content.upperBound)
        self.parts.append(
            CollectedParts.Part(
                name: name.lowerBound + move..<name.upperBound + move,
                content: content.lowerBound + move..<content.upperBound + move, NameTraits(of: name, in: bytes),
                block: self.blocks.count))
    }

    /// Begins another block if the last one is full.
    private mutating func makeRoom(_ count: Int) {
        guard self.fields.count + count > Self.blockSize, !self.fields.isEmpty else { return }
        self.blocks.append(self.fields)
        self.fields = []
        self.fields.reserveCapacity(max(Self.blockSize, count))
    }

    private mutating func append(_ header: ReceivedHeader, _ content: CollectedContent) {
        self.parts.append(CollectedParts.Part(other: self.others.count, header))
        self.others.append(CollectedParts.Other(header: header, content: content))
    }

    private mutating func begin(_ header: ReceivedHeader) throws(FormworkError) {
        let overhead = header.bytes.count + CollectingLimits.partOverhead
        guard overhead <= self.memory else {
            throw CollectingLimit.form(left: self.memory, of: self.limits.memoryBytes).formError
        }
        self.memory -= overhead
        (self.isInPart, self.isFile) = (true, header.isFile)
    }

    private mutating func end(_ header: ReceivedHeader?) {
        self.isInPart = false
        if let start = self.start { self.stored.append(Stored(index: self.others.count, range: start..<self.diskEnd)) }
        self.memory -= self.bytes.count
        if let header { self.append(header, self.bytes) }
        (self.bytes, self.start) = ([], nil)
    }

    private mutating func append(_ header: ReceivedHeader, _ content: [UInt8]) {
        guard header.isPlainField, let name = header.nameBytes, content.count <= Self.smallContent else {
            return self.append(header, CollectedContent(content))
        }
        self.makeRoom(name.count + content.count)
        let start = self.fields.count
        self.fields += name
        self.fields += content
        let traits = name.withBytes { NameTraits(of: 0..<$0.byteCount, in: $0) }
        self.parts.append(
            CollectedParts.Part(
                name: start..<start + name.count, content: start + name.count..<self.fields.count, traits,
                block: self.blocks.count))
    }

    /// Collects a file's content, in memory while it fits.
    /// - Returns: `nil` at the part's end.
    private mutating func collectFile(
        _ machine: inout PartsMachine, in chunk: RawSpan
    ) throws(FormworkError) -> Step? {
        while true {
            switch try machine.nextContent(in: chunk) {
            case .content(let range):
                guard self.fits(range.count) else { return .writes(range) }
                if self.bytes.isEmpty {
                    self.bytes = [UInt8](copying: chunk, range)
                } else {
                    self.bytes.append(chunk, range)
                }
            case .heldContent(let held):
                guard self.fits(held.count) else { return .writesHeld(held) }
                self.bytes += held
            case .partEnded: return nil
            case .needsChunk: return .needsChunk
            }
        }
    }

    private func fits(_ count: Int) -> Bool {
        self.start == nil && count <= min(self.limits.fileMemoryBytes, self.memory) - self.bytes.count
    }

    // MARK: disk

    /// Writes a piece of the open file, after what was collected of it in memory.
    @usableFromInline
    mutating func write(_ piece: some BodyChunk) async throws {
        if self.writer == nil { self.writer = try await FileWriter(temporaryIn: self.limits.folder) }
        if self.start == nil {
            self.start = self.diskEnd
            if !self.bytes.isEmpty { try await self.writer?.write(self.bytes) }
            self.bytes = []
        }
        try await self.writer?.write(piece)
    }

    // MARK: result

    /// The collected parts, if none is on disk.
    func partsInMemory(_ names: FieldNames) -> CollectedParts {
        guard let first = self.blocks.first else {
            return CollectedParts(self.fields, self.parts, self.others, names)
        }
        return CollectedParts(
            first, self.parts, self.others, names, blocks: self.blocks.dropFirst() + [self.fields])
    }

    /// The collected form.
    @usableFromInline
    mutating func finish(_ names: FieldNames) -> ReceivedForm {
        if let writer {
            let spool = BodySpool(writer.collected)
            for file in self.stored { self.others[file.index].content = CollectedContent(spool, file.range) }
        }
        return ReceivedForm(self.partsInMemory(names))
    }
}
