/// The header section of one body part: the part's name and filename, its type, and other fields.
public struct PartHeader: Hashable, Sendable, Codable {
    /// The disposition type; `nil` writes no `Content-Disposition`, unless ``fields`` has one.
    public var disposition: DispositionType?
    /// The form field's name, possibly empty; `nil` writes no `name`, which RFC 7578 §4.2 requires in forms.
    public var name: String?
    /// The file's name for the receiver; `nil` for a plain field. `filename*` is never written (RFC 7578 §4.2 forbids
    /// it).
    public var filename: String?
    /// The content's media type; `nil` writes no `Content-Type`, which means `text/plain` (RFC 7578 §4.4).
    public var contentType: String?
    /// How the content is encoded; `nil` writes no `Content-Transfer-Encoding` and doesn't encode it.
    public var transferEncoding: TransferEncoding?
    /// Other fields, written after these in this order. Receivers ignore them (RFC 7578 §4.8).
    public var fields: [HeaderField]

    /// A header section. Its values are checked when it is written.
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

    /// The start of a form's section with a name.
    package static let dispositionHead = "Content-Disposition: form-data; name=\""

    /// Whether the section begins with ``dispositionHead``.
    package var hasDispositionHead: Bool {
        // `!= nil` would copy the name.
        if case .some = self.name { self.disposition == .formData } else { false }
    }

    /// Whether the section has only a disposition and a name.
    private var isPlain: Bool {
        guard case .none = self.filename, case .none = self.contentType, case .none = self.transferEncoding else {
            return false
        }
        return self.fields.isEmpty
    }

    private static var plainEnd: String { "\"\r\n\r\n" }

    /// The number of bytes after ``dispositionHead`` in the section of a field with only a name that is written as it is;
    /// `nil` for other parts.
    func plainCount(_ escaping: ParameterEscaping) -> Int? {
        guard let name = self.name, self.hasDispositionHead, self.isPlain, escaping.leaves(name) else { return nil }
        return name.utf8.count + Self.plainEnd.utf8.count
    }

    /// Appends the section and the empty line after it.
    /// - Parameter afterDispositionHead: Whether ``dispositionHead`` was appended already.
    /// - Throws: ``FormworkError/Code/invalidArgument`` for a name or filename that `escaping` refuses or that has no
    ///   disposition, an invalid type, or a field that repeats a generated one.
    package func append(
        to bytes: inout [UInt8], escaping: ParameterEscaping, afterDispositionHead: Bool = false
    ) throws(FormworkError) {
        if afterDispositionHead, let name = self.name, self.isPlain {
            // A plain field, like most.
            try escaping.append(name, as: "name", to: &bytes)
            return bytes.append(Self.plainEnd)
        }
        try self.appendDisposition(to: &bytes, escaping, afterDispositionHead)
        if let contentType = self.contentType {
            bytes.append("Content-Type: ")
            let start = bytes.count
            bytes.append(contentType)
            try Self.checkMediaType(contentType, in: bytes, from: start)
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
                throw FormworkError(.invalidArgument, "A part with a name or filename needs a disposition: add one.")
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
                "The field \(field.name) is written from the part's disposition, type or encoding too: give it once.")
        }
    }

    /// - Throws: ``FormworkError/Code/invalidArgument`` if it isn't a media type.
    package static func checkMediaType(_ text: String) throws(FormworkError) {
        try self.checkMediaType(text, in: Array(text.utf8), from: 0)
    }

    /// Checks for `type "/" subtype`, followed by text that is allowed in a field value (RFC 9110 §8.3.1).
    /// - Parameters:
    ///   - bytes: Ends with `text` as UTF-8.
    ///   - start: Where that begins.
    private static func checkMediaType(
        _ text: String, in bytes: [UInt8], from start: Int
    ) throws(FormworkError) {
        let span = bytes.span
        var halves = 0
        var isEmpty = true
        var isToken = true
        var isAll = true
        for index in start..<span.count {
            let byte = span[index]
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
        // Tokens are valid in field values, so only the text after them needs a check.
        if !isAll { try FormworkError.checkFieldValue(text, of: "Content-Type") }
    }
}
