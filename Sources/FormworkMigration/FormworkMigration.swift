@_exported import FormworkFoundation

/// What to do if an imitated library would lose data, or write text that others read differently.
public enum Compatibility: String, Codable, Sendable {
    /// Nothing is lost, and names can't break the text around them.
    case safe
    /// Writes the same bytes as the library itself on Linux: Alamofire 5.12, or the chosen version of AFNetworking.
    case exact
}

extension Compatibility {
    /// A multipart body's framing, in which names can't break the text around them, or the library's own.
    func framing(_ boundary: Boundary, emptyForm: MultipartFraming.EmptyForm) -> MultipartFraming {
        MultipartFraming(
            boundary: boundary, escaping: self == .safe ? .whatwg : .raw, ending: .closeDelimiter,
            emptyForm: emptyForm, quoting: self == .safe ? .whenNeeded : .never)
    }

    /// A part's header section. The type is any text, as in the libraries.
    func header(_ name: String, _ fileName: String?, _ type: String?) throws(FormworkError) -> PartHeader {
        PartHeader(
            name: name, filename: fileName, fields: try self.fields(HTTPHeaders(type.map { [.contentType($0)] } ?? [])))
    }

    /// The fields of a part's header section.
    func fields(_ headers: HTTPHeaders) throws(FormworkError) -> [HeaderField] {
        try headers.map { header throws(FormworkError) in
            switch self {
            case .safe: try HeaderField(header.name, header.value)
            case .exact: HeaderField(verbatim: Array(header.description.utf8))
            }
        }
    }
}
