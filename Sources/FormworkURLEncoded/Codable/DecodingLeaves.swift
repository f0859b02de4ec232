import FormworkCore

/// The leaves of a tree of names: the fields of a form, or texts. Each has a number. All decoders of a tree share them.
package protocol DecodingLeaves: AnyObject {
    /// How dates are written. Types with a text for forms are read from that text. `nil` if all of them decode themselves.
    var dates: FormDateFormat? { get }
    var acceptsNonFiniteNumbers: Bool { get }
    /// The text for `nil`; `nil` if there is none.
    var nullText: String? { get }
    /// Whether an empty text is `nil` for optionals of all types but `String`, as empty controls are.
    var readsEmptyAsNil: Bool { get }
    /// Whether members with any numbers are an array, in the order of their numbers.
    var hasSparseIndices: Bool { get }
    /// How many arrays a single text may be: an array of one is an array of an array of one.
    var lists: Int { get }
    /// Whether a root that isn't an object is a mistake of the program, whatever the text is.
    var needsObject: Bool { get }
    var userInfo: [CodingUserInfoKey: any Sendable] { get }
    /// How whole names were changed; `nil` for not at all.
    var changes: ChangedNames? { get }
    /// Whether the names of members are converted to keys. A dictionary's aren't.
    var convertsKeys: Bool { get }
    func key(named name: String, in decoder: ValueDecoder) -> String

    /// How many leaves there are if each one is the root's member of its name, so that no tree is made; `nil` for a tree.
    var memberCount: Int? { get }
    /// What errors say of these leaves.
    var words: CodingWords { get }
    func name(_ leaf: Int) -> String
    /// The first leaf of a name, compared byte for byte, from a leaf on and then from the first; `nil` if there is none.
    func find(_ name: String, from leaf: Int) -> Int?
    /// A leaf's text.
    /// - Throws: `DecodingError` for a leaf that isn't text, at the decoder's place.
    func text(_ leaf: Int, as type: Any.Type, at decoder: ValueDecoder) throws -> String
    /// A leaf's text if it needs no decoding; `nil` for every other, which ``text(_:as:at:)`` then reads or refuses.
    func plainText(_ leaf: Int) -> String?
    /// A leaf's whole number of few digits; `nil` for every other.
    func plainNumber(_ leaf: Int) -> Int64?
    /// A value that needs no decoder; `nil` for every other.
    func plainValue<Value>(_ type: Value.Type, _ leaf: Int) -> Value?
    /// Whether a leaf means no value, as a control for a file does that was left empty.
    func isNothing(_ leaf: Int) -> Bool
    /// Whether a leaf is an empty text.
    func isEmpty(_ leaf: Int) -> Bool
    /// A value of a type that has a form of its own among these leaves, such as bytes; `nil` for every other.
    func special<Value: Decodable>(_ type: Value.Type, at decoder: ValueDecoder) throws -> Value?
    /// Whether a leaf may be in another format than text, such as JSON.
    func isEmbedded(_ leaf: Int) -> Bool
    /// A value of any type that is in another format in its leaf; `nil` for a type that is text there, too.
    func embedded<Value: Decodable>(_ type: Value.Type, _ leaf: Int, at decoder: ValueDecoder) throws -> Value?
}

/// What errors say.
package struct CodingWords {
    /// What an object needs.
    package var objectNames = "names for its members"
    /// The type that has the options for dates, numbers, repeated names and indices; empty for none.
    package var owner = ""
    /// The option that names an array's elements, and its value that tells each one.
    var arrayOption = "arrayEncoding"
    var indexedOption = "indexInBrackets"
    /// The option that changes or splits names, and what it splits them at.
    var nameOption = "keyEncoding"
    var splittingOption = "keyPathEncoding's dot"

    package init() {}

    /// An option, in brackets after a blank; empty for none.
    func option(_ name: String) -> String { self.owner.isEmpty ? "" : " (\(self.owner).\(name))" }
}

/// The texts of url-encoded pairs; `nil` for a name without a value.
final class TextLeaves: DecodingLeaves {
    private let texts: [String?]
    private let foreign: any ForeignReading
    let dates: FormDateFormat?
    var acceptsNonFiniteNumbers = false
    var nullText: String?
    let readsEmptyAsNil: Bool
    let lists: Int
    var changes: ChangedNames?
    let words: CodingWords

    /// - Parameter coding: The coding that the texts were written with, or would be.
    init(
        _ texts: [String?], of coding: CodingPolicy, lists: Int, _ foreign: any ForeignReading = NoForeignReading()
    ) {
        (self.texts, self.foreign, self.lists) = (texts, foreign, lists)
        (self.dates, self.readsEmptyAsNil) = (coding.dates, coding.readsEmptyAsNil)
        self.words = coding.words
    }

    var hasSparseIndices: Bool { true }
    var needsObject: Bool { false }
    var userInfo: [CodingUserInfoKey: any Sendable] { [:] }
    var convertsKeys: Bool { false }
    func key(named name: String, in decoder: ValueDecoder) -> String { name }
    var memberCount: Int? { nil }
    func name(_ leaf: Int) -> String { "" }
    func find(_ name: String, from leaf: Int) -> Int? { nil }
    func text(_ leaf: Int, as type: Any.Type, at decoder: ValueDecoder) -> String { self.texts[leaf] ?? "" }
    func plainText(_ leaf: Int) -> String? { self.texts[leaf] }
    func plainNumber(_ leaf: Int) -> Int64? { self.texts[leaf].flatMap { Int64($0) } }
    func plainValue<Value>(_ type: Value.Type, _ leaf: Int) -> Value? { nil }
    func isNothing(_ leaf: Int) -> Bool { self.texts[leaf] == nil }
    func isEmpty(_ leaf: Int) -> Bool { self.texts[leaf]?.isEmpty ?? true }

    func special<Value: Decodable>(_ type: Value.Type, at decoder: ValueDecoder) throws -> Value? {
        try self.foreign.value(type, from: URLEncodedSource(decoder: decoder))
    }

    func isEmbedded(_ leaf: Int) -> Bool { false }
    func embedded<Value: Decodable>(_ type: Value.Type, _ leaf: Int, at decoder: ValueDecoder) -> Value? { nil }
}
