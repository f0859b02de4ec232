import FormworkCore

extension ReceivedForm: CustomStringConvertible {
    /// The form without its content: `2 parts: field "title", 12 bytes; file "photo" (beach.jpg), 90210 bytes`.
    public var description: String {
        Summary.text(
            self.entries.map { entry in
                Summary.line(
                    name: entry.name, filename: entry.isFile ? entry.filename ?? "" : nil,
                    contentType: entry.contentType)
                    + ", \(entry.content.count, "byte")"
            })
    }
}
