import ArgumentParser
import FormworkURLEncoded

/// The options that choose a dialect and change its rules.
///
/// They are texts, not ArgumentParser's enumerations, so that a wrong one gives an error of one line.
struct QueryOptions: ParsableArguments {
    @Option(
        value: "dialect", "The dialect of query strings: \(Self.dialects.names). (default: whatwg)",
        completion: .list(Self.dialects.map(\.key)))
    var dialect: String?

    @Option(
        choices: Self.nulls,
        "Write null as a, a=, a=null, or leave it out. For decode: a name without '=' is null (name) or an empty "
            + "text (empty).")
    var null: String?

    @Option(choices: Self.spaces, "Write a space as %20 or +. For decode: 'plus' reads + as a space.")
    var space: String?

    private static let usual = "whatwg"

    // Closures, because a dialect's tables are made when it is first used.
    private typealias Named = @Sendable () -> (URLEncodedDialect, QueryDestination)
    private static let dialects: KeyValuePairs<String, Named> = [
        "whatwg": { (.whatwg, .query) },
        "afnetworking-2": { (.afnetworking("2.5.4"), .appendedEvenEmpty) },
        "afnetworking-3": { (.afnetworking3, .appended) },
        "alamofire": { (.alamofire, .joined) },
        "facebook": { (.facebook, .query) },
        "recipes": { (.recipes, .query) },
        "recipes-plus": { (.recipesPlus, .query) },
        "php": { (.php, .query) },
        "php-rfc3986": { (.phpRFC3986, .query) },
        "rails": { (.rails, .query) },
    ]
    private static let nulls: KeyValuePairs<String, Flattening.Nulls> = [
        "name": .nameOnly, "empty": .text(""), "null": .text("null"), "drop": .dropped,
    ]
    private static let spaces: KeyValuePairs<String, PercentEncoder.Space> = ["percent": .percent, "plus": .plus]

    /// The dialect for writing, with the rules of the other options.
    /// - Parameter isPairs: Whether pairs are written. They keep their order and number.
    func encoding(
        _ form: EncodingOptions, isPairs: Bool
    ) throws -> (dialect: URLEncodedDialect, destination: QueryDestination) {
        var (dialect, destination) = try self.named()
        if isPairs {
            (dialect.flattening.order, dialect.flattening.duplicates) = (.given, .all)
            (dialect.flattening.nulls, dialect.flattening.skipsEmptyNames) = (.nameOnly, false)
        }
        // Pairs aren't a tree, and other rules for arrays or null mean that the reader has other rules too.
        if isPairs || form.array != nil || self.null != nil { dialect.checksReadBack = false }
        if let array = try EncodingOptions.arrays.value("--array", form.array) {
            let isFlat = if case .refused = dialect.flattening.members { true } else { false }
            guard !isPairs, !isFlat else {
                let what = isPairs ? "pairs" : "\(self.dialect ?? Self.usual)'s parameters"
                throw ExitStatus(2, "--array: \(what) have no arrays")
            }
            dialect.flattening.arrays = array
        }
        if let bools = try EncodingOptions.bools.value("--bool", form.bool) { dialect.flattening.bools = bools }
        if let nulls = try Self.nulls.value("--null", self.null) { dialect.flattening.nulls = nulls }
        if let order = try EncodingOptions.orders.value("--sort", form.sort) { dialect.flattening.order = order }
        return (dialect, destination)
    }

    /// The dialect for reading, with the rules of the other options.
    func decoding() throws -> URLEncodedDialect {
        var (dialect, _) = try self.named()
        if let nulls = try Self.nulls.value("--null", self.null) {
            try ExitStatus.refuse(
                if: nulls != .nameOnly && nulls != .text(""),
                "--null \(self.null ?? ""): 'query decode' accepts name or empty")
            dialect.flattening.nulls = nulls
        }
        return dialect
    }

    private func named() throws -> (URLEncodedDialect, QueryDestination) {
        let named = try Self.dialects.value("--dialect", self.dialect ?? Self.usual)
        var (dialect, destination) = named?() ?? (.whatwg, .query)
        if let space = try Self.spaces.value("--space", self.space) {
            dialect.names = dialect.names.space(space)
            dialect.values = dialect.values.space(space)
            dialect.parsing.readsPlusAsSpace = space == .plus
        }
        return (dialect, destination)
    }
}

/// The rules that only writing has.
struct EncodingOptions: ParsableArguments {
    @Option(choices: Self.arrays, "Write elements of an array as a[], a, or a[0].")
    var array: String?

    @Option(choices: Self.bools, "Write true as 1 or true.")
    var bool: String?

    @Option(choices: Self.orders, "Keep the order of members, or sort them by name or by their finished text.")
    var sort: String?

    static let arrays: KeyValuePairs<String, Flattening.ArrayNames> = [
        "brackets": .brackets, "repeated": .repeated, "indexed": .indexed,
    ]
    static let bools: KeyValuePairs<String, Flattening.Bools> = ["numeric": .numeric, "literal": .literal]
    static let orders: KeyValuePairs<String, Flattening.Order> = [
        "none": .given, "name": .byName, "text": .byText,
    ]
}

extension Option where Value == String? {
    /// One of some names.
    fileprivate init(choices: KeyValuePairs<String, some Any>, _ help: String) {
        let names = choices.map(\.key)
        self.init(value: names.joined(separator: "|"), help, completion: .list(names))
    }
}

extension KeyValuePairs where Key == String {
    /// The choices, for a sentence.
    package var names: String { self.map(\.key).joined(separator: ", ") }

    /// The chosen value; `nil` if the option wasn't given.
    func value(_ option: String, _ choice: String?) throws -> Value? {
        guard let choice else { return nil }
        guard let value = self.first(where: { $0.key == choice })?.value else {
            throw ExitStatus(2, "\(option) \(ShellQuote.quote(choice)): choose one of \(self.names)")
        }
        return value
    }
}
