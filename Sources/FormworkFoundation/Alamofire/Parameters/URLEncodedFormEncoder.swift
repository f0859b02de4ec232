import FormworkURLEncoded
import Foundation

/// Encodes `Encodable` values as url-encoded text, with Alamofire's options.
///
/// Members are sorted, arrays keep their order; a key written twice with different values is an `EncodingError`.
/// `compatibility: .exact` gives Alamofire's bytes where they differ.
public final class URLEncodedFormEncoder {
    /// What can't be encoded at all.
    public enum Error: Swift.Error {
        /// The value is no object, but what the text says.
        case invalidRootObject(String)
    }

    /// Whether pairs are sorted by their escaped text, at every level; otherwise they stay in the order encoded.
    public let alphabetizeKeyValuePairs: Bool
    /// The names of an array's elements.
    public let arrayEncoding: ArrayEncoding
    /// How true and false are written.
    public let boolEncoding: BoolEncoding
    /// How `Data` is written.
    public let dataEncoding: DataEncoding
    /// How a `Date` is written.
    public let dateEncoding: DateEncoding
    /// What becomes of names.
    public let keyEncoding: KeyEncoding
    /// The names of an object's members.
    public let keyPathEncoding: KeyPathEncoding
    /// How `nil` is written.
    public let nilEncoding: NilEncoding
    /// How a space is written.
    public let spaceEncoding: SpaceEncoding
    /// The characters of ASCII that are not escaped; a space among them has no effect.
    public var allowedCharacters: CharacterSet { didSet { self.escaping = self.makeEscaping() } }
    /// Whether data may be lost where Alamofire loses it.
    public let compatibility: Compatibility

    /// Made of `allowedCharacters` once, not for each text.
    private var escaping = PercentEncoder.alamofire

    /// Makes an encoder; all defaults are Alamofire's, but for `compatibility`.
    public init(
        alphabetizeKeyValuePairs: Bool = true, arrayEncoding: ArrayEncoding = .brackets,
        boolEncoding: BoolEncoding = .numeric, dataEncoding: DataEncoding = .base64,
        dateEncoding: DateEncoding = .deferredToDate, keyEncoding: KeyEncoding = .useDefaultKeys,
        keyPathEncoding: KeyPathEncoding = .brackets, nilEncoding: NilEncoding = .dropKey,
        spaceEncoding: SpaceEncoding = .percentEscaped, allowedCharacters: CharacterSet = .afURLQueryAllowed,
        compatibility: Compatibility = .safe
    ) {
        self.alphabetizeKeyValuePairs = alphabetizeKeyValuePairs
        self.arrayEncoding = arrayEncoding
        self.boolEncoding = boolEncoding
        self.dataEncoding = dataEncoding
        self.dateEncoding = dateEncoding
        self.keyEncoding = keyEncoding
        self.keyPathEncoding = keyPathEncoding
        self.nilEncoding = nilEncoding
        self.spaceEncoding = spaceEncoding
        self.allowedCharacters = allowedCharacters
        self.compatibility = compatibility
        self.escaping = self.makeEscaping()
    }

    /// Encodes a value as text.
    /// - Throws: ``Error``, `EncodingError`, or what a custom encoding throws.
    public func encode(_ value: any Encodable) throws -> String {
        try Self.catchingRoot { try self.coding.encodeText(value) }
    }

    /// Encodes a value as text in UTF-8.
    /// - Throws: What the encoding as text throws.
    public func encode(_ value: any Encodable) throws -> Data {
        try Self.catchingRoot { Data(try self.coding.encode(value)) }
    }

    private static func catchingRoot<Result>(_ encode: () throws -> Result) throws -> Result {
        do {
            return try encode()
        } catch let root as InvalidRoot {
            throw Error.invalidRootObject(root.rawValue)
        }
    }

    private func makeEscaping() -> PercentEncoder {
        let isPlus = self.spaceEncoding == .plusReplaced
        // These have a meaning between pairs, and a plus that stood for itself would be read as a space.
        let meaningful: CharacterSet = isPlus ? ["%", "&", "=", "+"] : ["%", "&", "="]
        let allowed =
            self.compatibility == .safe ? self.allowedCharacters.subtracting(meaningful) : self.allowedCharacters
        return PercentEncoder(leaving: allowed, space: isPlus ? .plus : .percent)
    }

    private var coding: URLEncodedCoding {
        var coding = URLEncodedCoding()
        let isExact = self.compatibility == .exact
        coding.order = !self.alphabetizeKeyValuePairs ? .given : isExact ? .membersAndElements : .members
        coding.arrays = self.arrayEncoding.names
        coding.members = self.keyPathEncoding.names
        coding.bools = self.boolEncoding == .numeric ? .numeric : .literal
        coding.null = self.nilEncoding.text
        coding.rename = self.keyEncoding.rename
        coding.escaping = self.escaping
        coding.isAlamofire = isExact
        coding.foreign = FoundationTexts(data: self.dataEncoding, date: self.dateEncoding, writesURLs: !isExact)
        return coding
    }
}
