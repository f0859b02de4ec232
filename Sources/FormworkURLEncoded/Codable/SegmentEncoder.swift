import FormworkCore

/// An encoder at one place of a ``SegmentArena``. It has two words, so that passing it allocates nothing.
struct SegmentEncoder: Encoder {
    let arena: SegmentArena
    let place: Int32

    var codingPath: [any CodingKey] { self.arena.tree.codingPath(self.place) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(KeyedSegments(arena: self.arena, place: self.place))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { UnkeyedSegments(self.arena, self.place) }
    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleSegment(arena: self.arena, place: self.place)
    }
}

extension SegmentArena {
    /// The text of a value that isn't a container; `nil` if its type has to encode it.
    ///
    /// Types are compared first, because a cast that fails is slow.
    func text<Value: Encodable>(of value: Value, at path: () -> [any CodingKey]) throws -> String? {
        if Value.self == String.self { return value as? String }
        if Value.self == Int.self { return (value as? Int).map { String($0) } }
        if Value.self == Bool.self {
            guard let bool = value as? Bool else { return nil }
            return switch self.coding.bools {
            case .numeric: bool ? "1" : "0"
            case .literal: bool ? "true" : "false"
            }
        }
        if Value.self == Double.self { return try (value as? Double).map { try self.text($0, path) } }
        if Value.self == Float.self { return try (value as? Float).map { try self.text($0, path) } }
        if let type = Value.self as? any FixedWidthInteger.Type { return Self.digits(value, type) }
        do {
            return try self.coding.foreign.text(of: value)
        } catch let unwritable as Unwritable {
            guard self.coding.isAlamofire else { throw Self.refusal(value, path(), unwritable.reason) }
            return unwritable.text
        }
    }

    private func text(_ number: some BinaryFloatingPoint & LosslessStringConvertible, _ path: () -> [any CodingKey])
        throws
        -> String
    {
        guard number.isFinite || self.coding.isAlamofire else {
            throw Self.refusal(number, path(), "\(number) is not a finite number")
        }
        return String(number)
    }

    static func refusal(_ value: Any, _ path: [any CodingKey], _ why: String) -> EncodingError {
        .invalidValue(
            value,
            .init(codingPath: path, debugDescription: "\(why) (Compatibility.exact writes what Alamofire writes)"))
    }

    /// Refuses a value if too little of it was written to be read back.
    /// - Parameters:
    ///   - isOptional: Whether the value was in an optional that isn't part of `Value`.
    ///   - lacks: Why a value without any text can't be read back; `nil` if it can.
    func check<Value: Encodable>(_ value: Value, at place: Int32, isOptional: Bool = false, lacks: String?) throws {
        guard !self.coding.isAlamofire else { return }
        let written = self.tree.places[Int(place)]
        let isOptional = isOptional || Value.self is any AnyOptional.Type && !Self.isNil(value)
        guard written.isWritten || written.node >= 0 else {
            try self.tree.checkIsFree(place)
            if let lacks { throw Self.refusal(value, self.tree.codingPath(place), lacks) }
            guard isOptional else { return }
            throw Self.refusal(
                value, self.tree.codingPath(place), "an optional value that is empty writes nothing, as nil does")
        }
        if isOptional, written.isNull || self.tree.looksNull(written.node, self.nullText) {
            throw self.looksNull(value, self.tree.codingPath(place))
        }
    }

    func checkIsNotNull(_ text: String, _ path: () -> [any CodingKey]) throws {
        if !self.coding.isAlamofire, text == self.nullText { throw self.looksNull(text, path()) }
    }

    private func looksNull(_ value: Any, _ path: [any CodingKey]) -> EncodingError {
        Self.refusal(value, path, "nilEncoding writes nil like this value, as \"\(self.nullText ?? "")\"")
    }

    static func isNil(_ value: some Any) -> Bool { (value as? any AnyOptional)?.isNil ?? false }

    private static func digits<Integer: FixedWidthInteger>(_ value: some Encodable, _ type: Integer.Type) -> String? {
        (value as? Integer).map { String($0) }
    }
}

/// A single value, written once.
struct SingleSegment: SingleValueEncodingContainer {
    let arena: SegmentArena
    let place: Int32
    private var isWritten = false

    init(arena: SegmentArena, place: Int32) { (self.arena, self.place) = (arena, place) }

    var codingPath: [any CodingKey] { self.arena.tree.codingPath(self.place) }

    mutating func encodeNil() throws {
        guard let null = try self.arena.coding.null() else {
            if self.place == 0, !self.arena.coding.isAlamofire { throw InvalidRoot.singleValue }
            return try self.arena.tree.checkIsFree(self.place)
        }
        try self.checkIsFirst(null)
        try self.arena.tree.write(null, at: self.place)
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
        if let text = try self.arena.text(of: value, at: { self.codingPath }) {
            // The value's type may decode nil first, as optionals do.
            try self.arena.checkIsNotNull(text) { self.codingPath }
            return try self.arena.tree.write(text, at: self.place)
        }
        try value.encode(to: SegmentEncoder(arena: self.arena, place: self.place))
        guard self.place > 0 else { return }
        try self.arena.check(
            value, at: self.place,
            lacks: SegmentArena.isNil(value) ? nil : "a type with an empty value writes nothing, as nil does")
    }
}

/// The elements of an array. Copies share their counter.
struct UnkeyedSegments: UnkeyedEncodingContainer {
    private let arena: SegmentArena
    private let place: Int32
    private let counter: Int32

    init(_ arena: SegmentArena, _ place: Int32) {
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
            return try self.arena.tree.write(null, "", self.next(), in: self.place)
        }
        guard !self.arena.coding.isAlamofire else { return }
        throw SegmentArena.refusal(
            Void?.none as Any, self.codingPath + [IndexKey(self.count)],
            "nilEncoding leaves out elements of arrays that are nil")
    }

    mutating func encode<Value: Encodable>(_ value: Value) throws { try self.put(value) }
    mutating func encode(_ value: Int128) throws { try self.put(value) }
    mutating func encode(_ value: UInt128) throws { try self.put(value) }

    private func put<Value: Encodable>(_ value: Value) throws {
        let index = self.next()
        if let text = try self.arena.text(of: value, at: { self.codingPath + [IndexKey(index)] }) {
            return try self.arena.tree.write(text, "", index, in: self.place)
        }
        let place = self.arena.tree.place(index, in: self.place)
        try self.arena.tree.checkDepth(place)
        try value.encode(to: SegmentEncoder(arena: self.arena, place: place))
        try self.arena.check(value, at: place, lacks: "an element of an array that is nil or empty writes nothing")
    }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(KeyedSegments(arena: self.arena, place: self.arena.tree.require(self.nextPlace())))
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedSegments(self.arena, self.arena.tree.require(self.nextPlace()))
    }

    /// Alamofire uses the array's own place, where the encoder's output replaces the elements.
    mutating func superEncoder() -> any Encoder {
        let index = self.next()
        guard !self.arena.coding.isAlamofire else { return SegmentEncoder(arena: self.arena, place: self.place) }
        let place = self.arena.tree.require(self.arena.tree.place(index, in: self.place))
        return SegmentEncoder(arena: self.arena, place: place)
    }
}
