/// How a parser reads details on which receivers differ.
public struct ParsingProfile: Hashable, Sendable {
    /// How a backslash between quotes is read.
    enum Backslashes: Hashable, Sendable {
        /// Pairs are unescaped only if the value has a `\"`. Browsers send single backslashes unescaped, curl's
        /// `--form-escape` and Go send pairs, and aiohttp also escapes blanks. A quote ends the value only before `;`
        /// or the end.
        case guessed
        /// A backslash always escapes the next character (RFC 9110 §5.6.4). This reads names written with
        /// ``ParameterEscaping/backslash``, but not browsers' Windows paths.
        case escape
        /// A backslash is an ordinary character. A quote ends the value only before `;` or the end.
        case literal
    }

    /// Whether any multipart type is read, and parts with any header or none (RFC 2046 §5.1). Otherwise the type is
    /// `multipart/form-data`, and every part needs `Content-Disposition: form-data` with a `name` (RFC 7578 §4.2).
    public var acceptsAnyMultipart = false
    /// Whether `%22`, `%0D` and `%0A` in names become `"`, CR and LF. Default: no, because an escape can't be
    /// distinguished from a name with a literal `%22`.
    public var decodesPercentEscapes = false

    /// Whether an ``Ambiguity`` is an error.
    package internal(set) var refusesAmbiguity = false
    /// Whether bytes before the first delimiter, blanks after one, and lines of content that begin with the delimiter but
    /// are longer are errors. Otherwise the first are skipped, up to ``ParsingLimits/preambleBytes``, unless the close
    /// delimiter directly follows text; and the last are content, because a nested multipart may have the same boundary
    /// with a suffix. `--` and more text after the boundary is always an error.
    var refusesLooseFraming = false
    /// Whether bytes before the first delimiter are errors, whatever ``refusesLooseFraming`` says.
    var refusesPreamble = false
    /// Whether a part is lost silently if a line of the preamble begins like the delimiter but isn't one, because of its
    /// line ends or the text after it. Default: an error if a part follows, because other receivers take it for a delimiter
    /// and see one part more.
    package var skipsPreambleDelimiters = false
    /// Whether all is noted that is odd, also delimiters that aren't recognised, as no line end is before or after them.
    package var watches = false
    /// Whether LF ends lines, too. Then content can't have the delimiter after an LF. Default: a bare LF is content, and in
    /// a header an error (RFC 2046 §5.1.1).
    var lineFeedsEndLines = false
    /// Whether a body may end right after a delimiter, without a close delimiter.
    var acceptsMissingClose = false
    /// Whether a header line that begins with a blank is a line of its own. Default: it continues the previous line, joined
    /// with one space instead of the blanks (RFC 9112 §5.2).
    var readsFoldsAsLines = false
    /// Whether blanks are read between a header's name and its colon, and the last of two `Content-Disposition` or
    /// `Content-Type` fields is used. Default: errors (RFC 9112 §5.1), because receivers use different ones.
    var readsLooseHeaders = false
    /// How a backslash between quotes is read.
    var backslashes = Backslashes.guessed

    init() {}

    private init(_ change: (inout Self) -> Void) { change(&self) }

    /// How a body of this framing is read back. Anything that some receiver could take for a delimiter is an error, even if
    /// others don't.
    package init(of framing: MultipartFraming) {
        (self.acceptsAnyMultipart, self.refusesLooseFraming) = (true, true)
        self.acceptsMissingClose = framing.ending == .delimiter
        switch framing.escaping {
        case .backslash, .backslashUnchecked: self.backslashes = .escape
        case .whatwg, .refuse, .raw: self.backslashes = .literal
        }
    }

    /// RFC 7578, read without loss; what is ambiguous is read as most senders mean it, and reported. Servers should use it.
    public static let `default` = Self()
    /// For bodies that were written or saved by hand: LF ends lines too, and the `--` of the close delimiter may be
    /// missing.
    public static let lenient = Self { ($0.lineFeedsEndLines, $0.acceptsMissingClose) = (true, true) }
    /// Only bodies that every receiver reads in the same way: every ``Ambiguity`` is an error.
    public static let strict = Self { ($0.refusesAmbiguity, $0.refusesLooseFraming) = (true, true) }
    /// ``default`` for any multipart type.
    package static let generic = Self { $0.acceptsAnyMultipart = true }
    /// The parser of `Response.formData()` in Node and browsers: no preamble, no folded lines, blanks around a header's name
    /// are ignored, the last of two fields is used, and `%22`, `%0D` and `%0A` are undone.
    package static let whatwg = Self {
        ($0.refusesPreamble, $0.readsFoldsAsLines, $0.readsLooseHeaders) = (true, true, true)
        $0.decodesPercentEscapes = true
    }
}
