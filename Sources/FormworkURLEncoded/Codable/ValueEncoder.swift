import FormworkCore

/// The state that all encoders and containers of one encoding share.
final class EncodingArena {
    let coding: URLEncodedCoding
    /// The text for nil; `nil` if it isn't written or doesn't matter.
    let nullText: String?
    /// One value, so that each call checks exclusive access only once.
    var tree: EncodedTree

    init(_ coding: URLEncodedCoding) {
        self.coding = coding
        self.nullText = coding.isLossy ? nil : try? coding.null()
        self.tree = EncodedTree(coding)
    }
}

/// An encoder at one place of an ``EncodedTree``. It has two words, so that passing it allocates nothing.
struct ValueEncoder: Encoder {
    let arena: EncodingArena
    let place: Int32

    var codingPath: [any CodingKey] { self.arena.tree.codingPath(self.place) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(EncodedMembers(arena: self.arena, place: self.place))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { EncodedElements(self.arena, self.place) }
    func singleValueContainer() -> any SingleValueEncodingContainer {
        EncodedSingle(arena: self.arena, place: self.place)
    }
}

extension EncodingArena {
    /// A value that isn't a container; `nil` if its type has to encode it.
    ///
    /// Types are compared first, because a cast that fails is slow.
    func leaf<Value: Encodable>(_ value: Value, at path: () -> [any CodingKey]) throws -> ParameterValue? {
        if Value.self == String.self { return (value as? String).map { .text($0) } }
        if Value.self == Int.self { return (value as? Int).map { .integer(Int128($0)) } }
        if Value.self == Bool.self { return (value as? Bool).map { .bool($0) } }
        if Value.self == Double.self { return try (value as? Double).map { .double(try self.finite($0, path)) } }
        if Value.self == Float.self { return try (value as? Float).map { .text(String(try self.finite($0, path))) } }
        if let type = Value.self as? any FixedWidthInteger.Type { return Self.digits(value, type) }
        do {
            return try self.coding.foreign.text(of: value).map { .text($0) }
        } catch let unwritable as Unwritable {
            guard self.coding.isLossy else { throw self.coding.refusal(value, path(), unwritable.reason) }
            return .text(unwritable.text)
        }
    }

    private func finite<Number: BinaryFloatingPoint>(_ number: Number, _ path: () -> [any CodingKey]) throws -> Number {
        guard number.isFinite || self.coding.isLossy else {
            throw self.coding.refusal(number, path(), "\(number) is not a finite number")
        }
        return number
    }

    func emptyContainer(_ value: Any, _ place: Int32) -> EncodingError {
        self.coding.refusal(
            value, self.tree.codingPath(place),
            "a container without values writes nothing: give an enumeration a raw value")
    }

    /// Refuses a value if too little of it was written to be read back.
    /// - Parameters:
    ///   - isOptional: Whether the value was in an optional that isn't part of `Value`.
    ///   - lacks: Why a value without any text can't be read back; `nil` if it can.
    func check<Value: Encodable>(_ value: Value, at place: Int32, isOptional: Bool = false, lacks: String?) throws {
        guard !self.coding.isLossy else { return }
        let written = self.tree.places[Int(place)]
        let isOptional = isOptional || Value.self is any AnyOptional.Type && !Self.isNil(value)
        guard written.isWritten || written.node >= 0 else {
            try self.tree.checkIsFree(place)
            if let lacks { throw self.coding.refusal(value, self.tree.codingPath(place), lacks) }
            guard isOptional else { return }
            throw self.coding.refusal(
                value, self.tree.codingPath(place), "an optional value that is empty writes nothing, as nil does")
        }
        if isOptional, written.isNull || self.tree.looksNull(written.node, self.nullText) {
            throw self.looksNull(value, self.tree.codingPath(place))
        }
    }

    func checkIsNotNull(_ leaf: ParameterValue, _ path: () -> [any CodingKey]) throws {
        guard let null = self.nullText, self.coding.text(of: leaf) == null else { return }
        throw self.looksNull(leaf, path())
    }

    private func looksNull(_ value: Any, _ path: [any CodingKey]) -> EncodingError {
        self.coding.refusal(value, path, "nilEncoding writes nil like this value, as \"\(self.nullText ?? "")\"")
    }

    static func isNil(_ value: some Any) -> Bool { (value as? any AnyOptional)?.isNil ?? false }

    private static func digits<Integer: FixedWidthInteger>(
        _ value: some Encodable, _ type: Integer.Type
    ) -> ParameterValue? {
        (value as? Integer).map { number in Int128(exactly: number).map { .integer($0) } ?? .text(String(number)) }
    }
}

/// A single value, written once.
struct EncodedSingle: SingleValueEncodingContainer {
    let arena: EncodingArena
    let place: Int32
    private var isWritten = false

    init(arena: EncodingArena, place: Int32) { (self.arena, self.place) = (arena, place) }

    var codingPath: [any CodingKey] { self.arena.tree.codingPath(self.place) }

    mutating func encodeNil() throws {
        guard let null = try self.arena.coding.null() else {
            if self.place == 0, !self.arena.coding.isLossy { throw InvalidRoot.singleValue }
            return try self.arena.tree.checkIsFree(self.place)
        }
        try self.checkIsFirst(null)
        try self.arena.tree.write(.text(null), at: self.place)
        self.arena.tree.places[Int(self.place)].isNull = true
    }

    mutating func encode<Value: Encodable>(_ value: Value) throws { try self.put(value) }
    mutating func encode(_ value: Int128) throws { try self.put(value) }
    mutating func encode(_ value: UInt128) throws { try self.put(value) }

    private mutating func checkIsFirst(_ value: some Any) throws {
        guard !self.isWritten else {
            throw EncodingError.invalidValue(
                value, .init(codingPath: self.codingPath, debugDescription: "A single value was already encoded here."))
        }
        self.isWritten = true
    }

    private mutating func put<Value: Encodable>(_ value: Value) throws {
        try self.checkIsFirst(value)
        if let leaf = try self.arena.leaf(value, at: { self.codingPath }) {
            // The value's type may decode nil first, as optionals do.
            try self.arena.checkIsNotNull(leaf) { self.codingPath }
            return try self.arena.tree.write(leaf, at: self.place)
        }
        try value.encode(to: ValueEncoder(arena: self.arena, place: self.place))
        guard self.place > 0 else { return }
        try self.arena.check(
            value, at: self.place,
            lacks: EncodingArena.isNil(value) ? nil : "a type with an empty value writes nothing, as nil does")
    }
}

/// The elements of an array. Copies share their counter.
struct EncodedElements: UnkeyedEncodingContainer {
    private let arena: EncodingArena
    private let place: Int32
    private let counter: Int32

    init(_ arena: EncodingArena, _ place: Int32) {
        (self.arena, self.place, self.counter) = (arena, place, Int32(arena.tree.counts.count))
        arena.tree.counts.append(0)
    }

    var codingPath: [any CodingKey] { self.arena.tree.codingPath(self.place) }
    var count: Int { self.arena.tree.counts[Int(self.counter)] }

    private func next() -> Int {
        defer { self.arena.tree.counts[Int(self.counter)] += 1 }
        return self.count
    }

    private func nextPlace() -> Int32 {
        let index = self.next()
        return self.arena.tree.place(index, in: self.place)
    }

    mutating func encodeNil() throws {
        if let null = try self.arena.coding.null() {
            return try self.arena.tree.write(.text(null), "", self.next(), in: self.place)
        }
        guard !self.arena.coding.isLossy else { return }
        throw self.arena.coding.refusal(
            Void?.none as Any, self.codingPath + [IndexKey(self.count)],
            "nilEncoding leaves out elements of arrays that are nil")
    }

    mutating func encode<Value: Encodable>(_ value: Value) throws { try self.put(value) }
    mutating func encode(_ value: Int128) throws { try self.put(value) }
    mutating func encode(_ value: UInt128) throws { try self.put(value) }

    private func put<Value: Encodable>(_ value: Value) throws {
        let index = self.next()
        if let leaf = try self.arena.leaf(value, at: { self.codingPath + [IndexKey(index)] }) {
            return try self.arena.tree.write(leaf, "", index, in: self.place)
        }
        let place = self.arena.tree.place(index, in: self.place)
        try self.arena.tree.checkDepth(place)
        try value.encode(to: ValueEncoder(arena: self.arena, place: place))
        try self.arena.check(value, at: place, lacks: "an element of an array that is nil or empty writes nothing")
    }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(EncodedMembers(arena: self.arena, place: self.arena.tree.require(self.nextPlace())))
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        EncodedElements(self.arena, self.arena.tree.require(self.nextPlace()))
    }

    /// If values replace others, it is the array's own place, where the encoder's output replaces the elements.
    mutating func superEncoder() -> any Encoder {
        let index = self.next()
        guard !self.arena.coding.isLossy else { return ValueEncoder(arena: self.arena, place: self.place) }
        let place = self.arena.tree.require(self.arena.tree.place(index, in: self.place))
        return ValueEncoder(arena: self.arena, place: place)
    }
}
