import FormworkCore

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
        self.hasPlainMembers = decoder.found == nil && decoder.leaves.nullText == nil
        let memberCount = decoder.isRoot ? decoder.leaves.memberCount : nil
        if let count = memberCount, !convertsKeys {
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
        if convertsKeys {
            if let count = memberCount { members = (0..<count).map { (decoder.leaves.name($0), .leaf($0)) } }
            for place in members.indices {
                members[place].name = decoder.leaves.key(named: members[place].name, in: decoder)
            }
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
        if self.areLeaves { return self.leaves.find(name, from: self.next) }
        var place = self.next < self.count ? self.next : 0
        for _ in 0..<self.count {
            if self.members[place].name.hasSameBytes(as: name) { return place }
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

    // MARK: Plain members

    // Members that are single texts, as most are, without a decoder of their own. They are `nil` for anything else, which
    // the decoder then reads or refuses. Here and not in the container, which is generic in its key: its code isn't
    // specialised.

    func plainText(_ key: String) -> String? { self.leaf(key).flatMap { self.leaves.plainText($0) } }

    func plainBool(_ key: String) -> Bool? { self.plainText(key).flatMap { Bool(formText: $0) } }

    func plainNumber<Number: FixedWidthInteger>(_ type: Number.Type, _ key: String) -> Number? {
        self.leaf(key).flatMap { self.leaves.plainNumber($0) }.flatMap { Number(exactly: $0) }
    }

    func plainFraction<Number: BinaryFloatingPoint & LosslessStringConvertible>(
        _ type: Number.Type, _ key: String
    ) -> Number? {
        self.plainText(key).flatMap {
            Number(decimal: $0, acceptsNonFinite: self.decoder.leaves.acceptsNonFiniteNumbers)
        }
    }

    /// A value that needs no decoder.
    func plainValue<Wanted>(_ type: Wanted.Type, _ place: Int) -> Wanted? {
        if case .leaf(let leaf) = self[place] { self.leaves.plainValue(type, leaf) } else { nil }
    }

    /// The leaf that is a member; `nil` for other members and if there is none.
    private func leaf(_ key: String) -> Int? {
        guard self.hasPlainMembers, let place = self.find(key), case .leaf(let leaf) = self[place] else { return nil }
        return leaf
    }
}
