/// Why a received body was refused, for programs: the `cause` of the ``FormworkError`` that a parser throws.
public struct ParsingFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// A class of failure. More may come, so a `switch` needs a `default`.
    public struct Kind: Hashable, Sendable, RawRepresentable {
        /// The class's name, fit for a metrics label: `malformedHeader`, `limit.parts`.
        public let rawValue: String
        /// Names a class.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// `Content-Type` is no multipart type, or not the one that the profile wants.
        public static let invalidContentType = Self(rawValue: "invalidContentType")
        /// `Content-Type` has no `boundary`.
        public static let missingBoundaryParameter = Self(rawValue: "missingBoundaryParameter")
        /// The `boundary` is empty, ends with a space, or holds what no line may hold.
        public static let invalidBoundaryParameter = Self(rawValue: "invalidBoundaryParameter")
        /// `boundary`, `name`, `filename` or `filename*` stands twice: two receivers may take different ones.
        public static let duplicateParameter = Self(rawValue: "duplicateParameter")
        /// A part has two `Content-Disposition` or two `Content-Type` fields.
        public static let duplicateHeader = Self(rawValue: "duplicateHeader")
        /// A header line is none, or `Content-Disposition` can't be read.
        public static let malformedHeader = Self(rawValue: "malformedHeader")
        /// Something else than blanks follows a close delimiter on its line.
        public static let malformedBoundaryLine = Self(rawValue: "malformedBoundaryLine")
        /// A part has no `Content-Disposition: form-data` (RFC 7578 §4.2).
        public static let missingContentDisposition = Self(rawValue: "missingContentDisposition")
        /// A part's `Content-Disposition` has no `name` (RFC 7578 §4.2).
        public static let missingName = Self(rawValue: "missingName")
        /// Text, then the close delimiter: a form whose first delimiter was not recognised looks like this.
        public static let noPartsAfterPreamble = Self(rawValue: "noPartsAfterPreamble")
        /// Before the first part a line begins with the delimiter and isn't one: after a bare LF, say. What other
        /// receivers take for a part would be lost.
        public static let delimiterInPreamble = Self(rawValue: "delimiterInPreamble")
        /// Bytes stand before the first delimiter, which the profile refuses.
        public static let preamble = Self(rawValue: "preamble")
        /// A name is no UTF-8, which the profile refuses.
        public static let invalidText = Self(rawValue: "invalidText")
        /// The body ended before its close delimiter.
        public static let unexpectedEnd = Self(rawValue: "unexpectedEnd")
        /// ``ParsingLimits/boundaryLength`` was crossed.
        public static let boundaryLengthLimit = Self(rawValue: "limit.boundaryLength")
        /// ``ParsingLimits/totalBytes`` was crossed.
        public static let totalBytesLimit = Self(rawValue: "limit.totalBytes")
        /// ``ParsingLimits/preambleBytes`` was crossed.
        public static let preambleBytesLimit = Self(rawValue: "limit.preambleBytes")
        /// ``ParsingLimits/headerBytes`` was crossed.
        public static let headerBytesLimit = Self(rawValue: "limit.headerBytes")
        /// ``ParsingLimits/headerCount`` was crossed.
        public static let headerCountLimit = Self(rawValue: "limit.headerCount")
        /// ``ParsingLimits/totalHeaderBytes`` was crossed.
        public static let totalHeaderBytesLimit = Self(rawValue: "limit.totalHeaderBytes")
        /// ``ParsingLimits/nameBytes`` was crossed.
        public static let nameBytesLimit = Self(rawValue: "limit.nameBytes")
        /// ``ParsingLimits/parts`` was crossed.
        public static let partsLimit = Self(rawValue: "limit.parts")
        /// ``ParsingLimits/fields`` was crossed.
        public static let fieldsLimit = Self(rawValue: "limit.fields")
        /// ``ParsingLimits/files`` was crossed.
        public static let filesLimit = Self(rawValue: "limit.files")
        /// ``ParsingLimits/fieldBytes``, or what ``MultipartParser/limitContent(to:)`` set for a field, was crossed.
        public static let fieldBytesLimit = Self(rawValue: "limit.fieldBytes")
        /// ``ParsingLimits/fileBytes``, or what ``MultipartParser/limitContent(to:)`` set for a file, was crossed.
        public static let fileBytesLimit = Self(rawValue: "limit.fileBytes")
        /// A name nests deeper than a decoder allows.
        public static let nameDepthLimit = Self(rawValue: "limit.nameDepth")
        /// The memory that a collected form may take was crossed.
        public static let memoryBytesLimit = Self(rawValue: "limit.memoryBytes")
    }

    /// What to decide on.
    public var kind: Kind
    /// The limit's value, in its own unit; `nil` when no limit was crossed.
    public var limit: Int64?

    /// Describes a failure.
    public init(_ kind: Kind, limit: Int64? = nil) {
        self.kind = kind
        self.limit = limit
    }

    /// The class's name.
    public var description: String { self.kind.rawValue }

    /// The whole error that this is the cause of.
    package func error(_ message: String, at offset: Int64?) -> FormworkError {
        let code: FormworkError.Code =
            self.limit != nil ? .limitExceeded : self.kind == .unexpectedEnd ? .truncatedBody : .malformedBody
        return FormworkError(code, message, offset: offset, cause: self)
    }
}

extension FormworkError {
    /// The class of failure when a parser refused a body; `nil` for every other error.
    public var parsingFailure: ParsingFailure? { self.cause as? ParsingFailure }
}
