/// What was written is read back, and compared.
extension EncodingArena {
    /// Checks that what was encoded is read back.
    /// - Parameter decoder: A decoder of the text that was written.
    /// - Throws: `DecodingError` with the place that would be read differently.
    func check(_ decoder: ValueDecoder) throws { try self.check(self.root, decoder) }

    private func check(_ place: EncodedNode, _ decoder: ValueDecoder) throws {
        switch place.kind {
        case .object, .nothing: try self.checkMembers(of: place, decoder)
        case .array:
            let elements = try decoder.elements()
            let written = Array(place.written)
            guard elements.count == written.count else {
                throw decoder.refusal(
                    decoder.leaves.coding.words.arrayOption,
                    "\(written.count, "element") would be read as \(elements.count): use "
                        + decoder.leaves.coding.words.indexedOption)
            }
            for (index, child) in written.enumerated() {
                try self.check(child, decoder.element(elements[index], index))
            }
        case .value:
            let found = try decoder.text(String.self)
            if case .value(.double(let number)) = place.value,
                Double(decimal: found, acceptsNonFinite: false) != number
            {
                throw decoder.corrupted("\(number) would be written as \(found)")
            }
            guard found.hasSameBytes(as: self.coding.text(of: place.value) ?? "") else {
                throw decoder.refusal(
                    "\(self.coding.words.arrayOption) or \(self.coding.words.nameOption)",
                    "another value has the same name")
            }
        }
    }

    private func checkMembers(of place: EncodedNode, _ decoder: ValueDecoder) throws {
        let option = self.coding.words.nameOption
        let isOpen = place.written.contains(where: \.isOpen)
        try decoder.checkIsObject(isOpen: isOpen)
        let members = DecodedMemberList(of: decoder)
        var reached: Set<String> = []
        for child in place.written {
            let member = try members.member(IndexKey(named: child.name))
            let isSame = member.name?.hasSameBytes(as: child.name) ?? false
            if child.isOpen, !isSame {
                throw member.decoder.refusal(
                    option,
                    "a dictionary's key \"\(child.name)\" would be "
                        + (member.name.map { "read as \"\($0)\"" } ?? "lost: its name isn't in the text"))
            }
            if let name = member.name { reached.insert(name) }
            try self.check(child, member.decoder)
            // An enumeration searches its case among all keys.
            guard isSame || child.requirement == nil || child.requirement == .never else {
                throw member.decoder.refusal(option, "it changes the name of an enumeration's case")
            }
        }
        try self.checkUnwritten(in: place, members)
        // The elements of an array may have names of their own, beside the members'.
        let hasNamedElements = decoder.leaves.changes?.hasNamedElements ?? false
        let read = Set(members.names)
        guard isOpen || !hasNamedElements, read != reached else { return }
        throw decoder.refusal(
            option,
            isOpen
                ? "a dictionary's keys change when they are written"
                : "members would be read that weren't written: \(read.subtracting(reached).sorted())")
    }

    /// Checks that nothing is read where nothing was written, if names may be changed.
    private func checkUnwritten(in place: EncodedNode, _ members: DecodedMemberList) throws {
        guard self.coding.changesNames else { return }
        for child in place.children where child.kind == .nothing {
            guard let key = child.key else { continue }
            let member = try members.member(key)
            guard member.name == nil, !member.decoder.hasNamedElements else {
                throw member.decoder.refusal(
                    self.coding.words.nameOption, "a member that isn't written has the name of another one")
            }
            try self.checkUnwritten(in: child, DecodedMemberList(of: member.decoder))
        }
    }
}
