extension EncodedTree {
    /// Checks that what was encoded is read back.
    /// - Parameters:
    ///   - root: A decoder of the text that was written.
    ///   - text: The text of a single value.
    /// - Throws: `DecodingError` with the place that would be read differently.
    func check(_ root: TreeDecoder, _ text: (ParameterValue) throws -> String?) throws {
        try self.check(0, root, text)
        for (place, key) in self.unwritten {
            let member = try self.decoder(at: place, root).place(of: key)
            guard member.node < 0, !member.hasNamedElements else {
                throw member.refusal("keyEncoding", "a member that isn't written has the name of another one")
            }
        }
        // An enumeration searches its case among all keys.
        for place in self.required {
            guard let key = self.places[Int(place)].key else { continue }
            let outer = try self.decoder(at: self.places[Int(place)].parent, root)
            let member = try outer.place(of: key)
            guard outer.reading.tree.member(key.stringValue, of: outer.node) == member.node else {
                throw member.refusal("keyEncoding", "it changes the name of an enumeration's case")
            }
        }
    }

    private func decoder(at place: Int32, _ root: TreeDecoder) throws -> TreeDecoder {
        guard place > 0 else { return root }
        let level = self.places[Int(place)]
        let parent = try self.decoder(at: level.parent, root)
        if let key = level.key { return try parent.place(of: key) }
        let elements = try parent.elements()
        return elements.indices.contains(level.index)
            ? parent.element(elements[level.index], level.index) : parent.nothing
    }

    private func check(_ node: Int32, _ decoder: TreeDecoder, _ text: (ParameterValue) throws -> String?) throws {
        let content = self.nodes[Int(node)]
        switch content.kind {
        case .object: try self.checkMembers(of: node, decoder, text)
        case .array:
            let elements = try decoder.elements()
            guard elements.count == content.count else {
                throw decoder.refusal(
                    decoder.arrayOption,
                    "\(content.count, "element") would be read as \(elements.count): use \(decoder.indexedOption)")
            }
            for (index, child) in self.children(of: node).enumerated() {
                try self.check(child, decoder.element(elements[index], index), text)
            }
        case .value:
            let found = try decoder.text()
            if case .double(let number) = content.value, Double(decimal: found, acceptsNonFinite: false) != number {
                throw decoder.corrupted("\(number) would be written as \(found)")
            }
            guard try found.hasSameBytes(as: text(content.value) ?? "") else {
                throw decoder.refusal("arrayEncoding or keyEncoding", "another value has the same name")
            }
        }
    }

    private func checkMembers(
        of node: Int32, _ decoder: TreeDecoder, _ text: (ParameterValue) throws -> String?
    ) throws {
        let children = self.children(of: node)
        let isOpen = children.contains { self.nodes[Int($0)].isOpen }
        try decoder.checkIsObject(isOpen: isOpen)
        var reached: Set<Int32> = []
        for child in children {
            let (name, isOpen) = (self.nodes[Int(child)].name, self.nodes[Int(child)].isOpen)
            let member = try decoder.place(of: IndexKey(named: name))
            if isOpen, let found = member.content?.name, !found.hasSameBytes(as: name) {
                throw member.refusal("keyEncoding", "a dictionary's key \"\(name)\" would be read as \"\(found)\"")
            }
            reached.insert(member.node)
            try self.check(child, member, text)
        }
        // The elements of an array may have names of their own, beside the members'.
        let read = Set(decoder.content?.children ?? [])
        guard isOpen || !decoder.reading.hasNamedElements, read != reached else { return }
        let names = read.subtracting(reached).map { decoder.reading.tree.nodes[Int($0)].name ?? "[]" }
        throw decoder.refusal(
            "keyEncoding",
            isOpen
                ? "a dictionary's keys change when they are written"
                : "members would be read that weren't written: \(names.sorted())")
    }
}
