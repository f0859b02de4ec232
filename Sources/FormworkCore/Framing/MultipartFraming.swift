/// How parts become one body: boundary, escaping, and what the systems we reproduce do otherwise at the end.
public struct MultipartFraming: Hashable, Sendable, Codable {
    /// What is written after the last part.
    public enum Ending: String, Hashable, Sendable, Codable {
        /// CRLF `--` boundary `--` CRLF, as RFC 2046 has it.
        case closeDelimiter
        /// CRLF `--` boundary CRLF: Facebook's GraphRequestBody never closes. For reproduction only.
        case delimiter
    }

    /// What a form without parts becomes.
    public enum EmptyForm: String, Hashable, Sendable, Codable {
        /// `--` boundary `--` CRLF, as browsers send it and every parser reads as no parts.
        case closeDelimiter
        /// No bytes at all, as Alamofire's `encode()` gives.
        case nothing
    }

    /// What separates the parts.
    public var boundary: Boundary
    /// The multipart subtype, a token; `form-data` unless said otherwise.
    public var subtype: String
    /// How names and filenames are written.
    public var escaping: ParameterEscaping
    /// What follows the last part.
    public var ending: Ending
    /// What stands for no parts.
    public var emptyForm: EmptyForm

    /// RFC 7578's framing, unless arguments say otherwise.
    public init(
        boundary: Boundary = .random(), subtype: String = "form-data", escaping: ParameterEscaping = .whatwg,
        ending: Ending = .closeDelimiter, emptyForm: EmptyForm = .closeDelimiter
    ) {
        self.boundary = boundary
        self.subtype = subtype
        self.escaping = escaping
        self.ending = ending
        self.emptyForm = emptyForm
    }

    /// The value of the request's `Content-Type`.
    public var contentType: String { "multipart/\(self.subtype); boundary=\(self.boundary.parameterValue)" }
}

/// A framing with its delimiters spelled out once, for as many parts as there are.
package struct PartFramer: Sendable {
    package let framing: MultipartFraming
    private let delimiter: String

    package init(_ framing: MultipartFraming) throws(FormworkError) {
        guard !framing.subtype.isEmpty, framing.subtype.utf8.allSatisfy(\.isTokenByte) else {
            throw FormworkError(.invalidArgument, "\"\(framing.subtype)\" is not a multipart subtype.")
        }
        self.framing = framing
        self.delimiter = "\r\n--\(framing.boundary)\r\n"
    }

    /// Writes what stands before a part's content: delimiter and header section.
    ///
    /// The CRLF before `--` belongs to the delimiter, not to the content before it; the first part needs none.
    package func writeHead(
        of header: PartHeader, isFirst: Bool, to sink: inout some ByteSink
    ) throws(FormworkError) {
        if isFirst {
            sink.write("--")
            sink.write(self.framing.boundary.text)
            sink.write("\r\n")
        } else {
            sink.write(self.delimiter)
        }
        try header.write(to: &sink, escaping: self.framing.escaping)
    }

    /// Writes what stands after the last part, or for a form without parts.
    package func writeEnd(afterParts hasParts: Bool, to sink: inout some ByteSink) {
        if !hasParts, self.framing.emptyForm == .nothing { return }
        if hasParts { sink.write("\r\n") }
        sink.write("--")
        sink.write(self.framing.boundary.text)
        sink.write(self.framing.ending == .closeDelimiter ? "--\r\n" : "\r\n")
    }
}
