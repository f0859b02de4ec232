import FormworkCore

extension CodingPolicy {
    /// Encodes a value whose root is an object.
    /// - Throws: ``InvalidRoot``; `EncodingError` for values that would be lost; errors of the value's type.
    package func encode(_ value: some Encodable) throws -> [UInt8] {
        let arena = EncodingArena(self)
        try arena.encode(value)
        var sink = TextSink(self.escaping, rename: self.rename)
        try Flattener(rules: self.flattening).flatten(arena.tree.finished(), into: &sink)
        guard !self.isLossy else { return sink.text }
        if let place = arena.tree.emptyRequired { throw arena.emptyContainer(place) }
        if self.namesMayBeLost(arena.tree.hasContainersInArrays) {
            try self.checkReadBack(of: value, arena.tree, sink.text)
        }
        return sink.text
    }

    /// Encodes a value as the fields of a form, each with its name.
    /// - Throws: What ``encode(_:)`` throws.
    package func encodeFields(of value: some Encodable, _ append: (String, EncodedLeaf) -> Void) throws {
        let arena = EncodingArena(self)
        try arena.encode(value)
        if let place = arena.tree.emptyRequired { throw arena.emptyContainer(place) }
        try arena.tree.forEachLeaf(append)
    }

    private func checkReadBack(of value: Any, _ tree: borrowing EncodedTree, _ text: [UInt8]) throws {
        var rules = URLEncodedDecoding()
        (rules.coding, rules.limits) = (self, .unlimited)
        rules.readsPlusAsSpace = self.escaping.entries[0x20] & 0xFF == 0x2B
        do {
            try tree.check(rules.decoder(of: text), self.text(of:))
        } catch {
            guard let (path, why) = DecodingError.place(error) else { throw error }
            var options = self.rename == nil ? [] : [self.words.nameOption]
            if options.isEmpty || tree.hasContainersInArrays { options.insert(self.words.arrayOption, at: 0) }
            let option = options.joined(separator: " or ")
            throw self.refusal(value, path, why.contains("Encoding") ? why : "\(option) loses this: \(why)")
        }
    }

    /// Encodes a value whose root is an object, as text.
    /// - Throws: What ``encode(_:)`` throws.
    package func encodeText(_ value: some Encodable) throws -> String {
        String(decoding: try self.encode(value), as: UTF8.self)
    }

    /// Whether names may not be read back as the keys they were made from. A closure for member names can't be
    /// reversed; that is the caller's choice.
    private func namesMayBeLost(_ hasContainersInArrays: Bool) -> Bool {
        if case .custom = self.flattening.members { return false }
        if self.rename != nil { return true }
        return switch self.flattening.arrays {
        case .indexed: false
        case .brackets, .repeated: hasContainersInArrays
        case .custom: true
        }
    }
}
