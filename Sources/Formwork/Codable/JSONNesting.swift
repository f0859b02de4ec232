import FormworkURLEncoded

/// Encodes a value to nothing, to find out whether it nests deeper than Foundation's `JSONEncoder` writes: that encoder calls
/// itself for each level, so a value of some thousand levels overflows the stack.
package struct JSONNesting: Encoder {
    /// As deep as Foundation writes.
    package static let limit = 511

    /// A key and those around it.
    private final class Position {
        let key: any CodingKey
        let parent: Position?
        init(_ key: any CodingKey, in parent: Position?) { (self.key, self.parent) = (key, parent) }

        var codingPath: [any CodingKey] {
            Array(sequence(first: self) { $0.parent }.map(\.key).reversed())
        }
    }

    private struct TooDeep: Error { let codingPath: [any CodingKey] }

    package let userInfo: [CodingUserInfoKey: Any]
    private var place: Position?
    /// How many objects, arrays and single values are around this one.
    private var levels = 0

    package var codingPath: [any CodingKey] { self.place?.codingPath ?? [] }

    private init(_ userInfo: [CodingUserInfoKey: Any]) { self.userInfo = userInfo }

    /// - Throws: `EncodingError` for more than ``limit`` levels. Other errors are left to the encoder that comes after.
    package static func check(_ value: some Encodable, userInfo: [CodingUserInfoKey: Any]) throws(EncodingError) {
        do { try value.encode(to: Self(userInfo)) } catch let error as TooDeep {
            throw EncodingError.invalidValue(
                value,
                .init(
                    codingPath: error.codingPath,
                    debugDescription: "The value nests deeper than \(self.limit) levels."))
        } catch {}
    }

    package func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Container<Key>(encoder: self))
    }

    package func unkeyedContainer() -> any UnkeyedEncodingContainer {
        Container<IndexKey>(encoder: self, isArray: true)
    }

    package func singleValueContainer() -> any SingleValueEncodingContainer { Container<IndexKey>(encoder: self) }

    private func child(_ key: (any CodingKey)?) -> Self {
        var child = self
        child.levels += 1
        if let key { child.place = Position(key, in: self.place) }
        return child
    }

    private func put<Value: Encodable>(_ value: Value, _ key: (any CodingKey)?) throws {
        switch value {
        // Foundation writes bytes as one text.
        case is String, is Bool, is Double, is Float, is any FixedWidthInteger, is any BodyChunk: return
        default:
            let child = self.child(key)
            guard child.levels <= Self.limit else { throw TooDeep(codingPath: child.codingPath) }
            try value.encode(to: child)
        }
    }

    /// A container of any kind: they differ only in the keys.
    private struct Container<Key: CodingKey>: KeyedEncodingContainerProtocol, UnkeyedEncodingContainer,
        SingleValueEncodingContainer
    {
        let encoder: JSONNesting
        var isArray = false
        var count = 0
        var codingPath: [any CodingKey] { self.encoder.codingPath }

        /// The key of an element; `nil` for a value that is in no array.
        private mutating func next() -> IndexKey? {
            defer { self.count += 1 }
            return self.isArray ? IndexKey(self.count) : nil
        }

        mutating func encodeNil() { self.count += 1 }
        mutating func encode<Value: Encodable>(_ value: Value) throws { try self.encoder.put(value, self.next()) }
        mutating func encode(_ value: Int128) { self.count += 1 }
        mutating func encode(_ value: UInt128) { self.count += 1 }

        mutating func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type
        ) -> KeyedEncodingContainer<NestedKey> { self.encoder.child(self.next()).container(keyedBy: type) }

        mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
            self.encoder.child(self.next()).unkeyedContainer()
        }

        mutating func superEncoder() -> any Encoder { self.encoder.child(self.next()) }

        func encodeNil(forKey key: Key) {}
        func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try self.encoder.put(value, key) }
        func encode(_ value: Int128, forKey key: Key) {}
        func encode(_ value: UInt128, forKey key: Key) {}

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type, forKey key: Key
        ) -> KeyedEncodingContainer<NestedKey> { self.encoder.child(key).container(keyedBy: type) }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            self.encoder.child(key).unkeyedContainer()
        }

        func superEncoder(forKey key: Key) -> any Encoder { self.encoder.child(key) }
    }
}
