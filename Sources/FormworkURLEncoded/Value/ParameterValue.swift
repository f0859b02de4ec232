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
    /// Bytes that aren't text; the dialect defines how they are written.
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

    /// The value at the end of a path of names: `tree["crew", "mate"]`. Of several members with a name, the first one counts.
    /// Names are compared byte for byte. `nil` if there is no such value.
    public subscript(_ path: String...) -> ParameterValue? {
        path.reduce(self) { value, name in
            guard case .object(let members)? = value else { return nil }
            return members.first { $0.name.hasSameBytes(as: name) }?.value
        }
    }

    /// The text; `nil` if this isn't text. All single values that are read are text.
    public var string: String? { if case .text(let text) = self { text } else { nil } }

    /// A whole number of a variable: `["page": ParameterValue(page)]`.
    public init(_ number: some BinaryInteger) {
        self = Int128(exactly: number).map { .integer($0) } ?? .text(String(number))
    }
    /// A number of a variable. It has the digits of its own type: `Float(0.1)` is 0.1.
    public init(_ number: some BinaryFloatingPoint) {
        self = .double(number as? Double ?? Double("\(number)") ?? Double(number))
    }
    /// A truth value of a variable.
    public init(_ value: Bool) { self = .bool(value) }
    /// Text of a variable.
    public init(_ text: some StringProtocol) { self = .text(String(text)) }
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

/// A name and its value, unescaped, from one piece between two `&`.
public struct URLEncodedPair: Hashable, Sendable {
    /// Any text, possibly empty.
    public var name: String
    /// The text after `=`; `nil` if there is no `=`.
    public var value: String?

    /// Creates a pair; without a value it is written without `=`.
    public init(_ name: String, _ value: String?) { (self.name, self.value) = (name, value) }
}
