import FormworkCore

/// The state that all encoders and containers of one encoding share.
final class EncodingArena {
    let coding: CodingPolicy
    /// The text for nil; `nil` if it isn't written or doesn't matter.
    let nullText: String?
    /// The text that is read as nil for optionals of all types but `String`; `nil` for none.
    private var emptyText: String? { self.nullText ?? (self.coding.readsEmptyAsNil ? "" : nil) }
    /// One value, so that each call checks exclusive access only once.
    var tree: EncodedTree

    init(_ coding: CodingPolicy) {
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
    var userInfo: [CodingUserInfoKey: Any] { self.arena.coding.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(EncodedMembers(arena: self.arena, place: self.place))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { EncodedElements(self.arena, self.place) }
    func singleValueContainer() -> any SingleValueEncodingContainer {
        EncodedSingle(arena: self.arena, place: self.place)
    }
}

extension EncodingArena {
    /// Encodes a value whose root is an object.
    func encode(_ value: some Encodable) throws {
        guard try self.coding.isLossy || self.leaf(value, at: { [] }) == nil else { throw InvalidRoot.singleValue }
        try value.encode(to: ValueEncoder(arena: self, place: 0))
    }

    /// A value that isn't a container; `nil` if its type has to encode it.
    ///
    /// Types are compared first, because a cast that fails is slow.
    func leaf<Value: Encodable>(_ value: Value, at path: () -> [any CodingKey]) throws -> EncodedLeaf? {
        if Value.self == String.self { return (value as? String).map { .value(.text($0)) } }
        if Value.self == Int.self { return (value as? Int).map { .value(.integer(Int128($0))) } }
        if Value.self == Bool.self { return (value as? Bool).map { .value(.bool($0)) } }
        if Value.self == Double.self {
            return try (value as? Double).map { .value(.double(try self.finite($0, path))) }
        }
        if Value.self == Float.self {
            return try (value as? Float).map { .value(.text(String(try self.finite($0, path)))) }
        }
        if let type = Value.self as? any FixedWidthInteger.Type { return Self.digits(value, type).map { .value($0) } }
        do {
            if let leaf = try self.coding.foreign.leaf(of: value) { return leaf }
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
            throw self.coding.refusal(described, path(), unwritable.reason)
        } catch EncodingError.invalidValue(let value, let context) {
            throw EncodingError.invalidValue(
                value,
                .init(
                    codingPath: path() + context.codingPath, debugDescription: context.debugDescription,
                    underlyingError: context.underlyingError))
        }
    }

    private func finite<Number: BinaryFloatingPoint>(_ number: Number, _ path: () -> [any CodingKey]) throws -> Number {
        guard number.isFinite || self.coding.isLossy || self.coding.acceptsNonFiniteNumbers else {
            let option = self.coding.words.option("acceptsNonFiniteNumbers")
            throw self.coding.refusal(number, path(), "\(number) is not a finite number\(option)")
        }
        return number
    }

    func emptyContainer(_ place: Int32) -> EncodingError {
        self.coding.refusal(
            Void?.none as Any, self.tree.codingPath(place),
            "A container without values leaves nothing that could be read back: a case of an enumeration needs a raw value, or "
                + "an associated one that isn't nil or empty")
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
                value, self.tree.codingPath(place),
                "An optional value that is empty, or nil itself, writes nothing and would be read as nil: pass nil or make "
                    + "the member not optional" + self.coding.remedy("it"))
        }
        guard isOptional else { return }
        let isEmpty = written.isEmpty && self.coding.readsEmptyAsNil && Self.base(Value.self) != String.self
        if written.isNull || isEmpty || self.tree.looksNull(written.node, self.emptyText) {
            throw self.looksNull(value, self.tree.codingPath(place))
        }
    }

    /// Refuses a value in an optional if its text is read as nil.
    func checkIsNotNull(_ leaf: EncodedLeaf, _ type: Any.Type, _ path: () -> [any CodingKey]) throws {
        guard let empty = self.emptyText, self.coding.text(of: leaf) == empty,
            self.nullText != nil || Self.base(type) != String.self
        else { return }
        throw self.looksNull(leaf, path())
    }

    private func looksNull(_ value: Any, _ path: [any CodingKey]) -> EncodingError {
        self.coding.refusal(
            value, path,
            self.nullText.map { "nilEncoding writes nil like this value, as \"\($0)\"" }
                ?? "An optional value that is one empty field would be read as nil, as empty controls are: pass nil or make "
                + "the member not optional" + self.coding.remedy("it"))
    }

    private static func base(_ type: Any.Type) -> Any.Type { (type as? any AnyOptional.Type)?.base ?? type }

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
            return try self.arena.tree.checkIsFree(self.place, isNil: true)
        }
        try self.checkIsFirst()
        try self.arena.tree.write(.value(.text(null)), at: self.place)
        self.arena.tree.places[Int(self.place)].isNull = true
    }

    mutating func encode<Value: Encodable>(_ value: Value) throws { try self.put(value) }
    mutating func encode(_ value: Int128) throws { try self.put(value) }
    mutating func encode(_ value: UInt128) throws { try self.put(value) }

    private mutating func checkIsFirst() throws {
        guard !self.isWritten else { throw self.arena.tree.conflict(self.codingPath) }
        self.isWritten = true
    }

    private mutating func put<Value: Encodable>(_ value: Value) throws {
        try self.checkIsFirst()
        let leaf = try self.arena.leaf(value, at: { self.codingPath })
        if let leaf, !leaf.isNothing {
            // The value's type may decode nil first, as optionals do.
            if self.arena.nullText != nil { try self.arena.checkIsNotNull(leaf, Value.self) { self.codingPath } }
            return try self.arena.tree.write(leaf, at: self.place)
        }
        if leaf == nil { try value.encode(to: ValueEncoder(arena: self.arena, place: self.place)) }
        guard self.place > 0 else { return }
        try self.arena.check(
            value, at: self.place,
            lacks: EncodingArena.isNil(value)
                ? nil
                : "An empty value in a wrapper type would be read as nil: leave the member out"
                    + self.arena.coding.remedy("it"))
    }
}

extension EncodedLeaf {
    var isNothing: Bool { if case .nothing = self { true } else { false } }
}

/// The elements of an array. All containers of one place share its count; if values replace others, only a container's
/// copies share theirs.
struct EncodedElements: UnkeyedEncodingContainer {
    private let arena: EncodingArena
    private let place: Int32
    private let counter: Int32

    init(_ arena: EncodingArena, _ place: Int32) {
        (self.arena, self.place, self.counter) = (arena, place, arena.tree.counter(of: place))
    }

    var codingPath: [any CodingKey] { self.arena.tree.codingPath(self.place) }
    var count: Int { self.arena.tree.counts[Int(self.counter)] }

    private var lost: String {
        "A nil or empty element of an array writes nothing and would be lost: leave it out"
            + self.arena.coding.remedy("the array")
    }

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
            return try self.arena.tree.write(.value(.text(null)), "", self.next(), in: self.place)
        }
        guard !self.arena.coding.isLossy else { return }
        throw self.arena.coding.refusal(
            Void?.none as Any, self.codingPath + [IndexKey(self.count)], self.lost)
    }

    mutating func encode<Value: Encodable>(_ value: Value) throws { try self.put(value) }
    mutating func encode(_ value: Int128) throws { try self.put(value) }
    mutating func encode(_ value: UInt128) throws { try self.put(value) }

    private func put<Value: Encodable>(_ value: Value) throws {
        let index = self.next()
        let leaf = try self.arena.leaf(value, at: { self.codingPath + [IndexKey(index)] })
        if let leaf, !leaf.isNothing { return try self.arena.tree.write(leaf, "", index, in: self.place) }
        let place = self.arena.tree.place(index, in: self.place)
        try self.arena.tree.checkDepth(place)
        if leaf == nil { try value.encode(to: ValueEncoder(arena: self.arena, place: place)) }
        try self.arena.check(value, at: place, lacks: self.lost)
    }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(
            EncodedMembers(arena: self.arena, place: self.arena.tree.require(self.nextPlace(), .always)))
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        EncodedElements(self.arena, self.arena.tree.require(self.nextPlace(), .always))
    }

    /// If values replace others, it is the array's own place, where the encoder's output replaces the elements.
    mutating func superEncoder() -> any Encoder {
        let index = self.next()
        guard !self.arena.coding.isLossy else { return ValueEncoder(arena: self.arena, place: self.place) }
        let place = self.arena.tree.require(self.arena.tree.place(index, in: self.place), .always)
        return ValueEncoder(arena: self.arena, place: place)
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
