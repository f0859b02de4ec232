import FormworkCore

/// The leaves of a tree of names: the fields of a form, or texts. Each has a number. All decoders of a tree share them.
package protocol DecodingLeaves: AnyObject {
    var coding: CodingPolicy { get }
    /// How whole names were changed; `nil` for not at all.
    var changes: ChangedNames? { get }
    /// How many leaves there are if each one is the root's member of its name, so that no tree is made; `nil` for a tree.
    var memberCount: Int? { get }
    func name(_ leaf: Int) -> String
    /// Whether a leaf has a name, compared byte for byte.
    func isNamed(_ leaf: Int, _ name: String) -> Bool
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
    /// Whether a leaf may be in another format than text, such as JSON.
    func isEmbedded(_ leaf: Int) -> Bool
    /// A value of any type that is in another format in its leaf; `nil` for a type that is text there, too.
    func embedded<Value: Decodable>(_ type: Value.Type, _ leaf: Int, at decoder: ValueDecoder) throws -> Value?
}

/// The texts of url-encoded pairs; `nil` for a name without a value.
final class TextLeaves: DecodingLeaves {
    private let texts: [String?]
    let coding: CodingPolicy
    let changes: ChangedNames?

    /// - Parameter coding: The coding that the texts were written with, or would be.
    init(_ texts: [String?], _ coding: CodingPolicy, _ changes: ChangedNames? = nil) {
        (self.texts, self.coding, self.changes) = (texts, coding, changes)
    }

    /// The text of a leaf; `nil` for Rack's null, too.
    private subscript(leaf: Int) -> String? { leaf < self.texts.count ? self.texts[leaf] : nil }

    var memberCount: Int? { nil }
    func name(_ leaf: Int) -> String { "" }
    func isNamed(_ leaf: Int, _ name: String) -> Bool { false }
    func text(_ leaf: Int, as type: Any.Type, at decoder: ValueDecoder) -> String { self[leaf] ?? "" }
    func plainText(_ leaf: Int) -> String? { self[leaf] }
    func plainNumber(_ leaf: Int) -> Int64? { self[leaf].flatMap { Int64($0) } }
    func plainValue<Value>(_ type: Value.Type, _ leaf: Int) -> Value? { nil }
    func isNothing(_ leaf: Int) -> Bool { self[leaf] == nil }
    func isEmpty(_ leaf: Int) -> Bool { self[leaf]?.isEmpty ?? true }
    func isEmbedded(_ leaf: Int) -> Bool { false }
    func embedded<Value: Decodable>(_ type: Value.Type, _ leaf: Int, at decoder: ValueDecoder) -> Value? { nil }
}
