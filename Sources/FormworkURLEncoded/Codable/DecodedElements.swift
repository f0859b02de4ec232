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

    private mutating func next(_ type: Any.Type) throws -> ValueDecoder {
        let element = try self.current(type)
        self.currentIndex += 1
        return element
    }

    mutating func decodeNil() throws -> Bool {
        guard try self.current(Never?.self).isNothing else { return false }
        self.currentIndex += 1
        return true
    }

    mutating func decode(_ type: Int128.Type) throws -> Int128 { try self.read(type) }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try self.read(type) }
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try self.read(type) }

    private mutating func read<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value = try self.current(type).read(type)
        self.currentIndex += 1
        return value
    }

    private mutating func optional<Value: Decodable>(_ type: Value.Type) throws -> Value? {
        guard !self.isAtEnd else { return nil }
        return try self.read(Value?.self)
    }

    // The protocol's defaults would call `decodeNil`, which can't distinguish text from other types.
    mutating func decodeIfPresent<Value: Decodable>(_ type: Value.Type) throws -> Value? { try self.optional(type) }
    mutating func decodeIfPresent(_ type: Bool.Type) throws -> Bool? { try self.optional(type) }
    mutating func decodeIfPresent(_ type: String.Type) throws -> String? { try self.optional(type) }
    mutating func decodeIfPresent(_ type: Double.Type) throws -> Double? { try self.optional(type) }
    mutating func decodeIfPresent(_ type: Float.Type) throws -> Float? { try self.optional(type) }
    mutating func decodeIfPresent(_ type: Int.Type) throws -> Int? { try self.optional(type) }
    mutating func decodeIfPresent(_ type: Int8.Type) throws -> Int8? { try self.optional(type) }
    mutating func decodeIfPresent(_ type: Int16.Type) throws -> Int16? { try self.optional(type) }
    mutating func decodeIfPresent(_ type: Int32.Type) throws -> Int32? { try self.optional(type) }
    mutating func decodeIfPresent(_ type: Int64.Type) throws -> Int64? { try self.optional(type) }
    mutating func decodeIfPresent(_ type: Int128.Type) throws -> Int128? { try self.optional(type) }
    mutating func decodeIfPresent(_ type: UInt.Type) throws -> UInt? { try self.optional(type) }
    mutating func decodeIfPresent(_ type: UInt8.Type) throws -> UInt8? { try self.optional(type) }
    mutating func decodeIfPresent(_ type: UInt16.Type) throws -> UInt16? { try self.optional(type) }
    mutating func decodeIfPresent(_ type: UInt32.Type) throws -> UInt32? { try self.optional(type) }
    mutating func decodeIfPresent(_ type: UInt64.Type) throws -> UInt64? { try self.optional(type) }
    mutating func decodeIfPresent(_ type: UInt128.Type) throws -> UInt128? { try self.optional(type) }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        // The index moves only if there is a container: a type may try another one of the same element.
        let container = try self.current([String: String].self).container(keyedBy: type)
        self.currentIndex += 1
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try self.current([String].self).unkeyedContainer()
        self.currentIndex += 1
        return container
    }

    mutating func superDecoder() throws -> any Decoder { try self.next([String: String].self) }
}

/// One value at a place.
struct DecodedSingle: SingleValueDecodingContainer {
    let decoder: ValueDecoder
    var codingPath: [any CodingKey] { self.decoder.codingPath }

    func decodeNil() -> Bool { self.decoder.isNothing }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try self.decoder.read(type) }
    func decode(_ type: Int128.Type) throws -> Int128 { try self.decoder.read(type) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try self.decoder.read(type) }
}
