extension URLEncodedCoding {
    /// Encodes a value whose root is an object.
    /// - Throws: ``InvalidRoot``; `EncodingError` for values that would be lost; errors of the value's type.
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
        let range = try arena.tree.finish()
        guard !self.isAlamofire else { return (arena, range) }
        if let place = arena.tree.required.first(where: {
            !arena.tree.places[Int($0)].isWritten && arena.tree.places[Int($0)].node < 0
        }) {
            throw SegmentArena.refusal(
                value, arena.tree.codingPath(place),
                "a container without values writes nothing: give an enumeration a raw value")
        }
        if self.namesMayBeLost(arena.tree.hasContainersInArrays) {
            try Replay(self, arena.tree.text[range]).check(value)
        }
        return (arena, range)
    }

    /// Whether names may not be read back as the keys they were made from. A closure for member names can't be
    /// reversed; that is the caller's choice.
    private func namesMayBeLost(_ hasContainersInArrays: Bool) -> Bool {
        if case .custom = self.members { return false }
        if self.rename != nil { return true }
        return switch self.arrays {
        case .indexed: false
        case .brackets, .repeated: hasContainersInArrays
        case .custom: true
        }
    }
}
