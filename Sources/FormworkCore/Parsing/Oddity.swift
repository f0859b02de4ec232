/// What can be odd in a body. There is one list for all who judge bodies: ``ParsingProfile/strict`` refuses what is ambiguous,
/// ``Ambiguity`` reports it, the lint has a finding for each, and a diagnosis names the damage.
///
/// The name is usable as a metrics label: `missingName`.
package enum Oddity: String, Hashable, Sendable, CaseIterable {
    package enum Severity: String, Hashable, Sendable {
        /// A standard forbids it. A receiver may refuse the body, or read it differently.
        case departure
        /// No standard forbids it, but receivers read it differently.
        case ambiguity
        /// The body was probably changed on its way. Its sentence has no full stop, and no capital.
        case damage
        /// A standard advises against it, or it confuses real servers.
        case advice
    }

    // Content-Type and the message's head.

    /// The head or the framing of the message around the body isn't written as in RFC 9112.
    case messageFraming
    /// The type is a multipart type, but not `multipart/form-data`.
    case notFormData
    /// The boundary contains characters that RFC 2046 doesn't allow, or at which receivers end it.
    case boundaryCharacters
    case boundaryLength
    case boundaryTrailingSpace
    /// The boundary needs quotes in `Content-Type`, and has none.
    case boundaryUnquoted
    /// The word `boundary` occurs elsewhere in `Content-Type`, which some receivers search for it.
    case boundaryWord

    // Framing. Each is noted once.

    /// There are bytes before the first delimiter.
    case preamble
    /// The body begins with a byte order mark.
    case byteOrderMark
    /// A line before the first part begins like a delimiter but isn't one.
    case delimiterInPreamble
    /// A part, or text before the first part, holds the delimiter without CRLF before it.
    case strayDelimiter
    /// A part's content holds the delimiter with LF alone before or after it.
    case delimiterBesideLineFeed
    /// A delimiter follows the close delimiter.
    case partAfterEnd
    /// There are bytes other than line ends after the close delimiter's line.
    case epilogue
    /// A line of content begins with the delimiter but is longer.
    case longerLine
    /// An empty content shares its line end with the header section.
    case sharedLineEnd
    /// Blanks follow a delimiter on its line.
    case padding
    /// A line of the framing or of a header ends with LF only.
    case bareLineFeed
    /// The body ends without a close delimiter.
    case missingClose
    case noParts
    /// The body can't be read any further. The sentence begins with the ``ParsingFailure/Kind``.
    case malformed

    // Header sections of parts.

    /// A part has no `Content-Disposition`.
    case missingDisposition
    /// A part's `Content-Disposition` isn't `form-data`.
    case otherDisposition
    case missingName
    /// A part's name is empty.
    case emptyName
    /// A name begins with a bracket or a slash.
    case bracketName
    /// A file's name has brackets that aren't pairs at its end.
    case looseBracket
    /// A file with content has an empty name.
    case emptyFilename
    /// A filename has only dots and slashes.
    case dotFilename
    /// The parameters of `Content-Type` or `Content-Disposition` aren't written as in RFC 9110.
    case parameterSyntax
    /// A name or filename isn't in quotes.
    case unquotedName
    /// `Content-Disposition` has a parameter other than `name` and `filename`.
    case otherParameter
    /// A value or another field has the text of a parameter of `Content-Disposition`.
    case hiddenParameter
    /// The name follows a filename with a colon.
    case nameNotFirst
    /// A parameter is extended or continued: its name has `*`.
    case extendedParameter
    case extendedFilename
    /// The value of `filename*` can't be decoded.
    case unreadableFilename
    case controlCharacter
    /// A name or filename isn't UTF-8.
    case invalidText
    /// A name or filename has a backslash.
    case backslash
    /// A name or filename has a quote that isn't escaped.
    case unescapedQuote
    /// A name contains `%` and two hexadecimal digits, which may be an escape.
    case percentEscape
    /// A filename is percent-encoded, other than as browsers write quotes and line ends.
    case encodedFilename
    /// A name, a filename or the boundary begins like an encoded word.
    case encodedWord
    /// A filename is a path.
    case filenamePath
    case duplicateParameter
    case duplicateHeader
    /// The name of a field that receivers need is in another field.
    case hiddenHeader
    /// Files are sent as a multipart inside a part.
    case nestedFiles
    case missingFileType
    /// A field with content has the type of a file, or of a form.
    case fileType
    /// A file is larger than the field `MAX_FILE_SIZE` says.
    case maxFileSize
    /// A name occurs with keys in brackets and without.
    case mixedName
    /// A type has a charset that some receivers decode.
    case otherCharset
    /// A plain field has a type with a charset.
    case fieldCharset
    /// A field's content begins with a byte order mark.
    case markedField
    /// `_charset_` names another charset than UTF-8.
    case defaultCharset
    /// A part's content is encoded.
    case encodedContent
    /// A part has a `Content-Transfer-Encoding` that changes nothing.
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

    // Damage.

    /// There are no bytes: something had read the body before, or it was never sent.
    case emptyBody
    /// The body is JSON, url-encoded or XML.
    case notMultipart
    /// The body starts with the head of an HTTP message.
    case messageHead
    case compressed
    /// The body still has its message's `Content-Encoding`.
    case contentEncoded
    /// The body is still encoded with Base64, in which API gateways pass it.
    case base64
    /// The body still has HTTP's chunk sizes.
    case chunkedCoding
    /// The body's first line has another boundary than the header.
    case otherBoundary
    /// The boundary is given with the two dashes of a delimiter.
    case dashedBoundary
    /// Lines end with LF only, which ``ParsingProfile/lenient`` reads: a conversion of line ends removed the CRs.
    case lostCarriageReturns
    /// Lines end with CR CR LF: a conversion of line ends replaced LF by CRLF.
    case doubledCarriageReturns
    case cut
    /// Content was decoded as text and encoded again, so its bytes are lost or doubled.
    case decodedAsText

    /// Whether receivers read it differently, so that a profile may refuse it.
    package var isAmbiguous: Bool { self.row.failure != nil }
    package var severity: Severity { self.row.severity }
    /// The section of a standard, such as `RFC 7578 §4.2`; `practice` if there is none.
    package var section: String { self.row.section }
    /// The kind of failure with which a profile refuses it.
    var failure: ParsingFailure.Kind { self.row.failure ?? .ambiguity }

    /// The sentence, with a detail for each `@`.
    func sentence(_ details: [String]) -> String {
        let pieces = self.row.sentence.split(separator: "@", omittingEmptySubsequences: false)
        return zip(details, pieces.dropFirst()).reduce(String(pieces[0])) { $0 + $1.0 + $1.1 }
    }

    private typealias Row = (severity: Severity, section: String, failure: ParsingFailure.Kind?, sentence: String)

    /// The table. What isn't read the same by all receivers has a kind of failure.
    private var row: Row {
        let (framing, form, practice) = ("RFC 2046 §5.1.1", "RFC 7578 §4.2", "practice")
        func departure(in section: String, as failure: ParsingFailure.Kind? = .ambiguity, _ sentence: String) -> Row {
            (.departure, section, failure, sentence)
        }
        func boundary(_ sentence: String) -> Row { departure(in: framing, as: .invalidBoundaryParameter, sentence) }
        func line(_ sentence: String) -> Row { departure(in: framing, as: .malformedBoundaryLine, sentence) }
        func ambiguity(
            in section: String = practice, as failure: ParsingFailure.Kind = .ambiguity, _ sentence: String
        ) -> Row { (.ambiguity, section, failure, sentence) }
        func advice(in section: String = practice, _ sentence: String) -> Row { (.advice, section, nil, sentence) }
        func damage(_ sentence: String) -> Row { (.damage, practice, nil, sentence) }
        return switch self {
        case .messageFraming: departure(in: "RFC 9112", as: .malformedHeader, "@")
        case .notFormData:
            departure(
                in: "RFC 7578 §4", as: .invalidContentType,
                "Content-Type is not multipart/form-data: forms are sent as that, or url-encoded.")
        case .boundaryCharacters:
            boundary("The boundary contains \"@\": use only letters, digits and '()+_-./:=?.")
        case .boundaryLength: boundary("The boundary has @: use at most 70.")
        case .boundaryTrailingSpace:
            boundary(
                "The boundary ends with a space: end it with another character."
            )
        case .boundaryUnquoted:
            departure(
                in: "RFC 2045 §5.1", as: .invalidBoundaryParameter,
                "The boundary needs quotes and has none: quote it, or use letters and digits.")
        case .boundaryWord:
            ambiguity(
                "Content-Type has the word boundary twice, and some receivers search for it: leave the other one "
                    + "out.")
        case .preamble:
            ambiguity(
                in: framing, as: .preamble,
                "The first delimiter follows @: if the start of the body is missing, so are parts; "
                    + "otherwise begin the body with the delimiter.")
        case .byteOrderMark:
            ambiguity(
                in: framing, as: .preamble,
                "The body begins with a byte order mark, so its first part may be lost: remove it.")
        case .delimiterInPreamble:
            departure(
                in: framing, as: .delimiterInPreamble,
                "A line before the first part begins like a delimiter but isn't one, so a part may be lost: a "
                    + "delimiter needs CRLF before and after it, and a line of its own; the profile lenient reads LF, "
                    + "too.")
        case .strayDelimiter:
            line(
                "The delimiter's text has no CRLF before it, and some receivers take it for a delimiter: write "
                    + "CRLF before it, or choose another boundary.")
        case .delimiterBesideLineFeed:
            line(
                "The content holds the delimiter with LF instead of CRLF beside it, so a part may be lost: write "
                    + "CRLF, or read it with the profile lenient.")
        case .partAfterEnd:
            line(
                "A delimiter follows the close delimiter, so the part after it is lost: write --boundary-- only at "
                    + "the end.")
        case .epilogue:
            ambiguity(
                in: framing, as: .malformedBoundaryLine,
                "Bytes follow the close delimiter's line, and some receivers read a part in them: remove them.")
        case .longerLine:
            line("A line of content begins with the delimiter but is longer: choose another boundary.")
        case .sharedLineEnd:
            line(
                "A delimiter directly follows the empty line after a header: write CRLF before it, even after "
                    + "empty content.")
        case .padding:
            ambiguity(in: framing, as: .malformedBoundaryLine, "Blanks follow a delimiter on its line: remove them.")
        case .bareLineFeed:
            departure(
                in: framing, as: .malformedHeader,
                "A line of the framing or of a header ends with LF only: end all lines with CRLF.")
        case .missingClose:
            departure(
                in: framing, as: .unexpectedEnd,
                "The body ends without its close delimiter: write --boundary-- at the end."
            )
        case .noParts: departure(in: "RFC 2046 §5.1", as: nil, "The form has no parts: RFC 2046 requires at least one.")
        case .malformed: departure(in: framing, as: .malformedHeader, "@: @")
        case .missingDisposition:
            departure(
                in: form, as: .missingContentDisposition,
                "The part has no Content-Disposition: write form-data with a name.")
        case .otherDisposition:
            departure(in: form, as: .missingContentDisposition, "The part's disposition is \"@\": write form-data.")
        case .missingName:
            departure(in: form, as: .missingName, "The part has no name: write name=\"…\" in its Content-Disposition.")
        case .emptyName: ambiguity(in: form, "The part's name is empty: receivers drop such parts, so name it.")
        case .bracketName:
            ambiguity(
                "The name begins with a bracket or a slash, and some receivers drop that or the part: begin with a letter."
            )
        case .looseBracket:
            ambiguity(
                "The name of a file has brackets that aren't pairs at its end, and PHP drops such files: leave them out."
            )
        case .emptyFilename:
            ambiguity(
                "A file with content has an empty name, and some receivers drop its content: name it, or leave out "
                    + "filename.")
        case .dotFilename:
            ambiguity("The filename has only dots and slashes, of which some receivers leave nothing: name it.")
        case .parameterSyntax: departure(in: "RFC 9110 §5.6.6", "@ @: write '@'.")
        case .unquotedName: departure(in: form, "The @ isn't in quotes: write @=\"…\".")
        case .otherParameter:
            departure(in: form, "Content-Disposition has the parameter @, which forms don't have: leave it out.")
        case .hiddenParameter:
            ambiguity(
                "The @ has the text of a parameter, which some receivers take for Content-Disposition's: leave it out.")
        case .nameNotFirst:
            ambiguity(
                "The name follows a filename with a colon, after which some receivers don't look for it: write the "
                    + "name first.")
        case .extendedParameter:
            departure(in: form, "@ has @, which only some receivers read: leave it out, and send UTF-8.")
        case .extendedFilename:
            departure(
                in: form, as: .malformedHeader,
                "The part has filename*, which forms must not have: write filename in UTF-8.")
        case .unreadableFilename:
            departure(
                in: form, as: .malformedHeader,
                "The value of filename*, @, isn't UTF-8 or ISO-8859-1 in percent-encoding (RFC 8187), and isn't "
                    + "used: write filename in UTF-8.")
        case .controlCharacter: departure(in: "RFC 9110 §5.5", "@ has @: leave it out.")
        case .invalidText: ambiguity(in: "RFC 7578 §5.1", as: .invalidText, "The @ is not UTF-8: write it in UTF-8.")
        case .backslash:
            ambiguity(
                in: "WHATWG HTML, multipart/form-data encoding algorithm",
                "The @ has a backslash, which receivers keep, drop or take for an escape: leave it out, and write "
                    + "%22 for a quote.")
        case .unescapedQuote:
            departure(
                in: "RFC 2045 §5.1",
                "The @ has a quote that isn't escaped, and other receivers end it there: write %22.")
        case .percentEscape:
            advice(
                in: "RFC 7578 §2", "The @ has % and two digits, which only some receivers decode: choose another one.")
        case .encodedFilename:
            ambiguity("The filename is percent-encoded, which some receivers decode: write its characters in UTF-8.")
        case .encodedWord:
            ambiguity(
                in: "RFC 7578 §5.1",
                "The @ begins like an encoded word (RFC 2047), which some receivers decode: write UTF-8.")
        case .filenamePath:
            advice(in: form, "The filename is a path, which receivers must not use: send its last component.")
        case .duplicateParameter:
            departure(in: form, as: .duplicateParameter, "@ has a parameter twice: leave one out.")
        case .duplicateHeader:
            departure(
                in: form, as: .duplicateHeader,
                "The field @ occurs twice: give it once, as receivers use different ones.")
        case .hiddenHeader:
            ambiguity(
                in: practice, as: .duplicateHeader,
                "The text @ occurs elsewhere in the header section, and some receivers read it there: leave it out.")
        case .nestedFiles:
            departure(
                in: "RFC 7578 §4.3",
                "Files are sent as multipart/mixed inside a part: send each as a part of the same name.")
        case .missingFileType:
            advice(in: "RFC 7578 §4.4", "The file has no Content-Type: write its type, or application/octet-stream.")
        case .fileType:
            ambiguity(
                "A field has the type of a file (application/octet-stream) or a form (x-www-form-urlencoded), and some "
                    + "receivers read it so: leave the type out, or give it a filename.")
        case .maxFileSize:
            ambiguity("The file is larger than the field MAX_FILE_SIZE says, and PHP drops it: leave the field out.")
        case .mixedName:
            advice(
                "The name is there with keys in brackets and without, of which some receivers keep one: use it in one "
                    + "way.")
        case .markedField:
            ambiguity("The field begins with a byte order mark, which some receivers remove: leave it out.")
        case .otherCharset:
            departure(in: "RFC 7578 §4.5", "Content-Type has the charset @, which some receivers decode: send UTF-8.")
        case .fieldCharset:
            advice(
                in: "RFC 7578 §4.5",
                "A field's Content-Type has a charset, which many receivers ignore: send UTF-8 without it.")
        case .defaultCharset:
            ambiguity(
                in: "RFC 7578 §4.6",
                "The field _charset_ names \"@\", in which some receivers read text: send UTF-8, and leave out the field."
            )
        case .encodedContent:
            departure(
                in: "RFC 7578 §4.7",
                "The content is encoded (Content-Transfer-Encoding: @) and isn't decoded here, though some "
                    + "receivers do: send it unencoded.")
        case .transferEncoding:
            advice(in: "RFC 7578 §4.7", "Content-Transfer-Encoding is deprecated in forms: send the content unencoded.")
        case .otherHeader: departure(in: "RFC 7578 §4.8", as: nil, "The field @ has no place in a form: leave it out.")
        case .foldedHeader:
            ambiguity(
                in: "RFC 5322 §2.2.3", as: .malformedHeader,
                "A header line continues in the next one: write each field in one line.")
        case .blankBeforeColon:
            departure(in: "RFC 5322 §2.2", as: .malformedHeader, "There is a blank before a header's colon: remove it.")
        case .longHeader: advice("The header section has @: use at most 512, as some servers read no more.")
        case .dispositionNotFirst: advice("Content-Disposition is not the first field: write it first.")
        case .emptyBody: damage("the body has no bytes@: something has read it before, or it was never sent")
        case .notMultipart: damage("it is @, not multipart")
        case .messageHead: damage("it begins with the head of an HTTP message: remove it first")
        case .compressed: damage("it is compressed with @: decompress it first")
        case .contentEncoded: damage("its Content-Encoding is @: decode it first")
        case .base64: damage("it is encoded with Base64, as API gateways pass it: decode it first")
        case .chunkedCoding: damage("its first line, \"@\", is a chunk's size: decode the chunked coding first")
        case .otherBoundary: damage("its first line is \"@\", but the boundary is given as \"@\"")
        case .dashedBoundary: damage("the boundary is given with the two dashes that begin a delimiter: it is \"@\"")
        case .lostCarriageReturns:
            damage("its lines end with LF instead of CRLF: it went through a conversion of line ends")
        case .doubledCarriageReturns:
            damage("its lines end with CR CR LF: LF became CRLF in a body that had CRLF already")
        case .cut: damage("it was cut off@")
        case .decodedAsText: damage("part @ (@) was decoded as text on its way: its bytes @")
        }
    }
}
