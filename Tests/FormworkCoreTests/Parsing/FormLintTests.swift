@testable import FormworkCore
import TestSupport
import Testing

/// Lints a body in chunks of at most `size` bytes.
func lint(_ body: String, _ type: String = "multipart/form-data; boundary=b", by size: Int = .max) -> [Finding] {
    lint(Array(body.utf8), type, by: size)
}

func lint(_ body: [UInt8], _ type: String = "multipart/form-data; boundary=b", by size: Int = .max) -> [Finding] {
    let starts = stride(from: 0, to: body.count, by: min(size, max(1, body.count)))
    return lint(starts.map { Array(body[$0..<min(body.count - $0, size) + $0]) }, type)
}

@Suite("What a form is told by the lint", .timeLimit(.minutes(10)))
struct FormLintTests {
    /// A body of one part with these header lines, and content `1`.
    private static func part(_ lines: String..., content: String = "1") -> String {
        "--b\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n\(content)\r\n--b--\r\n"
    }

    private static let disposition = "Content-Disposition: form-data; name=\"a\""
    private static let file = "Content-Disposition: form-data; name=\"a\"; filename=\"f\""

    struct Row: CustomTestStringConvertible, Sendable {
        var body: String
        var type = "multipart/form-data; boundary=b"
        /// The findings' descriptions.
        var findings: [String]
        var testDescription: String { self.findings.joined(separator: " | ") }
    }

    static let header: [Row] = [
        Row(body: part(disposition), findings: []),
        Row(body: part(file, "Content-Type: text/plain"), findings: []),
        Row(
            body: part("Content-Type: text/plain"),
            findings: [
                "departure missingDisposition (RFC 7578 §4.2): part 1: The part has no Content-Disposition: write "
                    + "form-data with a name. [body offset 5]"
            ]),
        Row(
            body: part(),
            findings: [
                "departure missingDisposition (RFC 7578 §4.2): part 1: The part has no Content-Disposition: write "
                    + "form-data with a name. [body offset 5]"
            ]),
        Row(
            body: part("Content-Disposition: attachment; name=\"a\""),
            findings: [
                "departure otherDisposition (RFC 7578 §4.2): part 1 \"a\": The part's disposition is "
                    + "\"attachment\": write form-data. [body offset 5]"
            ]),
        Row(
            body: part("Content-Disposition: form-data"),
            findings: [
                "departure missingName (RFC 7578 §4.2): part 1: The part has no name: write name=\"…\" in its "
                    + "Content-Disposition. [body offset 5]"
            ]),
        Row(
            body: part("Content-Disposition: form-data; name=\"\""),
            findings: [
                "ambiguity emptyName (RFC 7578 §4.2): part 1 \"\": The part's name is empty: receivers drop such parts, "
                    + "so name it. [body offset 5]"
            ]),
        Row(
            body: part(file + "; filename*=UTF-8''f", "Content-Type: text/plain"),
            findings: [
                "departure extendedFilename (RFC 7578 §4.2): part 1 \"a\": The part has filename*, which forms must "
                    + "not have: write filename in UTF-8. [body offset 5]"
            ]),
        Row(
            body: part("Content-Disposition: form-data; name=\"a\"b\""),
            findings: [
                "departure unescapedQuote (RFC 2045 §5.1): part 1 \"a\"b\": The name has a quote that isn't escaped, and "
                    + "other receivers end it there: write %22. [body offset 5]"
            ]),
        Row(body: part(disposition, content: "1--b\r\nx"), findings: [stray + "[body offset 50]"]),
        // Django reads it as a delimiter.
        Row(body: part(disposition, content: "1--bx--c--"), findings: [stray + "[body offset 50]"]),
        // Rack 2.2 reads it as the end.
        Row(body: part(disposition, content: "1--b"), findings: [stray + "[body offset 50]"]),
        Row(
            body: part("Content-Disposition: form-data; name=\"--b\""),
            findings: [stray.replacing("\"a\"", with: "\"--b\"") + "[body offset 5]"]),
        Row(
            body: part(disposition, "Content-Type: application/octet-stream"),
            findings: [
                "advice fileType (practice): part 1 \"a\": A field has the type application/octet-stream, with which some "
                    + "receivers take it for a file: leave the type out, or give it a filename. [body offset 5]"
            ]),
        Row(
            body: part("Content-Disposition: form-data; name=\"a\\\"b\""),
            findings: [
                "ambiguity backslash (WHATWG HTML, multipart/form-data encoding algorithm): part 1 \"a\"b\": The name has a "
                    + "backslash, which receivers keep, drop or take for an escape: leave it out, and write %22 for a quote. "
                    + "[body offset 5]"
            ]),
        Row(
            body: part("Content-Disposition: form-data; name=\"a%22b\""),
            findings: [
                "advice percentEscape (RFC 7578 §2): part 1 \"a%22b\": The name has % and two digits, which only some "
                    + "receivers decode: choose another one. [body offset 5]"
            ]),
        Row(body: part("Content-Disposition: form-data; name=\"100%\""), findings: []),
        Row(
            body: part(
                "Content-Disposition: form-data; name=\"a\"; filename=\"C:\\dir\\f\"", "Content-Type: text/plain"),
            findings: [
                "ambiguity backslash (WHATWG HTML, multipart/form-data encoding algorithm): part 1 \"a\": The filename has a "
                    + "backslash, which receivers keep, drop or take for an escape: leave it out, and write %22 for a quote. "
                    + "[body offset 5]",
                "advice filenamePath (RFC 7578 §4.2): part 1 \"a\": The filename is a path, which receivers must not "
                    + "use: send its last component. [body offset 5]",
            ]),
        Row(
            body: part("Content-Disposition: form-data; name=\"a\"; filename=\"d/f\"", "Content-Type: text/plain"),
            findings: [
                "advice filenamePath (RFC 7578 §4.2): part 1 \"a\": The filename is a path, which receivers must not "
                    + "use: send its last component. [body offset 5]"
            ]),
        Row(
            body: part("Content-Disposition: form-data; name=\"a\"; filename=\"../.\"", "Content-Type: text/plain"),
            findings: [
                "advice filenamePath (RFC 7578 §4.2): part 1 \"a\": The filename is a path, which receivers must not "
                    + "use: send its last component. [body offset 5]",
                "ambiguity dotFilename (practice): part 1 \"a\": The filename has only dots and slashes, of which some "
                    + "receivers leave nothing: name it. [body offset 5]",
            ]),
        Row(
            body: part(file + "; filename*=x''%zz", "Content-Type: text/plain"),
            findings: [
                "departure unreadableFilename (RFC 7578 §4.2): part 1 \"a\": The value of filename*, x''%zz, isn't UTF-8 or "
                    + "ISO-8859-1 in percent-encoding (RFC 8187), and isn't used: write filename in UTF-8. [body offset 5]"
            ]),
        Row(
            body: part(disposition, "Content-Transfer-Encoding: 8bit"),
            findings: [
                "advice transferEncoding (RFC 7578 §4.7): part 1 \"a\": Content-Transfer-Encoding is deprecated in "
                    + "forms: send the content unencoded. [body offset 5]"
            ]),
        Row(
            body: part(disposition, "Content-Transfer-Encoding: base64"),
            findings: [
                "departure encodedContent (RFC 7578 §4.7): part 1 \"a\": The content is encoded (Content-Transfer-Encoding: "
                    + "base64) and isn't decoded here, though some receivers do: send it unencoded. [body offset 5]"
            ]),
        Row(
            body: part(disposition + "; x=1"),
            findings: [
                "departure otherParameter (RFC 7578 §4.2): part 1 \"a\": Content-Disposition has the parameter x, which "
                    + "forms don't have: leave it out. [body offset 5]"
            ]),
        Row(
            body: part("Content-Disposition: form-data; name=\"a\"; filename*0=\"f\""),
            findings: [
                "departure extendedParameter (RFC 7578 §4.2): part 1 \"a\": Content-Disposition has filename*0, which only "
                    + "some receivers read: leave it out, and send UTF-8. [body offset 5]"
            ]),
        Row(
            body: part("Content-Disposition: form-data; name=a"),
            findings: [
                "departure unquotedName (RFC 7578 §4.2): part 1 \"a\": The name isn't in quotes: write name=\"…\". "
                    + "[body offset 5]"
            ]),
        Row(
            body: part("Content-Disposition: form-data; name =\"a\""),
            findings: [
                "departure parameterSyntax (RFC 9110 §5.6.6): part 1 \"a\": Content-Disposition has a blank before or after "
                    + "a '=', or before a ';': write 'form-data; name=\"…\"'. [body offset 5]"
            ]),
        Row(
            body: part("Content-Disposition: form-data; name=\"a\u{1}\""),
            findings: [
                "departure controlCharacter (RFC 9110 §5.5): part 1 \"a\\u{01}\": A header field has a control character: "
                    + "leave it out. [body offset 5]"
            ]),
        Row(
            body: part(disposition, "Content-Type: text/plain; charset=utf-7"),
            findings: [
                "departure otherCharset (RFC 7578 §4.5): part 1 \"a\": Content-Type has the charset utf-7, which some "
                    + "receivers decode: send UTF-8. [body offset 5]"
            ]),
        Row(
            body: part(
                "Content-Disposition: form-data; name=\"a\"; filename=\"\"", "Content-Type: text/plain", content: "x"),
            findings: [
                "ambiguity emptyFilename (practice): part 1 \"a\": A file with content has an empty name, and some receivers "
                    + "drop its content: name it, or leave out filename. [body offset 88]"
            ]),
        Row(
            body: "--b\r\n\(disposition)\r\n\r\n--b--\r\n",
            findings: [
                "departure sharedLineEnd (RFC 2046 §5.1.1): part 1 \"a\": A delimiter directly follows the empty line after a "
                    + "header: write CRLF before it, even after empty content. [body offset 49]"
            ]),
        Row(
            body: part("Content-Disposition: form-data; name=\"[a]\""),
            findings: [
                "ambiguity bracketName (practice): part 1 \"[a]\": The name begins with a bracket, and PHP drops such parts: "
                    + "begin with a letter. [body offset 5]"
            ]),
        Row(
            body: part(disposition, content: "1\r\n--bx"),
            findings: [
                "departure longerLine (RFC 2046 §5.1.1): part 1 \"a\": A line of content begins with the delimiter but is "
                    + "longer: choose another boundary. [body offset 52]"
            ]),
        Row(
            body: part(disposition, "Content-Type: multipart/mixed; boundary=c", content: "--c--"),
            findings: [
                "departure nestedFiles (RFC 7578 §4.3): part 1 \"a\": Files are sent as multipart/mixed inside a "
                    + "part: send each as a part of the same name. [body offset 5]"
            ]),
        Row(
            body: part("Content-Disposition: form-data; name=\"_charset_\"", content: "iso-8859-1"),
            findings: [
                "advice defaultCharset (RFC 7578 §4.6): part 1 \"_charset_\": The field _charset_ names "
                    + "\"iso-8859-1\": send text as UTF-8, and leave out the field. [body offset 5]"
            ]),
        Row(body: part("Content-Disposition: form-data; name=\"_charset_\"", content: "UTF-8"), findings: []),
        Row(
            body: part(disposition, "X-Camera: 7"),
            findings: [
                "departure otherHeader (RFC 7578 §4.8): part 1 \"a\": The field X-Camera has no place in a form: "
                    + "leave it out. [body offset 5]"
            ]),
        // Rack 2.2 takes these for the part's own, from any field.
        Row(
            body: part(disposition, "X-A: 1; filename*=utf-8''z"),
            findings: [
                "departure otherHeader (RFC 7578 §4.8): part 1 \"a\": The field X-A has no place in a form: leave it out. "
                    + "[body offset 5]",
                "ambiguity hiddenParameter (practice): part 1 \"a\": The field X-A has the text of a parameter, which some "
                    + "receivers take for Content-Disposition's: leave it out. [body offset 5]",
            ]),
        Row(
            body: part("X-A: Content-Type: text/html", file, "Content-Type: image/png"),
            findings: [
                "departure otherHeader (RFC 7578 §4.8): part 1 \"a\": The field X-A has no place in a form: leave it out. "
                    + "[body offset 5]",
                "ambiguity hiddenHeader (practice): part 1 \"a\": The text content-type occurs elsewhere in the "
                    + "header section, and some receivers read it there: leave it out. [body offset 5]",
                "advice dispositionNotFirst (practice): part 1 \"a\": Content-Disposition is not the first field: "
                    + "write it first. [body offset 5]",
            ]),
        Row(
            body: part("Content-Disposition: form-data; filename=\"f:g\"; name=\"a\"", "Content-Type: image/png"),
            findings: [
                "ambiguity nameNotFirst (practice): part 1 \"a\": The name follows a filename with a colon, after which some "
                    + "receivers don't look for it: write the name first. [body offset 5]"
            ]),
        Row(
            body: part("Content-Disposition: form-data; filename=\"f\"; name=\"a\"", "Content-Type: image/png"),
            findings: []),
        Row(
            body: part(disposition, "Content-Type: text/plain; charset=utf-8"),
            findings: [
                "advice fieldCharset (RFC 7578 §4.5): part 1 \"a\": A field's Content-Type has a charset, which many "
                    + "receivers ignore: send UTF-8 without it. [body offset 5]"
            ]),
        Row(
            body: part(file),
            findings: [
                "advice missingFileType (RFC 7578 §4.4): part 1 \"a\": The file has no Content-Type: write its type, "
                    + "or application/octet-stream. [body offset 5]"
            ]),
        Row(
            body: part(disposition, "content-disposition: form-data; name=\"z\""),
            findings: [
                "departure duplicateHeader (RFC 7578 §4.2): part 1 \"z\": The field content-disposition occurs twice: "
                    + "give it once, as receivers use different ones. [body offset 5]"
            ]),
        Row(
            body: part(disposition + "; name=\"z\""),
            findings: [
                "departure duplicateParameter (RFC 7578 §4.2): part 1: duplicateParameter: Content-Disposition can't "
                    + "be read: it has two name parameters. [body offset 5]"
            ]),
        Row(
            body: part("Content-Disposition: form-data;\r\n name=\"a\""),
            findings: [
                "ambiguity foldedHeader (RFC 5322 §2.2.3): part 1 \"a\": A header line continues in the next one: write "
                    + "each field in one line. [body offset 5]"
            ]),
        Row(
            body: part("Content-Disposition : form-data; name=\"a\""),
            findings: [
                "departure blankBeforeColon (RFC 5322 §2.2): part 1 \"a\": There is a blank before a header's colon: "
                    + "remove it. [body offset 5]"
            ]),
        Row(
            body: part("Content-Type: text/plain", disposition),
            findings: [
                "advice dispositionNotFirst (practice): part 1 \"a\": Content-Disposition is not the first field: "
                    + "write it first. [body offset 5]"
            ]),
        Row(
            body: part("Content-Disposition: form-data; name=\"\(String(repeating: "n", count: 471))\""),
            findings: []),
        Row(
            body: part(file, "Content-Type: text/plain" + String(repeating: " ", count: 431)),
            findings: [
                "advice longHeader (practice): part 1 \"a\": The header section has 513 bytes: use at most 512, as "
                    + "some servers read no more. [body offset 5]"
            ]),
    ]

    static let framing: [Row] = [
        Row(
            body: "text\r\n" + part(disposition),
            findings: [
                "ambiguity preamble (RFC 2046 §5.1.1): The first delimiter follows 6 bytes of text: if the start of "
                    + "the body is missing, so are parts; otherwise begin the body with the delimiter. [body offset 0]"
            ]),
        Row(
            body: "\r\n" + part(disposition),
            findings: [
                "ambiguity preamble (RFC 2046 §5.1.1): The first delimiter follows 2 bytes of line ends: if the "
                    + "start of the body is missing, so are parts; otherwise begin the body with the delimiter. [body offset 0]"
            ]),
        Row(
            body: part(disposition) + "\r\n",
            findings: [
                "advice epilogue (RFC 2046 §5.1.1): Bytes follow the close delimiter's line: remove them. "
                    + "[body offset 59]"
            ]),
        // An epilogue is to be ignored, unless it has a delimiter, which Django reads in any place.
        Row(
            body: part(disposition) + "foo\r\n--b--\r\n--b",
            findings: [
                "advice epilogue (RFC 2046 §5.1.1): Bytes follow the close delimiter's line: remove them. "
                    + "[body offset 59]"
            ]),
        Row(
            body: part(disposition) + "foo--b\r\nx",
            findings: [
                "advice epilogue (RFC 2046 §5.1.1): Bytes follow the close delimiter's line: remove them. "
                    + "[body offset 59]",
                "departure partAfterEnd (RFC 2046 §5.1.1): A delimiter follows the close delimiter, so the part after it "
                    + "is lost: write --boundary-- only at the end. [body offset 62]",
            ]),
        Row(
            body: part(disposition) + "foo\n--bxx",
            findings: [
                "advice epilogue (RFC 2046 §5.1.1): Bytes follow the close delimiter's line: remove them. "
                    + "[body offset 59]",
                "departure partAfterEnd (RFC 2046 §5.1.1): A delimiter follows the close delimiter, so the part after it "
                    + "is lost: write --boundary-- only at the end. [body offset 63]",
            ]),
        Row(
            body: "\u{FEFF}" + part(disposition),
            findings: [
                "ambiguity byteOrderMark (RFC 2046 §5.1.1): The body begins with a byte order mark, so its first part may be "
                    + "lost: remove it. [body offset 0]",
                "ambiguity preamble (RFC 2046 §5.1.1): The first delimiter follows 55 bytes of text: if the start of "
                    + "the body is missing, so are parts; otherwise begin the body with the delimiter. [body offset 0]",
                "departure delimiterInPreamble (RFC 2046 §5.1.1): delimiterInPreamble: \(lostPart) [body offset 3]",
            ]),
        Row(
            body: "\u{FEFF}\r\n" + part(disposition),
            findings: [
                "ambiguity byteOrderMark (RFC 2046 §5.1.1): The body begins with a byte order mark, so its first part may be "
                    + "lost: remove it. [body offset 0]",
                "ambiguity preamble (RFC 2046 §5.1.1): The first delimiter follows 5 bytes of text: if the start of "
                    + "the body is missing, so are parts; otherwise begin the body with the delimiter. [body offset 0]",
            ]),
        Row(
            body: "--bx\r\n" + part(disposition),
            findings: [
                "departure delimiterInPreamble (RFC 2046 §5.1.1): \(lostPart) [body offset 0]",
                "ambiguity preamble (RFC 2046 §5.1.1): The first delimiter follows 6 bytes of text: if the start of "
                    + "the body is missing, so are parts; otherwise begin the body with the delimiter. [body offset 0]",
            ]),
        Row(
            body: "--b \t\r\n\(disposition)\r\n\r\n1\r\n--b--\r\n",
            findings: [
                "ambiguity padding (RFC 2046 §5.1.1): Blanks follow a delimiter on its line: remove them. "
                    + "[body offset 3]"
            ]),
        Row(
            body: "--b\r\n\(disposition)\r\n\r\n1\r\n--b--  ",
            findings: [
                "ambiguity padding (RFC 2046 §5.1.1): Blanks follow a delimiter on its line: remove them. "
                    + "[body offset 57]"
            ]),
        Row(body: "--b\r\n\(disposition)\r\n\r\n1\r\n--b--", findings: []),
        Row(
            body: "--b\n\(disposition)\n\n1\n--b--\n",
            findings: [
                "departure bareLineFeed (RFC 2046 §5.1.1): A line of the framing or of a header ends with LF only: "
                    + "end all lines with CRLF. [body offset 3]"
            ]),
        Row(
            body: "--b\r\n\(disposition)\r\n\n1\r\n--b--\r\n",
            findings: [
                "departure bareLineFeed (RFC 2046 §5.1.1): A line of the framing or of a header ends with LF only: "
                    + "end all lines with CRLF. [body offset 47]"
            ]),
        Row(
            body: "--b\r\n\(disposition)\r\n\r\n1\r\n--b--\n",
            findings: [
                "departure bareLineFeed (RFC 2046 §5.1.1): A line of the framing or of a header ends with LF only: "
                    + "end all lines with CRLF. [body offset 57]"
            ]),
        Row(
            body: "--b\r\n\(disposition)\r\n\r\n1",
            findings: [
                "departure missingClose (RFC 2046 §5.1.1): part 1 \"a\": The body ends without its close delimiter: "
                    + "write --boundary-- at the end. [body offset 50]"
            ]),
        Row(
            body: "--b\r\n\(disposition)\r\n\r\n1\r\n--b\r\n",
            findings: [
                "departure missingClose (RFC 2046 §5.1.1): The body ends without its close delimiter: write --boundary-- "
                    + "at the end. [body offset 57]"
            ]),
        Row(
            body: "--b--\r\n",
            findings: [
                "departure noParts (RFC 2046 §5.1): The form has no parts: RFC 2046 requires at least one. [body "
                    + "offset 0]"
            ]),
        Row(
            body: "--c\r\n\(disposition)\r\n\r\n1\r\n--c--\r\n",
            findings: [
                "departure malformed (RFC 2046 §5.1.1): unexpectedEnd: The body ended after 59 bytes, without a line "
                    + "--b: is this the body's boundary? [body offset 59]"
            ]),
        Row(
            body: part(disposition, "no field"),
            findings: [
                "departure malformed (RFC 2046 §5.1.1): part 1: malformedHeader: A header line has no name followed "
                    + "by a colon. [body offset 47]"
            ]),
        Row(
            body: "--b\r\n\(disposition)\r\n\r\n1\r\n--b--x",
            findings: [
                "departure malformed (RFC 2046 §5.1.1): malformedBoundaryLine: Text follows the close delimiter on "
                    + "its line. [body offset 57]"
            ]),
        Row(
            body:
                "--b\r\n\(disposition)\r\n\r\n1\r\n--b\r\nContent-Disposition: form-data; name=\"z\"; "
                + "filename=\"f\"\r\n\r\n\r\n--b--\r\n",
            findings: [
                "advice missingFileType (RFC 7578 §4.4): part 2 \"z\": The file has no Content-Type: write its type, "
                    + "or application/octet-stream. [body offset 57]"
            ]),
    ]

    static func typed(_ boundary: String, _ parameter: String, _ findings: String...) -> Row {
        Row(
            body: "--\(boundary)\r\n\(disposition)\r\n\r\n1\r\n--\(boundary)--\r\n",
            type: "multipart/form-data; \(parameter)", findings: findings)
    }

    static let type: [Row] = [
        typed("a b", "boundary=\"a b\""),
        typed("a b", "boundary=a b", "departure boundaryUnquoted (RFC 2045 §5.1): \(Self.unquoted)"),
        typed(
            "b", "x=\"; boundary=c\"; boundary=b",
            "ambiguity boundaryWord (practice): Content-Type has the word boundary twice, and some receivers search for it: "
                + "leave the other one out."),
        typed("a:b", "boundary=a:b", "departure boundaryUnquoted (RFC 2045 §5.1): \(Self.unquoted)"),
        typed(
            "a#b", "boundary=a#b",
            "departure boundaryCharacters (RFC 2046 §5.1.1): The boundary contains \"#\": use only letters, digits and "
                + "'()+_-./:=?."),
        typed(
            "é", "boundary=é",
            "departure boundaryCharacters (RFC 2046 §5.1.1): The boundary contains \"Ã\": use only letters, digits and "
                + "'()+_-./:=?."),
        typed(
            "b ", "boundary=\"b \"",
            "departure boundaryTrailingSpace (RFC 2046 §5.1.1): The boundary ends with a space: end it with another "
                + "character."),
        typed(
            String(repeating: "b", count: 71), "boundary=\(String(repeating: "b", count: 71))",
            "departure boundaryLength (RFC 2046 §5.1.1): The boundary has 71 bytes: use at most 70."),
        Row(
            body: part(disposition), type: "multipart/mixed; boundary=b",
            findings: [
                "departure notFormData (RFC 7578 §4): Content-Type is not multipart/form-data: forms are sent as "
                    + "that, or url-encoded."
            ]),
        Row(
            body: part(disposition), type: "multipart/form-data",
            findings: [
                "departure malformed (RFC 2046 §5.1.1): missingBoundaryParameter: Content-Type has no boundary."
            ]),
        Row(
            body: part(disposition), type: "multipart/form-data; boundary=b; boundary=c",
            findings: [
                "departure duplicateParameter (RFC 7578 §4.2): duplicateParameter: Content-Type gives the boundary twice, "
                    + "so it isn't known which one separates the parts: leave one out."
            ]),
        Row(
            body: part(disposition), type: "text/plain; boundary=b",
            findings: [
                "departure malformed (RFC 2046 §5.1.1): invalidContentType: The Content-Type is \"text/plain\", not a "
                    + "multipart type."
            ]),
    ]

    private static let lostPart =
        "A line before the first part begins like a delimiter but isn't one, so a part may be lost: a delimiter needs CRLF "
        + "before and after it, and a line of its own; the profile lenient reads LF, too."
    private static let stray =
        "departure strayDelimiter (RFC 2046 §5.1.1): part 1 \"a\": The delimiter's text has no CRLF before it, and some "
        + "receivers take it for a delimiter: write CRLF before it, or choose another boundary. "
    private static let unquoted =
        "The boundary needs quotes and has none: quote it, or use letters and digits."

    @Test("Each rule finds what it looks for, says where and what to do", arguments: header + framing + type)
    func rule(row: Row) {
        #expect(lint(row.body, row.type).map(\.description) == row.findings)
    }

    @Test("Any cut of the body gives the same findings", arguments: header + framing + type)
    func cuts(row: Row) {
        let body = Array(row.body.utf8)
        let whole = lint(body, row.type)
        for size in 1...min(80, max(1, body.count)) {
            #expect(lint(body, row.type, by: size) == whole, "chunks of \(size)")
        }
        for cut in 0...body.count {
            #expect(lint([Array(body[..<cut]), [], Array(body[cut...])], row.type) == whole, "cut at \(cut)")
        }
    }

    @Test("Names that are not UTF-8")
    func invalidText() {
        let head = Array("--b\r\nContent-Disposition: form-data; name=\"".utf8)
        let findings = lint(head + [0xE9] + Array("\"\r\n\r\n1\r\n--b--\r\n".utf8))
        #expect(
            findings.map(\.description) == [
                "ambiguity invalidText (RFC 7578 §5.1): part 1 \"\u{FFFD}\": The name is not UTF-8: write it in UTF-8. "
                    + "[body offset 5]"
            ])
    }

    @Test("Every rule is looked for above")
    func complete() {
        let told = (Self.header + Self.framing + Self.type).flatMap { lint($0.body, $0.type) }.map(\.oddity)
        let missing = Set(Oddity.allCases.filter { $0.severity != .damage }).subtracting(told)
        // Bytes that aren't UTF-8 have a test of their own. A message's head is read by the command. The lint takes LF for a
        // line end, so it sees the delimiter there.
        #expect(missing == [.invalidText, .messageFraming, .delimiterBesideLineFeed])
    }

    @Test("Strict refuses no advice, and what it refuses has another severity", arguments: Oddity.allCases)
    func severities(oddity: Oddity) {
        let isRefused =
            [.departure, .ambiguity].contains(oddity.severity) && oddity != .noParts && oddity != .otherHeader
        #expect(oddity.isAmbiguous == isRefused)
    }

    @Test("A finding carries its rule's weight, section and part")
    func values() throws {
        let finding = try #require(lint(Self.part("Content-Disposition: form-data")).first)
        #expect(finding.oddity == .missingName)
        #expect(finding.oddity.rawValue == "missingName")
        #expect(finding.oddity.severity == .departure)
        #expect(finding.oddity.section == "RFC 7578 §4.2")
        #expect(finding.part == PartReference(index: 0, name: nil))
        #expect(finding.offset == 5)
    }

    @Test(
        "Bodies of random tokens: the same findings for every cut, and none brings the lint down",
        arguments: UInt64(0)..<40)
    func tokens(seed: UInt64) {
        let tokens = [
            "--b", "--b\r\n", "\r\n--b", "\r\n--b\r\n", "\n--b\n", "\r\n--b--", "--", "\r\n", "\r\n\r\n", "\n", "\r",
            " ", "\t",
            "x", "--bx", "X: 1", "Content-Type: text/plain", Self.disposition, Self.file + "\r\n\r\n",
        ]
        var generator = SplitMix64(seed: seed)
        for _ in 0..<60 {
            let count = Int.random(in: 0...14, using: &generator)
            let body = Array((0..<count).map { _ in tokens.randomElement(using: &generator) ?? "" }.joined().utf8)
            let whole = lint(body)
            for size in [1, 2, 3, 7, 50] {
                #expect(lint(body, by: size) == whole, "\(String(decoding: body, as: UTF8.self).debugDescription)")
            }
        }
    }

    @Test("Findings are kept up to a number, the others counted")
    func many() throws {
        var parser = try MultipartParser(linting: "multipart/form-data; boundary=b")
        for _ in 0..<1200 { try parser.skim(Array("--b\r\n\r\n1\r\n".utf8)) }
        try parser.skim(Array("--b\r\n\r\n1\r\n--bX\r\n--b--".utf8))
        try parser.finish()
        // The first of a kind is kept in any case.
        #expect(parser.findings().count == 1001)
        #expect(parser.findings().last?.oddity == .longerLine)
        #expect(parser.leftOutFindings == 201)
    }

    @Test("Blanks without end behind the close delimiter, and a preamble without end, take no time and no memory")
    func endless() throws {
        for head in ["--b--", "--b\r\n\(Self.disposition)\r\n\r\n1\r\n--b--", "x"] {
            var parser = try MultipartParser(linting: "multipart/form-data; boundary=b")
            try parser.skim(Array(head.utf8))
            for _ in 0..<2_000 { try parser.skim([UInt8](repeating: 0x20, count: 1000)) }
            #expect(parser.retainedBytes < 1000)
        }
    }

    @Test("A delimiter where no part can begin is a departure", arguments: [1, 7, 1000])
    func misplaced(size: Int) {
        let body = Self.part(Self.disposition)
        let after = lint(body + body, by: size).filter { $0.oddity == .partAfterEnd }
        #expect(after.map(\.offset) == [Int64(body.utf8.count)])
        #expect(lint(body + "--b--\r\n", by: size).allSatisfy { $0.oddity != .partAfterEnd })
        let mark = lint("\u{FEFF}" + body.replacing("--b--\r\n", with: "") + body, by: size)
        #expect(Set(mark.map(\.oddity)) == [.preamble, .byteOrderMark, .delimiterInPreamble])
        #expect(mark.map(\.offset) == [0, 0, 3])
    }
}
