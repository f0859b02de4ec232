extension FormData {
    /// A form with the received parts, for forwarding: names, filenames, types and contents, in their order.
    ///
    /// Other header fields of a part are dropped, because receivers ignore them (RFC 7578 §4.8). A type that isn't
    /// `type/subtype` is sent unchanged. If it contains control characters, no type is sent, which also means
    /// `text/plain` (RFC 2045 §5.2). A file whose name can't be read stays a file, with an empty name.
    public init(_ form: ReceivedForm, framing: MultipartFraming = MultipartFraming()) {
        self.init(framing: framing)
        for entry in form {
            self.append(BodyPart(header: PartHeader(sendingOn: entry.header), source: entry.content.source))
        }
    }
}

extension BodyPart {
    /// An arriving part, for forwarding. Name and type are as in ``FormData/init(_:framing:)``, and its content is
    /// ``ReceivedPart/source``.
    public init<Chunks>(_ part: ReceivedPart<Chunks>) {
        self.init(header: PartHeader(sendingOn: part.header), source: part.source)
    }
}

extension FormData {
    /// Adds the parts of an arriving form. None waits for the next one to arrive. To leave out or change
    /// parts, filter and map them first: `append(once: parts.filter { … }.map { BodyPart($0) })`.
    public mutating func append<Chunks>(once parts: ReceivedParts<Chunks>) {
        self.append(PartSequence(arriving: parts) { ReceivedPartIterator($0.reader) })
    }
}

extension ReceivedPart {
    /// The content as a source that can be read once, before the next part is requested. The reader sets
    /// the pace. Its errors are those of ``collect(upTo:)``.
    public var source: BodySource {
        let once = OneShot<ChunkIterator>(ReceivedContentIterator(self))
        return .readOnce(nil, false) { try once.take() }
    }
}

/// The parts of an arriving form. Those that are in the chunk already need no wait.
private final class ReceivedPartIterator<Chunks: AsyncSequence & Sendable>: PartIterator
where Chunks.Element: BodyChunk {
    private let reader: PartsReader<Chunks>
    private var isFirst = true

    init(_ reader: PartsReader<Chunks>) { self.reader = reader }

    override func next(isolation: isolated (any Actor)?) async throws -> BodyPart? {
        defer { self.isFirst = false }
        return try await self.reader.nextPart(isFirst: self.isFirst).map { BodyPart($0) }
    }

    override func ready() throws -> ReadyStep<BodyPart> {
        defer { self.isFirst = false }
        return try self.reader.ready { state in
            if self.isFirst { try state.checkUnfinished() }
            return try state.nextPart(of: self.reader) { BodyPart($0) }
        }
    }
}

/// The content of a part. If some of it was read before, that is an error, and not a shorter content.
private final class ReceivedContentIterator<Chunks: AsyncSequence & Sendable>: ChunkIterator
where Chunks.Element: BodyChunk {
    private let part: ReceivedPart<Chunks>
    private var hasBegun = false

    init(_ part: ReceivedPart<Chunks>) { self.part = part }

    private func begin() throws(FormworkError) {
        if !self.hasBegun { try self.part.reader.checkUnread(self.part.index, self.part.access) }
        self.hasBegun = true
    }

    override func next(isolation: isolated (any Actor)?) async throws -> (any BodyChunk)? {
        try self.begin()
        return try await self.part.reader.nextContent(of: self.part.index, beginning: nil)
    }

    override func ready() throws -> ReadyStep<any BodyChunk> {
        try self.begin()
        return try self.part.reader.ready { try $0.nextContent(of: self.part.index) { $0 } }
    }
}

extension PartHeader {
    fileprivate init(sendingOn header: ReceivedHeader) {
        self.init(name: header.name, filename: header.isFile ? header.filename ?? "" : nil)
        guard let type = header.contentType else { return }
        if (try? Self.checkMediaType(type)) != nil {
            self.contentType = type
        } else if let field = try? HeaderField("Content-Type", type) {
            self.fields.append(field)
        }
    }
}
