import FormworkCore

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

    /// The parts on disk, by their index.
    private struct Stored {
        let index: Int
        let range: Range<Int64>
    }

    private let limits: CollectingLimits
    private var memory: Int
    private var entries: [ReceivedForm.Entry] = []
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
    private var diskEnd: Int64 = 0

    @usableFromInline
    init(_ limits: CollectingLimits) {
        self.limits = limits
        self.memory = limits.memoryBytes
        // Most forms are small.
        self.entries.reserveCapacity(8)
    }

    /// Collects what a chunk has.
    @usableFromInline
    mutating func advance(_ machine: inout PartsMachine, in chunk: RawSpan) throws(FormworkError) -> Step {
        while true {
            if !self.isInPart {
                switch try machine.nextPart(in: chunk) {
                case .part(let header): try self.begin(header)
                case .finished: return .finished
                case .needsChunk: return .needsChunk
                }
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
        if let start = self.start { self.stored.append(Stored(index: self.entries.count, range: start..<self.diskEnd)) }
        self.memory -= self.bytes.count
        if let header {
            self.entries.append(ReceivedForm.Entry(header: header, content: CollectedContent(self.bytes)))
        }
        (self.bytes, self.start) = ([], nil)
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
        let writer = try await self.openWriter()
        if self.start == nil {
            self.start = self.diskEnd
            if !self.bytes.isEmpty { try await self.write(self.bytes, to: writer) }
            self.bytes = []
        }
        try await self.write(piece, to: writer)
    }

    private mutating func write(_ piece: some BodyChunk, to writer: FileWriter) async throws {
        try await writer.write(piece)
        self.diskEnd += Int64(piece.byteCount)
    }

    private mutating func openWriter() async throws -> FileWriter {
        if let writer = self.writer { return writer }
        let writer = FileWriter()
        try await writer.openTemporary(in: self.limits.folder)
        self.writer = writer
        return writer
    }

    // MARK: result

    /// The collected parts, if none is on disk.
    var entriesInMemory: [ReceivedForm.Entry] { self.entries }

    /// The collected parts.
    @usableFromInline
    mutating func finish() async throws -> [ReceivedForm.Entry] {
        guard let writer = self.writer else { return self.entries }
        let spool = BodySpool(try await writer.closeTemporary())
        for file in self.stored {
            self.entries[file.index] = ReceivedForm.Entry(
                header: self.entries[file.index].header, content: CollectedContent(spool, file.range))
        }
        return self.entries
    }
}
