/// The header section of one body part: what names the part, its type, and any further fields.
public struct PartHeader: Hashable, Sendable, Codable {
    /// What the part is called; `nil` writes no `Content-Disposition`, so that ``fields`` say it all.
    public var disposition: DispositionType?
    /// The form field's name, possibly empty; `nil` writes no `name`, which RFC 7578 §4.2 wants in forms.
    public var name: String?
    /// The file's name for the receiver, as text; `nil` when the part is a plain field. `filename*` is never written
    /// (RFC 7578 §4.2 forbids it).
    public var filename: String?
    /// The content's media type; `nil` writes no `Content-Type`, which means `text/plain` (RFC 7578 §4.4).
    public var contentType: String?
    /// How the content is encoded on its way out; `nil` writes no `Content-Transfer-Encoding` and encodes nothing.
    public var transferEncoding: TransferEncoding?
    /// Fields after these, in this order. RFC 7578 §4.8 has receivers ignore them.
    public var fields: [HeaderField]

    /// Describes a header section; what it holds is checked when it is written.
    public init(
        disposition: DispositionType? = .formData, name: String? = nil, filename: String? = nil,
        contentType: String? = nil, transferEncoding: TransferEncoding? = nil, fields: [HeaderField] = []
    ) {
        self.disposition = disposition
        self.name = name
        self.filename = filename
        self.contentType = contentType
        self.transferEncoding = transferEncoding
        self.fields = fields
    }

    /// How a form's section with a name begins.
    package static let dispositionHead = "Content-Disposition: form-data; name=\""

    /// Whether the section begins with ``dispositionHead``.
    package var hasDispositionHead: Bool {
        // Not `!= nil`, which copies the name.
        if case .some = self.name { self.disposition == .formData } else { false }
    }

    /// Whether there is nothing but a disposition and a name.
    private var isPlain: Bool {
        guard case .none = self.filename, case .none = self.contentType, case .none = self.transferEncoding else {
            return false
        }
        return self.fields.isEmpty
    }

    /// Appends the section and the empty line after it.
    /// - Parameter afterDispositionHead: Whether ``dispositionHead`` stands there already.
    /// - Throws: ``FormworkError/Code/invalidArgument`` for a name or filename that `escaping` refuses or that has no
    ///   disposition to stand in, a type that is none, or a field that repeats a generated one.
    package func append(
        to bytes: inout [UInt8], escaping: ParameterEscaping, afterDispositionHead: Bool = false
    ) throws(FormworkError) {
        if afterDispositionHead, let name = self.name, self.isPlain {
            // A field and nothing else, as most are.
            try escaping.append(name, as: "name", to: &bytes)
            return bytes.append("\"\r\n\r\n")
        }
        try self.appendDisposition(to: &bytes, escaping, afterDispositionHead)
        if let contentType = self.contentType {
            bytes.append("Content-Type: ")
            let start = bytes.count
            bytes.append(contentType)
            try Self.checkMediaType(contentType, bytes[start...])
            bytes.append("\r\n")
        }
        if let encoding = self.transferEncoding,
            !self.fields.contains(where: { $0.replaces("Content-Transfer-Encoding") })
        {
            bytes.append("Content-Transfer-Encoding: \(encoding.token)\r\n")
        }
        for field in self.fields {
            try self.checkNotGenerated(field)
            if let line = field.verbatimLine {
                bytes.append(contentsOf: line)
                bytes.append("\r\n")
            } else {
                bytes.append("\(field.name): \(field.value)\r\n")
            }
        }
        bytes.append("\r\n")
    }

    private func appendDisposition(
        to bytes: inout [UInt8], _ escaping: ParameterEscaping, _ afterHead: Bool
    ) throws(FormworkError) {
        guard let disposition = self.disposition else {
            guard self.name == nil, self.filename == nil else {
                throw FormworkError(.invalidArgument, "A part with a name or filename needs a disposition too.")
            }
            return
        }
        if !afterHead {
            bytes.append("Content-Disposition: ")
            bytes.append(disposition.rawValue)
        }
        if let name = self.name {
            if !afterHead { bytes.append("; name=\"") }
            try escaping.append(name, as: "name", to: &bytes)
            bytes.append("\"")
        }
        if let filename = self.filename {
            bytes.append("; filename=\"")
            try escaping.append(filename, as: "filename", to: &bytes)
            bytes.append("\"")
        }
        bytes.append("\r\n")
    }

    private func checkNotGenerated(_ field: HeaderField) throws(FormworkError) {
        let generated =
            (self.disposition != nil && field.isNamed("Content-Disposition"))
            || (self.contentType != nil && field.isNamed("Content-Type"))
            || (self.transferEncoding != nil && field.isNamed("Content-Transfer-Encoding"))
        guard !generated else {
            throw FormworkError(
                .invalidArgument,
                "The field \(field.name) is written from the part's disposition, type or encoding already: give it once."
            )
        }
    }

    /// - Throws: ``FormworkError/Code/invalidArgument`` for what is no media type.
    package static func checkMediaType(_ text: String) throws(FormworkError) {
        try self.checkMediaType(text, Array(text.utf8)[...])
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
