import FormworkCore

extension URLEncodedDialect {
    /// A browser's forms and `URLSearchParams`: WHATWG URL, `application/x-www-form-urlencoded`. It has only names and
    /// texts; trees are written as `a[b]` and `a[]`, and names are read unchanged.
    public static let whatwg = URLEncodedDialect()

    /// AFNetworking 2.6.0 to 4.0.1.
    public static let afnetworking3 = afnetworking(.latest)
    /// A version of AFNetworking: sorted keys, `a[]`, sets with their bare key, sorted by text, null without `=`. Versions
    /// 2.2.0 to 2.5.4 don't escape brackets in keys.
    public static func afnetworking(_ version: AFNetworkingVersion) -> URLEncodedDialect {
        URLEncodedDialect(
            flattening: Flattening(
                sets: .repeatedInOrder, bools: .numeric, nulls: .nameOnly, doubles: .nsNumber,
                order: version < "2.2" ? .byNameIgnoringCase : .byName, duplicates: .last,
                rootArray: .named("(null)")),
            names: .afnetworkingKey(version), values: .afnetworkingValue(version),
            parsing: URLEncodedParsing(readsPlusAsSpace: false), expansion: .brackets)
    }

    /// Alamofire's `URLEncoding`: sorted keys, `a[]`, 1 and 0, null as `<null>`. Alamofire's `URLEncodedFormEncoder` is
    /// in `FormworkMigration`.
    public static let alamofire = URLEncodedDialect(
        flattening: Flattening(
            bools: .numeric, nulls: .text("<null>"), doubles: .swift, countsBytes: true, order: .byName,
            duplicates: .last),
        names: .alamofire, values: .alamofire, parsing: URLEncodedParsing(readsPlusAsSpace: false),
        expansion: .brackets)

    /// facebook-ios-sdk's query strings: flat, sorted, names not escaped. When they are read, `+` is a space, the last of
    /// several values is used, and pairs that can't be read are dropped.
    public static let facebook = URLEncodedDialect(
        flattening: Flattening(
            members: .refused, bools: .numeric, doubles: .nsNumber, order: .byName, duplicates: .last),
        names: .raw, values: .facebook,
        parsing: URLEncodedParsing(invalidEscapes: .dropsPair, invalidText: .dropsPair, duplicates: .last))

    /// iOS Recipes' form POST as in its listing: flat, names not escaped, empty ones left out, a space as `%20`.
    public static let recipes = recipes(.recipes)
    /// iOS Recipes' form POST as in its prose: a space as `+`.
    public static let recipesPlus = recipes(.recipes.space(.plus))

    private static func recipes(_ values: PercentEncoder) -> URLEncodedDialect {
        URLEncodedDialect(
            flattening: Flattening(
                members: .refused, bools: .numeric, doubles: .nsNumber, duplicates: .last, skipsEmptyNames: true),
            names: .raw, values: values, parsing: URLEncodedParsing(duplicates: .last))
    }

    /// PHP's `http_build_query`, a space as `+`, and `parse_str`.
    public static let php = php(.php)
    /// PHP's `http_build_query` with `PHP_QUERY_RFC3986`: a space as `%20`.
    public static let phpRFC3986 = php(.rfc3986)

    private static func php(_ encoder: PercentEncoder) -> URLEncodedDialect {
        URLEncodedDialect(
            flattening: Flattening(
                arrays: .indexed, bools: .numeric, nulls: .dropped, doubles: .php, duplicates: .last,
                rootArray: .indexed),
            names: encoder, values: encoder, expansion: .php)
    }

    /// Rails' `Hash#to_query` and Rack's reader: `a[]`, sorted by finished text outside of arrays, null as an empty
    /// text. Parameters that Rack would read differently are refused: arrays and objects without elements, arrays of
    /// objects that begin with different members, names with brackets.
    public static let rails = URLEncodedDialect(
        flattening: Flattening(
            writesEmptyElements: true, doubles: .ruby, order: .byTextOutsideArrays, duplicates: .last),
        names: .ruby, values: .ruby,
        parsing: URLEncodedParsing(invalidEscapes: .refused, invalidText: .refused), expansion: .rack,
        checksReadBack: true)

    /// The value of a name without `=`: null if the dialect writes null that way or reads like Rack; otherwise the
    /// empty text.
    package var missing: ParameterValue {
        self.flattening.nulls == .nameOnly || self.expansion == .rack ? .null : .text("")
    }

    /// Reads text in this dialect.
    /// - Throws: ``FormworkError/Code/limitExceeded``, and ``FormworkError/Code/malformedBody`` if ``parsing`` refuses
    ///   something.
    public func decode(_ text: String) throws(FormworkError) -> ParameterValue { try self.decode(Array(text.utf8)) }

    /// Reads bytes as received; they needn't be UTF-8 before they are unescaped.
    /// - Throws: What ``decode(_:)-(String)`` throws.
    public func decode(_ text: [UInt8]) throws(FormworkError) -> ParameterValue {
        let pairs = try URLEncodedPairs(text, rules: self.parsing)
        return try self.expansion.expand(
            pairs.lazy.map { Array($0.nameBytes) }, pairs.map { $0.value.map(ParameterValue.text) ?? self.missing },
            self.parsing.limits)
    }
}
