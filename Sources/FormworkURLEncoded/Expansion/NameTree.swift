import FormworkCore

/// A tree built from names with brackets. Its leaves are numbers: those of fields, or of pairs.
package struct NameTree {
    /// A place of the finished tree.
    package enum Value {
        case leaf(Int)
        case array([Value])
        /// An array whose elements may have ended elsewhere: only a repeated name in them shows that one ended.
        case unclear([Value])
        case object([(name: String, value: Value)])
    }

    enum Child {
        case leaf(Int)
        /// The values of a name that was repeated.
        case leaves([Int])
        case node(Node)
    }

    /// The members at a place. They are found by comparing while there are few, and by hashing when there are many.
    final class Node {
        private(set) var keys: [NameKey] = []
        var children: [Child] = []
        private var places: [NameKey: Int] = [:]
        private static let few = 16
        /// The largest number plus one; `nil` if there is no number.
        private(set) var next: Int?
        /// Whether `[]` created the last member.
        private(set) var endsWithElement = false
        /// Whether elements are objects without a number.
        var isGrouped = false
        /// Whether such elements contain arrays, whose repeated names show nothing.
        var hasInnerArrays = false

        /// The place of a key; `nil` if there is none.
        func place(of key: NameKey) -> Int? { self.places.isEmpty ? self.keys.firstIndex(of: key) : self.places[key] }

        /// - Parameter isElement: Whether `[]` creates it.
        func append(_ key: NameKey, _ child: Child, isElement: Bool = false) {
            if self.keys.count == Self.few {
                for (place, key) in self.keys.enumerated() { self.places[key] = place }
            }
            if self.keys.count >= Self.few { self.places[key] = self.keys.count }
            self.keys.append(key)
            self.children.append(child)
            if case .number(let number) = key, number >= self.next ?? .min {
                self.next = number < .max ? number + 1 : .max
            }
            self.endsWithElement = isElement
        }
    }

    private let (overwrites, groups, marksUnclear): (Bool, Bool, Bool)
    private let duplicates: Flattening.Duplicates
    let root = Node()

    /// - Parameters:
    ///   - overwrites: Whether a later value replaces an earlier one, as in PHP.
    ///   - duplicates: What several values of one place mean, if none replaces another.
    ///   - groups: Whether `a[][b]` is added to the element that the last `a[]…` created if that has no `b`, as in
    ///     Rack.
    ///   - marksUnclear: Whether arrays of objects whose ends aren't known are ``Value/unclear(_:)``.
    package init(
        overwrites: Bool, duplicates: Flattening.Duplicates = .all, groups: Bool = false, marksUnclear: Bool = false
    ) {
        (self.overwrites, self.duplicates) = (overwrites, duplicates)
        (self.groups, self.marksUnclear) = (groups, marksUnclear)
    }

    /// Adds a value at the place that its name describes.
    /// - Throws: ``FormworkError/Code/malformedBody`` for a name that is both a value and a tree.
    package func set(
        _ value: Int, at path: [NameKey], named name: @autoclosure () -> String
    ) throws(FormworkError) {
        var node = self.root
        for (depth, key) in path.enumerated() {
            let (rest, isNext) = (path[(depth + 1)...], key == .next)
            if isNext, !rest.isEmpty {
                if self.marksUnclear {
                    node.isGrouped = true
                    if rest.contains(.next) { node.hasInnerArrays = true }
                }
                if let open = self.openElement(of: node, for: rest) {
                    node = open
                    continue
                }
            }
            let key = isNext ? NameKey.number(node.next ?? 0) : key
            let inner = { rest.isEmpty ? nil : Node() }
            guard let place = node.place(of: key) else {
                let new = inner()
                node.append(key, new.map(Child.node) ?? .leaf(value), isElement: isNext)
                node = new ?? node
                continue
            }
            if isNext {
                // Only after the largest possible number.
                if self.overwrites { return }
                throw FormworkError(.malformedBody, "\"\(name())\" can't be added after the largest number")
            }
            if rest.isEmpty, case .leaves(var list) = node.children[place] {
                // A list with two owners would be copied.
                node.children[place] = .leaf(value)
                list.append(value)
                node.children[place] = .leaves(list)
                continue
            }
            switch (node.children[place], rest.isEmpty) {
            case (.node(let child), false): node = child
            case (_, _) where self.overwrites:
                let new = inner()
                node.children[place] = new.map(Child.node) ?? .leaf(value)
                node = new ?? node
            case (.leaf(let first), true): node.children[place] = try self.both(first, value)
            default: throw FormworkError(.malformedBody, "\"\(name())\" is both a value and a tree of values")
            }
        }
    }

    /// What a place has that is given a second value.
    private func both(_ first: Int, _ value: Int) throws(FormworkError) -> Child {
        switch self.duplicates {
        case .all: .leaves([first, value])
        case .last: .leaf(value)
        case .first: .leaf(first)
        case .refuse: throw FormworkError(.malformedBody, "The name occurs more than once (duplicates)")
        }
    }

    /// The existing element for a name that continues after `[]`; `nil` for a new one.
    private func openElement(of node: Node, for path: ArraySlice<NameKey>) -> Node? {
        guard self.groups, node.endsWithElement, case .node(let open)? = node.children.last, !open.endsWithElement
        else { return nil }
        // For arrays inside an element, the element's end is unknown.
        if path.contains(.next) { return path.first == .next ? nil : open }
        var node = open
        for (depth, key) in zip(path.indices, path) {
            guard let place = node.place(of: key) else { return open }
            guard case .node(let child) = node.children[place] else { return depth == path.endIndex - 1 ? nil : open }
            node = child
        }
        return nil
    }

    /// The finished tree. Members named `0`, `1`, … in that order become an array.
    package var value: Value { self.value(of: self.root) }

    private func value(of node: Node) -> Value {
        let keys = node.keys
        let values = node.children.map { child -> Value in
            switch child {
            case .leaf(let leaf): .leaf(leaf)
            case .leaves(let leaves): .array(leaves.map(Value.leaf))
            case .node(let node): self.value(of: node)
            }
        }
        guard !keys.isEmpty, keys.indices.allSatisfy({ keys[$0] == .number($0) }) else {
            return .object(zip(keys, values).map { ($0.text, $1) })
        }
        let isUnclear = node.isGrouped && (node.hasInnerArrays || !values.haveOneShape)
        return isUnclear ? .unclear(values) : .array(values)
    }
}

extension [NameTree.Value] {
    /// Whether all elements have the same members, so that no other grouping is equally likely.
    fileprivate var haveOneShape: Bool {
        guard let first = self.first?.shape else { return true }
        return self.allSatisfy { $0.shape == first }
    }
}

extension NameTree.Value {
    /// The name of two members, whose bytes differ only where they aren't UTF-8; `nil` if there is none.
    var repeatedName: String? {
        switch self {
        case .leaf: nil
        case .array(let elements), .unclear(let elements): elements.lazy.compactMap(\.repeatedName).first
        case .object(let members):
            Dictionary(grouping: members) { Array($0.name.utf8) }.values.first { $0.count > 1 }?[0].name
                ?? members.lazy.compactMap(\.value.repeatedName).first
        }
    }

    fileprivate var shape: [String] {
        switch self {
        case .leaf: []
        case .array(let elements), .unclear(let elements): ["["] + elements.flatMap(\.shape) + ["]"]
        case .object(let members): ["{"] + members.flatMap { [$0.name] + $0.value.shape } + ["}"]
        }
    }
}
