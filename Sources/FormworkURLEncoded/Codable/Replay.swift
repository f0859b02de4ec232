import FormworkCore

/// Encodes a value again, in step with a decoder of the written text, and compares the two.
///
/// Names that were changed by a rule, or that don't show where an element of an array ends, may be read as another
/// value, which only reading shows. It isn't needed if the names are unambiguous.
final class Replay {
    private let arena: SegmentArena
    private let tree: TreeDecoder
    /// The first difference that was found in a method that can't throw.
    private var failure: (any Error)?
    /// The keys written at each node, as UTF-8.
    private var keys: [Int32: Set<[UInt8]>] = [:]
    private var dictionaries: [Int32: TreeDecoder] = [:]
    private var arrays: [ReplayedElements] = []

    init(_ coding: URLEncodedCoding, _ text: ArraySlice<UInt8>) throws {
        self.arena = SegmentArena(coding)
        var rules = URLEncodedDecoding()
        (rules.coding, rules.limits) = (coding, .unlimited)
        let escapedPlus = coding.escaping.entries[0x20] & 0xFF == 0x2B
        let pairs = try URLEncodedPairs(
            Array(text), rules: URLEncodedParsing(readsPlusAsSpace: escapedPlus, limits: .unlimited))
        let names = try PairTree(pairs, coding.members, rules.limits)
        self.tree = TreeDecoder(Reading(names, rules), node: 0)
    }

    /// - Throws: `EncodingError` if another value would be read back.
    func check(_ value: some Encodable) throws {
        do {
            try value.encode(to: ReplayEncoder(replay: self, decoder: self.tree))
            if let failure { throw failure }
            for array in self.arrays { try array.checkCount() }
            for (node, decoder) in self.dictionaries {
                let names = decoder.content?.children.map { decoder.reading.tree.nodes[Int($0)].name ?? "" } ?? []
                guard Set(names.map { Array($0.utf8) }) == self.keys[node] ?? [] else {
                    throw decoder.refusal("keyEncoding", Self.changedKeys)
                }
            }
        } catch let DecodingError.dataCorrupted(context) {
            throw self.refusal(value, context)
        } catch let DecodingError.typeMismatch(_, context) {
            throw self.refusal(value, context)
        } catch let DecodingError.keyNotFound(_, context) {
            throw self.refusal(value, context)
        }
    }

    private func refusal(_ value: Any, _ context: DecodingError.Context) -> EncodingError {
        let option = self.arena.coding.rename == nil ? "arrayEncoding" : "keyEncoding"
        let text = context.debugDescription
        return SegmentArena.refusal(
            value, context.codingPath, text.contains("Encoding") ? text : "\(option) loses this: \(text)")
    }

    // MARK: Reports from containers

    func fail(_ error: any Error) { self.failure = self.failure ?? error }
    func add(_ array: ReplayedElements) { self.arrays.append(array) }
    private static let changedKeys = "a dictionary's keys change when they are written"
    var writesNil: Bool { self.arena.nullText != nil }

    /// All dictionaries for which nothing was written have the same node, and no keys to compare.
    func addDictionary(_ decoder: TreeDecoder) {
        if decoder.node >= 0 { self.dictionaries[decoder.node] = decoder }
    }

    func add<Key: CodingKey>(_ key: Key, of decoder: TreeDecoder) throws {
        guard decoder.node >= 0 || !Key.isAny else { throw decoder.refusal("keyEncoding", Self.changedKeys) }
        self.keys[decoder.node, default: []].insert(Array(key.stringValue.utf8))
    }

    /// Compares a value with the text at a place.
    func compare<Value: Encodable>(_ value: Value, _ decoder: TreeDecoder, isOptional: Bool = false) throws {
        let isOptional = isOptional || Value.self is any AnyOptional.Type && !SegmentArena.isNil(value)
        guard !isOptional || decoder.node < 0 || !decoder.isNull else {
            throw decoder.refusal("nilEncoding", "a value looks like nil")
        }
        guard let text = try self.arena.text(of: value, at: { decoder.codingPath }) else {
            return try value.encode(to: ReplayEncoder(replay: self, decoder: decoder))
        }
        try self.compare(text, decoder)
    }

    func compareNil(_ decoder: TreeDecoder) throws {
        guard let null = try self.arena.coding.null() else {
            guard decoder.node < 0, !decoder.hasNamedElements else {
                throw decoder.refusal("keyEncoding", "a nil member has the same name as another member")
            }
            return
        }
        try self.compare(null, decoder)
    }

    private func compare(_ text: String, _ decoder: TreeDecoder) throws {
        guard try decoder.text().utf8.elementsEqual(text.utf8) else {
            throw decoder.refusal("arrayEncoding or keyEncoding", "another value has the same name")
        }
    }
}

private struct ReplayEncoder: Encoder {
    let replay: Replay
    let decoder: TreeDecoder

    var codingPath: [any CodingKey] { self.decoder.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        do {
            _ = try self.decoder.container(keyedBy: type)
        } catch {
            self.replay.fail(error)
        }
        if Key.isAny { self.replay.addDictionary(self.decoder) }
        return KeyedEncodingContainer(ReplayedMembers(replay: self.replay, decoder: self.decoder))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { ReplayedElements(self.replay, self.decoder) }
    func singleValueContainer() -> any SingleValueEncodingContainer {
        ReplayedValue(replay: self.replay, decoder: self.decoder)
    }
}

private struct ReplayedValue: SingleValueEncodingContainer {
    let replay: Replay
    let decoder: TreeDecoder
    var codingPath: [any CodingKey] { self.decoder.codingPath }

    mutating func encodeNil() throws { try self.replay.compareNil(self.decoder) }
    mutating func encode<Value: Encodable>(_ value: Value) throws { try self.replay.compare(value, self.decoder) }
    mutating func encode(_ value: Int128) throws { try self.replay.compare(value, self.decoder) }
    mutating func encode(_ value: UInt128) throws { try self.replay.compare(value, self.decoder) }
}

private struct ReplayedMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let replay: Replay
    let decoder: TreeDecoder
    var codingPath: [any CodingKey] { self.decoder.codingPath }

    private func member(_ key: Key) throws -> TreeDecoder {
        let member = try self.decoder.place(of: key)
        if let name = member.content?.name, !name.utf8.elementsEqual(key.stringValue.utf8), key.isOpen {
            throw member.refusal(
                "keyEncoding", "a dictionary's key \"\(key.stringValue)\" would be read as \"\(name)\"")
        }
        try self.replay.add(key, of: self.decoder)
        return member
    }

    /// A key without a written value isn't expected in the text.
    private func compareNil(_ key: Key) throws {
        let member = self.replay.writesNil ? try self.member(key) : try self.decoder.place(of: key)
        try self.replay.compareNil(member)
    }

    /// - Parameter isFound: Whether the key may be searched among all keys, as enumerations do with their cases.
    private func reached(_ key: Key, isFound: Bool = true) -> ReplayEncoder {
        do {
            let member = try self.member(key)
            guard !isFound || self.decoder.reading.tree.member(key.stringValue, of: self.decoder.node) == member.node
            else {
                throw member.refusal("keyEncoding", "it changes the name of an enumeration's case")
            }
            return ReplayEncoder(replay: self.replay, decoder: member)
        } catch {
            self.replay.fail(error)
            return ReplayEncoder(replay: self.replay, decoder: self.decoder.nothing)
        }
    }

    mutating func encodeNil(forKey key: Key) throws { try self.compareNil(key) }
    mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try self.replay.compare(value, try self.member(key))
    }
    mutating func encode(_ value: Int128, forKey key: Key) throws {
        try self.replay.compare(value, try self.member(key))
    }
    mutating func encode(_ value: UInt128, forKey key: Key) throws {
        try self.replay.compare(value, try self.member(key))
    }

    private func optional<Value: Encodable>(_ value: Value?, _ key: Key) throws {
        guard let value else { return try self.compareNil(key) }
        try self.replay.compare(value, try self.member(key), isOptional: true)
    }

    mutating func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
        try self.optional(value, key)
    }
    mutating func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try self.optional(value, key) }
    mutating func encodeIfPresent(_ value: String?, forKey key: Key) throws { try self.optional(value, key) }
    mutating func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try self.optional(value, key) }
    mutating func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try self.optional(value, key) }
    mutating func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try self.optional(value, key) }
    mutating func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try self.optional(value, key) }
    mutating func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try self.optional(value, key) }
    mutating func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try self.optional(value, key) }
    mutating func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try self.optional(value, key) }
    mutating func encodeIfPresent(_ value: Int128?, forKey key: Key) throws { try self.optional(value, key) }
    mutating func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try self.optional(value, key) }
    mutating func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try self.optional(value, key) }
    mutating func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try self.optional(value, key) }
    mutating func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try self.optional(value, key) }
    mutating func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try self.optional(value, key) }
    mutating func encodeIfPresent(_ value: UInt128?, forKey key: Key) throws { try self.optional(value, key) }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> { self.reached(key).container(keyedBy: type) }
    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        self.reached(key).unkeyedContainer()
    }
    mutating func superEncoder() -> any Encoder { ReplayEncoder(replay: self.replay, decoder: self.decoder) }
    mutating func superEncoder(forKey key: Key) -> any Encoder { self.reached(key, isFound: false) }
}

/// The elements of an array, counted.
final class ReplayedElements: UnkeyedEncodingContainer {
    private let replay: Replay
    private let decoder: TreeDecoder
    private let elements: [TreeDecoder.Element]
    private(set) var count = 0

    init(_ replay: Replay, _ decoder: TreeDecoder) {
        (self.replay, self.decoder) = (replay, decoder)
        do {
            self.elements = try decoder.elements()
        } catch {
            self.elements = []
            replay.fail(error)
        }
        replay.add(self)
    }

    var codingPath: [any CodingKey] { self.decoder.codingPath }

    func checkCount() throws {
        guard self.count == self.elements.count else {
            throw self.decoder.refusal(
                "arrayEncoding",
                "\(self.count, "element") would be read as \(self.elements.count): use indexInBrackets")
        }
    }

    private func next() throws -> TreeDecoder {
        defer { self.count += 1 }
        guard self.count < self.elements.count else {
            throw self.decoder.refusal("arrayEncoding", "elements can't be distinguished: use indexInBrackets")
        }
        return self.decoder.element(self.elements[self.count], self.count)
    }

    private func reached() -> ReplayEncoder {
        do {
            return ReplayEncoder(replay: self.replay, decoder: try self.next())
        } catch {
            self.replay.fail(error)
            return ReplayEncoder(replay: self.replay, decoder: self.decoder.nothing)
        }
    }

    func encodeNil() throws { try self.replay.compareNil(try self.next()) }
    func encode<Value: Encodable>(_ value: Value) throws { try self.replay.compare(value, try self.next()) }
    func encode(_ value: Int128) throws { try self.replay.compare(value, try self.next()) }
    func encode(_ value: UInt128) throws { try self.replay.compare(value, try self.next()) }
    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        self.reached().container(keyedBy: type)
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self.reached().unkeyedContainer() }
    func superEncoder() -> any Encoder { self.reached() }
}
