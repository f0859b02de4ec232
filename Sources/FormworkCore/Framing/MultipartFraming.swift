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

    /// How the boundary is written in `Content-Type`.
    public enum BoundaryQuoting: String, Hashable, Sendable, Codable {
        /// In quotes where RFC 2045 §5.1 needs them.
        case whenNeeded
        /// As it is, as AFNetworking, Alamofire and Facebook write theirs. For reproduction only.
        case never
    }

    /// What separates the parts.
    public var boundary: Boundary
    /// The multipart subtype, a token; `form-data` unless said otherwise.
    public var subtype: String
    /// Parameters of `Content-Type` before the boundary, as they are to be written (`type="text/html"; start="<a>"`,
    /// RFC 2387); empty for none.
    public var parameters: String
    /// How names and filenames are written.
    public var escaping: ParameterEscaping
    /// What follows the last part.
    public var ending: Ending
    /// What stands for no parts.
    public var emptyForm: EmptyForm
    /// How `Content-Type` names the boundary.
    public var quoting: BoundaryQuoting

    /// RFC 7578's framing, unless arguments say otherwise.
    public init(
        boundary: Boundary = .random(), subtype: String = "form-data", parameters: String = "",
        escaping: ParameterEscaping = .whatwg,
        ending: Ending = .closeDelimiter, emptyForm: EmptyForm = .closeDelimiter,
        quoting: BoundaryQuoting = .whenNeeded
    ) {
        self.boundary = boundary
        self.subtype = subtype
        self.parameters = parameters
        self.escaping = escaping
        self.ending = ending
        self.emptyForm = emptyForm
        self.quoting = quoting
    }

    /// What stands in `Content-Type` instead of the type and its parameters, to reproduce what curl makes of a type
    /// that isn't multipart; `nil` writes those.
    package var verbatimType: String?

    /// The value of the body's `Content-Type` without the boundary.
    package var typeWithoutBoundary: String {
        self.verbatimType ?? "multipart/\(self.subtype)" + (self.parameters.isEmpty ? "" : "; \(self.parameters)")
    }

    /// The value of the body's `Content-Type`, boundary included.
    /// - Throws: ``FormworkError/Code/invalidArgument`` for a subtype that is no token, and for parameters that no
    ///   field value may hold or that could hide the boundary.
    package var contentType: String {
        get throws(FormworkError) {
            guard self.verbatimType != nil || !self.subtype.isEmpty && self.subtype.utf8.allSatisfy(\.isTokenByte)
            else {
                throw FormworkError(.invalidArgument, "\"\(self.subtype)\" is not a multipart subtype.")
            }
            let boundary = self.quoting == .whenNeeded ? self.boundary.parameterValue : self.boundary.text
            let value = "\(self.typeWithoutBoundary); boundary=\(boundary)"
            try FormworkError.checkFieldValue(value, of: "Content-Type")
            if self.verbatimType == nil { try self.checkParameters() }
            return value
        }
    }
}

/// A framing with its delimiters spelled out once, for as many parts as there are.
package struct PartFramer: Sendable {
    private let framing: MultipartFraming
    /// What most parts begin with: the delimiter, and the header section up to the name.
    private let delimiterAndDisposition: [UInt8]
    /// The delimiter alone.
    private let delimiter: [UInt8]

    package init(_ framing: MultipartFraming) {
        self.framing = framing
        self.delimiter = Array("\r\n--\(framing.boundary)\r\n".utf8)
        self.delimiterAndDisposition = self.delimiter + Array(PartHeader.dispositionHead.utf8)
    }

    /// Appends what stands before a part's content: delimiter and header section.
    ///
    /// The CRLF before `--` belongs to the delimiter, not to the content before it; the first part needs none.
    package func appendHead(
        of header: PartHeader, isFirst: Bool, to bytes: inout [UInt8]
    ) throws(FormworkError) {
        let start = bytes.count
        let isUsual = header.hasDispositionHead
        bytes.append(contentsOf: isUsual ? self.delimiterAndDisposition : self.delimiter)
        if isFirst { bytes.removeSubrange(start..<start + 2) }
        try header.append(to: &bytes, escaping: self.framing.escaping, afterDispositionHead: isUsual)
    }

    /// Appends what stands after the last part, or for a form without parts.
    package func appendEnd(afterParts hasParts: Bool, to bytes: inout [UInt8]) {
        if !hasParts, self.framing.emptyForm == .nothing { return }
        let ending = !hasParts || self.framing.ending == .closeDelimiter ? "--\r\n" : "\r\n"
        bytes.append("\(hasParts ? "\r\n" : "")--\(self.framing.boundary)\(ending)")
    }
}
