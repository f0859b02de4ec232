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
            var header = PartHeader(name: entry.name, filename: entry.isFile ? entry.filename ?? "" : nil)
            header.takeReceivedType(entry.contentType)
            self.append(BodyPart(header: header, source: entry.content.source))
        }
    }
}

extension PartHeader {
    fileprivate mutating func takeReceivedType(_ type: String?) {
        guard let type else { return }
        if (try? Self.checkMediaType(type)) != nil {
            self.contentType = type
        } else if let field = try? HeaderField("Content-Type", type) {
            self.fields.append(field)
        }
    }
}
