import FormworkCore

/// A single value.
struct SingleReader: SingleValueDecodingContainer {
    let decoder: TreeDecoder

    var codingPath: [any CodingKey] { self.decoder.codingPath }

    func decodeNil() -> Bool { self.decoder.isNull }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try self.decoder.read(type) }
    func decode(_ type: Int128.Type) throws -> Int128 { try self.decoder.read(type) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try self.decoder.read(type) }
}

/// The elements of an array.
struct UnkeyedReader: UnkeyedDecodingContainer {
    let decoder: TreeDecoder
    let elements: [TreeDecoder.Element]
    var currentIndex = 0

    init(decoder: TreeDecoder, elements: [TreeDecoder.Element]) { (self.decoder, self.elements) = (decoder, elements) }

    var codingPath: [any CodingKey] { self.decoder.codingPath }
    var count: Int? { self.elements.count }
    var isAtEnd: Bool { self.currentIndex == self.elements.count }

    /// The next element's decoder; the container advances after it was read.
    private func next() throws -> TreeDecoder {
        guard !self.isAtEnd else {
            let context = DecodingError.Context(
                codingPath: self.codingPath + [IndexKey(self.currentIndex)],
                debugDescription: "the list ends after \(self.elements.count, "element")")
            throw DecodingError.valueNotFound(Any.self, context)
        }
        return self.decoder.element(self.elements[self.currentIndex], self.currentIndex)
    }

    private mutating func moving<Result>(_ read: (TreeDecoder) throws -> Result) throws -> Result {
        let result = try read(try self.next())
        self.currentIndex += 1
        return result
    }

    mutating func decodeNil() throws -> Bool {
        let isNull = try self.next().isNull
        if isNull { self.currentIndex += 1 }
        return isNull
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try self.moving { try $0.read(type) }
    }

    // The protocol's own implementations refuse these two.
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try self.moving { try $0.read(type) } }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try self.moving { try $0.read(type) } }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try self.moving { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try self.moving { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try self.moving { $0 } }
}

/// The members of an object.
struct KeyedReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: TreeDecoder

    var codingPath: [any CodingKey] { self.decoder.codingPath }

    var allKeys: [Key] {
        let nodes = self.decoder.reading.tree.nodes
        let names = (self.decoder.content?.children ?? []).compactMap { nodes[Int($0)].name }
        return names.compactMap { Key(stringValue: $0) }
    }

    func contains(_ key: Key) -> Bool { self.decoder.lookUp(key.stringValue).node >= 0 }
    func decodeNil(forKey key: Key) throws -> Bool { try self.decoder.place(of: key).isNull }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try self.decoder.member(key, as: type).read(type)
    }

    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try self.decoder.member(key).read(type) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try self.decoder.member(key).read(type) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try self.decoder.member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try self.decoder.member(key).unkeyedContainer()
    }

    /// A superclass's members are beside the others.
    func superDecoder() -> any Decoder { self.decoder }
    func superDecoder(forKey key: Key) throws -> any Decoder { try self.decoder.member(key) }

    private func optional<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value? {
        try self.decoder.presentMember(key, as: type)?.readOptional(type)
    }

    // The protocol's own methods would check for nil without the type.
    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try self.optional(type, key)
    }
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try self.optional(type, key) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try self.optional(type, key) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try self.optional(type, key) }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try self.optional(type, key) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try self.optional(type, key) }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try self.optional(type, key) }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try self.optional(type, key) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try self.optional(type, key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try self.optional(type, key) }
    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? { try self.optional(type, key) }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try self.optional(type, key) }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try self.optional(type, key) }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try self.optional(type, key) }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try self.optional(type, key) }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try self.optional(type, key) }
    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? { try self.optional(type, key) }
}
