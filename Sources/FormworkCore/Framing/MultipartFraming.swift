/// How parts become one body: the boundary, the type, and the escaping.
public struct MultipartFraming: Hashable, Sendable, Codable {
    /// The bytes after the last part.
    package enum Ending: String, Hashable, Sendable, Codable {
        /// CRLF `--` boundary `--` CRLF, as in RFC 2046.
        case closeDelimiter
        /// CRLF `--` boundary CRLF: Facebook's GraphRequestBody never closes. For reproduction only.
        case delimiter
    }

    /// The body of a form without parts.
    package enum EmptyForm: String, Hashable, Sendable, Codable {
        /// `--` boundary `--` CRLF, as browsers send it. Every parser reads it as no parts.
        case closeDelimiter
        /// No bytes, as with Alamofire's `encode()`.
        case nothing
    }

    /// How the boundary is written in `Content-Type`.
    package enum BoundaryQuoting: String, Hashable, Sendable, Codable {
        /// In quotes if RFC 2045 §5.1 requires them.
        case whenNeeded
        /// Without quotes, as AFNetworking, Alamofire and Facebook write it. For reproduction only.
        case never
    }

    /// The separator of the parts.
    public var boundary: Boundary
    /// The multipart subtype, a token; by default `form-data`.
    public var subtype: String
    /// Parameters of `Content-Type` before the boundary, written unchanged (`type="text/html"; start="<a>"`, RFC 2387);
    /// empty for none.
    public var parameters: String
    /// How names and filenames are written.
    public var escaping: ParameterEscaping
    /// The bytes after the last part.
    var ending: Ending
    /// The body of a form without parts.
    var emptyForm: EmptyForm
    /// How the boundary is written in `Content-Type`.
    var quoting: BoundaryQuoting

    /// A framing. The defaults are those of RFC 7578.
    public init(
        boundary: Boundary = .random(), subtype: String = "form-data", parameters: String = "",
        escaping: ParameterEscaping = .whatwg
    ) {
        self.init(
            boundary: boundary, subtype: subtype, parameters: parameters, escaping: escaping, ending: .closeDelimiter)
    }

    /// A framing with the deviations of another system.
    package init(
        boundary: Boundary = .random(), subtype: String = "form-data", parameters: String = "",
        escaping: ParameterEscaping = .whatwg, ending: Ending, emptyForm: EmptyForm = .closeDelimiter,
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

    /// The text in `Content-Type` instead of the type and its parameters, to reproduce what curl writes for a type that
    /// isn't multipart; `nil` writes type and parameters.
    package var verbatimType: String?

    /// The value of the body's `Content-Type` without the boundary.
    package var typeWithoutBoundary: String {
        self.verbatimType ?? "multipart/\(self.subtype)" + (self.parameters.isEmpty ? "" : "; \(self.parameters)")
    }

    /// The value of the body's `Content-Type`, with the boundary.
    /// - Throws: ``FormworkError/Code/invalidArgument`` for a subtype that isn't a token, and for parameters that
    ///   aren't allowed in a field value or could hide the boundary.
    package var contentType: String {
        get throws(FormworkError) {
            guard self.verbatimType != nil || !self.subtype.isEmpty && self.subtype.utf8.allSatisfy(\.isTokenByte)
            else {
                throw FormworkError(.invalidArgument, "\"\(self.subtype)\" is not a multipart subtype.")
            }
            let boundary = self.quoting == .whenNeeded ? self.boundary.parameterValue : self.boundary.text
            let value = "\(self.typeWithoutBoundary); boundary=\(boundary)"
            try FormworkError.checkFieldValue(value, of: "Content-Type")
            let isUsual = self.subtype == "form-data" && self.parameters.isEmpty
            if self.verbatimType == nil, !isUsual { try self.checkParameters() }
            return value
        }
    }
}

/// A framing with its delimiters prepared once, for any number of parts.
package struct PartFramer: Sendable {
    private let framing: MultipartFraming
    /// The start of most parts: the delimiter, and the header section up to the name.
    private let usualStart: [UInt8]
    /// Only the delimiter.
    private let delimiter: [UInt8]

    package init(_ framing: MultipartFraming) {
        self.framing = framing
        self.delimiter = Array("\r\n--\(framing.boundary)\r\n".utf8)
        self.usualStart = self.delimiter + Array(PartHeader.usualStart.utf8)
    }

    /// Appends the bytes before a part's content: delimiter and header section.
    ///
    /// The CRLF before `--` belongs to the delimiter, not to the content before it. The first part has none.
    package func appendHead(
        of header: PartHeader, isFirst: Bool, to bytes: inout [UInt8]
    ) throws(FormworkError) {
        guard self.appendUsual(header, isFirst: isFirst, to: &bytes) == nil else { return }
        bytes.append(contentsOf: isFirst ? self.delimiter.dropFirst(2) : self.delimiter[...])
        try header.append(to: &bytes, escaping: self.framing.escaping)
    }

    /// Appends what ``appendHead(of:isFirst:to:)`` does, and a text as content, in one step.
    /// - Returns: The number of bytes before the content; `nil`, and nothing is appended, for a header that isn't usual.
    @inline(__always)
    package func appendUsual(
        _ header: PartHeader, _ text: String = "", isFirst: Bool, to bytes: inout [UInt8]
    ) -> Int? {
        guard let count = self.usualHeadCount(of: header, isFirst: isFirst) else { return nil }
        bytes.append(count: count + text.utf8.count) { room in
            room.put(self.usualStart, from: isFirst ? 2 : 0)
            header.putUsualRest(&room)
            room.put(text)
        }
        return count
    }

    /// The number of bytes that ``appendHead(of:isFirst:to:)`` appends for a usual header; `nil` for others.
    @inline(__always)
    package func usualHeadCount(of header: PartHeader, isFirst: Bool) -> Int? {
        guard let count = header.usualRestCount(self.framing.escaping) else { return nil }
        return self.usualStart.count - (isFirst ? 2 : 0) + count
    }

    /// Appends the bytes after the last part, or the body of a form without parts.
    package func appendEnd(afterParts hasParts: Bool, to bytes: inout [UInt8]) {
        if !hasParts, self.framing.emptyForm == .nothing { return }
        let ending = !hasParts || self.framing.ending == .closeDelimiter ? "--\r\n" : "\r\n"
        bytes.append("\(hasParts ? "\r\n" : "")--\(self.framing.boundary)\(ending)")
    }
}
