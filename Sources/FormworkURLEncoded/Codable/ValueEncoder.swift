import FormworkCore

/// An encoder at one place. It has two words, so that passing it allocates nothing.
struct ValueEncoder: Encoder {
    let arena: EncodingArena
    let place: EncodedNode

    var codingPath: [any CodingKey] { self.place.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { self.arena.coding.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(EncodedMembers(arena: self.arena, place: self.place))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { EncodedElements(self.arena, self.place) }
    func singleValueContainer() -> any SingleValueEncodingContainer {
        EncodedSingle(arena: self.arena, place: self.place)
    }
}

/// The members of an object.
private struct EncodedMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let arena: EncodingArena
    let place: EncodedNode

    var codingPath: [any CodingKey] { self.place.codingPath }

    private func at(_ key: Key) -> EncodedNode { self.arena.place(key, in: self.place) }

    func encodeNil(forKey key: Key) throws {
        guard let null = try self.arena.coding.null?() else { return try self.arena.leaveOut(key, in: self.place) }
        try self.arena.write(.value(.text(null)), at: self.at(key))
    }

    private func put(_ value: some Encodable, _ key: Key, isOptional: Bool = false) throws {
        // A dictionary's keys are known only from its values' names.
        try self.arena.put(
            value, at: self.at(key), isOptional: isOptional,
            lacks: !isOptional && Key.isAny
                ? "A dictionary's value that is nil or empty writes nothing: its key would be lost" : nil)
    }

    private func put(_ value: (some Encodable)?, orNil key: Key) throws {
        guard let value else { return try self.encodeNil(forKey: key) }
        try self.put(value, key, isOptional: true)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        let place = self.arena.require(self.at(key), Key.isAny ? .always : .ifAlone)
        return KeyedEncodingContainer(EncodedMembers<NestedKey>(arena: self.arena, place: place))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        EncodedElements(self.arena, self.arena.require(self.at(key), Key.isAny ? .always : .never))
    }

    /// A superclass writes its members beside the others.
    func superEncoder() -> any Encoder { ValueEncoder(arena: self.arena, place: self.place) }

    func superEncoder(forKey key: Key) -> any Encoder {
        ValueEncoder(arena: self.arena, place: self.at(key))
    }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try self.put(value, key) }
    // The generic method would do for these too, but isn't specialised for them: it is generic in its key.
    func encode(_ value: String, forKey key: Key) throws { try self.arena.put(value, at: self.at(key)) }
    func encode(_ value: Bool, forKey key: Key) throws { try self.arena.put(value, at: self.at(key)) }
    func encode(_ value: Double, forKey key: Key) throws { try self.arena.put(value, at: self.at(key)) }
    func encode(_ value: Int, forKey key: Key) throws { try self.arena.put(value, at: self.at(key)) }
    func encode(_ value: Int128, forKey key: Key) throws { try self.put(value, key) }
    func encode(_ value: UInt128, forKey key: Key) throws { try self.put(value, key) }

    // The protocol's own methods would leave out `nil`, but the coding decides that. The attribute makes one method the witness
    // of all of them; the others are those that are specialised.
    @_implements(KeyedEncodingContainerProtocol,encodeIfPresent(_:forKey:))
    func optional(_ value: (some Encodable)?, forKey key: Key) throws { try self.put(value, orNil: key) }
    @_implements(KeyedEncodingContainerProtocol,encodeIfPresent(_:forKey:))
    func optional(_ value: String?, forKey key: Key) throws { try self.put(value, orNil: key) }
    @_implements(KeyedEncodingContainerProtocol,encodeIfPresent(_:forKey:))
    func optional(_ value: Bool?, forKey key: Key) throws { try self.put(value, orNil: key) }
    @_implements(KeyedEncodingContainerProtocol,encodeIfPresent(_:forKey:))
    func optional(_ value: Double?, forKey key: Key) throws { try self.put(value, orNil: key) }
    @_implements(KeyedEncodingContainerProtocol,encodeIfPresent(_:forKey:))
    func optional(_ value: Int?, forKey key: Key) throws { try self.put(value, orNil: key) }
}

/// The elements of an array. All containers of one place share its count; if values replace others, only a container's
/// copies share theirs.
private struct EncodedElements: UnkeyedEncodingContainer {
    let arena: EncodingArena
    let place: EncodedNode
    /// Has the count.
    let counter: EncodedNode

    init(_ arena: EncodingArena, _ place: EncodedNode) {
        (self.arena, self.place, self.counter) = (arena, place, arena.isLossy ? EncodedNode() : place)
    }

    var codingPath: [any CodingKey] { self.place.codingPath }
    var count: Int { self.counter.count }

    private var lost: String {
        "A nil or empty element of an array writes nothing and would be lost: leave it out"
            + self.arena.coding.remedy("the array")
    }

    private func next() -> EncodedNode {
        defer { self.counter.count += 1 }
        let place = EncodedNode(in: self.place, index: self.count)
        if !self.arena.isLossy { self.place.adopt(place) }
        return place
    }

    func encodeNil() throws {
        if let null = try self.arena.coding.null?() {
            return try self.arena.write(.value(.text(null)), at: self.next())
        }
        guard !self.arena.isLossy else { return }
        throw self.arena.refusal(Void?.none as Any, EncodedNode(in: self.place, index: self.count), self.lost)
    }

    @_implements(UnkeyedEncodingContainer,encode(_:))
    func put(_ value: some Encodable) throws {
        try self.arena.put(value, at: self.next(), lacks: self.lost)
    }

    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(EncodedMembers(arena: self.arena, place: self.arena.require(self.next(), .always)))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        EncodedElements(self.arena, self.arena.require(self.next(), .always))
    }

    /// If values replace others, it is the array's own place, where the encoder's output replaces the elements.
    func superEncoder() -> any Encoder {
        let next = self.next()
        guard !self.arena.isLossy else { return ValueEncoder(arena: self.arena, place: self.place) }
        return ValueEncoder(arena: self.arena, place: self.arena.require(next, .always))
    }
}

/// A single value, written once.
private struct EncodedSingle: SingleValueEncodingContainer {
    let arena: EncodingArena
    let place: EncodedNode
    private var isWritten = false

    init(arena: EncodingArena, place: EncodedNode) { (self.arena, self.place) = (arena, place) }

    var codingPath: [any CodingKey] { self.place.codingPath }

    mutating func encodeNil() throws {
        guard let null = try self.arena.coding.null?() else {
            if self.place.parent == nil, !self.arena.isLossy { throw InvalidRoot.singleValue }
            return try self.arena.checkIsFree(self.place, isNil: true)
        }
        try self.checkIsFirst()
        try self.arena.write(.value(.text(null)), at: self.place)
        self.place.isNull = true
    }

    private mutating func checkIsFirst() throws {
        guard !self.isWritten else { throw self.arena.conflict(self.place) }
        self.isWritten = true
    }

    @_implements(SingleValueEncodingContainer,encode(_:))
    mutating func put<Value: Encodable>(_ value: Value) throws {
        try self.checkIsFirst()
        let leaf = try self.arena.leaf(value, at: self.place)
        if let leaf, !leaf.isNothing {
            try self.arena.write(leaf, at: self.place)
            // The value's type may decode nil first, as optionals do.
            if self.arena.nullText != nil { try self.arena.checkIsNotNull(value, at: self.place) }
            return
        }
        if leaf == nil { try self.arena.encode(value, at: self.place) }
        guard self.place.parent != nil else { return }
        try self.arena.check(
            value, at: self.place,
            lacks: EncodingArena.isNil(value)
                ? nil
                : "An empty value in a wrapper type would be read as nil: leave the member out"
                    + self.arena.coding.remedy("it"))
    }
}

// MARK: Leaves

extension EncodedLeaf {
    var isNothing: Bool { if case .nothing = self { true } else { false } }
}

extension EncodingArena {
    /// A value that isn't a container; `nil` if its type has to encode it.
    ///
    /// Types are compared first, because a cast that fails is slow.
    func leaf<Value: Encodable>(_ value: Value, at place: EncodedNode) throws -> EncodedLeaf? {
        if Value.self == String.self { return (value as? String).map { .value(.text($0)) } }
        if Value.self == Int.self { return (value as? Int).map { .value(.integer(Int128($0))) } }
        if Value.self == Bool.self { return (value as? Bool).map { .value(.bool($0)) } }
        if Value.self == Double.self {
            return try (value as? Double).map { .value(.double(try self.finite($0, place))) }
        }
        if Value.self == Float.self {
            return try (value as? Float).map { .value(.text(String(try self.finite($0, place)))) }
        }
        if let type = Value.self as? any FixedWidthInteger.Type { return Self.digits(value, type).map { .value($0) } }
        do {
            if let leaf = try self.coding.foreign?.leaf(of: value) { return leaf }
            guard let dates = self.coding.dates else { return nil }
            if let value = value as? any FormTextConvertible { return .value(.text(try value.checkedText)) }
            if let moment = value as? any FormMoment {
                return .value(.text(try moment.text(dates, self.coding.words.option("dates"))))
            }
            return nil
        } catch let unwritable as Unwritable {
            guard !self.coding.isLossy else { return .value(.text(unwritable.text)) }
            // Foundation traps when it describes a date outside its calendar.
            let described: Any = (value as? any FormMoment)?.timeIntervalSinceReferenceDate ?? value
            throw self.refusal(described, place, unwritable.reason)
        } catch EncodingError.invalidValue(let value, let context) {
            throw EncodingError.invalidValue(
                value,
                .init(
                    codingPath: place.codingPath + context.codingPath, debugDescription: context.debugDescription,
                    underlyingError: context.underlyingError))
        }
    }

    private func finite<Number: BinaryFloatingPoint>(_ number: Number, _ place: EncodedNode) throws -> Number {
        guard number.isFinite || self.coding.isLossy || self.coding.acceptsNonFiniteNumbers else {
            let option = self.coding.words.option("acceptsNonFiniteNumbers")
            throw self.refusal(number, place, "\(number) is not a finite number\(option)")
        }
        return number
    }

    private static func digits<Integer: FixedWidthInteger>(
        _ value: some Encodable, _ type: Integer.Type
    ) -> ParameterValue? {
        (value as? Integer).map { number in Int128(exactly: number).map { .integer($0) } ?? .text(String(number)) }
    }
}

extension FormTextConvertible {
    /// The text, if it is read back as the same value.
    fileprivate var checkedText: String {
        get throws {
            let text = self.formText
            guard let read = Self(formText: text), read.formText.hasSameBytes(as: text) else {
                throw Unwritable(
                    self is any Numeric
                        ? "\(text) is not a finite number, and can't be read back: leave it out, or make it nil"
                        : "\(Self.self) doesn't read its own text back, \"\(text)\": its init(formText:) has to")
            }
            if let value = self as? any Equatable, !value.isEqual(to: read) {
                throw Unwritable("\(Self.self) reads its own text as another value, \"\(text)\"")
            }
            return text
        }
    }
}

extension FormMoment {
    fileprivate func text(_ dates: FormDateFormat, _ option: String) throws -> String {
        let seconds = self.timeIntervalSinceReferenceDate
        guard let text = dates.text(secondsSince2001: seconds) else {
            throw Unwritable("A Date \(seconds) s after 2001 has no text in this format\(option)")
        }
        return text
    }
}

extension Equatable {
    fileprivate func isEqual(to other: Any) -> Bool { (other as? Self) == self }
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
