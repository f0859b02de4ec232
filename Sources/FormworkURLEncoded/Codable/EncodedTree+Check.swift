extension EncodedTree {
    /// Checks that what was encoded is read back.
    /// - Parameters:
    ///   - root: A decoder of the text that was written.
    ///   - text: The text of a single value.
    /// - Throws: `DecodingError` with the place that would be read differently.
    func check(_ root: ValueDecoder, _ text: (ParameterValue) throws -> String?) throws {
        try self.check(0, root, text)
        for (place, key) in self.unwritten {
            let member = try DecodedMemberList(of: self.decoder(at: place, root)).member(key)
            guard member.name == nil, !member.decoder.hasNamedElements else {
                throw member.decoder.refusal(
                    self.coding.words.nameOption, "a member that isn't written has the name of another one")
            }
        }
        // An enumeration searches its case among all keys.
        for (place, requirement) in self.required where requirement != .never {
            guard let key = self.places[Int(place)].key, self.places[Int(place)].node >= 0 else { continue }
            let outer = try self.decoder(at: self.places[Int(place)].parent, root)
            let member = try DecodedMemberList(of: outer).member(key)
            guard member.name == key.stringValue else {
                throw member.decoder.refusal(
                    self.coding.words.nameOption, "it changes the name of an enumeration's case")
            }
        }
    }

    private func decoder(at place: Int32, _ root: ValueDecoder) throws -> ValueDecoder {
        guard place > 0 else { return root }
        let level = self.places[Int(place)]
        let parent = try self.decoder(at: level.parent, root)
        if let key = level.key { return try DecodedMemberList(of: parent).member(key).decoder }
        let elements = try parent.elements()
        return elements.indices.contains(level.index)
            ? parent.element(elements[level.index], level.index) : parent.absent(IndexKey(level.index), nil)
    }

    private func check(_ node: Int32, _ decoder: ValueDecoder, _ text: (ParameterValue) throws -> String?) throws {
        let content = self.nodes[Int(node)]
        switch content.kind {
        case .object: try self.checkMembers(of: node, decoder, text)
        case .array:
            let elements = try decoder.elements()
            guard elements.count == content.count else {
                throw decoder.refusal(
                    decoder.leaves.words.arrayOption,
                    "\(content.count, "element") would be read as \(elements.count): use "
                        + decoder.leaves.words.indexedOption)
            }
            for (index, child) in self.children(of: node).enumerated() {
                try self.check(child, decoder.element(elements[index], index), text)
            }
        case .value:
            let found = try decoder.text(String.self)
            if case .value(.double(let number)) = content.value,
                Double(decimal: found, acceptsNonFinite: false) != number
            {
                throw decoder.corrupted("\(number) would be written as \(found)")
            }
            guard case .value(let value) = content.value, try found.hasSameBytes(as: text(value) ?? "") else {
                throw decoder.refusal(
                    "\(self.coding.words.arrayOption) or \(self.coding.words.nameOption)",
                    "another value has the same name")
            }
        }
    }

    private func checkMembers(
        of node: Int32, _ decoder: ValueDecoder, _ text: (ParameterValue) throws -> String?
    ) throws {
        let children = self.children(of: node)
        let isOpen = children.contains { self.nodes[Int($0)].isOpen }
        try decoder.checkIsObject(isOpen: isOpen)
        let members = DecodedMemberList(of: decoder)
        var reached: Set<String> = []
        for child in children {
            let (name, isOpen) = (self.nodes[Int(child)].name, self.nodes[Int(child)].isOpen)
            let member = try members.member(IndexKey(named: name))
            if isOpen, !(member.name?.hasSameBytes(as: name) ?? false) {
                throw member.decoder.refusal(
                    self.coding.words.nameOption,
                    "a dictionary's key \"\(name)\" would be "
                        + (member.name.map { "read as \"\($0)\"" } ?? "lost: its name isn't in the text"))
            }
            if let name = member.name { reached.insert(name) }
            try self.check(child, member.decoder, text)
        }
        // The elements of an array may have names of their own, beside the members'.
        let hasNamedElements = decoder.leaves.changes?.hasNamedElements ?? false
        let read = Set(members.names)
        guard isOpen || !hasNamedElements, read != reached else { return }
        throw decoder.refusal(
            self.coding.words.nameOption,
            isOpen
                ? "a dictionary's keys change when they are written"
                : "members would be read that weren't written: \(read.subtracting(reached).sorted())")
    }
}
