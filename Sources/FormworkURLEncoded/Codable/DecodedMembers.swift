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

    /// A member's decoder: an empty one for a member that is missing.
    private func member(_ key: Key) throws -> ValueDecoder {
        if let member = try self.find(key) { return member }
        guard self.decoder.mayBeAbsent(nil) else { throw self.members.missing(key) }
        return self.decoder.absent(key, nil)
    }

    func contains(_ key: Key) -> Bool { self.members.find(key.stringValue) != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try self.find(key)?.isNothing ?? true }

    @inline(__always)
    private func read<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value {
        try self.members.read(type, key.stringValue) { key }
    }

    @inline(__always)
    private func present<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value? {
        try self.members.optional(type, key.stringValue) { key }
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try self.read(type, key) }
    // The generic method would do for these too, but isn't specialised for them: it is generic in its key.
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try self.read(type, key) }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try self.read(type, key) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try self.read(type, key) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try self.read(type, key) }
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try self.read(type, key) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try self.read(type, key) }

    // The protocol's defaults would call `decodeNil`, which can't distinguish text from other types. The attribute makes one
    // method the witness of all of them; the others are those that are specialised.
    @_implements(KeyedDecodingContainerProtocol,decodeIfPresent(_:forKey:))
    func optional<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try self.present(type, key)
    }
    @_implements(KeyedDecodingContainerProtocol,decodeIfPresent(_:forKey:))
    func optional(_ type: String.Type, forKey key: Key) throws -> String? { try self.present(type, key) }
    @_implements(KeyedDecodingContainerProtocol,decodeIfPresent(_:forKey:))
    func optional(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try self.present(type, key) }
    @_implements(KeyedDecodingContainerProtocol,decodeIfPresent(_:forKey:))
    func optional(_ type: Double.Type, forKey key: Key) throws -> Double? { try self.present(type, key) }
    @_implements(KeyedDecodingContainerProtocol,decodeIfPresent(_:forKey:))
    func optional(_ type: Int.Type, forKey key: Key) throws -> Int? { try self.present(type, key) }

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

/// The members of an object, and where the last one was found: types ask for their members in order, and texts often have
/// them in the same order.
///
/// The standard library copies a container for each member. So ``DecodedMembers`` has a reference to this, and nothing
/// else.
final class DecodedMemberList {
    typealias Value = ValueDecoder.Value

    /// The decoder of the object.
    let decoder: ValueDecoder
    private let leaves: any DecodingLeaves
    /// The members; empty if they are the leaves.
    private let members: [(name: String, value: Value)]
    private let count: Int
    private let areLeaves: Bool
    private var next = 0
    /// Whether a key may have another name in the text.
    let hasChanges: Bool
    /// Whether a member's text is its value: names weren't changed, and no text means `nil`.
    private let hasPlainMembers: Bool
    /// The place of each name; `nil` while comparing names is faster.
    private let places: [[UInt8]: Int]?

    /// - Parameter value: The object; `nil` for the decoder's own value.
    init(of decoder: ValueDecoder, _ value: Value? = nil, convertsKeys: Bool = false) {
        (self.decoder, self.leaves) = (decoder, decoder.leaves)
        self.hasChanges = decoder.found != nil
        self.hasPlainMembers = decoder.found == nil && decoder.leaves.coding.nullText == nil
        let memberCount = decoder.isRoot ? decoder.leaves.memberCount : nil
        let convert = convertsKeys ? decoder.leaves.coding.key : nil
        if let count = memberCount, convert == nil {
            (self.members, self.places, self.count, self.areLeaves) = ([], nil, count, true)
            return
        }
        var members: [(name: String, value: Value)] =
            switch value ?? decoder.value {
            case .object(let members): members
            // The members' names are numbers.
            case .array(let elements), .unclear(let elements): elements.enumerated().map { (String($0), $1) }
            case .leaf: []
            }
        if let convert {
            if let count = memberCount { members = (0..<count).map { (decoder.leaves.name($0), .leaf($0)) } }
            let path = decoder.codingPath
            for place in members.indices { members[place].name = convert(members[place].name, path) }
        }
        self.members = members
        (self.count, self.areLeaves) = (self.members.count, false)
        // Compared as UTF-8, so two spellings of a letter are two names.
        self.places =
            self.members.count <= 64
            ? nil
            : Dictionary(
                self.members.enumerated().map { (Array($1.name.utf8), $0) }, uniquingKeysWith: { first, _ in first })
    }

    var names: [String] { (0..<self.count).map { self.name($0) } }

    func name(_ place: Int) -> String { self.areLeaves ? self.leaves.name(place) : self.members[place].name }

    /// The value at a place.
    subscript(place: Int) -> Value { self.areLeaves ? .leaf(place) : self.members[place].value }

    /// The place of a key's member; `nil` if there is none.
    func find(_ key: String) -> Int? {
        guard self.hasChanges, let changes = self.decoder.leaves.changes else { return self.search(key) }
        for name in changes.searched(self.decoder.changedName(of: key)) {
            if let place = self.search(name) { return place }
        }
        return nil
    }

    /// The place of a name; `nil` if there is none.
    @inline(__always)
    func search(_ name: String) -> Int? {
        let place = self.places.map { $0[Array(name.utf8)] } ?? self.compare(name)
        if let place { self.next = place + 1 }
        return place
    }

    /// Compares the names, beginning after the last place.
    @inline(__always)
    private func compare(_ name: String) -> Int? {
        var place = self.next < self.count ? self.next : 0
        for _ in 0..<self.count {
            if self.areLeaves ? self.leaves.isNamed(place, name) : self.members[place].name.hasSameBytes(as: name) {
                return place
            }
            place = place + 1 < self.count ? place + 1 : 0
        }
        return nil
    }

    /// The decoder of the member at a place.
    func child(_ place: Int, _ key: any CodingKey) throws -> ValueDecoder {
        guard self.hasChanges else { return self.decoder.child(self[place], key) }
        let found = try self.decoder.place(of: key, foundAs: self.name(place))
        return self.decoder.child(self[place], key, found)
    }

    /// The decoder of a key's member, and the name at which it was found; `nil` if it is missing.
    func member(_ key: any CodingKey) throws -> (decoder: ValueDecoder, name: String?) {
        guard let place = self.find(key.stringValue) else { return (self.decoder.absent(key, nil), nil) }
        return (try self.child(place, key), self.name(place))
    }

    // MARK: Values

    // Here and not in the container, which is generic in its key: its code isn't specialised.

    func read<Wanted: Decodable>(
        _ type: Wanted.Type, _ key: String, _ codingKey: () -> any CodingKey
    ) throws -> Wanted {
        if let place = self.find(key) {
            return try self.plain(type, place) ?? self.child(place, codingKey()).read(type)
        }
        // Empty arrays, and objects without any present members, write nothing. A type that tries to read itself as a
        // member would do so forever.
        let key = codingKey()
        guard self.decoder.mayBeAbsent(type) else { throw self.missing(key) }
        let absent = self.decoder.absent(key, type)
        if absent.hasNamedElements { return try absent.read(type) }
        guard let value = try? absent.read(type) else { throw self.missing(key) }
        return value
    }

    func optional<Wanted: Decodable>(
        _ type: Wanted.Type, _ key: String, _ codingKey: () -> any CodingKey
    ) throws -> Wanted? {
        guard let place = self.find(key) else {
            // An array's elements may have names of their own, beside the array's.
            guard self.hasChanges, self.decoder.mayBeAbsent(type) else { return nil }
            let absent = self.decoder.absent(codingKey(), type)
            return absent.hasNamedElements ? try absent.read(type) : nil
        }
        if let value = self.plain(type, place) { return value }
        let member = try self.child(place, codingKey())
        return member.isNil(type) ? nil : try member.read(type)
    }

    func missing(_ key: any CodingKey) -> DecodingError {
        .keyNotFound(
            key, .init(codingPath: self.decoder.codingPath, debugDescription: "There is no field of this name."))
    }

    /// A member that is a single text, as most are, without a decoder of its own. It is `nil` for anything else, which the
    /// decoder then reads or refuses.
    @inline(__always)
    private func plain<Wanted>(_ type: Wanted.Type, _ place: Int) -> Wanted? {
        guard case .leaf(let leaf) = self[place] else { return nil }
        guard self.hasPlainMembers else { return self.leaves.plainValue(type, leaf) }
        // Not `as? Wanted` of an optional, which is looked up at runtime.
        if type == String.self { return self.leaves.plainText(leaf).flatMap { $0 as? Wanted } }
        if type == Int.self {
            return self.leaves.plainNumber(leaf).flatMap { Int(exactly: $0) }.flatMap { $0 as? Wanted }
        }
        if type == Bool.self {
            return self.leaves.plainText(leaf).flatMap { Bool(formText: $0) }.flatMap { $0 as? Wanted }
        }
        if type == Double.self {
            let acceptsNonFinite = self.leaves.coding.acceptsNonFiniteNumbers
            return self.leaves.plainText(leaf)
                .flatMap { Double(decimal: $0, acceptsNonFinite: acceptsNonFinite) }.flatMap { $0 as? Wanted }
        }
        return self.leaves.plainValue(type, leaf)
    }
}
