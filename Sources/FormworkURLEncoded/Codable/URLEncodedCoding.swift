/// How values of `Codable` types become names and values of url-encoded text.
package struct URLEncodedCoding {
    /// The name of an array's elements.
    package enum ArrayNames {
        case brackets, repeated, indexed
        /// The closure's result for the array's name and the element's index.
        case custom((String, Int) -> String)
    }

    /// The name of an object's member, after the object's own.
    package enum MemberNames {
        case brackets, dots
        case custom((String) -> String)
    }

    /// Whether pairs are sorted by their finished text, at every level.
    package enum Order {
        case given
        /// Members of objects are sorted; an array's elements keep their order.
        case members
        /// Elements of arrays are sorted too, so that their order is lost.
        case membersAndElements
    }

    package var order = Order.members
    package var arrays = ArrayNames.brackets
    package var members = MemberNames.brackets
    package var bools = Flattening.Bools.numeric
    /// The text for no value; `nil` leaves out its name too.
    package var null: () throws -> String? = { nil }
    /// Changes a whole name before it is escaped; `nil` for no change.
    package var rename: ((String) -> String)?
    package var escaping = PercentEncoder.alamofire
    /// Alamofire's tree: keys with a number are indexes, and later values replace earlier ones.
    package var isAlamofire = false
    package var foreign: any ForeignTypes = NoForeignTypes()

    package init() {}

    /// The index of a key; negative for a member's name.
    ///
    /// Alamofire accepts a number below 0 as an index too. It appends such an element, but crashes if the array isn't
    /// empty; here each one is appended.
    func index(of key: some CodingKey) -> Int {
        guard self.isAlamofire, let index = key.intValue else { return -1 }
        return index < 0 ? .max : index
    }
}

/// Types that need a special form, such as Foundation's: by themselves they would be written as objects or numbers.
package protocol ForeignTypes {
    /// The text of a value; `nil` if its type encodes itself.
    /// - Throws: ``Unwritable``, or the error of a caller's closure.
    func text<Value: Encodable>(of value: Value) throws -> String?
}

/// A value whose text couldn't be read back.
package struct Unwritable: Error {
    package var reason: String
    /// The text that Alamofire writes.
    package var text: String

    package init(_ reason: String, text: String) { (self.reason, self.text) = (reason, text) }
}

/// Only the standard library's types.
package struct NoForeignTypes: ForeignTypes {
    package init() {}
    package func text<Value: Encodable>(of value: Value) -> String? { nil }
}

/// A root that isn't an object.
package enum InvalidRoot: String, Error {
    case array = "an array"
    case singleValue = "a single value"
}

/// The key of an array's element, or a member's whose type isn't known.
struct IndexKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ index: Int) { (self.stringValue, self.intValue) = ("Index \(index)", index) }
    init(named name: String) { (self.stringValue, self.intValue) = (name, nil) }
    init?(stringValue: String) { return nil }
    init?(intValue: Int) { self.init(intValue) }
}
