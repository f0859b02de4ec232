/// How a parser reads details on which receivers differ: one rule for each, and named sets of rules.
///
/// Change a copy to change one rule: `profile.preamble = .refused`.
public struct ParsingProfile: Hashable, Sendable {
    /// The accepted multipart types.
    public enum Subtype: Hashable, Sendable {
        /// `multipart/form-data`: every part needs `Content-Disposition: form-data` with a `name` (RFC 7578 §4.2).
        case formData
        /// Any multipart type, parts with any header or none (RFC 2046 §5.1).
        case any
    }

    /// The line ends of the framing and of header sections.
    public enum LineEnds: Hashable, Sendable {
        /// Only CRLF (RFC 2046 §5.1.1). A bare LF is content, and in a header an error.
        case crlf
        /// CRLF or LF, for bodies that were saved or written by hand. Then content can't have the delimiter after an
        /// LF.
        case crlfOrLF
    }

    /// How something legal but rare is treated.
    public enum Tolerance: Hashable, Sendable {
        /// It is read as in its standard.
        case accepted
        /// It is an error.
        case refused
    }

    /// How a header line that begins with SP or TAB is read.
    public enum FoldedLines: Hashable, Sendable {
        /// It continues the previous line, joined with one space instead of the blanks (RFC 9112 §5.2).
        case joined
        /// An error.
        case refused
        /// A separate line, without its blanks, as in WHATWG's parser.
        case separate
    }

    /// Which of two fields is used if only one is allowed.
    public enum Duplicates: Hashable, Sendable {
        /// Neither: it is an error, because receivers use different ones.
        case refused
        /// The last, as in WHATWG for `Content-Type`.
        case last
    }

    /// How a backslash between quotes is read.
    public enum Backslashes: Hashable, Sendable {
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

    /// The accepted multipart types. Default: forms.
    public var subtype = Subtype.formData
    /// The line ends. Default: CRLF.
    public var lineEnds = LineEnds.crlf
    /// Bytes before the first delimiter. Default: skipped, up to ``ParsingLimits/preambleBytes``, but text directly
    /// followed by the close delimiter is an error.
    public var preamble = Tolerance.accepted
    /// A line of the preamble that begins like the delimiter but isn't one, because of its line ends or the text after
    /// it. Default: an error if a part follows, because other receivers take it for a delimiter and see one part more.
    public var preambleDelimiters = Tolerance.refused
    /// SP and TAB between a delimiter and its line's end (RFC 2046 §5.1.1). Default: accepted.
    public var padding = Tolerance.accepted
    /// A line of content that begins with the delimiter but is longer. Default: content, because a nested multipart may
    /// have the same boundary with a suffix. `--` and more text after the boundary is always an error.
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
    /// `filename*` (RFC 8187). Default: preferred to `filename` if it is valid UTF-8 or Latin-1. If accepted, `name*`
    /// is also read if there is no `name`.
    public var extendedFilenames = Tolerance.accepted
    /// Names that are not UTF-8. Default: repaired with U+FFFD, and their bytes are available too.
    public var invalidText = Tolerance.accepted
    /// Whether `%22`, `%0D` and `%0A` in names become `"`, CR and LF. Default: no, because an escape can't be
    /// distinguished from a name with a literal `%22` (WHATWG doesn't decode them).
    public var decodesPercentEscapes = false

    /// The rules of ``default``.
    public init() {}

    /// RFC 7578, read without loss and without ambiguity. Servers should use it.
    public static let `default` = Self()
    /// Any multipart type, otherwise as ``default``.
    public static let generic: Self = {
        var profile = Self()
        profile.subtype = .any
        return profile
    }()
    /// WHATWG's parser for `Response.formData()`: no preamble, no folded lines, blanks around a header's name are
    /// ignored, and the last of two fields is used.
    public static let whatwg: Self = {
        var profile = Self()
        (profile.preamble, profile.foldedLines) = (.refused, .separate)
        (profile.blanksBeforeColon, profile.duplicates) = (.accepted, .last)
        return profile
    }()
    /// For bodies that were written or saved by hand: LF ends lines too, and the `--` of the close delimiter may be
    /// missing.
    public static let lenient: Self = {
        var profile = Self()
        (profile.lineEnds, profile.missingClose) = (.crlfOrLF, .accepted)
        return profile
    }()
    /// Only bodies that every receiver reads in the same way.
    public static let strict: Self = {
        var profile = Self()
        (profile.preamble, profile.padding, profile.longerLines) = (.refused, .refused, .refused)
        (profile.foldedLines, profile.extendedFilenames, profile.invalidText) = (.refused, .refused, .refused)
        return profile
    }()
}
