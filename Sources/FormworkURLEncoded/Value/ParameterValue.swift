import FormworkCore

/// A parameter's value: text, a number, or an ordered tree of them.
///
/// Members keep their order and may share a name. ``Flattening/duplicates`` decides which of those are written: all with
/// ``URLEncodedDialect/whatwg``, one with the other dialects. It can be written as Swift literals:
/// `["page": 1, "tags": ["a", "b"], "old": nil]`.
///
/// Comparing, hashing and freeing a value call themselves for each level of it, so thousands of levels overflow the stack.
/// What this package reads and writes has at most 512: see ``Flattening/depth``.
public enum ParameterValue: Hashable, Sendable {
    /// No value, like `null` in JSON.
    case null
    case bool(Bool)
    /// A whole number of any of Swift's and C's integer types.
    case integer(Int128)
    case double(Double)
    case text(String)
    /// Bytes that aren't text; ``Flattening/bytes`` defines how they are written.
    case bytes([UInt8])
    case array([ParameterValue])
    /// Values without an order of their own, which some dialects write differently from an array.
    case set([ParameterValue])
    case object([Member])

    /// A name and its value within an object.
    public struct Member: Hashable, Sendable {
        /// Any text, possibly empty.
        public var name: String
        /// The value.
        public var value: ParameterValue

        /// Creates a member.
        public init(_ name: String, _ value: ParameterValue) { (self.name, self.value) = (name, value) }
    }

    /// The first member with this name, byte for byte; `nil` if there is none, or if this isn't an object.
    public subscript(_ name: String) -> ParameterValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name.hasSameBytes(as: name) }?.value
    }
}

extension ParameterValue: ExpressibleByNilLiteral {
    /// Null.
    public init(nilLiteral: ()) { self = .null }
}

extension ParameterValue: ExpressibleByBooleanLiteral {
    /// True or false.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension ParameterValue: ExpressibleByIntegerLiteral {
    /// A whole number.
    public init(integerLiteral value: Int) { self = .integer(Int128(value)) }
}

extension ParameterValue: ExpressibleByFloatLiteral {
    /// A number with a fraction.
    public init(floatLiteral value: Double) { self = .double(value) }
}

extension ParameterValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// Text.
    public init(stringLiteral value: String) { self = .text(value) }
}

extension ParameterValue: ExpressibleByArrayLiteral {
    /// An array of these elements.
    public init(arrayLiteral elements: ParameterValue...) { self = .array(elements) }
}

extension ParameterValue: ExpressibleByDictionaryLiteral {
    /// Members in the order written; a name may occur more than once.
    public init(dictionaryLiteral elements: (String, ParameterValue)...) {
        self = .object(elements.map { Member($0.0, $0.1) })
    }
}
