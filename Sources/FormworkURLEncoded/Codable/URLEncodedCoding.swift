/// How values of `Codable` types become names and values of url-encoded text.
package struct URLEncodedCoding {
    /// The name of an array's elements.
    package enum ArrayNames {
        case brackets, repeated, indexed
        /// What the closure makes of the array's name and the element's index.
        case custom((String, Int) -> String)
    }

    /// The name of an object's member, behind the object's own.
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
    /// What no value is written as; `nil` leaves its name out too.
    package var null: () throws -> String? = { nil }
    /// What becomes of a whole name before it is escaped; `nil` leaves it as it is.
    package var rename: ((String) -> String)?
    package var escaping = PercentEncoder.alamofire
    /// Alamofire's tree: keys that have a number are indexes, and what is written later replaces what stands there.
    package var isAlamofire = false
    package var foreign: any ForeignTypes = NoForeignTypes()

    package init() {}

    /// The index that a key is; negative for a member's name.
    ///
    /// To Alamofire a number below 0 is an index too. It appends such an element, and ends the process where the array
    /// isn't empty: here each is appended.
    func index(of key: some CodingKey) -> Int {
        guard self.isAlamofire, let index = key.intValue else { return -1 }
        return index < 0 ? .max : index
    }
}

/// Types that don't say themselves how they are written, as Foundation's don't: they would become objects or numbers.
package protocol ForeignTypes {
    /// The text of a value; `nil` when its type says itself how it is written.
    /// - Throws: ``Unwritable``, or what a caller's closure throws.
    func text<Value: Encodable>(of value: Value) throws -> String?
}

/// A value whose text couldn't be read back.
package struct Unwritable: Error {
    package var reason: String
    /// What Alamofire writes.
    package var text: String

    package init(_ reason: String, text: String) { (self.reason, self.text) = (reason, text) }
}

/// The standard library's types alone.
package struct NoForeignTypes: ForeignTypes {
    package init() {}
    package func text<Value: Encodable>(of value: Value) -> String? { nil }
}

/// What stands in the place of the object that has all parameters.
package enum InvalidRoot: String, Error {
    case array = "an array"
    case singleValue = "a single value"
}

/// The key of an array's element.
struct IndexKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ index: Int) { (self.stringValue, self.intValue) = ("Index \(index)", index) }
    init?(stringValue: String) { return nil }
    init?(intValue: Int) { self.init(intValue) }
}
