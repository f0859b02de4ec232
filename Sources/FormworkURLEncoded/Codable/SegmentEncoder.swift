/// An encoder at one place of a ``SegmentArena``: two words, so that handing it out allocates nothing.
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
    /// The text of a value that is no container; `nil` when its type has to be asked.
    ///
    /// Types are compared first, because a cast of what is no such type is slow.
    func text<Value: Encodable>(of value: Value) throws -> String? {
        if Value.self == String.self { return value as? String }
        if Value.self == Int.self { return (value as? Int).map { String($0) } }
        if Value.self == Bool.self {
            guard let bool = value as? Bool else { return nil }
            return switch self.coding.bools {
            case .numeric: bool ? "1" : "0"
            case .literal: bool ? "true" : "false"
            }
        }
        if Value.self == Double.self { return (value as? Double).map { String($0) } }
        if Value.self == Float.self { return (value as? Float).map { String($0) } }
        if let type = Value.self as? any FixedWidthInteger.Type { return Self.digits(value, type) }
        return try self.coding.foreign.text(of: value)
    }

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
        if let null = self.arena.coding.null() { try self.encode(null) }
    }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
        guard !self.isWritten else {
            throw EncodingError.invalidValue(
                value, .init(codingPath: self.codingPath, debugDescription: "A single value is there already."))
        }
        if let text = try self.arena.text(of: value) {
            self.isWritten = true
            return try self.arena.tree.write(text, at: self.place)
        }
        self.isWritten = true
        try value.encode(to: SegmentEncoder(arena: self.arena, place: self.place))
    }
}

/// The elements of an array. Copies count on together.
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
        if let null = self.arena.coding.null() { try self.encode(null) }
    }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
        let index = self.next()
        if let text = try self.arena.text(of: value) {
            return try self.arena.tree.write(text, "", index, in: self.place)
        }
        try value.encode(to: SegmentEncoder(arena: self.arena, place: self.arena.tree.place(index, in: self.place)))
    }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(KeyedSegments(arena: self.arena, place: self.nextPlace()))
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedSegments(self.arena, self.nextPlace())
    }

    /// Alamofire gives the array's own place, where what the encoder writes replaces the elements.
    mutating func superEncoder() -> any Encoder {
        let index = self.next()
        let place = self.arena.coding.isAlamofire ? self.place : self.arena.tree.place(index, in: self.place)
        return SegmentEncoder(arena: self.arena, place: place)
    }
}
