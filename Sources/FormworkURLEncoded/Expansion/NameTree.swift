import FormworkCore

/// A tree built from names with brackets. Its nodes are in one array, so that building it needs no recursion.
package struct NameTree<Leaf> {
    /// A place of the finished tree.
    package enum Value {
        case leaf(Leaf)
        case array([Value])
        /// An array whose elements may have ended elsewhere: only a repeated name in them shows that one ended.
        case unclear([Value])
        case object([(name: String, value: Value)])
    }

    /// The content of a node. Lists are in separate arrays, where they grow without being copied.
    private enum Node {
        case value(Leaf)
        /// Created, but not set yet.
        case empty
        /// The values of a name that was repeated.
        case values(Int)
        case members(Int)
    }

    private struct Members {
        var keys = KeyIndex<NameKey>()
        var nodes: [Int] = []
        /// The largest number plus one; `nil` if there is no number.
        var next: Int?
        /// The element that `[]` created, while it is the last one.
        var open: Int?
        /// Whether elements are objects without a number.
        var isGrouped = false
        /// Whether such elements contain arrays, whose repeated names show nothing.
        var hasInnerArrays = false

        func node(of key: NameKey) -> Int? { self.keys.place(of: key).map { self.nodes[$0] } }

        mutating func append(_ key: NameKey, _ node: Int) {
            self.keys.append(key)
            self.nodes.append(node)
            if case .number(let number) = key, number >= self.next ?? .min {
                self.next = number < .max ? number + 1 : .max
            }
        }
    }

    private let overwrites: Bool
    private let duplicates: Flattening.Duplicates
    private let groups: Bool
    private let marksUnclear: Bool
    private var nodes: [Node] = [.members(0)]
    private var members: [Members] = [Members()]
    private var values: [[Leaf]] = []

    /// - Parameters:
    ///   - overwrites: Whether a later value replaces an earlier one, as in PHP.
    ///   - duplicates: What several values of one place mean, if none replaces another.
    ///   - groups: Whether `a[][b]` is added to the element that the last `a[]…` created if that has no `b`, as in
    ///     Rack.
    ///   - marksUnclear: Whether arrays of objects whose ends aren't known are ``Value/unclear(_:)``.
    package init(
        overwrites: Bool, duplicates: Flattening.Duplicates = .kept, groups: Bool = false, marksUnclear: Bool = false
    ) {
        (self.overwrites, self.duplicates) = (overwrites, duplicates)
        (self.groups, self.marksUnclear) = (groups, marksUnclear)
    }

    /// Adds a value at the place that its name describes.
    /// - Throws: ``FormworkError/Code/malformedBody`` for a name that is both a value and a tree.
    package mutating func set(
        _ value: Leaf, at path: [NameKey], named name: @autoclosure () -> String
    ) throws(FormworkError) {
        var node = 0
        for (depth, key) in path.enumerated() {
            let rest = path[(depth + 1)...]
            if key == .next, !rest.isEmpty { self.noteGroup(node, rest) }
            if key == .next, let open = self.openElement(of: node, for: rest) {
                node = open
                continue
            }
            guard let child = try self.child(key, of: node, named: name) else { return }
            node = child.node
            let isLeaf = depth == path.count - 1
            switch (child.isNew ? nil : self.nodes[node], isLeaf) {
            case (.members?, false): break
            case (nil, true): self.nodes[node] = .value(value)
            case (nil, false): self.nodes[node] = self.newMembers()
            case (_, true) where self.overwrites: self.nodes[node] = .value(value)
            case (_, false) where self.overwrites: self.nodes[node] = self.newMembers()
            case (.values(let list)?, true): self.values[list].append(value)
            case (.value(let first)?, true): try self.repeat(node, first, value)
            default: throw FormworkError(.malformedBody, "\"\(name())\" is both a value and a tree of values")
            }
        }
    }

    /// Adds a value to a place that has one.
    private mutating func `repeat`(_ node: Int, _ first: Leaf, _ value: Leaf) throws(FormworkError) {
        switch self.duplicates {
        case .kept:
            self.nodes[node] = .values(self.values.count)
            self.values.append([first, value])
        case .lastWins: self.nodes[node] = .value(value)
        case .firstWins: break
        case .refused: throw FormworkError(.malformedBody, "The name occurs more than once (duplicates)")
        }
    }

    private mutating func newMembers() -> Node {
        self.members.append(Members())
        return .members(self.members.count - 1)
    }

    private mutating func noteGroup(_ node: Int, _ rest: ArraySlice<NameKey>) {
        guard self.marksUnclear, case .members(let list) = self.nodes[node] else { return }
        self.members[list].isGrouped = true
        if rest.contains(.next) { self.members[list].hasInnerArrays = true }
    }

    /// The existing element for a name that continues after `[]`; `nil` for a new one.
    private func openElement(of node: Int, for path: ArraySlice<NameKey>) -> Int? {
        guard self.groups, !path.isEmpty, case .members(let list) = self.nodes[node],
            let open = self.members[list].open, case .members(let element) = self.nodes[open],
            self.members[element].open == nil
        else { return nil }
        // For arrays inside an element, the element's end is unknown.
        if path.contains(.next) { return path.first == .next ? nil : open }
        var node = open
        for key in path {
            guard case .members(let list) = self.nodes[node], let next = self.members[list].node(of: key) else {
                return open
            }
            node = next
        }
        return nil
    }

    /// The node of a key, created if there is none; `nil` if no number is left for it.
    private mutating func child(
        _ key: NameKey, of node: Int, named name: () -> String
    ) throws(FormworkError) -> (node: Int, isNew: Bool)? {
        guard case .members(let list) = self.nodes[node] else { return nil }
        let isNext = key == .next
        let key = isNext ? NameKey.number(self.members[list].next ?? 0) : key
        if let node = self.members[list].node(of: key) {
            guard isNext else { return (node, false) }
            // Only after the largest possible number.
            if self.overwrites { return nil }
            throw FormworkError(.malformedBody, "\"\(name())\" can't be added after the largest number")
        }
        self.members[list].append(key, self.nodes.count)
        self.members[list].open = isNext ? self.nodes.count : nil
        self.nodes.append(.empty)
        return (self.nodes.count - 1, true)
    }

    /// The finished tree. Members named `0`, `1`, … in that order become an array.
    package var value: Value { self.value(0) }

    private func value(_ node: Int) -> Value {
        switch self.nodes[node] {
        case .value(let value): return .leaf(value)
        case .values(let list): return .array(self.values[list].map(Value.leaf))
        case .empty: return .object([])
        case .members(let list):
            let (members, keys) = (self.members[list], self.members[list].keys.keys)
            let isArray = !keys.isEmpty && keys.indices.allSatisfy { keys[$0] == .number($0) }
            if isArray {
                let elements = members.nodes.map(self.value)
                let isUnclear = members.isGrouped && (members.hasInnerArrays || !elements.haveOneShape())
                return isUnclear ? .unclear(elements) : .array(elements)
            }
            return .object(zip(keys, members.nodes).map { ($0.text, self.value($1)) })
        }
    }
}

extension Array {
    /// Whether all elements have the same members, so that no other grouping is equally likely.
    fileprivate func haveOneShape<Leaf>() -> Bool where Element == NameTree<Leaf>.Value {
        guard let first = self.first?.shape else { return true }
        return self.allSatisfy { $0.shape == first }
    }
}

extension NameTree.Value {
    fileprivate var shape: [String] {
        switch self {
        case .leaf: []
        case .array(let elements), .unclear(let elements): ["["] + elements.flatMap(\.shape) + ["]"]
        case .object(let members): ["{"] + members.flatMap { [$0.name] + $0.value.shape } + ["}"]
        }
    }
}
