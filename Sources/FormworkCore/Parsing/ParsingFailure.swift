/// Why a received body was refused, for decisions in code. It is the `cause` of the parser's ``FormworkError``.
public struct ParsingFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// A kind of failure. More may be added, so a `switch` needs a `default`.
    public struct Kind: Hashable, Sendable, RawRepresentable {
        /// The kind's name, usable as a metrics label: `malformedHeader`, `limit.parts`.
        public let rawValue: String
        /// A kind with a name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// `Content-Type` is not a multipart type, or not the profile's.
        public static let invalidContentType = Self(rawValue: "invalidContentType")
        /// `Content-Type` has no `boundary`.
        public static let missingBoundaryParameter = Self(rawValue: "missingBoundaryParameter")
        /// The `boundary` is empty, ends with a space, or has characters that aren't printable ASCII.
        public static let invalidBoundaryParameter = Self(rawValue: "invalidBoundaryParameter")
        /// `boundary`, `name`, `filename` or `filename*` occurs twice, and receivers may use different ones.
        public static let duplicateParameter = Self(rawValue: "duplicateParameter")
        /// A part has two `Content-Disposition` or two `Content-Type` fields.
        public static let duplicateHeader = Self(rawValue: "duplicateHeader")
        /// A header line is invalid, or `Content-Disposition` can't be read.
        public static let malformedHeader = Self(rawValue: "malformedHeader")
        /// Text follows a delimiter on its line.
        public static let malformedBoundaryLine = Self(rawValue: "malformedBoundaryLine")
        /// A part has no `Content-Disposition: form-data` (RFC 7578 §4.2).
        public static let missingContentDisposition = Self(rawValue: "missingContentDisposition")
        /// A part's `Content-Disposition` has no `name` (RFC 7578 §4.2).
        public static let missingName = Self(rawValue: "missingName")
        /// A part's name isn't one of ``ParsingLimits/named``, and ``ParsingLimits/onlyNamed`` is `true`.
        public static let unknownName = Self(rawValue: "unknownName")
        /// The close delimiter directly follows text. A form whose first delimiter was not recognised looks like this.
        public static let noPartsAfterPreamble = Self(rawValue: "noPartsAfterPreamble")
        /// A line before the first part begins like a delimiter but isn't one, for example after a bare LF. A part that
        /// other receivers see would be lost.
        public static let delimiterInPreamble = Self(rawValue: "delimiterInPreamble")
        /// Receivers read a detail differently, which the profile refuses: see ``Ambiguity``.
        public static let ambiguity = Self(rawValue: "ambiguity")
        /// There are bytes before the first delimiter, which the profile refuses.
        public static let preamble = Self(rawValue: "preamble")
        /// A name is not UTF-8, which the profile refuses.
        public static let invalidText = Self(rawValue: "invalidText")
        /// The body ended before its close delimiter.
        public static let unexpectedEnd = Self(rawValue: "unexpectedEnd")
        /// ``ParsingLimits/boundaryLength`` was exceeded.
        public static let boundaryLengthLimit = Self(rawValue: "limit.boundaryLength")
        /// ``ParsingLimits/totalBytes`` was exceeded.
        public static let totalBytesLimit = Self(rawValue: "limit.totalBytes")
        /// ``ParsingLimits/preambleBytes`` was exceeded.
        public static let preambleBytesLimit = Self(rawValue: "limit.preambleBytes")
        /// ``ParsingLimits/headerBytes`` was exceeded.
        public static let headerBytesLimit = Self(rawValue: "limit.headerBytes")
        /// ``ParsingLimits/headerCount`` was exceeded.
        public static let headerCountLimit = Self(rawValue: "limit.headerCount")
        /// ``ParsingLimits/totalHeaderBytes`` was exceeded.
        public static let totalHeaderBytesLimit = Self(rawValue: "limit.totalHeaderBytes")
        /// ``ParsingLimits/nameBytes`` was exceeded.
        public static let nameBytesLimit = Self(rawValue: "limit.nameBytes")
        /// ``ParsingLimits/parts`` was exceeded.
        public static let partsLimit = Self(rawValue: "limit.parts")
        /// ``ParsingLimits/fields`` was exceeded.
        public static let fieldsLimit = Self(rawValue: "limit.fields")
        /// ``ParsingLimits/files`` was exceeded.
        public static let filesLimit = Self(rawValue: "limit.files")
        /// ``ParsingLimits/fieldBytes``, or the limit of a call for one field, was exceeded.
        public static let fieldBytesLimit = Self(rawValue: "limit.fieldBytes")
        /// ``ParsingLimits/fileBytes``, or the limit of a call for one file, was exceeded.
        public static let fileBytesLimit = Self(rawValue: "limit.fileBytes")
        /// A name nests deeper than a decoder allows.
        public static let nameDepthLimit = Self(rawValue: "limit.nameDepth")
        /// The memory limit of a collected form was exceeded.
        public static let memoryBytesLimit = Self(rawValue: "limit.memoryBytes")
    }

    /// The kind of failure, for decisions in code.
    public var kind: Kind
    /// The limit's value, in its own unit; `nil` if no limit was exceeded.
    public var limit: Int64?

    package init(_ kind: Kind, limit: Int64? = nil) {
        self.kind = kind
        self.limit = limit
    }

    /// The kind's name.
    public var description: String { self.kind.rawValue }

    /// The sentence for a name that isn't accepted.
    package static var unknownNameMessage: String { "No part of this name is accepted here (ParsingLimits.named)." }

    /// An error with this as its cause.
    package func error(_ message: String, at offset: Int64?) -> FormworkError {
        let code: FormworkError.Code =
            self.limit != nil ? .limitExceeded : self.kind == .unexpectedEnd ? .truncatedBody : .malformedBody
        return FormworkError(code, message, offset: offset, cause: self)
    }
}

extension FormworkError {
    /// The kind of failure if a parser refused a body; `nil` for every other error.
    public var parsingFailure: ParsingFailure? { self.cause as? ParsingFailure }
}
