/// The header section of one body part: what names the part, its type, and any further fields.
public struct PartHeader: Hashable, Sendable, Codable {
    /// The form field's name, possibly empty; `nil` writes no `Content-Disposition`, so that ``fields`` say it all.
    public var name: String?
    /// The file's name for the receiver, as text; `nil` when the part is a plain field. `filename*` is never written
    /// (RFC 7578 §4.2 forbids it).
    public var filename: String?
    /// The content's media type; `nil` writes no `Content-Type`, which means `text/plain` (RFC 7578 §4.4).
    public var contentType: String?
    /// Fields after these two, in this order. RFC 7578 §4.8 has receivers ignore them.
    public var fields: [HeaderField]

    /// Describes a header section; what it holds is checked when it is written.
    public init(name: String?, filename: String? = nil, contentType: String? = nil, fields: [HeaderField] = []) {
        self.name = name
        self.filename = filename
        self.contentType = contentType
        self.fields = fields
    }

    /// Writes the section and the empty line after it.
    /// - Throws: ``FormworkError/Code/invalidArgument`` for a name or filename that `escaping` refuses, a filename
    ///   without a name, a type that is none, or a field that is written twice.
    package func write(to sink: inout some ByteSink, escaping: ParameterEscaping) throws(FormworkError) {
        if let name = self.name {
            sink.write("Content-Disposition: form-data; name=\"")
            try escaping.write(name, as: "name", to: &sink)
            if let filename = self.filename {
                sink.write("\"; filename=\"")
                try escaping.write(filename, as: "filename", to: &sink)
            }
            sink.write("\"\r\n")
        } else if self.filename != nil {
            throw FormworkError(.invalidArgument, "A part with a filename needs a name too.")
        }
        if let contentType = self.contentType {
            try Self.checkMediaType(contentType)
            sink.write("Content-Type: ")
            sink.write(contentType)
            sink.write("\r\n")
        }
        for field in self.fields {
            try self.checkNotGenerated(field)
            sink.write(field.name)
            sink.write(": ")
            sink.write(field.value)
            sink.write("\r\n")
        }
        sink.write("\r\n")
    }

    private func checkNotGenerated(_ field: HeaderField) throws(FormworkError) {
        let generated =
            (self.name != nil && field.isNamed("Content-Disposition"))
            || (self.contentType != nil && field.isNamed("Content-Type"))
        guard !generated else {
            throw FormworkError(
                .invalidArgument,
                "The field \(field.name) is written from the part's name or type already: give it once.")
        }
    }

    /// `type "/" subtype`, then anything a field value may hold (RFC 9110 §8.3.1).
    package static func checkMediaType(_ text: String) throws(FormworkError) {
        try FormworkError.checkFieldValue(text, of: "Content-Type")
        let essence = text.utf8.prefix { $0 != 0x3B && !$0.isBlank }
        let halves = essence.split(separator: 0x2F, omittingEmptySubsequences: false)
        guard halves.count == 2, halves.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isTokenByte) }) else {
            throw FormworkError(.invalidArgument, "\"\(text)\" is not a media type: write type/subtype.")
        }
    }
}
