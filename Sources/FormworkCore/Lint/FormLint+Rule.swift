extension FormLint {
    /// A rule of the lint. More may be added, so a `switch` needs a `default`.
    public struct Rule: Hashable, Sendable, RawRepresentable {
        /// The rule's name, usable as a metrics label: `missingName`.
        public let rawValue: String
        /// A rule with a name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The type is a multipart type, but not `multipart/form-data`.
        public static let notFormData = Self(rawValue: "notFormData")
        /// The boundary contains characters that RFC 2046 doesn't allow.
        public static let boundaryCharacters = Self(rawValue: "boundaryCharacters")
        /// The boundary has more than 70 bytes.
        public static let boundaryLength = Self(rawValue: "boundaryLength")
        /// The boundary ends with a space.
        public static let boundaryTrailingSpace = Self(rawValue: "boundaryTrailingSpace")
        /// The boundary needs quotes in `Content-Type`, and has none.
        public static let boundaryUnquoted = Self(rawValue: "boundaryUnquoted")

        /// There are bytes before the first delimiter.
        public static let preamble = Self(rawValue: "preamble")
        /// A part's content, or text before the first part, holds the delimiter without CRLF before it. Reported once.
        public static let strayDelimiter = Self(rawValue: "strayDelimiter")
        /// There are bytes after the close delimiter's line.
        public static let epilogue = Self(rawValue: "epilogue")
        /// Blanks follow a delimiter on its line.
        public static let padding = Self(rawValue: "padding")
        /// A line of the framing or of a header ends with LF only. Reported once.
        public static let bareLineFeed = Self(rawValue: "bareLineFeed")
        /// The body ends without a close delimiter.
        public static let missingClose = Self(rawValue: "missingClose")
        /// The form has no parts.
        public static let noParts = Self(rawValue: "noParts")
        /// The body can't be read any further. The sentence begins with the ``ParsingFailure/Kind``.
        public static let malformed = Self(rawValue: "malformed")

        /// A part has no `Content-Disposition: form-data`.
        public static let missingDisposition = Self(rawValue: "missingDisposition")
        /// A part has no `name`.
        public static let missingName = Self(rawValue: "missingName")
        /// A part's name is empty.
        public static let emptyName = Self(rawValue: "emptyName")
        /// A part has `filename*`.
        public static let extendedFilename = Self(rawValue: "extendedFilename")
        /// A name or filename isn't UTF-8.
        public static let invalidText = Self(rawValue: "invalidText")
        /// A quote in a name is escaped with a backslash.
        public static let backslashEscape = Self(rawValue: "backslashEscape")
        /// A name has a quote that isn't escaped.
        public static let unescapedQuote = Self(rawValue: "unescapedQuote")
        /// A name contains `%` and two hexadecimal digits, which may be an escape.
        public static let percentEscape = Self(rawValue: "percentEscape")
        /// A filename is a path.
        public static let filenamePath = Self(rawValue: "filenamePath")
        /// A relevant parameter occurs twice.
        public static let duplicateParameter = Self(rawValue: "duplicateParameter")
        /// A relevant header field occurs twice.
        public static let duplicateHeader = Self(rawValue: "duplicateHeader")
        /// Files are sent as a multipart inside a part.
        public static let nestedFiles = Self(rawValue: "nestedFiles")
        /// A file has no type.
        public static let missingFileType = Self(rawValue: "missingFileType")
        /// A plain field has a type with a charset.
        public static let fieldCharset = Self(rawValue: "fieldCharset")
        /// `_charset_` names another charset than UTF-8.
        public static let defaultCharset = Self(rawValue: "defaultCharset")
        /// A part has a `Content-Transfer-Encoding`.
        public static let transferEncoding = Self(rawValue: "transferEncoding")
        /// A part has a header field that forms don't have.
        public static let otherHeader = Self(rawValue: "otherHeader")
        /// A header line continues in the next one.
        public static let foldedHeader = Self(rawValue: "foldedHeader")
        /// There are blanks between a header field's name and its colon.
        public static let blankBeforeColon = Self(rawValue: "blankBeforeColon")
        /// A header section has more than 512 bytes.
        public static let longHeader = Self(rawValue: "longHeader")
        /// Another field is before `Content-Disposition`.
        public static let dispositionNotFirst = Self(rawValue: "dispositionNotFirst")

        /// The severity of its findings; ``Severity/advice`` for a custom rule.
        package var severity: Severity { Self.sources[self]?.severity ?? .advice }
        /// The section of a standard, such as `RFC 7578 §4.2`; `practice` if there is none.
        package var section: String { Self.sources[self]?.section ?? Self.practice }

        /// Every rule, sorted by name.
        package static var all: [Self] { self.sources.keys.sorted { $0.rawValue < $1.rawValue } }

        private static let practice = "practice"

        private static let sources: [Self: (severity: Severity, section: String)] = [
            .notFormData: (.departure, "RFC 7578 §4"),
            .boundaryCharacters: (.departure, "RFC 2046 §5.1.1"),
            .boundaryLength: (.departure, "RFC 2046 §5.1.1"),
            .boundaryTrailingSpace: (.departure, "RFC 2046 §5.1.1"),
            .boundaryUnquoted: (.departure, "RFC 2045 §5.1"),
            .preamble: (.advice, "RFC 2046 §5.1.1"),
            .strayDelimiter: (.departure, "RFC 2046 §5.1.1"),
            .epilogue: (.advice, "RFC 2046 §5.1.1"),
            .padding: (.advice, "RFC 2046 §5.1.1"),
            .bareLineFeed: (.departure, "RFC 2046 §5.1.1"),
            .missingClose: (.departure, "RFC 2046 §5.1.1"),
            .noParts: (.departure, "RFC 2046 §5.1"),
            .malformed: (.departure, "RFC 2046 §5.1.1"),
            .missingDisposition: (.departure, "RFC 7578 §4.2"),
            .missingName: (.departure, "RFC 7578 §4.2"),
            .emptyName: (.advice, "RFC 7578 §4.2"),
            .extendedFilename: (.departure, "RFC 7578 §4.2"),
            .invalidText: (.advice, "RFC 7578 §5.1"),
            .backslashEscape: (.advice, "WHATWG HTML, multipart/form-data encoding algorithm"),
            .unescapedQuote: (.departure, "RFC 2045 §5.1"),
            .percentEscape: (.advice, "RFC 7578 §2"),
            .filenamePath: (.advice, "RFC 7578 §4.2"),
            .duplicateParameter: (.departure, "RFC 7578 §4.2"),
            .duplicateHeader: (.departure, "RFC 7578 §4.2"),
            .nestedFiles: (.departure, "RFC 7578 §4.3"),
            .missingFileType: (.advice, "RFC 7578 §4.4"),
            .fieldCharset: (.advice, "RFC 7578 §4.5"),
            .defaultCharset: (.advice, "RFC 7578 §4.6"),
            .transferEncoding: (.advice, "RFC 7578 §4.7"),
            .otherHeader: (.departure, "RFC 7578 §4.8"),
            .foldedHeader: (.advice, "RFC 5322 §2.2.3"),
            .blankBeforeColon: (.departure, "RFC 5322 §2.2"),
            .longHeader: (.advice, Self.practice),
            .dispositionNotFirst: (.advice, Self.practice),
        ]
    }
}
