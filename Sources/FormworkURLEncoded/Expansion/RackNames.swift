import FormworkCore

/// Adds names to a tree like Rack 2.2's `QueryParser#normalize_params`, with the same steps in the same order, so that
/// names with unbalanced brackets are also read like in Rack.
struct RackNames {
    private typealias Node = NameTree.Node

    private let tree: NameTree
    /// The leaf that is null.
    private let null: Int
    private let limits: URLEncodedLimits
    /// The levels of all names so far.
    private(set) var levels = 0
    /// Whether the name being read has more than one line.
    private var hasLines = false

    init(_ tree: NameTree, null: Int, _ limits: URLEncodedLimits) {
        (self.tree, self.null, self.limits) = (tree, null, limits)
    }

    /// Sets a value at the place of its name.
    /// - Throws: ``FormworkError/Code/malformedBody`` for a `ParameterTypeError` of Rack,
    ///   ``FormworkError/Code/limitExceeded`` for a name that nests too deep.
    mutating func set(_ leaf: Int, named name: [UInt8]) throws(FormworkError) {
        self.hasLines = name.contains(0x0A)
        _ = try self.set(leaf, name[...], in: self.tree.root, 0, whole: name)
    }

    /// - Returns: What is at the place of a new object: the object, or the value for a name that is only brackets.
    private mutating func set(
        _ leaf: Int, _ name: ArraySlice<UInt8>, in object: Node, _ level: Int, whole: [UInt8]
    ) throws(FormworkError) -> NameTree.Child {
        if level > 0 { self.levels += 1 }
        guard level <= self.limits.nesting else { throw self.limits.tooDeep(whole) }
        let inside = name.drop(while: \.isBracket)
        let key = Array(inside.prefix(before: 0x5B, or: 0x5D))
        guard !key.isEmpty else {
            guard leaf != self.null, name.elementsEqual("[]".utf8) else { return .leaf(self.null) }
            let array = Node()
            array.push(.leaf(leaf))
            return .node(array)
        }
        let rest = inside.dropFirst(key.count).drop { $0 == 0x5D }
        if rest.isEmpty {
            object.set(key, .leaf(leaf))
        } else if rest.elementsEqual("[".utf8) {
            object.set(Array(name), .leaf(leaf))
        } else if rest.elementsEqual("[]".utf8) {
            try self.container(isArray: true, key, in: object, whole: whole).push(.leaf(leaf))
        } else if let child = self.elementKey(rest) {
            let array = try self.container(isArray: true, key, in: object, whole: whole)
            if case .node(let last)? = array.children.last, !last.isArray, !self.has(child, in: last) {
                _ = try self.set(leaf, child, in: last, level + 1, whole: whole)
            } else {
                array.push(try self.set(leaf, child, in: Node(), level + 1, whole: whole))
            }
        } else {
            let member = try self.container(isArray: false, key, in: object, whole: whole)
            object.set(key, try self.set(leaf, rest, in: member, level + 1, whole: whole))
        }
        return .node(object)
    }

    /// The container with that name, created if there is none.
    /// - Throws: ``FormworkError/Code/malformedBody`` for a member of another kind.
    private func container(
        isArray: Bool, _ name: [UInt8], in object: Node, whole: [UInt8]
    ) throws(FormworkError) -> Node {
        switch object.place(of: .text(name)).map({ object.children[$0] }) {
        case .node(let node)? where node.isArray == isArray: return node
        // Rack replaces a member without a value with a new tree.
        case .leaf(self.null)?, nil:
            let node = Node()
            object.set(name, .node(node))
            return node
        case .node?, .leaf?, .leaves?:
            let (whole, name) = (String(decoding: whole, as: UTF8.self), String(decoding: name, as: UTF8.self))
            let kind = isArray ? "array" : "object"
            throw FormworkError(.malformedBody, "\"\(whole)\" needs \"\(name)\" to be an \(kind), but it is not")
        }
    }

    /// Whether an element already has a value for the key; always false for keys with arrays.
    private func has(_ key: ArraySlice<UInt8>, in element: Node) -> Bool {
        if key.indices.dropLast().contains(where: { key[$0] == 0x5B && key[$0 + 1] == 0x5D }) { return false }
        var node: Node? = element
        for part in key.split(whereSeparator: \.isBracket) {
            guard let next = node, let place = next.place(of: .text(Array(part))) else { return false }
            node = if case .node(let child) = next.children[place] { child } else { nil }
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

extension NameTree.Node {
    /// An object's keys are texts here, even if they are numbers.
    fileprivate var isArray: Bool { if case .number? = self.keys.first { true } else { false } }

    fileprivate func push(_ element: NameTree.Child) { self.append(.number(self.children.count), element) }

    fileprivate func set(_ name: [UInt8], _ child: NameTree.Child) {
        if let place = self.place(of: .text(name)) {
            self.children[place] = child
        } else {
            self.append(.text(name), child)
        }
    }
}

extension UInt8 {
    fileprivate var isBracket: Bool { self == 0x5B || self == 0x5D }
}
