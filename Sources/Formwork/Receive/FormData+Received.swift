import FormworkCore

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
    /// Adds the parts of an arriving form. Each is forwarded before the next is requested. To leave out or change
    /// parts, filter and map them first: `append(once: parts.filter { … }.map { BodyPart($0) })`.
    public mutating func append<Chunks>(once parts: ReceivedParts<Chunks>) {
        self.append(once: parts.map { BodyPart($0) })
    }
}

extension ReceivedPart {
    /// The rest of the content as a source that can be read once, before the next part is requested. The reader sets
    /// the pace. Its errors are those of ``collect(upTo:)``.
    public var source: BodySource { .chunks(once: UnreadContent(part: self)) }
}

/// The content of a part. If all of it was read before, that is an error, and not an empty content.
private struct UnreadContent<Chunks: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Chunks.Element: BodyChunk {
    let part: ReceivedPart<Chunks>

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let part: ReceivedPart<Chunks>
        fileprivate let content: ReceivedContent<Chunks>.AsyncIterator
        fileprivate var hasBegun = false

        mutating func next() async throws -> Chunks.Element.Content? {
            if !self.hasBegun { try self.part.reader.checkUnread(self.part.index) }
            self.hasBegun = true
            return try await self.content.next()
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(part: self.part, content: self.part.content.makeAsyncIterator())
    }
}

extension PartHeader {
    fileprivate init(sendingOn header: ReceivedHeader) {
        self.init(name: header.name, filename: header.isFile ? header.filename ?? "" : nil)
        self.takeReceivedType(header.contentType)
    }

    fileprivate mutating func takeReceivedType(_ type: String?) {
        guard let type else { return }
        if (try? Self.checkMediaType(type)) != nil {
            self.contentType = type
        } else if let field = try? HeaderField("Content-Type", type) {
            self.fields.append(field)
        }
    }
}
