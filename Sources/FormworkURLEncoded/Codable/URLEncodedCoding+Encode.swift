extension URLEncodedCoding {
    /// Encodes a value whose root is an object.
    /// - Throws: ``InvalidRoot``; `EncodingError` for what would be lost; what the value's type throws.
    package func encode(_ value: some Encodable) throws -> [UInt8] {
        let (arena, range) = try self.arena(of: value)
        return Array(arena.tree.text[range])
    }

    /// Encodes a value whose root is an object, as text.
    /// - Throws: What ``encode(_:)`` throws.
    package func encodeText(_ value: some Encodable) throws -> String {
        let (arena, range) = try self.arena(of: value)
        return String(decoding: arena.tree.text[range], as: UTF8.self)
    }

    private func arena(of value: some Encodable) throws -> (SegmentArena, Range<Int>) {
        let arena = SegmentArena(self)
        try value.encode(to: SegmentEncoder(arena: arena, place: 0))
        return (arena, try arena.tree.finish())
    }
}
