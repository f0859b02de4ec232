import FormworkCore

/// Reads the members of an object.
struct DecodedMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let members: DecodedMemberList

    private var decoder: ValueDecoder { self.members.decoder }
    var codingPath: [any CodingKey] { self.decoder.codingPath }
    var allKeys: [Key] { self.members.names.compactMap { Key(stringValue: $0) } }

    private func find(_ key: Key) throws -> ValueDecoder? {
        try self.members.find(key.stringValue).map { try self.members.child($0, key) }
    }

    private func missing(_ key: Key) -> DecodingError {
        .keyNotFound(key, .init(codingPath: self.codingPath, debugDescription: "There is no field of this name."))
    }

    /// A member's decoder: an empty one for a member that is missing.
    private func member(_ key: Key) throws -> ValueDecoder {
        if let member = try self.find(key) { return member }
        guard self.decoder.mayBeAbsent(nil) else { throw self.missing(key) }
        return self.decoder.absent(key, nil)
    }

    func contains(_ key: Key) -> Bool { self.members.find(key.stringValue) != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try self.find(key)?.isNothing ?? true }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try self.members.plainText(key.stringValue) ?? self.read(type, key)
    }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try self.members.plainBool(key.stringValue) ?? self.read(type, key)
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
            return try self.members.plainValue(type, place) ?? self.members.child(place, key).read(type)
        }
        // Empty arrays, and objects without any present members, write nothing. A type that tries to read itself as a
        // member would do so forever.
        guard self.decoder.mayBeAbsent(type) else { throw self.missing(key) }
        let absent = self.decoder.absent(key, type)
        if absent.hasNamedElements { return try absent.read(type) }
        guard let value = try? absent.read(type) else { throw self.missing(key) }
        return value
    }

    private func optional<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value? {
        guard let place = self.members.find(key.stringValue) else {
            // An array's elements may have names of their own, beside the array's.
            guard self.members.hasChanges, self.decoder.mayBeAbsent(type) else { return nil }
            let absent = self.decoder.absent(key, type)
            return absent.hasNamedElements ? try absent.read(type) : nil
        }
        if let value = self.members.plainValue(type, place) { return value }
        let member = try self.members.child(place, key)
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
        try self.members.plainBool(key.stringValue) ?? self.optional(type, key)
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
    func superDecoder(forKey key: Key) throws -> any Decoder { try self.member(key) }
}
