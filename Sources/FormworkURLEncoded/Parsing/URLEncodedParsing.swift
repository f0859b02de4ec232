/// The rules by which url-encoded text is cut into pairs and unescaped, and how much of it is taken.
///
/// The defaults are those of the WHATWG URL standard's `application/x-www-form-urlencoded` parser: nothing is ever an
/// error but a limit. Pieces are cut at `&`, empty ones are skipped, and each is cut at its first `=`.
public struct URLEncodedParsing: Hashable, Sendable {
    /// What becomes of what can't be read as it should be.
    public enum Repair: String, CaseIterable, Sendable {
        /// `%` stands as it is; bytes that are no UTF-8 become U+FFFD.
        case kept
        /// The pair is left out.
        case dropsPair
        /// It is an error, which names the offset.
        case refused
    }

    /// Whether `+` is a space.
    public var readsPlusAsSpace: Bool
    /// `%` without two hexadecimal digits behind it.
    public var invalidEscapes: Repair
    /// Names and values that are no UTF-8.
    public var invalidText: Repair
    /// What becomes of pairs with one name.
    public var duplicates: Flattening.Duplicates
    /// How much is taken.
    public var limits: URLEncodedLimits

    /// Rules; without any, those of the WHATWG URL standard.
    public init(
        readsPlusAsSpace: Bool = true, invalidEscapes: Repair = .kept, invalidText: Repair = .kept,
        duplicates: Flattening.Duplicates = .kept, limits: URLEncodedLimits = URLEncodedLimits()
    ) {
        (self.readsPlusAsSpace, self.invalidEscapes, self.invalidText) = (readsPlusAsSpace, invalidEscapes, invalidText)
        (self.duplicates, self.limits) = (duplicates, limits)
    }
}

/// How much url-encoded text is read before ``FormworkError/Code/limitExceeded``.
///
/// Every default is finite; a caller that wants no bound writes `.max`.
public struct URLEncodedLimits: Hashable, Sendable {
    /// Bytes of the text. Default 10 MiB, as Go's `ParseForm` has.
    public var bytes: Int
    /// Pairs, dropped ones counted. Default 10 000.
    public var pairs: Int
    /// Bytes of one pair as received. Default 10 MiB.
    public var pairBytes: Int
    /// Levels of nesting that names may ask for. Default 64, as PHP's `max_input_nesting_level` has.
    public var depth: Int

    /// Limits, in bytes, pairs and levels.
    public init(bytes: Int = 10 << 20, pairs: Int = 10_000, pairBytes: Int = 10 << 20, depth: Int = 64) {
        (self.bytes, self.pairs, self.pairBytes, self.depth) = (bytes, pairs, pairBytes, depth)
    }

    /// No bound but the machine's; for text of one's own. Names still nest no deeper than the stack allows: 512.
    public static let unlimited = URLEncodedLimits(bytes: .max, pairs: .max, pairBytes: .max, depth: 512)
}
