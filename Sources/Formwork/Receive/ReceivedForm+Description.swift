import FormworkCore

extension ReceivedForm: CustomStringConvertible {
    /// The form without its content: `2 parts: field "title", 12 bytes; file "photo" (beach.jpg), 90210 bytes`.
    public var description: String {
        Summary.text(self.map(\.description))
    }
}

extension ReceivedForm.Entry: CustomStringConvertible {
    /// The part without its content: `file "photo" (beach.jpg), 90210 bytes`.
    public var description: String {
        Summary.line(
            name: self.name, filename: self.isFile ? self.filename ?? "" : nil, contentType: self.contentType)
            + ", \(self.content)"
    }
}

extension CollectedContent: CustomStringConvertible {
    /// The content's size: `90210 bytes`.
    public var description: String { "\(self.count, "byte")" }
}
