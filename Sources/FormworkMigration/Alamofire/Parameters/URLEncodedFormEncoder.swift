import FormworkFoundation
import FormworkURLEncoded
import Foundation

/// Encodes `Encodable` values as url-encoded text, with Alamofire's options.
///
/// ```swift
/// let encoder = URLEncodedFormEncoder(spaceEncoding: .percentEscaped)
/// let text: String = try encoder.encode(["page": 2, "sort by": 1])
/// // page=2&sort%20by=1
/// ```
///
/// Members are sorted, arrays keep their order. Values that ``URLEncodedFormDecoder/init(for:limits:)`` would read back
/// differently cause an `EncodingError` with the coding path and the option:
///
/// - a key written twice with different texts or with two arrays or objects, and nil after a value;
/// - a key that is empty or contains a bracket or `keyPathEncoding`'s dot, and more than 64 levels;
/// - `nil` that isn't written, and an empty array or object: as an element of an array, as a dictionary's value, in an
///   optional, or in a type that wraps a single value. They are accepted for members of structs;
/// - a value in an optional, or in a type that wraps it, that is written like `nilEncoding`'s text (a type that calls
///   `decodeNil` itself reads such a text as `nil`, and that isn't checked);
/// - a case of an enumeration with neither a raw value nor associated values;
/// - without `indexInBrackets`: arrays within arrays, objects in an array that don't have the same members, and with
///   `noBrackets` any objects in an array;
/// - with a `keyEncoding`: two keys that become equal, and a key that changes in a dictionary or in another type that makes
///   keys of names;
/// - infinite numbers and NaN, and a URL with a `baseURL`.
///
/// Dates are read back with the precision of `dateEncoding`. The results of closures for data, dates and members' names
/// aren't checked. `compatibility: .exact` writes Alamofire's bytes, and loses the same data as Alamofire.
///
/// Like Alamofire's, it is a class and isn't `Sendable`; encoding doesn't change it. The whole text is in memory.
public final class URLEncodedFormEncoder {
    /// Why a value can't be encoded at all.
    public enum Error: Swift.Error, LocalizedError, CustomStringConvertible {
        /// The value isn't an object with named members; the text describes it.
        case invalidRootObject(String)

        /// The reason, and what to use instead.
        public var description: String {
            switch self {
            case .invalidRootObject(let root):
                "\(root) has no names to write: use a struct or a dictionary"
            }
        }
        /// The same as one sentence.
        public var errorDescription: String? { "The parameters can't be encoded: \(self)." }
    }

    /// Whether pairs are sorted by their escaped text, at every level; otherwise they keep the order of encoding.
    public let alphabetizeKeyValuePairs: Bool
    /// The names of an array's elements.
    public let arrayEncoding: ArrayEncoding
    /// How true and false are written.
    public let boolEncoding: BoolEncoding
    /// How `Data` is written.
    public let dataEncoding: DataEncoding
    /// How a `Date` is written.
    public let dateEncoding: DateEncoding
    /// How names are changed.
    public let keyEncoding: KeyEncoding
    /// The names of an object's members.
    public let keyPathEncoding: KeyPathEncoding
    /// How `nil` is written.
    public let nilEncoding: NilEncoding
    /// How a space is written.
    public let spaceEncoding: SpaceEncoding
    /// The ASCII characters that aren't escaped. A space in it has no effect; `%`, `&` and `=`, and `+` if it is a
    /// space, have an effect only with `Compatibility.exact`.
    public var allowedCharacters: CharacterSet {
        get { self.ownCharacters ?? .afURLQueryAllowed }
        set { (self.ownCharacters, self.escaping) = (newValue, self.makeEscaping(leaving: newValue)) }
    }
    /// Whether data may be lost like in Alamofire.
    public let compatibility: Compatibility

    /// `nil` for Alamofire's: comparing and changing sets takes long, and nearly every encoder has these.
    private var ownCharacters: CharacterSet?
    /// Made from `allowedCharacters` once, not for each text.
    private var escaping = PercentEncoder.alamofire

    /// Creates an encoder; all defaults except `compatibility` are Alamofire's.
    public init(
        alphabetizeKeyValuePairs: Bool = true, arrayEncoding: ArrayEncoding = .brackets,
        boolEncoding: BoolEncoding = .numeric, dataEncoding: DataEncoding = .base64,
        dateEncoding: DateEncoding = .deferredToDate, keyEncoding: KeyEncoding = .useDefaultKeys,
        keyPathEncoding: KeyPathEncoding = .brackets, nilEncoding: NilEncoding = .dropKey,
        spaceEncoding: SpaceEncoding = .percentEscaped, allowedCharacters: CharacterSet? = nil,
        compatibility: Compatibility = .safe
    ) {
        (self.alphabetizeKeyValuePairs, self.arrayEncoding) = (alphabetizeKeyValuePairs, arrayEncoding)
        (self.boolEncoding, self.dataEncoding, self.dateEncoding) = (boolEncoding, dataEncoding, dateEncoding)
        (self.keyEncoding, self.keyPathEncoding, self.nilEncoding) = (keyEncoding, keyPathEncoding, nilEncoding)
        (self.spaceEncoding, self.compatibility) = (spaceEncoding, compatibility)
        self.ownCharacters = allowedCharacters
        guard allowedCharacters != nil || spaceEncoding != .percentEscaped else { return }
        self.escaping = self.makeEscaping(leaving: self.allowedCharacters)
    }

    /// Encodes a value as text.
    /// - Throws: ``Error``, `EncodingError`, or the error of a custom encoding.
    public func encode(_ value: any Encodable) throws -> String {
        String(decoding: try self.bytes(of: value), as: UTF8.self)
    }

    /// Encodes a value as text in UTF-8.
    /// - Throws: What the encoding as text throws.
    public func encode(_ value: any Encodable) throws -> Data {
        Data(try self.bytes(of: value))
    }

    private func bytes(of value: some Encodable) throws -> [UInt8] {
        do { return try self.coding().encode(value) } catch let root as InvalidRoot {
            throw Error.invalidRootObject(root.rawValue)
        }
    }

    private func makeEscaping(leaving characters: CharacterSet) -> PercentEncoder {
        // These separate pairs, and an unescaped plus would be read as a space.
        let meaningful: CharacterSet = self.spaceEncoding == .plusReplaced ? ["%", "&", "=", "+"] : ["%", "&", "="]
        let allowed = self.compatibility == .safe ? characters.subtracting(meaningful) : characters
        return PercentEncoder(space: self.spaceEncoding) { allowed.contains(Unicode.Scalar($0)) }
    }

    /// - Parameters: Of a decoder.
    func coding(
        _ limits: URLEncodedLimits = URLEncodedLimits(), acceptsNonFiniteNumbers: Bool = false
    ) -> CodingPolicy {
        var rules = CodingPolicy.swift
        let isExact = self.compatibility == .exact
        rules.flattening.order = !self.alphabetizeKeyValuePairs ? .given : isExact ? .byTextWithArrays : .byText
        (rules.flattening.arrays, rules.flattening.bools) = (self.arrayEncoding, self.boolEncoding)
        rules.flattening.members = self.keyPathEncoding
        if case .dots = self.keyPathEncoding { rules.expansion = .dots }
        (rules.names, rules.values) = (self.escaping, self.escaping)
        (rules.parsing.readsPlusAsSpace, rules.parsing.limits) = (self.spaceEncoding == .plus, limits)
        return CodingPolicy(
            rules, null: self.nilEncoding.text, rename: self.keyEncoding.rename, isLossy: isExact,
            foreign: FoundationTypes(data: self.dataEncoding, date: self.dateEncoding, writesURLs: !isExact),
            acceptsNonFiniteNumbers: acceptsNonFiniteNumbers,
            wording: { $0.advice = " (Compatibility.exact writes what Alamofire writes)" })
    }
}

extension CharacterSet {
    /// The characters that Alamofire leaves unescaped: RFC 3986's unreserved ones, `?` and `/` (its section 3.4).
    public static let afURLQueryAllowed = CharacterSet(charactersIn: "-._~/?").union(.asciiLettersAndDigits)

    private static let asciiLettersAndDigits = CharacterSet(charactersIn: "a"..."z")
        .union(CharacterSet(charactersIn: "A"..."Z"))
        .union(CharacterSet(charactersIn: "0"..."9"))
}
