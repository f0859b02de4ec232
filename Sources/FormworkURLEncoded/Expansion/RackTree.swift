import FormworkCore

/// Builds parameters like Rack 2.2's `QueryParser#normalize_params`, with the same steps in the same order, so that
/// names with unbalanced brackets are also read like in Rack.
struct RackTree {
    private final class Node {
        enum Kind { case value, array, object }

        let kind: Kind
        private let value: ParameterValue
        private var names = KeyIndex<[UInt8]>()
        /// The elements of an array, or the members of an object.
        private(set) var children: [Node] = []

        init(_ kind: Kind, _ value: ParameterValue = .null) { (self.kind, self.value) = (kind, value) }

        func push(_ element: Node) { self.children.append(element) }

        func member(_ name: [UInt8]) -> Node? { self.names.place(of: name).map { self.children[$0] } }

        func set(_ name: [UInt8], _ node: Node) {
            if let place = self.names.place(of: name) { return self.children[place] = node }
            self.names.append(name)
            self.children.append(node)
        }

        /// The container with that name, created if there is none.
        /// - Throws: ``FormworkError/Code/malformedBody`` for a member of another kind.
        func container(_ kind: Kind, _ name: [UInt8], whole: [UInt8]) throws(FormworkError) -> Node {
            // Rack replaces a member without a value with a new tree.
            if let node = self.member(name), node.kind != .value || node.value != .null {
                if node.kind == kind { return node }
                let (whole, name) = (String(decoding: whole, as: UTF8.self), String(decoding: name, as: UTF8.self))
                throw FormworkError(
                    .malformedBody, "\"\(whole)\" needs \"\(name)\" to be an \(kind), but it is not")
            }
            let node = Node(kind)
            self.set(name, node)
            return node
        }

        var tree: ParameterValue {
            switch self.kind {
            case .value: self.value
            case .array: .array(self.children.map(\.tree))
            case .object:
                .object(zip(self.names.keys, self.children).map { .init(String(decoding: $0, as: UTF8.self), $1.tree) })
            }
        }
    }

    private let root = Node(.object)
    private let limits: URLEncodedLimits
    private var levels: URLEncodedLimits.LevelCount
    /// Whether the name being read has more than one line.
    private var hasLines = false

    init(_ limits: URLEncodedLimits) { (self.limits, self.levels) = (limits, limits.levels) }

    /// The finished tree.
    var value: ParameterValue { self.root.tree }

    /// Sets a value at the place of its name.
    /// - Throws: ``FormworkError/Code/malformedBody`` for a `ParameterTypeError` of Rack,
    ///   ``FormworkError/Code/limitExceeded`` for a name that nests too deep.
    mutating func set(_ value: ParameterValue, named name: [UInt8]) throws(FormworkError) {
        self.hasLines = name.contains(0x0A)
        _ = try self.set(value, name[...], in: self.root, 0, whole: name)
    }

    /// - Returns: The node for the place of a new object: the object, or the value for a name that is only brackets.
    private mutating func set(
        _ value: ParameterValue, _ name: ArraySlice<UInt8>, in object: Node, _ level: Int, whole: [UInt8]
    ) throws(FormworkError) -> Node {
        if level > 0 { try self.levels.add(1) }
        guard level <= self.limits.nesting else { throw self.limits.tooDeep(whole) }
        let inside = name.drop(while: \.isBracket)
        let key = Array(inside.prefix(before: 0x5B, or: 0x5D))
        guard !key.isEmpty else {
            guard value != .null, name.elementsEqual("[]".utf8) else { return Node(.value) }
            let array = Node(.array)
            array.push(Node(.value, value))
            return array
        }
        let rest = inside.dropFirst(key.count).drop { $0 == 0x5D }
        if rest.isEmpty {
            object.set(key, Node(.value, value))
        } else if rest.elementsEqual("[".utf8) {
            object.set(Array(name), Node(.value, value))
        } else if rest.elementsEqual("[]".utf8) {
            try object.container(.array, key, whole: whole).push(Node(.value, value))
        } else if let child = self.elementKey(rest) {
            let array = try object.container(.array, key, whole: whole)
            if let last = array.children.last, last.kind == .object, !self.has(child, in: last) {
                _ = try self.set(value, child, in: last, level + 1, whole: whole)
            } else {
                array.push(try self.set(value, child, in: Node(.object), level + 1, whole: whole))
            }
        } else {
            let member = try object.container(.object, key, whole: whole)
            object.set(key, try self.set(value, rest, in: member, level + 1, whole: whole))
        }
        return object
    }

    /// Whether an element already has a value for the key; always false for keys with arrays.
    private func has(_ key: ArraySlice<UInt8>, in element: Node) -> Bool {
        if key.indices.dropLast().contains(where: { key[$0] == 0x5B && key[$0 + 1] == 0x5D }) { return false }
        var node = element
        for part in key.split(whereSeparator: \.isBracket) {
            guard node.kind == .object, let next = node.member(Array(part)) else { return false }
            node = next
        }
        return true
    }

    /// The text after `[]`: `b` for `[][b]`, otherwise all of it; `nil` if no line begins with `[]` and more text.
    /// Lines matter, because Ruby's `^` and `$` match at lines.
    private func elementKey(_ name: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let lines = self.hasLines ? name.indices.filter { $0 > name.startIndex && name[$0 - 1] == 0x0A } : []
        let starts = [name.startIndex] + lines
        for start in starts where name[start...].starts(with: "[][".utf8) {
            let key = name[(start + 3)...].prefix(before: 0x5B, or: 0x5D)
            let rest = name[key.endIndex...]
            if !key.isEmpty, rest.first == 0x5D, rest.count == 1 || rest.dropFirst().first == 0x0A { return key }
        }
        for start in starts where name[start...].starts(with: "[]".utf8) {
            let key = name[(start + 2)...].prefix(before: 0x0A, or: 0x0A)
            if !key.isEmpty { return key }
        }
        return nil
    }
}

extension UInt8 {
    fileprivate var isBracket: Bool { self == 0x5B || self == 0x5D }
}
