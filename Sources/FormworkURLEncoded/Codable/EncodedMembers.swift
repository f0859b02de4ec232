/// The members of an object.
struct EncodedMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let arena: EncodingArena
    let place: Int32

    var codingPath: [any CodingKey] { self.arena.tree.codingPath(self.place) }

    mutating func encodeNil(forKey key: Key) throws {
        guard let null = try self.arena.coding.null() else {
            return try self.arena.tree.leaveOut(key, in: self.place)
        }
        try self.arena.tree.write(.value(.text(null)), try self.name(key), self.index(key), in: self.place)
        self.arena.tree.note(key, in: self.place)
    }

    mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try self.put(value, key) }
    mutating func encode(_ value: Int128, forKey key: Key) throws { try self.put(value, key) }
    mutating func encode(_ value: UInt128, forKey key: Key) throws { try self.put(value, key) }

    private func index(_ key: Key) -> Int { self.arena.coding.index(of: key) }

    private func name(_ key: Key) throws -> String {
        self.arena.coding.convertKey == nil
            ? key.stringValue : try self.arena.tree.checkedName(of: key, in: self.place)
    }

    private func put<Value: Encodable>(_ value: Value, _ key: Key, isOptional: Bool = false) throws {
        let leaf = try self.arena.leaf(value, at: { self.codingPath + [key] })
        if let leaf, !leaf.isNothing {
            if isOptional { try self.arena.checkIsNotNull(leaf, Value.self) { self.codingPath + [key] } }
            try self.arena.tree.write(leaf, try self.name(key), self.index(key), in: self.place)
            return self.arena.tree.note(key, in: self.place)
        }
        try self.arena.tree.checkIsFree(key, in: self.place, isCompared: true)
        let place = self.arena.tree.place(key, in: self.place)
        try self.arena.tree.checkDepth(place)
        if leaf == nil { try value.encode(to: ValueEncoder(arena: self.arena, place: place)) }
        self.arena.tree.note(key, in: self.place)
        // A dictionary's keys are known only from its values' names.
        let isDictionary = !isOptional && Key.isAny
        try self.arena.check(
            value, at: place, isOptional: isOptional,
            lacks: isDictionary
                ? "A dictionary's value that is nil or empty writes nothing: its key would be lost" : nil)
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        KeyedEncodingContainer(
            EncodedMembers<NestedKey>(
                arena: self.arena,
                place: self.arena.tree.require(
                    self.arena.tree.place(key, in: self.place), Key.isAny ? .always : .ifAlone)))
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        let place = self.arena.tree.place(key, in: self.place)
        return EncodedElements(self.arena, self.arena.tree.require(place, Key.isAny ? .always : .never))
    }

    /// A superclass writes its members beside the others.
    mutating func superEncoder() -> any Encoder { ValueEncoder(arena: self.arena, place: self.place) }

    mutating func superEncoder(forKey key: Key) -> any Encoder {
        ValueEncoder(arena: self.arena, place: self.arena.tree.place(key, in: self.place))
    }

    private mutating func encodeOptional(_ value: (some Encodable)?, _ key: Key) throws {
        guard let value else { return try self.encodeNil(forKey: key) }
        try self.put(value, key, isOptional: true)
    }

    // The protocol's own methods would leave out `nil`, but the coding decides that.
    mutating func encodeIfPresent(_ value: (some Encodable)?, forKey key: Key) throws {
        try self.encodeOptional(value, key)
    }
    mutating func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try self.encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: String?, forKey key: Key) throws { try self.encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try self.encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try self.encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try self.encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try self.encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try self.encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try self.encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try self.encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: Int128?, forKey key: Key) throws { try self.encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try self.encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try self.encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try self.encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try self.encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try self.encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: UInt128?, forKey key: Key) throws { try self.encodeOptional(value, key) }
}

extension CodingKey {
    /// Whether any text is a key, as for a dictionary.
    static var isAny: Bool { Self(stringValue: "any key") != nil }

    /// Whether it may be known only from the names in the text, as a dictionary's keys are. A type knows the cases of its
    /// enumeration, and looks for keys that can't be made of a name.
    var isOpen: Bool {
        guard Self(stringValue: self.stringValue) != nil else { return false }
        let mirror = Mirror(reflecting: self)
        return mirror.displayStyle != .enum || !mirror.children.isEmpty
    }
}
