import FormworkFoundation

/// Header fields in the order they came, each name once whatever its case.
///
/// A field that comes again takes the place of the first, with its own spelling of the name.
public struct HTTPHeaders: Hashable, Sendable {
    private var fields: [HTTPHeader] = []

    /// No fields.
    public init() {}

    /// The fields of an array, in its order.
    public init(_ headers: [HTTPHeader]) { for header in headers { self.update(header) } }

    /// The fields of a dictionary, by name: a dictionary has no order of its own.
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

    /// Sets a field: in the place of the one with this name, else at the end.
    public mutating func update(name: String, value: String) { self.update(HTTPHeader(name: name, value: value)) }

    /// Sets a field: in the place of the one with this name, else at the end.
    public mutating func update(_ header: HTTPHeader) {
        if let place = self.place(of: header.name) { self.fields[place] = header } else { self.fields.append(header) }
    }

    /// Removes the field of this name, if there is one.
    public mutating func remove(name: String) { self.fields.removeAll { $0.name.lowercased() == name.lowercased() } }

    /// Sorts the fields by name, whatever its case.
    public mutating func sort() { self.fields.sort { $0.name.lowercased() < $1.name.lowercased() } }

    /// The fields sorted by name, whatever its case.
    public func sorted() -> HTTPHeaders {
        var copy = self
        copy.sort()
        return copy
    }

    /// The value of the field of this name; `nil` when there is none.
    public func value(for name: String) -> String? { self.place(of: name).map { self.fields[$0].value } }

    /// The value of the field of this name; `nil` when there is none, and to remove it.
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
    /// The first field's place.
    public var startIndex: Int { self.fields.startIndex }
    /// The place behind the last field.
    public var endIndex: Int { self.fields.endIndex }
    /// The field at a place.
    public subscript(position: Int) -> HTTPHeader { self.fields[position] }
    /// The place behind another.
    public func index(after place: Int) -> Int { place + 1 }
}

extension HTTPHeaders: Codable {
    /// Reads an array of fields, of which each has a `name` and a `value`.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode([HTTPHeader].self))
    }

    /// Writes an array of fields, in their order.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.fields)
    }
}

extension HTTPHeaders: CustomStringConvertible {
    /// A line for each field.
    public var description: String { self.fields.map(\.description).joined(separator: "\n") }
}
