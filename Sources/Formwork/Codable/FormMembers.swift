/// Reads the members of an object.
struct FormMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let members: FormMemberList

    private var decoder: FormValueDecoder { self.members.decoder }
    var codingPath: [any CodingKey] { self.decoder.codingPath }
    var allKeys: [Key] { self.members.names.compactMap { Key(stringValue: $0) } }

    private func find(_ key: Key) -> FormValueDecoder? {
        self.members.find(key.stringValue).map { self.decoder.child(self.members[$0], key) }
    }

    private func member(_ key: Key) throws -> FormValueDecoder {
        guard let member = self.find(key) else {
            throw DecodingError.keyNotFound(
                key, .init(codingPath: self.codingPath, debugDescription: "The form has no field of this name."))
        }
        return member
    }

    func contains(_ key: Key) -> Bool { self.members.find(key.stringValue) != nil }
    func decodeNil(forKey key: Key) throws -> Bool { self.find(key)?.isNothing ?? true }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try self.members.plainText(key.stringValue) ?? self.read(type, key)
    }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try self.members.plainFlag(key.stringValue) ?? self.read(type, key)
    }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try self.members.plainFraction(type, key.stringValue) ?? self.read(type, key)
    }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        try self.members.plainFraction(type, key.stringValue) ?? self.read(type, key)
    }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try self.members.plainNumber(type, key.stringValue) ?? self.read(type, key)
    }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
        try self.members.plainNumber(type, key.stringValue) ?? self.read(type, key)
    }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
        try self.members.plainNumber(type, key.stringValue) ?? self.read(type, key)
    }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
        try self.members.plainNumber(type, key.stringValue) ?? self.read(type, key)
    }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
        try self.members.plainNumber(type, key.stringValue) ?? self.read(type, key)
    }
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        try self.members.plainNumber(type, key.stringValue) ?? self.read(type, key)
    }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
        try self.members.plainNumber(type, key.stringValue) ?? self.read(type, key)
    }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
        try self.members.plainNumber(type, key.stringValue) ?? self.read(type, key)
    }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
        try self.members.plainNumber(type, key.stringValue) ?? self.read(type, key)
    }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
        try self.members.plainNumber(type, key.stringValue) ?? self.read(type, key)
    }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
        try self.members.plainNumber(type, key.stringValue) ?? self.read(type, key)
    }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try self.members.plainNumber(type, key.stringValue) ?? self.read(type, key)
    }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try self.read(type, key) }

    private func read<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value {
        if let place = self.members.find(key.stringValue) {
            if let file = self.file(type, place) { return file }
            return try self.decoder.child(self.members[place], key).read(type)
        }
        // Empty arrays, and objects without any present members, send nothing. A type that tries to read itself as a
        // member would do so forever.
        if self.decoder.mayBeAbsent(type), let value = try? self.decoder.absent(key, type).read(type) { return value }
        return try self.member(key).read(type)
    }

    /// A file without a decoder of its own; `nil` for other types, and for what the decoder refuses.
    private func file<Value: Decodable>(_ type: Value.Type, _ place: Int) -> Value? {
        guard type == FormFile.self, let file = self.members.plainFile(place) else { return nil }
        return file as? Value
    }

    private func optional<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value? {
        guard let place = self.members.find(key.stringValue) else { return nil }
        if let file = self.file(type, place) { return file }
        let member = self.decoder.child(self.members[place], key)
        return member.isNil(type) ? nil : try member.read(type)
    }

    // The protocol's default would call `decodeNil`, which can't distinguish text from other types.
    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try self.optional(type, key)
    }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try self.members.plainText(key.stringValue) ?? self.optional(type, key)
    }
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try self.members.plainFlag(key.stringValue) ?? self.optional(type, key)
    }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try self.members.plainFraction(type, key.stringValue) ?? self.optional(type, key)
    }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        try self.members.plainFraction(type, key.stringValue) ?? self.optional(type, key)
    }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try self.members.plainNumber(type, key.stringValue) ?? self.optional(type, key)
    }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
        try self.members.plainNumber(type, key.stringValue) ?? self.optional(type, key)
    }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
        try self.members.plainNumber(type, key.stringValue) ?? self.optional(type, key)
    }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
        try self.members.plainNumber(type, key.stringValue) ?? self.optional(type, key)
    }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        try self.members.plainNumber(type, key.stringValue) ?? self.optional(type, key)
    }
    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? {
        try self.members.plainNumber(type, key.stringValue) ?? self.optional(type, key)
    }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
        try self.members.plainNumber(type, key.stringValue) ?? self.optional(type, key)
    }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
        try self.members.plainNumber(type, key.stringValue) ?? self.optional(type, key)
    }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
        try self.members.plainNumber(type, key.stringValue) ?? self.optional(type, key)
    }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
        try self.members.plainNumber(type, key.stringValue) ?? self.optional(type, key)
    }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
        try self.members.plainNumber(type, key.stringValue) ?? self.optional(type, key)
    }
    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
        try self.members.plainNumber(type, key.stringValue) ?? self.optional(type, key)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try self.member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try self.member(key).unkeyedContainer()
    }

    /// A superclass's members are in the same object.
    func superDecoder() throws -> any Decoder { self.decoder }
    func superDecoder(forKey key: Key) throws -> any Decoder {
        if let member = self.find(key) { return member }
        return self.decoder.mayBeAbsent(nil) ? self.decoder.absent(key, nil) : try self.member(key)
    }
}

/// The elements of an array.
struct FormElements: UnkeyedDecodingContainer {
    private let decoder: FormValueDecoder
    private let elements: [FormValueDecoder.Value]
    private(set) var currentIndex = 0

    init(_ decoder: FormValueDecoder, _ elements: [FormValueDecoder.Value]) {
        (self.decoder, self.elements) = (decoder, elements)
    }

    var codingPath: [any CodingKey] { self.decoder.codingPath }
    var count: Int? { self.elements.count }
    var isAtEnd: Bool { self.currentIndex == self.elements.count }

    private func current(_ type: Any.Type) throws -> FormValueDecoder {
        let key = ElementKey(self.currentIndex)
        guard !self.isAtEnd else {
            throw DecodingError.valueNotFound(
                type, .init(codingPath: self.codingPath + [key], debugDescription: "There are no more elements."))
        }
        return self.decoder.element(self.elements[self.currentIndex], key)
    }

    private mutating func next(_ type: Any.Type) throws -> FormValueDecoder {
        let element = try self.current(type)
        self.currentIndex += 1
        return element
    }

    mutating func decodeNil() throws -> Bool {
        guard try self.current(FormFile.self).isNothing else { return false }
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

/// The key of an array's element.
struct ElementKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ index: Int) { (self.stringValue, self.intValue) = ("\(index)", index) }
    init?(stringValue: String) { return nil }
    init?(intValue: Int) { self.init(intValue) }
}
