/// The header section of one body part: the part's name and filename, its type, and other fields.
public struct PartHeader: Hashable, Sendable, Codable {
    // Declared first: otherwise the memberwise initializer would have the public one's signature.
    /// Other fields, written last, in this order. Receivers ignore them (RFC 7578 §4.8).
    public var fields: [HeaderField]
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
}

extension PartHeader {
    /// A header section. Its values are checked when it is written.
    public init(
        disposition: DispositionType? = .formData, name: String? = nil, filename: String? = nil,
        contentType: String? = nil, transferEncoding: TransferEncoding? = nil, fields: [HeaderField] = []
    ) {
        // All at once: assigned one by one, the members of such a large value would be copied and retained again.
        self.init(
            fields: fields, disposition: disposition, name: name, filename: filename, contentType: contentType,
            transferEncoding: transferEncoding)
    }

    /// The start of a form's section with a name.
    static let usualStart = "Content-Disposition: form-data; name=\""

    private static let beforeFilename: StaticString = "\"; filename=\""
    private static let beforeType: StaticString = "\"\r\nContent-Type: "
    private static let endAfterType: StaticString = "\r\n\r\n"
    private static let end: StaticString = "\"\r\n\r\n"

    /// The number of bytes after ``usualStart`` in a usual section: one with a name in a form, maybe with a filename and a
    /// type without parameters, whose names are written as they are. `nil` for other sections, also for invalid ones.
    @inline(__always)
    func usualRestCount(_ escaping: ParameterEscaping) -> Int? {
        guard self.disposition == .formData, case .some(let name) = self.name, escaping.leaves(name),
            case .none = self.transferEncoding, self.fields.isEmpty
        else { return nil }
        var count = name.utf8.count
        if case .some(let filename) = self.filename {
            guard escaping.leaves(filename) else { return nil }
            count += Self.beforeFilename.utf8CodeUnitCount + filename.utf8.count
        }
        guard case .some(let contentType) = self.contentType else { return count + Self.end.utf8CodeUnitCount }
        guard Self.mediaTypeForm(of: contentType) == .alone else { return nil }
        let ends = Self.beforeType.utf8CodeUnitCount + Self.endAfterType.utf8CodeUnitCount
        return count + contentType.utf8.count + ends
    }

    /// Puts the bytes after ``usualStart`` in a usual section.
    @inline(__always)
    func putUsualRest(_ room: inout RoomWriter) {
        if case .some(let name) = self.name { room.put(name) }
        if case .some(let filename) = self.filename {
            room.put(Self.beforeFilename)
            room.put(filename)
        }
        guard case .some(let contentType) = self.contentType else { return room.put(Self.end) }
        room.put(Self.beforeType)
        room.put(contentType)
        room.put(Self.endAfterType)
    }

    /// Appends the section and the empty line after it.
    /// - Throws: ``FormworkError/Code/invalidArgument`` for a name or filename that `escaping` refuses or that has no
    ///   disposition, an invalid type, or a field that repeats a generated one.
    func append(to bytes: inout [UInt8], escaping: ParameterEscaping) throws(FormworkError) {
        try self.appendDisposition(to: &bytes, escaping)
        if let contentType = self.contentType {
            try Self.checkMediaType(contentType)
            bytes.append("Content-Type: ")
            bytes.append(contentType)
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
        to bytes: inout [UInt8], _ escaping: ParameterEscaping
    ) throws(FormworkError) {
        guard let disposition = self.disposition else {
            guard self.name == nil, self.filename == nil else {
                throw FormworkError(.invalidArgument, "A part with a name or filename needs a disposition: add one.")
            }
            return
        }
        bytes.append("Content-Disposition: ")
        bytes.append(disposition.rawValue)
        for (parameter, value) in [("name", self.name), ("filename", self.filename)] {
            guard let value else { continue }
            bytes.append("; \(parameter)=\"")
            try escaping.append(value, as: parameter, to: &bytes)
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

    /// Checks for `type "/" subtype`, followed by text that is allowed in a field value (RFC 9110 §8.3.1).
    /// - Throws: ``FormworkError/Code/invalidArgument`` if it isn't a media type.
    package static func checkMediaType(_ text: String) throws(FormworkError) {
        switch self.mediaTypeForm(of: text) {
        // Tokens are valid in field values.
        case .alone: return
        case .withMore: try FormworkError.checkFieldValue(text, of: "Content-Type")
        case .no: throw FormworkError(.invalidArgument, "\"\(text)\" is not a media type: write type/subtype.")
        }
    }

    /// Whether a text is a media type, alone or with text after it.
    private enum MediaTypeForm { case no, alone, withMore }

    private static func mediaTypeForm(of text: String) -> MediaTypeForm {
        text.withRawSpan { bytes in
            let slash = bytes.endOfToken(from: 0)
            guard slash > 0, slash < bytes.byteCount, bytes[slash] == UInt8(ascii: "/") else { return .no }
            let end = bytes.endOfToken(from: slash + 1)
            guard end > slash + 1 else { return .no }
            if end == bytes.byteCount { return .alone }
            return bytes[end] == UInt8(ascii: ";") || bytes[end].isBlank ? .withMore : .no
        }
    }
}

extension RawSpan {
    /// The end of the token bytes from an offset.
    fileprivate func endOfToken(from start: Int) -> Int {
        var end = start
        while end < self.byteCount, self[end].isTokenByte { end += 1 }
        return end
    }
}

/// The type of a part's `Content-Disposition` (RFC 2183 §2, RFC 7578 §4.2).
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum DispositionType: String, Hashable, Sendable, Codable {
    /// A field or file of a form: every part of `multipart/form-data`.
    case formData = "form-data"
    /// Content to save. curl uses it for named parts of other multipart types.
    case attachment
    /// Content to show inline.
    case inline
}
