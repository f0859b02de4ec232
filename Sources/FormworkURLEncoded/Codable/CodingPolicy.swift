/// How values of `Codable` types become names and values of url-encoded text.
package struct CodingPolicy {
    /// How a tree of values becomes names and texts.
    package var flattening = Flattening(bools: .numeric, doubles: .swift, order: .byText, depth: .max)
    /// The text for no value; `nil` leaves out its name too.
    package var null: () throws -> String? = { nil }
    /// Changes a whole name before it is escaped; `nil` for no change.
    package var rename: ((String) -> String)?
    package var escaping = PercentEncoder.alamofire
    /// Whether values are written that couldn't be read back: keys with a number are indexes, and later values replace
    /// earlier ones.
    package var isLossy = false
    package var foreign: any ForeignTypes = NoForeignTypes()
    /// How dates are written. Types with a text for forms are written as that text. `nil` if all of them encode themselves.
    package var dates: FormDateFormat?
    package var acceptsNonFiniteNumbers = false
    /// Whether an empty text is read as `nil` for optionals of all types but `String`.
    package var readsEmptyAsNil = false
    package var userInfo: [CodingUserInfoKey: Any] = [:]
    /// The most levels of a name below its first, and the option for it.
    package var depth = (levels: URLEncodedLimits().depth, option: "URLEncodedLimits.depth")
    /// The name of a key, by the path to it; `nil` for the key itself. A dictionary's keys aren't converted.
    package var convertKey: (([any CodingKey]) -> String)?
    /// The key that a converted name is read as; `nil` if that isn't known.
    package var convertsBack: ((String) -> String)?
    /// Why a key can't be a name; `nil` if it can. The second argument is whether it is the name's first key.
    package var keyProblem: ((String, Bool) -> String?)?

    /// What errors say.
    package var words = CodingWords()
    /// Whether keys may have other names in the text.
    var changesNames: Bool {
        if case .custom = self.flattening.arrays { return true }
        return self.rename != nil
    }
    /// What writes a value that is refused, in brackets; empty for nothing.
    package var advice = ""
    /// The wrapper that writes any value in a format of its own; `nil` for none.
    package var wrapper: String?

    /// The end of advice on a value that is refused.
    func remedy(_ what: String) -> String { self.wrapper.map { ", or send \(what) as a \($0)" } ?? "" }

    package init() {}

    func refusal(_ value: Any, _ path: [any CodingKey], _ why: String) -> EncodingError {
        .invalidValue(value, .init(codingPath: path, debugDescription: "\(why)\(self.advice)."))
    }

    /// The text of a single value; `nil` for one that isn't text.
    func text(of leaf: EncodedLeaf) -> String? {
        if case .value(let value) = leaf { self.text(of: value) } else { nil }
    }

    /// The text of a single value.
    package func text(of value: ParameterValue) -> String? {
        if case .text(let text)? = try? self.flattening.leaf(value, "") { text } else { nil }
    }

    /// The index of a key; negative for a member's name. An element whose key is a number below 0 is appended.
    func index(of key: some CodingKey) -> Int {
        guard self.isLossy, let index = key.intValue else { return -1 }
        return index < 0 ? .max : index
    }
}

/// A value that isn't a container.
package enum EncodedLeaf {
    case value(ParameterValue)
    /// Something that isn't text, such as a file.
    case attachment(AnyObject)
    /// Nothing is written, as for `nil`.
    case nothing
}

/// Types that need a special form, such as Foundation's: by themselves they would be written as objects or numbers.
package protocol ForeignTypes {
    /// A value; `nil` if its type encodes itself.
    /// - Throws: ``Unwritable``, `EncodingError` with the path inside the value, or the error of a caller's closure.
    func leaf<Value: Encodable>(of value: Value) throws -> EncodedLeaf?
}

/// A value whose text couldn't be read back.
package struct Unwritable: Error {
    var reason: String
    /// The text that is written if values may be lost.
    var text: String

    package init(_ reason: String, text: String = "") { (self.reason, self.text) = (reason, text) }
}

/// Only the standard library's types.
struct NoForeignTypes: ForeignTypes {
    init() {}
    func leaf<Value: Encodable>(of value: Value) -> EncodedLeaf? { nil }
}

/// A root that isn't an object.
package enum InvalidRoot: String, Error {
    case array = "an array"
    case singleValue = "a single value"
}

/// The key of an array's element, or a member's whose type isn't known.
package struct IndexKey: CodingKey {
    package let stringValue: String
    package let intValue: Int?

    package init(_ index: Int) { (self.stringValue, self.intValue) = ("\(index)", index) }
    package init(named name: String) { (self.stringValue, self.intValue) = (name, nil) }
    package init?(stringValue: String) { return nil }
    package init?(intValue: Int) { self.init(intValue) }
}
