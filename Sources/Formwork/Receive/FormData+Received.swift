import FormworkCore

extension FormData {
    /// A form of parts that were received, to be sent on: names, filenames, types and contents, in their order.
    ///
    /// Other header fields of a part are left out, as receivers do (RFC 7578 §4.8). A type that is no `type/subtype` goes
    /// out as it was received, unless it holds control characters: then none does, which means `text/plain` as that one did
    /// (RFC 2045 §5.2). A file whose name can't be read stays a file, with an empty name.
    public init(_ form: ReceivedForm, framing: MultipartFraming = MultipartFraming()) {
        self.init(framing: framing)
        for entry in form.entries {
            self.append(BodyPart(header: PartHeader(sendingOn: entry.header), source: entry.content.source))
        }
    }
}

extension BodyPart {
    /// A part that is arriving, to be sent on while it does: named and typed as ``FormData/init(_:framing:)`` has it, with
    /// ``ReceivedPart/source`` for its content.
    public init<Chunks>(_ part: ReceivedPart<Chunks>) {
        self.init(header: PartHeader(sendingOn: part.header), source: part.source)
    }
}

extension FormData {
    /// Adds the parts of a form that arrives: each is sent on as it comes, before the next is asked for. To leave some out
    /// or change them, filter and map first: `append(once: parts.filter { … }.map { BodyPart($0) })`.
    public mutating func append<Chunks>(once parts: ReceivedParts<Chunks>) {
        self.append(once: parts.map { BodyPart($0) })
    }
}

extension ReceivedPart {
    /// The rest of the content as a source that is read once, at the pace of whoever reads it, and before the next part is
    /// asked for. Its errors are those of ``content``.
    public var source: BodySource {
        .chunks(once: self.content.map { piece in piece.withBytes { [UInt8](copying: $0, 0..<$0.byteCount) } })
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
