import Foundation

/// A type that contains other values, of types that are known only at run time.
protocol ParameterContainer {
    /// - Parameter path: The value's path, for errors.
    func parameterValue(at path: ParameterPath) throws(FormworkError) -> ParameterValue
}

/// The path to a value: `user.tags[2]`.
struct ParameterPath: CustomStringConvertible {
    private var text = ""
    private var depth = 0

    var description: String { self.text.isEmpty ? "the value" : self.text }

    func element(_ index: Int) throws(FormworkError) -> ParameterPath { try self.child("\(self.text)[\(index)]") }

    func member(_ name: String) throws(FormworkError) -> ParameterPath {
        try self.child(self.text.isEmpty ? name : "\(self.text).\(name)")
    }

    /// The same limit as ``Flattening``'s default: deeper values could overflow the stack.
    private func child(_ text: String) throws(FormworkError) -> ParameterPath {
        guard self.depth < Nesting.limit else {
            throw FormworkError(.limitExceeded, "\(text.shortened(to: 40)) nests deeper than \(Nesting.limit) levels")
        }
        var child = self
        (child.text, child.depth) = (text, self.depth + 1)
        return child
    }
}

extension Optional: ParameterContainer {
    func parameterValue(at path: ParameterPath) throws(FormworkError) -> ParameterValue {
        guard let value = self else { return .null }
        return try ParameterValue(value, at: path)
    }
}

extension AnyHashable: ParameterContainer {
    func parameterValue(at path: ParameterPath) throws(FormworkError) -> ParameterValue {
        try ParameterValue(self.base, at: path)
    }
}

extension ParameterContainer where Self: RandomAccessCollection {
    func parameterValue(at path: ParameterPath) throws(FormworkError) -> ParameterValue {
        .array(try ParameterValue.elements(self, at: path))
    }
}

extension Array: ParameterContainer {}
extension ArraySlice: ParameterContainer {}
extension ContiguousArray: ParameterContainer {}

extension Set: ParameterContainer {
    func parameterValue(at path: ParameterPath) throws(FormworkError) -> ParameterValue {
        .set(try ParameterValue.sorted(Array(self), at: path))
    }
}

extension Dictionary: ParameterContainer {
    func parameterValue(at path: ParameterPath) throws(FormworkError) -> ParameterValue {
        .object(ParameterValue.sorted(try ParameterValue.members(self.map { ("\($0.key)", $0.value) }, at: path)))
    }
}

extension KeyValuePairs: ParameterContainer {
    func parameterValue(at path: ParameterPath) throws(FormworkError) -> ParameterValue {
        .object(try ParameterValue.members(self.map { ("\($0.key)", $0.value) }, at: path))
    }
}

extension NSArray: ParameterContainer {
    func parameterValue(at path: ParameterPath) throws(FormworkError) -> ParameterValue {
        .array(try ParameterValue.elements(self, at: path))
    }
}

extension NSOrderedSet: ParameterContainer {
    func parameterValue(at path: ParameterPath) throws(FormworkError) -> ParameterValue {
        .array(try ParameterValue.elements(self, at: path))
    }
}

extension NSSet: ParameterContainer {
    func parameterValue(at path: ParameterPath) throws(FormworkError) -> ParameterValue {
        .set(try ParameterValue.sorted(self.allObjects, at: path))
    }
}

extension NSDictionary: ParameterContainer {
    func parameterValue(at path: ParameterPath) throws(FormworkError) -> ParameterValue {
        .object(ParameterValue.sorted(try ParameterValue.members(self.map { ("\($0.key)", $0.value) }, at: path)))
    }
}

extension ParameterValue {
    static func elements(_ elements: some Sequence, at path: ParameterPath) throws(FormworkError) -> [ParameterValue] {
        var values: [ParameterValue] = []
        for (index, element) in elements.enumerated() {
            values.append(try ParameterValue(element, at: path.element(index)))
        }
        return values
    }

    /// The elements of a set in the order of their texts: a set's own order differs from run to run, but the request must
    /// not.
    static func sorted(_ elements: [Any], at path: ParameterPath) throws(FormworkError) -> [ParameterValue] {
        // Converted first: the text of a Data is its length, and that of a set has an order of its own.
        let values = try self.elements(elements, at: path)
        return zip(values.map(\.orderingKey), values).sorted { $0.0 < $1.0 }.map(\.1)
    }

    /// The members of a dictionary in the order of their names, and of their values where keys have the same text.
    static func sorted(_ members: [Member]) -> [Member] {
        members.sorted { one, other in
            one.name == other.name ? one.value.orderingKey < other.value.orderingKey : one.name < other.name
        }
    }

    static func members(_ pairs: [(String, Any)], at path: ParameterPath) throws(FormworkError) -> [Member] {
        var members: [Member] = []
        for (name, value) in pairs {
            members.append(Member(name, try ParameterValue(value, at: path.member(name))))
        }
        return members
    }
}

/// The place of a value among others: by its text or bytes, and by its kind if these are the same.
private struct OrderingKey: Comparable {
    var bytes: [UInt8]
    var kind: Int

    static func < (one: Self, other: Self) -> Bool {
        one.bytes == other.bytes ? one.kind < other.kind : one.bytes.lexicographicallyPrecedes(other.bytes)
    }
}

extension ParameterValue {
    fileprivate var orderingKey: OrderingKey {
        switch self {
        case .null: OrderingKey(bytes: [], kind: 0)
        case .bytes(let bytes): OrderingKey(bytes: bytes, kind: 1)
        case .bool(let flag): OrderingKey(bytes: Array("\(flag)".utf8), kind: 2)
        case .integer(let number): OrderingKey(bytes: Array("\(number)".utf8), kind: 3)
        case .double(let number): OrderingKey(bytes: Array("\(number)".utf8), kind: 4)
        case .text(let text): OrderingKey(bytes: Array(text.utf8), kind: 5)
        case .array(let values): OrderingKey(bytes: Self.joined(values.map(\.orderingKey)), kind: 6)
        case .set(let values): OrderingKey(bytes: Self.joined(values.map(\.orderingKey)), kind: 7)
        case .object(let members):
            OrderingKey(
                bytes: Self.joined(
                    members.flatMap { [OrderingKey(bytes: Array($0.name.utf8), kind: 5), $0.value.orderingKey] }),
                kind: 8)
        }
    }

    /// Each key with its length after it, so that no two lists have the same bytes.
    private static func joined(_ keys: [OrderingKey]) -> [UInt8] {
        keys.flatMap { $0.bytes + [0] } + keys.flatMap { Array("\($0.kind) \($0.bytes.count) ".utf8) }
    }
}

/// How deep arrays, sets and dictionaries nest. Foundation's serializers, and casts to its classes, call themselves for each
/// level, so a value of some thousand levels overflows the stack.
package enum Nesting {
    /// The most levels of a value that is read or written.
    package static let limit = 512

    /// Whether a value has more levels than these. Not recursive.
    package static func isDeeper(_ value: Any, than levels: Int) -> Bool {
        var found = [value]
        for _ in 0...levels {
            found = found.flatMap(self.members)
            if found.isEmpty { return false }
        }
        return true
    }

    private static func members(_ value: Any) -> [Any] {
        switch value {
        case let members as [AnyHashable: Any]: Array(members.values)
        case let elements as [Any]: elements
        case let elements as Set<AnyHashable>: elements.map(\.base)
        default: []
        }
    }
}

extension String {
    /// The text as a URL's query, with its escapes unchanged; `nil` if a `%` doesn't begin an escape.
    ///
    /// If a text contains other characters, such as a bracket, `URL(string:)` escapes all of it again, including
    /// escapes, and `URLComponents` crashes.
    package var fittingQuery: String? {
        let text = PercentEncoder.urlQuery.encode(self)
        return URL(string: "?\(text)", encodingInvalidCharacters: false).map { _ in text }
    }
}

extension PercentEncoder {
    /// RFC 3986 section 3.4.
    fileprivate static let urlQuery = PercentEncoder(leaving: "!$%&'()*+,-./:;=?@_~")
}

extension String {
    /// Whether `NSString`'s `compare:` orders this text first: it compares decomposed scalars, so that "Évry" comes
    /// before "Zürich". Swift's `<` compares a letter and its accent as one.
    package func precedes(_ other: String) -> Bool { self.compare(other) == .orderedAscending }
}
