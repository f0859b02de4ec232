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

    /// How a section with a name begins.
    package static let dispositionHead = "Content-Disposition: form-data; name=\""

    /// Appends the section and the empty line after it.
    /// - Parameter afterDispositionHead: Whether ``dispositionHead`` stands there already.
    /// - Throws: ``FormworkError/Code/invalidArgument`` for a name or filename that `escaping` refuses, a filename
    ///   without a name, a type that is none, or a field that repeats a generated one.
    package func append(
        to bytes: inout [UInt8], escaping: ParameterEscaping, afterDispositionHead: Bool = false
    ) throws(FormworkError) {
        if let name = self.name {
            if !afterDispositionHead { bytes.append(Self.dispositionHead) }
            try escaping.append(name, as: "name", to: &bytes)
            if let filename = self.filename {
                bytes.append("\"; filename=\"")
                try escaping.append(filename, as: "filename", to: &bytes)
            }
            if self.contentType == nil, self.fields.isEmpty {
                return bytes.append("\"\r\n\r\n")
            }
            bytes.append("\"\r\n")
        } else if self.filename != nil {
            throw FormworkError(.invalidArgument, "A part with a filename needs a name too.")
        }
        if let contentType = self.contentType {
            bytes.append("Content-Type: ")
            let start = bytes.count
            bytes.append(contentType)
            try Self.checkMediaType(contentType, bytes[start...])
            bytes.append("\r\n")
        }
        for field in self.fields {
            try self.checkNotGenerated(field)
            bytes.append("\(field.name): \(field.value)\r\n")
        }
        bytes.append("\r\n")
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
    /// - Parameter bytes: `text` as UTF-8.
    private static func checkMediaType(_ text: String, _ bytes: ArraySlice<UInt8>) throws(FormworkError) {
        var halves = 0
        var isEmpty = true
        var isToken = true
        var isAll = true
        for byte in bytes {
            if byte == 0x3B || byte.isBlank {
                isAll = false
                break
            }
            if byte == 0x2F {
                isToken = isToken && !isEmpty && halves == 0
                halves += 1
                isEmpty = true
            } else {
                isToken = isToken && byte.isTokenByte
                isEmpty = false
            }
        }
        guard halves == 1, isToken, !isEmpty else {
            throw FormworkError(.invalidArgument, "\"\(text)\" is not a media type: write type/subtype.")
        }
        // Tokens are field values, so only what follows them is worth a look.
        if !isAll { try FormworkError.checkFieldValue(text, of: "Content-Type") }
    }
}
