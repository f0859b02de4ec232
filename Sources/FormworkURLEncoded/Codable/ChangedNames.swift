import FormworkCore

/// How an encoder changes whole names. A key is looked up by the name that the encoder would write for it.
package final class ChangedNames {
    /// The names of members and elements before they are changed.
    let coding: CodingPolicy
    var flattening: Flattening { self.coding.dialect.flattening }
    /// Whether only a closure knows the names of elements.
    let hasNamedElements: Bool
    let usesDots: Bool
    /// The whole name of the key that was found at each place: two keys may get the same name.
    fileprivate var claims: [[String]: String] = [:]
    /// The members at each place where a name was searched.
    fileprivate var lists: [[String]: DecodedMemberList] = [:]

    fileprivate let root: ValueDecoder.Value

    /// - Returns: `nil` if names aren't changed.
    init?(_ coding: CodingPolicy, _ root: ValueDecoder.Value) {
        self.root = root
        let hasOwnElements = if case .custom = coding.dialect.flattening.arrays { true } else { false }
        let hasOwnMembers = if case .custom = coding.dialect.flattening.members { true } else { false }
        guard hasOwnElements || hasOwnMembers || coding.rename != nil else { return nil }
        (self.coding, self.hasNamedElements) = (coding, hasOwnElements)
        self.usesDots = coding.dialect.flattening.members.areDots
    }

    /// The levels of a name as it is written.
    func path(of name: String) -> [NameKey] {
        let written = Array((self.coding.rename?(name) ?? name).utf8)
        return NameKey.path(written, dots: self.usesDots, limit: 512) ?? [NameKey(written)]
    }

    /// The texts by which a member may be found in its object. With snake case, the end of a name depends on what follows
    /// it, such as a member's name.
    func searched(_ name: String) -> [String] {
        [(name, 0), (name + self.flattening.members.name("a"), 1)].compactMap { name, fromEnd in
            let path = self.path(of: name)
            return path.count > fromEnd && path[path.count - 1 - fromEnd] != .next
                ? path[path.count - 1 - fromEnd].text : nil
        }
    }
}

extension ValueDecoder.Value {
    fileprivate var isLeaf: Bool { if case .leaf = self { true } else { false } }
}

/// A place in text whose names were changed.
final class ChangedPosition {
    /// The whole name before it was changed.
    let name: String
    /// The levels at which it was found.
    let path: [String]

    init(name: String, path: [String]) { (self.name, self.path) = (name, path) }
}

extension ValueDecoder {
    /// The whole name of a member, if names were changed.
    func changedName(of key: String) -> String {
        guard let found, let changes = self.leaves.changes, !self.isRoot else { return key }
        return found.name + changes.flattening.members.name(key)
    }

    func place(ofElement index: Int) -> ChangedPosition? {
        guard let found, let changes = self.leaves.changes else { return nil }
        return ChangedPosition(
            name: changes.flattening.arrays.name(found.name, index), path: found.path + ["[\(index)]"])
    }

    func place(ofMissing key: any CodingKey) -> ChangedPosition? {
        guard let found else { return nil }
        let name = key.stringValue
        return ChangedPosition(name: self.changedName(of: name), path: found.path + ["missing", name])
    }

    /// The place of a member that was found by a text.
    /// - Throws: `DecodingError` if it was found for another key before.
    func place(of key: any CodingKey, foundAs text: String) throws -> ChangedPosition? {
        guard let found, let changes = self.leaves.changes else { return nil }
        let place = ChangedPosition(name: self.changedName(of: key.stringValue), path: found.path + [text])
        let claim = changes.claims[place.path] ?? place.name
        guard claim == place.name else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: self.codingPath + [key],
                    debugDescription:
                        "keyEncoding loses information that decoding needs: \"\(claim)\" and \"\(place.name)\" have the same name"
                ))
        }
        changes.claims[place.path] = place.name
        return place
    }

    /// Refuses an object whose keys aren't known.
    func checkNames(_ changes: ChangedNames, isOpen: Bool) throws {
        if !self.isRoot, case .custom = changes.flattening.members {
            throw self.refusal("keyPathEncoding", "only the closure knows the names of nested objects")
        }
        guard changes.coding.rename != nil, isOpen else { return }
        let members = DecodedMemberList(of: self)
        guard members.names.allSatisfy({ name in members.find(name).map { members.name($0) } == name }) else {
            throw self.refusal("keyEncoding", "a dictionary's keys can't be restored from changed names")
        }
    }

    /// Whether there is a first element of an array that has no name of its own.
    var hasNamedElements: Bool {
        guard let found, let changes = self.leaves.changes, changes.hasNamedElements else { return false }
        return self.find(changes.flattening.arrays.name(found.name, 0), changes) != nil
    }

    /// Elements by the names that the encoder gives them, up to the first missing one; `nil` if there are none.
    func namedElements() throws -> [Value]? {
        guard let found, let changes = self.leaves.changes, changes.hasNamedElements else { return nil }
        guard (self.key as? IndexKey)?.intValue == nil else {
            throw self.refusal("arrayEncoding", "only the closure knows the names of arrays within arrays")
        }
        var (elements, known): ([Value], Set<[String]>) = ([], [])
        while let element = self.find(changes.flattening.arrays.name(found.name, elements.count), changes),
            known.insert(element.path).inserted
        {
            switch element.value {
            case .leaf: elements.append(element.value)
            // A closure may give all elements one name.
            case .array(let values) where values.allSatisfy(\.isLeaf): return values
            case .array, .unclear, .object:
                throw self.refusal("arrayEncoding", "only the closure knows the names of objects within arrays")
            }
        }
        return elements.isEmpty ? nil : elements
    }
}

extension ValueDecoder {
    /// The place of a whole name.
    private func find(_ name: String, _ changes: ChangedNames) -> (value: Value, path: [String])? {
        var (value, path): (Value, [String]) = (changes.root, [])
        for key in changes.path(of: name) {
            if key == .next {
                guard case .array(let elements) = value, let first = elements.first else { return nil }
                (value, path) = (first, path + ["[]"])
            } else {
                let members = self.members(of: value, at: path, changes)
                guard let place = members.search(key.text) else { return nil }
                (value, path) = (members[place], path + [key.text])
            }
        }
        return (value, path)
    }

    /// The members of a place, which are searched for many names.
    private func members(of value: Value, at path: [String], _ changes: ChangedNames) -> DecodedMemberList {
        if let members = changes.lists[path] { return members }
        let members = DecodedMemberList(of: self, value)
        changes.lists[path] = members
        return members
    }
}
