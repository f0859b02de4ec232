/// The rules for splitting url-encoded text into pairs and unescaping it, and the limits.
///
/// The defaults are those of the WHATWG URL standard's `application/x-www-form-urlencoded` parser: only exceeding a
/// limit is an error. Text is split at `&`, empty pieces are skipped, and each piece is split at its first `=`.
public struct URLEncodedParsing: Hashable, Sendable {
    /// How invalid text is handled.
    public enum Repair: String, CaseIterable, Sendable {
        /// `%` is kept; bytes that aren't UTF-8 become U+FFFD.
        case kept
        /// The pair is left out.
        case dropsPair
        /// It is an error with the offset.
        case refused
    }

    /// Whether `+` is a space.
    public var readsPlusAsSpace: Bool
    /// How `%` without two hexadecimal digits after it is handled.
    public var invalidEscapes: Repair
    /// How names and values that aren't UTF-8 are handled.
    public var invalidText: Repair
    /// How pairs with the same name are handled.
    public var duplicates: Flattening.Duplicates
    /// The limits.
    public var limits: URLEncodedLimits

    /// Creates rules; by default those of the WHATWG URL standard.
    public init(
        readsPlusAsSpace: Bool = true, invalidEscapes: Repair = .kept, invalidText: Repair = .kept,
        duplicates: Flattening.Duplicates = .all, limits: URLEncodedLimits = URLEncodedLimits()
    ) {
        (self.readsPlusAsSpace, self.invalidEscapes, self.invalidText) = (readsPlusAsSpace, invalidEscapes, invalidText)
        (self.duplicates, self.limits) = (duplicates, limits)
    }
}

/// The limits for reading url-encoded text; exceeding one throws ``FormworkError/Code/limitExceeded``.
///
/// Every default is finite; use `.max` for no limit. Names nest at most 512 levels nevertheless, and all names together
/// have at most ten times as many levels as there may be pairs.
public struct URLEncodedLimits: Hashable, Sendable {
    /// Bytes of the text. Default 10 MiB, like Go's `ParseForm`.
    public var bytes: Int
    /// Pairs, including dropped ones. Default 10 000.
    public var pairs: Int
    /// Bytes of one pair as received. Default 10 MiB.
    public var pairBytes: Int
    /// Levels of nesting in a name. Default 64, like PHP's `max_input_nesting_level`. All names together may have ten times
    /// as many as ``pairs`` allows pairs, because each level takes memory: 100 000 by default.
    public var depth: Int

    /// Creates limits, in bytes, pairs and levels.
    public init(bytes: Int = 10 << 20, pairs: Int = 10_000, pairBytes: Int = 10 << 20, depth: Int = 64) {
        (self.bytes, self.pairs, self.pairBytes, self.depth) = (bytes, pairs, pairBytes, depth)
    }

    /// No limits except the machine's, for the caller's own text. Names still nest at most 512 levels, because of the
    /// stack.
    public static let unlimited = URLEncodedLimits(bytes: .max, pairs: .max, pairBytes: .max, depth: 512)

    /// Levels of nesting in a name. Trees are walked recursively, so `.max` has a bound too.
    var nesting: Int { min(max(0, self.depth), 512) }

    func tooDeep(_ name: [UInt8]) -> FormworkError {
        let name = String(decoding: name, as: UTF8.self).shortened(to: 40)
        return FormworkError(
            .limitExceeded, "the name \"\(name)\" nests deeper than \(self.nesting, "level") (limits.depth)")
    }

    /// Levels of nesting in all names together. One name may always have its own.
    var levels: Int { max(self.pairs > .max / 10 ? .max : self.pairs * 10, self.nesting) }

    var tooManyLevels: FormworkError {
        FormworkError(
            .limitExceeded, "all names together have more than \(self.levels, "level") (10 × limits.pairs)")
    }
}
