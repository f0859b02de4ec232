import FormworkCore

/// The elements of an array.
struct DecodedElements: UnkeyedDecodingContainer {
    private let decoder: ValueDecoder
    private let elements: [ValueDecoder.Value]
    private(set) var currentIndex = 0

    init(_ decoder: ValueDecoder, _ elements: [ValueDecoder.Value]) {
        (self.decoder, self.elements) = (decoder, elements)
    }

    var codingPath: [any CodingKey] { self.decoder.codingPath }
    var count: Int? { self.elements.count }
    var isAtEnd: Bool { self.currentIndex == self.elements.count }

    private func current(_ type: Any.Type) throws -> ValueDecoder {
        guard !self.isAtEnd else {
            let path = self.codingPath + [IndexKey(self.currentIndex)]
            throw DecodingError.valueNotFound(
                type, .init(codingPath: path, debugDescription: "There are no more elements."))
        }
        return self.decoder.element(self.elements[self.currentIndex], self.currentIndex)
    }

    /// Moves on only if the element was read: a type may try another one of the same element.
    private mutating func next<Result>(_ type: Any.Type, _ read: (ValueDecoder) throws -> Result) throws -> Result {
        let result = try read(self.current(type))
        self.currentIndex += 1
        return result
    }

    mutating func decodeNil() throws -> Bool {
        guard try self.current(Never?.self).isNothing else { return false }
        self.currentIndex += 1
        return true
    }

    @_implements(UnkeyedDecodingContainer,decode(_:))
    mutating func read<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try self.next(type) { try $0.read(type) }
    }

    // The protocol's defaults would call `decodeNil`, which can't distinguish text from other types. The attribute makes this
    // the witness of all of them.
    @_implements(UnkeyedDecodingContainer,decodeIfPresent(_:))
    mutating func optional<Value: Decodable>(_ type: Value.Type) throws -> Value? {
        self.isAtEnd ? nil : try self.read(Value?.self)
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try self.next([String: String].self) { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try self.next([String].self) { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try self.next([String: String].self) { $0 } }
}

/// One value at a place.
struct DecodedSingle: SingleValueDecodingContainer {
    let decoder: ValueDecoder
    var codingPath: [any CodingKey] { self.decoder.codingPath }

    func decodeNil() -> Bool { self.decoder.isNothing }
    @_implements(SingleValueDecodingContainer,decode(_:))
    func read<Value: Decodable>(_ type: Value.Type) throws -> Value { try self.decoder.read(type) }
}
