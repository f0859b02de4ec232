import FormworkSystem

/// A planned lazy sequence of parts. It is iterated once, and a mark is kept for every 1024th part.
struct PlannedParts: Sendable {
    /// Where a part begins. It is kept for every ``stride``th part, so that seeking makes at most that many parts
    /// again.
    struct Mark: Sendable {
        /// Bytes of the sequence before the part.
        var offset: Int64
        /// The number of files in the parts before it.
        var files: Int
        /// The number of types found from the content of the parts before it.
        var types: Int
    }

    static let stride = 1024

    let sequence: PartSequence
    let framer: PartFramer
    /// The place of the parts.
    let place: PartPath
    /// How types are found.
    var types: MediaTypeDetection { self.place.types }
    /// Whether planning iterated the sequence. If not, there are no marks and no file states.
    var isMeasured: Bool { self.sequence.unmeasuredCount == nil }
    /// The first part's place, without its name.
    let first: PartReference
    private(set) var count = 0
    /// The number of bytes of all parts with their framing; `nil` if a part's is unknown.
    private(set) var length: Int64? = 0
    private(set) var marks: [Mark] = []
    private(set) var files: [FileStatus] = []
    /// The types found from content, in order. The content is looked at only once.
    private(set) var found: [String?] = []
    /// The first part that can't be read twice.
    private(set) var replayBlocker: FormworkError?
    /// The first part whose length is unknown.
    private(set) var lengthBlocker: FormworkError?
    /// Whether no part waits for anything but the disk.
    private(set) var isReadableWithoutWaiting = true

    /// The stream that delays finding the type of a single part, or parts that arrive; `nil` for the caller's sequences.
    private(set) var deferral: StreamSource?

    /// A single part whose type is found while reading, or parts that arrive: only a reader may wait for them.
    init(
        _ sequence: PartSequence, waitingFor stream: StreamSource, framer: PartFramer, place: PartPath,
        first: PartReference
    ) {
        self.sequence = sequence
        self.framer = framer
        self.place = place
        self.first = first
        self.count = 1
        self.length = nil
        self.deferral = stream
        self.isReadableWithoutWaiting = false
        self.lengthBlocker = PlannedSource.stream(stream).lengthBlocker(in: first)
        self.replayBlocker = PlannedSource.stream(stream).replayBlocker(in: first)
    }

    /// Iterates `sequence` once.
    /// - Parameter status: Returns the state of the file at a path. A sequence inside a part of another one gets the states
    ///   that planning recorded there, when the part is made again.
    init(
        _ sequence: PartSequence, framer: PartFramer, place: PartPath, first: PartReference,
        status: @escaping (FilePath) throws(FormworkError) -> FileStatus
    ) throws(FormworkError) {
        self.sequence = sequence
        self.framer = framer
        self.place = place
        self.first = first
        if let count = sequence.unmeasuredCount {
            self.count = count
            self.length = nil
            // The parts were not made, so it is unknown whether they can be read twice.
            self.lengthBlocker = FormworkError(
                .lengthUnknown, "a sequence of parts that isn't measured", part: first)
            self.replayBlocker = self.lengthBlocker
            self.isReadableWithoutWaiting = false
            return
        }
        try self.measure(status)
    }

    /// Makes each part once, and keeps its length, file states and types.
    private mutating func measure(_ look: @escaping (FilePath) throws(FormworkError) -> FileStatus)
        throws(FormworkError)
    {
        var walk = PlanningWalk(self, from: 0)
        var files: [FileStatus] = []
        var resolver = SourceResolver(
            status: { path throws(FormworkError) in
                let status = try look(path)
                files.append(status)
                return status
            }, place: self.place)
        var scratch: [UInt8] = []
        while var part = try walk.next() {
            if self.count % Self.stride == 0 {
                self.marks.append(Mark(offset: self.length ?? -1, files: files.count, types: self.found.count))
            }
            self.count += 1
            // Most parts are fields, whose bytes aren't needed for their count.
            if !part.isUndecided, let content = part.source.smallTextCount, let head = walk.usualHeadCount(of: part) {
                try self.grow(by: Int64(head + content))
                continue
            }
            do throws(FormworkError) {
                resolver.part = walk.place
                if part.isUndecided {
                    // Not with `resolver`, which would record the file twice.
                    try part.decideTypeByLooking(
                        self.types, SourceResolver(place: self.place, part: walk.place))
                    self.found.append(part.header.contentType)
                }
                if !part.source.isSmall, let head = walk.usualHeadCount(of: part) {
                    try self.grow(by: Int64(head))
                } else {
                    scratch.removeAll(keepingCapacity: true)
                    let isWhole = try walk.append(part, to: &scratch)
                    try self.grow(by: Int64(scratch.count))
                    guard !isWhole else { continue }
                }
                try resolver.resolve(part.content) { source throws(FormworkError) in
                    try self.grow(by: source.length)
                    if !source.isReadableWithoutWaiting { self.isReadableWithoutWaiting = false }
                    // Only these may have no known length or be readable only once.
                    switch source {
                    case .stream, .encoded: self.note(source, in: walk.reference(to: part))
                    default: break
                    }
                }
            } catch {
                throw error.naming(walk.reference(to: part))
            }
        }
        self.files = files
    }

    private mutating func grow(by count: Int64?) throws(FormworkError) {
        self.length = try self.length.addingLength(count)
    }

    private mutating func note(_ source: PlannedSource, in part: PartReference) {
        if self.replayBlocker == nil { self.replayBlocker = source.replayBlocker(in: part) }
        if self.lengthBlocker == nil { self.lengthBlocker = source.lengthBlocker(in: part) }
    }
}

/// Makes the parts of a sequence in order, with their places in the body.
struct PlanningWalk {
    private let make: (_ index: Int) throws -> BodyPart?
    private let framer: PartFramer
    /// How types are found, if names are enough; otherwise `nil`.
    private let types: MediaTypeDetection?
    private let first: PartReference
    /// The index in the sequence of the part that ``next()`` returned last.
    private(set) var index: Int

    init(_ parts: PlannedParts, from index: Int) {
        self.make = parts.sequence.walk()
        self.framer = parts.framer
        self.types = parts.types.headCount == 0 ? parts.types : nil
        self.first = parts.first
        self.index = index - 1
    }

    // Inlined, as each call moves a whole part.
    @inline(__always)
    mutating func next() throws(FormworkError) -> BodyPart? {
        self.index += 1
        do {
            // Most parts are complete, and copying them is expensive.
            guard let part = try self.make(self.index) else { return nil }
            guard part.isUndecided || part.source.isMultipart else { return consume part }
            var whole = consume part
            try self.complete(&whole)
            return whole
        } catch {
            let part = self.reference(named: nil)
            throw (error as? FormworkError)?.naming(part)
                ?? FormworkError(.sourceUnavailable, "the sequence of parts failed", part: part, cause: error)
        }
    }

    @inline(never)
    private func complete(_ part: inout BodyPart) throws(FormworkError) {
        if let types = self.types, part.isUndecided { part.decideType(by: types, head: nil) }
        try part.takeMultipartType()
    }

    /// Appends a part's head, and its content if that is small and in memory.
    /// - Returns: Whether the content was appended too.
    func append(_ part: BodyPart, to bytes: inout [UInt8]) throws(FormworkError) -> Bool {
        try self.appendHead(of: part, to: &bytes)
        return self.appendIfSmall(part, to: &bytes)
    }

    /// The number of bytes that ``appendHead(of:to:)`` appends for a part with a usual header; `nil` for others.
    func usualHeadCount(of part: BodyPart) -> Int? {
        self.framer.usualHeadCount(of: part.header, isFirst: self.first.index + self.index == 0)
    }

    /// Appends a part with a usual header and a small text.
    /// - Returns: The number of bytes before the text; `nil`, and nothing is appended, for other parts.
    @inline(__always)
    func appendField(_ part: BodyPart, to bytes: inout [UInt8]) -> Int? {
        guard case .text(let text) = part.source.kind, part.source.isSmall else { return nil }
        return self.framer.appendUsual(part.header, text, isFirst: self.first.index + self.index == 0, to: &bytes)
    }

    /// Moves to a part that has arrived.
    mutating func advance() { self.index += 1 }

    /// Appends the bytes before a part's content.
    func appendHead(of part: BodyPart, to bytes: inout [UInt8]) throws(FormworkError) {
        try self.framer.appendHead(of: part.header, isFirst: self.first.index + self.index == 0, to: &bytes)
    }

    /// Appends a part's content if that is small and in memory.
    /// - Returns: Whether it is.
    func appendIfSmall(_ part: BodyPart, to bytes: inout [UInt8]) -> Bool {
        part.isUnencoded ? part.source.appendIfSmall(to: &bytes) : part.content.appendIfSmall(to: &bytes)
    }

    /// The last part's place in its form.
    var place: Int { self.first.index + max(0, self.index) }

    func reference(to part: BodyPart) -> PartReference { self.reference(named: part.header.name) }

    func reference(named name: String?) -> PartReference {
        PartReference(index: self.place, name: name, enclosing: self.first.enclosing)
    }
}

extension BodyPart {
    mutating func decideTypeByLooking(
        _ types: MediaTypeDetection, _ resolver: SourceResolver
    ) throws(FormworkError) {
        let head = try self.head(upTo: types.headCount, resolver: resolver)
        self.decideType(by: types, head: head)
    }
}
