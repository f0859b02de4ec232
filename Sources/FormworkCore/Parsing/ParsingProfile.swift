/// What a parser takes for a part, where receivers differ: one ruling for each question, and named sets of them.
///
/// Change a copy to rule otherwise on one question: `profile.preamble = .refused`.
public struct ParsingProfile: Hashable, Sendable {
    /// Which bodies are read.
    public enum Subtype: Hashable, Sendable {
        /// `multipart/form-data`: every part needs `Content-Disposition: form-data` with a `name` (RFC 7578 §4.2).
        case formData
        /// Any multipart type, parts with any header or none (RFC 2046 §5.1).
        case any
    }

    /// What ends a line of the framing and of header sections.
    public enum LineEnds: Hashable, Sendable {
        /// CRLF alone (RFC 2046 §5.1.1); a bare LF is content, and in a header an error.
        case crlf
        /// CRLF or LF: bodies saved or written by hand. Content may then not hold LF and the delimiter.
        case crlfOrLF
    }

    /// What becomes of something that is legal but hardly ever sent.
    public enum Tolerance: Hashable, Sendable {
        /// It is taken as its standard says.
        case accepted
        /// It is an error.
        case refused
    }

    /// What a header line is that begins with SP or TAB.
    public enum FoldedLines: Hashable, Sendable {
        /// The line before goes on: joined by one space, blanks at the seam gone (RFC 9112 §5.2).
        case joined
        /// An error.
        case refused
        /// A line of its own, its blanks stripped: what WHATWG's parser does.
        case separate
    }

    /// Which of two fields that may stand once only is taken.
    public enum Duplicates: Hashable, Sendable {
        /// Neither: an error, as one receiver's first is another's last.
        case refused
        /// The last, as WHATWG has it for `Content-Type`.
        case last
    }

    /// How a backslash between quotes is read.
    public enum Backslashes: Hashable, Sendable {
        /// Pairs are undone only where a `\"` stands: browsers send lone backslashes as they are, curl's
        /// `--form-escape` and Go send pairs, aiohttp makes them of blanks too. A quote ends the value only before `;` or
        /// the end.
        case guessed
        /// A backslash always escapes what follows (RFC 9110 §5.6.4): reads back what ``ParameterEscaping/backslash``
        /// wrote, and gets browsers' Windows paths wrong.
        case escape
        /// A backslash is a character. A quote ends the value only before `;` or the end.
        case literal
    }

    /// Which bodies are read. Default: forms.
    public var subtype = Subtype.formData
    /// What ends a line. Default: CRLF.
    public var lineEnds = LineEnds.crlf
    /// Bytes before the first delimiter. Default: skipped within ``ParsingLimits/preambleBytes``, but text that the
    /// close delimiter follows at once is an error.
    public var preamble = Tolerance.accepted
    /// A line of the preamble that begins with the delimiter and isn't one, as its line ends say, or what follows on it.
    /// Default: an error once a part follows, as other receivers take it for a delimiter and see one part more.
    public var preambleDelimiters = Tolerance.refused
    /// SP and TAB between a delimiter and its line's end (RFC 2046 §5.1.1). Default: accepted.
    public var padding = Tolerance.accepted
    /// A line of content that begins with the delimiter and goes on: content when accepted (the default), as a nested
    /// multipart whose boundary has a suffix needs it; `--` and more after the boundary is an error always.
    public var longerLines = Tolerance.accepted
    /// A body that ends right after a delimiter, without a close delimiter. Default: an error.
    public var missingClose = Tolerance.refused
    /// Header lines that begin with a blank. Default: joined.
    public var foldedLines = FoldedLines.joined
    /// Blanks between a header's name and its colon. Default: an error (RFC 9112 §5.1).
    public var blanksBeforeColon = Tolerance.refused
    /// A second `Content-Disposition` or `Content-Type`. Default: an error.
    public var duplicates = Duplicates.refused
    /// How a backslash between quotes is read. Default: guessed.
    public var backslashes = Backslashes.guessed
    /// `filename*` (RFC 8187). Default: preferred to `filename` when it is valid UTF-8 or Latin-1. `name*` too is read
    /// when accepted, where no `name` stands.
    public var extendedFilenames = Tolerance.accepted
    /// Names that are no UTF-8. Default: repaired with U+FFFD, their bytes kept beside.
    public var invalidText = Tolerance.accepted
    /// Whether `%22`, `%0D` and `%0A` in names become `"`, CR and LF. Default: no, as nobody can tell an escape from a
    /// name that holds `%22` (WHATWG leaves them).
    public var decodesPercentEscapes = false

    /// The rulings of ``default``.
    public init() {}

    /// RFC 7578 read so that nothing is lost and no two readings are possible: what servers should take.
    public static let `default` = Self()
    /// Any multipart type, as ``default`` otherwise.
    public static let generic: Self = {
        var profile = Self()
        profile.subtype = .any
        return profile
    }()
    /// WHATWG's parser for `Response.formData()`: no preamble, no folded lines, blanks around a header's name ignored,
    /// the last of two fields taken.
    public static let whatwg: Self = {
        var profile = Self()
        (profile.preamble, profile.foldedLines) = (.refused, .separate)
        (profile.blanksBeforeColon, profile.duplicates) = (.accepted, .last)
        return profile
    }()
    /// For bodies that were written or saved by hand: LF ends lines too, and the close delimiter may lack its `--`.
    public static let lenient: Self = {
        var profile = Self()
        (profile.lineEnds, profile.missingClose) = (.crlfOrLF, .accepted)
        return profile
    }()
    /// What every receiver reads the same way, and nothing else.
    public static let strict: Self = {
        var profile = Self()
        (profile.preamble, profile.padding, profile.longerLines) = (.refused, .refused, .refused)
        (profile.foldedLines, profile.extendedFilenames, profile.invalidText) = (.refused, .refused, .refused)
        return profile
    }()
}
