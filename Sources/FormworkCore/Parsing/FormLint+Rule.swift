extension FormLint {
    /// A rule of the lint. Its name is usable as a metrics label: `missingName`.
    package enum Rule: String, Hashable, Sendable, CaseIterable {
        /// The type is a multipart type, but not `multipart/form-data`.
        case notFormData
        /// The boundary contains characters that RFC 2046 doesn't allow.
        case boundaryCharacters
        /// The boundary has more than 70 bytes.
        case boundaryLength
        /// The boundary ends with a space.
        case boundaryTrailingSpace
        /// The boundary needs quotes in `Content-Type`, and has none.
        case boundaryUnquoted
        /// The word `boundary` occurs elsewhere in `Content-Type`, which some receivers search for it.
        case boundaryWord

        /// There are bytes before the first delimiter.
        case preamble
        /// A part's content, or text before the first part, holds the delimiter without CRLF before it. Reported once.
        case strayDelimiter
        /// There are bytes after the close delimiter's line.
        case epilogue
        /// A line of content begins with the delimiter but is longer.
        case longerLine
        /// An empty content shares its line end with the header section.
        case sharedLineEnd
        /// A name begins with a bracket.
        case bracketName
        /// Blanks follow a delimiter on its line.
        case padding
        /// A line of the framing or of a header ends with LF only. Reported once.
        case bareLineFeed
        /// The body ends without a close delimiter.
        case missingClose
        /// The form has no parts.
        case noParts
        /// The body can't be read any further. The sentence begins with the ``ParsingFailure/Kind``.
        case malformed

        /// A part has no `Content-Disposition: form-data`.
        case missingDisposition
        /// A part has no `name`.
        case missingName
        /// A part's name is empty.
        case emptyName
        /// A file with content has an empty name.
        case emptyFilename
        /// The parameters of `Content-Type` or `Content-Disposition` aren't written as in RFC 9110.
        case parameterSyntax
        /// A name or filename isn't in quotes.
        case unquotedName
        /// `Content-Disposition` has a parameter other than `name` and `filename`.
        case otherParameter
        /// The name follows a filename with a colon.
        case nameNotFirst
        /// A parameter is extended or continued: its name has `*`.
        case extendedParameter
        /// A header section has control characters.
        case controlCharacter
        /// A part has `filename*`.
        case extendedFilename
        /// A name or filename isn't UTF-8.
        case invalidText
        /// A name has a backslash.
        case backslash
        /// A name has a quote that isn't escaped.
        case unescapedQuote
        /// A name contains `%` and two hexadecimal digits, which may be an escape.
        case percentEscape
        /// A filename is a path.
        case filenamePath
        /// A relevant parameter occurs twice.
        case duplicateParameter
        /// A relevant header field occurs twice.
        case duplicateHeader
        /// Files are sent as a multipart inside a part.
        case nestedFiles
        /// A file has no type.
        case missingFileType
        /// A field has the type of a file.
        case fileType
        /// A part's type has a charset that some receivers decode.
        case otherCharset
        /// A plain field has a type with a charset.
        case fieldCharset
        /// `_charset_` names another charset than UTF-8.
        case defaultCharset
        /// A part's content is encoded.
        case encodedContent
        /// A part has a `Content-Transfer-Encoding`.
        case transferEncoding
        /// A part has a header field that forms don't have.
        case otherHeader
        /// A header line continues in the next one.
        case foldedHeader
        /// There are blanks between a header field's name and its colon.
        case blankBeforeColon
        /// A header section has more than 512 bytes.
        case longHeader
        /// Another field is before `Content-Disposition`.
        case dispositionNotFirst

        /// Whether receivers read it differently, so that a profile may refuse it.
        package var isAmbiguous: Bool { Self.sources[self]?.failure != nil }
        /// The kind of failure with which a profile refuses it.
        var failure: ParsingFailure.Kind { Self.sources[self]?.failure ?? .ambiguity }
        /// The severity of its findings.
        var severity: Severity { Self.sources[self]?.severity ?? .advice }
        /// The section of a standard, such as `RFC 7578 §4.2`; `practice` if there is none.
        var section: String { Self.sources[self]?.section ?? Self.practice }

        private static let practice = "practice"

        /// What isn't read the same by all receivers has a kind of failure.
        private static let sources: [Self: (severity: Severity, section: String, failure: ParsingFailure.Kind?)] = [
            .notFormData: (.departure, "RFC 7578 §4", .invalidContentType),
            .boundaryCharacters: (.departure, "RFC 2046 §5.1.1", .invalidBoundaryParameter),
            .boundaryLength: (.departure, "RFC 2046 §5.1.1", .invalidBoundaryParameter),
            .boundaryTrailingSpace: (.departure, "RFC 2046 §5.1.1", .invalidBoundaryParameter),
            .boundaryUnquoted: (.departure, "RFC 2045 §5.1", .invalidBoundaryParameter),
            .boundaryWord: (.departure, Self.practice, .ambiguity),
            .preamble: (.advice, "RFC 2046 §5.1.1", .preamble),
            .strayDelimiter: (.departure, "RFC 2046 §5.1.1", .malformedBoundaryLine),
            .longerLine: (.departure, "RFC 2046 §5.1.1", .malformedBoundaryLine),
            .sharedLineEnd: (.departure, "RFC 2046 §5.1.1", .malformedBoundaryLine),
            .epilogue: (.advice, "RFC 2046 §5.1.1", nil),
            .padding: (.advice, "RFC 2046 §5.1.1", .malformedBoundaryLine),
            .bareLineFeed: (.departure, "RFC 2046 §5.1.1", .malformedHeader),
            .missingClose: (.departure, "RFC 2046 §5.1.1", .unexpectedEnd),
            .noParts: (.departure, "RFC 2046 §5.1", nil),
            .malformed: (.departure, "RFC 2046 §5.1.1", .malformedHeader),
            .missingDisposition: (.departure, "RFC 7578 §4.2", .missingContentDisposition),
            .missingName: (.departure, "RFC 7578 §4.2", .missingName),
            .emptyName: (.advice, "RFC 7578 §4.2", .ambiguity),
            .bracketName: (.departure, Self.practice, .ambiguity),
            .emptyFilename: (.departure, Self.practice, .ambiguity),
            .parameterSyntax: (.departure, "RFC 9110 §5.6.6", .ambiguity),
            .unquotedName: (.departure, "RFC 7578 §4.2", .ambiguity),
            .otherParameter: (.departure, "RFC 7578 §4.2", .ambiguity),
            .nameNotFirst: (.advice, Self.practice, .ambiguity),
            .extendedParameter: (.departure, "RFC 7578 §4.2", .ambiguity),
            .extendedFilename: (.departure, "RFC 7578 §4.2", .malformedHeader),
            .controlCharacter: (.departure, "RFC 9110 §5.5", .ambiguity),
            .invalidText: (.advice, "RFC 7578 §5.1", .invalidText),
            .backslash: (.advice, "WHATWG HTML, multipart/form-data encoding algorithm", .ambiguity),
            .unescapedQuote: (.departure, "RFC 2045 §5.1", .ambiguity),
            .percentEscape: (.advice, "RFC 7578 §2", nil),
            .filenamePath: (.advice, "RFC 7578 §4.2", nil),
            .duplicateParameter: (.departure, "RFC 7578 §4.2", .duplicateParameter),
            .duplicateHeader: (.departure, "RFC 7578 §4.2", .duplicateHeader),
            .nestedFiles: (.departure, "RFC 7578 §4.3", .ambiguity),
            .missingFileType: (.advice, "RFC 7578 §4.4", nil),
            .fileType: (.advice, Self.practice, nil),
            .otherCharset: (.departure, "RFC 7578 §4.5", .ambiguity),
            .fieldCharset: (.advice, "RFC 7578 §4.5", nil),
            .defaultCharset: (.advice, "RFC 7578 §4.6", nil),
            .encodedContent: (.departure, "RFC 7578 §4.7", .ambiguity),
            .transferEncoding: (.advice, "RFC 7578 §4.7", nil),
            .otherHeader: (.departure, "RFC 7578 §4.8", nil),
            .foldedHeader: (.advice, "RFC 5322 §2.2.3", .malformedHeader),
            .blankBeforeColon: (.departure, "RFC 5322 §2.2", .malformedHeader),
            .longHeader: (.advice, Self.practice, nil),
            .dispositionNotFirst: (.advice, Self.practice, nil),
        ]
    }

    /// Sentences that the parser and the lint share.
    enum Sentence {
        static func preamble(hasText: Bool) -> String {
            "\(hasText ? "There is text" : "There are line ends") before the first delimiter: begin the body with it."
        }
        static let epilogue = "Bytes follow the close delimiter's line: remove them."
        static let padding = "Blanks follow a delimiter on its line: remove them."
        static let bareLineFeed =
            "A line of the framing or of a header ends with LF only: end all lines with CRLF."
        static let longerLine =
            "A line of content begins with the delimiter but is longer: choose another boundary."
        static let sharedLineEnd =
            "A delimiter directly follows the empty line after a header: write CRLF before it, even after empty content."
        static let missingClose =
            "The body ends after a delimiter that doesn't close it: write --boundary-- at the end."
        static let strayDelimiter =
            "The delimiter's text has no CRLF before it, and some receivers take it for a delimiter: write CRLF before it, or "
            + "choose another boundary."
        static let delimiterBesideLF =
            "The content holds the delimiter with LF instead of CRLF beside it, so a part may be lost: write CRLF, or read it "
            + "with the profile lenient."
        static let partAfterEnd =
            "A delimiter follows the close delimiter, so the part after it is lost: write --boundary-- only at the end."
        static let emptyFilename =
            "A file with content has an empty name, and some receivers drop its content: name it, or leave out filename."
    }
}
