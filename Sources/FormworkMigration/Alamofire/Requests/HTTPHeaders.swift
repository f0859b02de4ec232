import FormworkFoundation

/// Header fields in their original order, each name only once, regardless of case.
///
/// A repeated field replaces the first one, with its own spelling of the name.
public struct HTTPHeaders: Hashable, Sendable {
    private var fields: [HTTPHeader] = []

    /// Creates empty headers.
    public init() {}

    /// The fields of an array, in its order.
    public init(_ headers: [HTTPHeader]) { for header in headers { self.update(header) } }

    /// The fields of a dictionary, sorted by name.
    public init(_ dictionary: [String: String]) {
        self.init(dictionary.sorted { $0.key < $1.key }.map { HTTPHeader(name: $0.key, value: $0.value) })
    }

    private func place(of name: String) -> Int? {
        let name = name.lowercased()
        return self.fields.firstIndex { $0.name.lowercased() == name }
    }

    /// Sets a field; the same as ``update(name:value:)``.
    public mutating func add(name: String, value: String) { self.update(name: name, value: value) }

    /// Sets a field; the same as ``update(_:)``.
    public mutating func add(_ header: HTTPHeader) { self.update(header) }

    /// Sets a field: it replaces the one with this name, or is added at the end.
    public mutating func update(name: String, value: String) { self.update(HTTPHeader(name: name, value: value)) }

    /// Sets a field: it replaces the one with this name, or is added at the end.
    public mutating func update(_ header: HTTPHeader) {
        if let place = self.place(of: header.name) { self.fields[place] = header } else { self.fields.append(header) }
    }

    /// Removes the field with this name, if there is one.
    public mutating func remove(name: String) { self.fields.removeAll { $0.name.lowercased() == name.lowercased() } }

    /// Sorts the fields by name, ignoring case.
    public mutating func sort() { self.fields.sort { $0.name.lowercased() < $1.name.lowercased() } }

    /// The fields sorted by name, ignoring case.
    public func sorted() -> HTTPHeaders {
        var copy = self
        copy.sort()
        return copy
    }

    /// The value of the field with this name; `nil` if there is none.
    public func value(for name: String) -> String? { self.place(of: name).map { self.fields[$0].value } }

    /// The value of the field with this name; `nil` if there is none. Setting `nil` removes it.
    public subscript(_ name: String) -> String? {
        get { self.value(for: name) }
        set {
            if let newValue { self.update(name: name, value: newValue) } else { self.remove(name: name) }
        }
    }

    /// The fields as a dictionary, without their order.
    public var dictionary: [String: String] {
        Dictionary(self.fields.map { ($0.name, $0.value) }) { _, last in last }
    }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
    /// The fields of a dictionary literal, in its order.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { HTTPHeader(name: $0.0, value: $0.1) })
    }

    /// The fields of an array literal, in its order.
    public init(arrayLiteral elements: HTTPHeader...) { self.init(elements) }
}

extension HTTPHeaders: Collection {
    /// The index of the first field.
    public var startIndex: Int { self.fields.startIndex }
    /// The index after the last field.
    public var endIndex: Int { self.fields.endIndex }
    /// The field at an index.
    public subscript(position: Int) -> HTTPHeader { self.fields[position] }
    /// The index after another.
    public func index(after place: Int) -> Int { place + 1 }
}

extension HTTPHeaders: Codable {
    /// Decodes an array of fields, each with a `name` and a `value`.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode([HTTPHeader].self))
    }

    /// Encodes an array of fields, in their order.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.fields)
    }
}

extension HTTPHeaders: CustomStringConvertible {
    /// A line for each field.
    public var description: String { self.fields.map(\.description).joined(separator: "\n") }
}
