/// The state that all decoders of one text share.
final class Reading {
    let tree: PairTree
    let rules: URLEncodedDecoding
    /// Whole names were changed, so they are looked up in the form that the encoder would write.
    let asksByName: Bool
    /// Whether only a closure knows the names of elements.
    let hasNamedElements: Bool
    let nullText: String?
    /// The key that was found at a node, to detect two keys with the same name.
    var claims: [Int32: String] = [:]

    init(_ tree: PairTree, _ rules: URLEncodedDecoding) {
        (self.tree, self.rules, self.nullText) = (tree, rules, try? rules.coding.null())
        let isCustom = if case .custom = rules.coding.arrays { true } else { false }
        let isOwn = if case .custom = rules.coding.members { true } else { false }
        self.asksByName = isCustom || isOwn || rules.coding.rename != nil
        self.hasNamedElements = isCustom
    }
}

/// The keys that lead to a value; converted to an array only for errors.
final class DecodingPath {
    let parent: DecodingPath?
    let key: any CodingKey

    init(_ parent: DecodingPath?, _ key: any CodingKey) { (self.parent, self.key) = (parent, key) }

    static func keys(_ path: DecodingPath?) -> [any CodingKey] {
        Array(sequence(first: path, next: { $0?.parent }).compactMap { $0?.key }).reversed()
    }
}

/// A member for which nothing was sent, in others like it.
private final class Absence {
    private let outer: Absence?
    private let type: ObjectIdentifier?
    private let depth: Int

    /// - Parameter type: `nil` if the caller reads it. This limits recursion: a type with two optional members of its own
    ///   type would otherwise be tried 2^32 times within 32 levels.
    /// - Returns: `nil` if the type is being read around it already, below four without a type, and below 32 of them.
    init?(_ type: Any.Type?, in outer: Absence?) {
        let type = type.map { ObjectIdentifier($0) }
        let around = sequence(first: outer, next: { $0?.outer }).count { $0.map { $0.type == type } ?? false }
        let depth = (outer?.depth ?? 0) + 1
        guard around < (type == nil ? 4 : 1), depth <= 32 else { return nil }
        (self.outer, self.type, self.depth) = (outer, type, depth)
    }
}

/// A place in the tree of names, or one of several values there.
struct TreeDecoder: Decoder {
    let reading: Reading
    /// Negative if nothing was sent: types that write nothing when empty can still be read.
    let node: Int32
    /// The index of one of the node's values; negative for the whole node.
    var value = -1
    var path: DecodingPath?
    /// The name before the encoder changes it.
    var name = ""
    /// What is being read at this place and those around it, if nothing was sent for them.
    private var absence: Absence?

    init(_ reading: Reading, node: Int32) { (self.reading, self.node) = (reading, node) }

    var codingPath: [any CodingKey] { DecodingPath.keys(self.path) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    var content: PairTree.Node? { self.node < 0 ? nil : self.reading.tree.nodes[Int(self.node)] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try self.checkIsObject(isOpen: self.reading.rules.coding.rename != nil && Key.isAny)
        return KeyedDecodingContainer(KeyedReader(decoder: self))
    }

    /// - Parameter isOpen: Whether keys are known only from the names.
    func checkIsObject(isOpen: Bool) throws {
        guard self.value < 0, self.content?.values.isEmpty ?? true else {
            throw self.mismatch([String: Any].self, "an object", "a single value")
        }
        // They have no names, so an object would lose them.
        guard !(self.content?.children ?? []).contains(where: { self.reading.tree.nodes[Int($0)].name == nil }) else {
            throw self.mismatch([String: Any].self, "an object", "an array")
        }
        let coding = self.reading.rules.coding
        if self.node != 0, case .custom = coding.members {
            throw self.refusal("keyPathEncoding", "only the closure knows the names of nested objects")
        }
        if coding.rename != nil, isOpen, !self.hasUnchangedNames {
            throw self.refusal("keyEncoding", "a dictionary's keys can't be restored from changed names")
        }
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        UnkeyedReader(decoder: self, elements: try self.elements())
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { SingleReader(decoder: self) }

    /// A place for which nothing was sent.
    var nothing: TreeDecoder {
        var nothing = TreeDecoder(self.reading, node: -1)
        nothing.path = self.path
        return nothing
    }

    // MARK: Members

    /// The decoder of a member that is read as `type`, or as a container of the caller's.
    ///
    /// A type that writes nothing when it is empty can be read without anything sent. A type that tries to read itself as
    /// a member would do so forever, so it is read only once on a path.
    func member(_ key: any CodingKey, as type: Any.Type? = nil) throws -> TreeDecoder {
        var member = try self.place(of: key)
        guard member.node < 0 else { return member }
        guard let absence = Absence(type, in: self.absence) else { throw member.notSent }
        member.absence = absence
        return member
    }

    /// The decoder of a member that is read as `type` unless it is `nil`; `nil` if nothing was sent for it.
    ///
    /// An array's elements may have names of their own, beside the array's. A type that has itself as a member isn't read
    /// again and again because of such a name.
    func presentMember(_ key: any CodingKey, as type: Any.Type) throws -> TreeDecoder? {
        var member = try self.place(of: key)
        guard member.node < 0 else { return member }
        guard member.hasNamedElements, let absence = Absence(type, in: self.absence) else { return nil }
        member.absence = absence
        return member
    }

    /// The decoder of a member; its node is negative if nothing was sent for it.
    func place(of key: any CodingKey) throws -> TreeDecoder {
        let (node, name) = self.lookUp(key.stringValue)
        var member = TreeDecoder(self.reading, node: node)
        (member.path, member.name) = (DecodingPath(self.path, key), name)
        if self.reading.asksByName, node >= 0 {
            let claim = self.reading.claims[node] ?? name
            guard claim == name else {
                throw member.refusal("keyEncoding", "\"\(claim)\" and \"\(name)\" have the same name")
            }
            self.reading.claims[node] = name
        }
        return member
    }

    func lookUp(_ key: String) -> (node: Int32, name: String) {
        let tree = self.reading.tree
        guard self.reading.asksByName else {
            return (self.node < 0 ? -1 : tree.member(key, of: self.node) ?? -1, key)
        }
        let coding = self.reading.rules.coding
        let name = self.node == 0 ? key : self.name + coding.members.name(key)
        guard self.node >= 0 else { return (-1, name) }
        func part(_ name: String, fromEnd: Int) -> Int32? {
            let parts = tree.cut(coding.rename?(name) ?? name)
            guard parts.count > fromEnd, let part = parts[parts.count - 1 - fromEnd] else { return nil }
            return tree.member(part, of: self.node)
        }
        // With snake case the end of a name depends on what follows it, such as a member's name.
        return (part(name, fromEnd: 0) ?? part(name + coding.members.name("a"), fromEnd: 1) ?? -1, name)
    }

    /// Whether no member's name changes when it is written.
    private var hasUnchangedNames: Bool {
        let nodes = self.reading.tree.nodes
        return (self.content?.children ?? []).allSatisfy { child in
            nodes[Int(child)].name.map { self.lookUp($0).node == child } ?? false
        }
    }

    // MARK: Elements

    /// An element of an array: a node, or one of its values.
    struct Element {
        var node: Int32
        var value = -1
    }

    func element(_ element: Element, _ index: Int) -> TreeDecoder {
        var decoder = TreeDecoder(self.reading, node: element.node)
        decoder.value = element.value
        decoder.path = DecodingPath(self.path, IndexKey(index))
        if self.reading.asksByName { decoder.name = self.reading.rules.coding.arrays.name(self.name, index) }
        return decoder
    }

    func elements() throws -> [Element] {
        if case .custom(let name) = self.reading.rules.coding.arrays {
            let elements = try self.elements(named: name)
            if !elements.isEmpty { return elements }
        }
        guard let content else { return [] }
        guard self.value < 0 else {
            throw self.refusal(self.arrayOption, "arrays within arrays need \(self.indexedOption)")
        }
        guard self.node > 0 || (content.children.isEmpty && content.values.isEmpty) else {
            throw self.mismatch([Any].self, "an array", "an object")
        }
        guard content.children.isEmpty else { return try self.childElements(content) }
        return content.values.indices.map { Element(node: self.node, value: $0) }
    }

    private func childElements(_ content: PairTree.Node) throws -> [Element] {
        let nodes = self.reading.tree.nodes
        guard content.values.isEmpty else {
            throw self.corrupted("there are values of this name and of its elements")
        }
        let names = content.children.map { nodes[Int($0)].name }
        if names.allSatisfy({ $0 == nil }) {
            if content.isAmbiguous {
                throw self.refusal(self.arrayOption, "arrays within arrays need \(self.indexedOption)")
            }
            if content.isGrouped, !self.reading.tree.isRegular(self.node) {
                throw self.refusal(
                    self.arrayOption,
                    "the ends of the objects in an array aren't known: they need \(self.indexedOption)")
            }
            return content.children.map { Element(node: $0) }
        }
        let indexes = names.compactMap { $0.flatMap { Int($0) } }
        guard indexes.count == names.count else {
            throw self.refusal(self.arrayOption, "there are names instead of indexes: is this an array of objects?")
        }
        return zip(indexes, content.children).sorted { $0.0 < $1.0 }.map { Element(node: $0.1) }
    }

    /// Elements by the names that the encoder gives them, up to the first missing one.
    private func elements(named name: (String, Int) -> String) throws -> [Element] {
        guard self.value < 0 else {
            throw self.refusal(self.arrayOption, "only the closure knows the names of arrays within arrays")
        }
        var (elements, known): ([Element], Set<Int32>) = ([], [])
        while let node = self.find(name(self.name, elements.count)), known.insert(node).inserted {
            let content = self.reading.tree.nodes[Int(node)]
            guard content.children.isEmpty else {
                throw self.refusal(self.arrayOption, "only the closure knows the names of objects within arrays")
            }
            if content.values.count > 1 {
                return content.values.indices.map { Element(node: node, value: $0) }
            }
            elements.append(Element(node: node, value: 0))
        }
        return elements
    }

    /// Whether there is a first element of an array that has no name of its own.
    var hasNamedElements: Bool {
        guard case .custom(let name) = self.reading.rules.coding.arrays else { return false }
        return self.find(name(self.name, 0)) != nil
    }

    private func find(_ name: String) -> Int32? {
        let tree = self.reading.tree
        var node: Int32 = 0
        for part in tree.cut(self.reading.rules.coding.rename?(name) ?? name) {
            let next: Int32? =
                if let part { tree.member(part, of: node) } else {
                    tree.nodes[Int(node)].children.first { tree.nodes[Int($0)].name == nil }
                }
            guard let next else { return nil }
            node = next
        }
        return node
    }

    // MARK: Errors

    func corrupted(_ what: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: self.codingPath, debugDescription: what))
    }

    func mismatch(_ type: Any.Type, _ wanted: String, _ found: String) -> DecodingError {
        let text = "\(wanted) was expected, but there is \(found)"
        return .typeMismatch(type, .init(codingPath: self.codingPath, debugDescription: text))
    }

    var arrayOption: String { self.reading.rules.coding.arrayOption }
    var indexedOption: String { self.reading.rules.coding.indexedOption }

    func refusal(_ option: String, _ reason: String) -> DecodingError {
        self.corrupted("\(option) loses information that decoding needs: \(reason)")
    }
}
