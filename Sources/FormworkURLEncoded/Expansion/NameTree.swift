import FormworkCore

/// A tree under construction: nodes in one array, so that building and letting go of it takes no stack.
struct NameTree {
    /// A member's name; PHP's arrays tell whole numbers from other texts.
    enum Key: Hashable {
        case number(Int)
        /// As UTF-8: two spellings of `é` are two names.
        case text([UInt8])
        /// Behind the largest number so far.
        case next

        /// A name; a number only in the form that numbers are printed in.
        init(_ bytes: some Collection<UInt8>) {
            let text = String(decoding: bytes.prefix(21), as: UTF8.self)
            if bytes.count <= 20, let number = Int(text), text == String(number) {
                self = .number(number)
            } else {
                self = .text(Array(bytes))
            }
        }
    }

    /// What stands in a place; lists lie in arrays of their own, where they grow without being copied.
    private enum Node {
        case value(ParameterValue)
        /// The values of a name that was repeated.
        case values(Int)
        case members(Int)
    }

    private struct Members {
        var keys: [Key] = []
        var nodes: [Int] = []
        /// Where a key stands; made only when looking through the keys would take long.
        var places: [Key: Int] = [:]
        /// One more than the largest number; `nil` before there is one.
        var next: Int?

        func place(of key: Key) -> Int? {
            self.places.isEmpty ? self.keys.firstIndex(of: key) : self.places[key]
        }

        mutating func append(_ key: Key, _ node: Int) {
            if self.keys.count == 16 {
                for (place, key) in self.keys.enumerated() { self.places[key] = place }
            }
            if self.keys.count >= 16 { self.places[key] = self.keys.count }
            self.keys.append(key)
            self.nodes.append(node)
            if case .number(let number) = key, number >= self.next ?? .min {
                self.next = number < .max ? number + 1 : .max
            }
        }
    }

    private let overwrites: Bool
    private var nodes: [Node] = [.members(0)]
    private var members: [Members] = [Members()]
    private var values: [[ParameterValue]] = []

    init(overwrites: Bool) { self.overwrites = overwrites }

    mutating func set(_ value: ParameterValue, at path: [Key], named name: String) throws(FormworkError) {
        var node = 0
        for (depth, key) in path.enumerated() {
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
            case (.value(let first)?, true):
                self.nodes[node] = .values(self.values.count)
                self.values.append([first, value])
            default: throw FormworkError(.malformedBody, "\"\(name)\" is both a value and a tree of values")
            }
        }
    }

    private mutating func newMembers() -> Node {
        self.members.append(Members())
        return .members(self.members.count - 1)
    }

    /// The node under a key, made where there is none; `nil` when no number is left for it.
    private mutating func child(
        _ key: Key, of node: Int, named name: String
    ) throws(FormworkError) -> (node: Int, isNew: Bool)? {
        guard case .members(let list) = self.nodes[node] else { return nil }
        let isNext = key == .next
        let key = isNext ? Key.number(self.members[list].next ?? 0) : key
        if let place = self.members[list].place(of: key) {
            guard isNext else { return (self.members[list].nodes[place], false) }
            // Only behind the largest number of all.
            if self.overwrites { return nil }
            throw FormworkError(.malformedBody, "\"\(name)\" has no place behind the largest number")
        }
        self.members[list].append(key, self.nodes.count)
        self.nodes.append(.value(.null))
        return (self.nodes.count - 1, true)
    }

    /// The tree as values.
    var value: ParameterValue { self.value(0) }

    private func value(_ node: Int) -> ParameterValue {
        switch self.nodes[node] {
        case .value(let value): return value
        case .values(let list): return .array(self.values[list])
        case .members(let list):
            let members = self.members[list]
            let isArray = !members.keys.isEmpty && members.keys.indices.allSatisfy { members.keys[$0] == .number($0) }
            if isArray { return .array(members.nodes.map(self.value)) }
            return .object(
                zip(members.keys, members.nodes).map { key, node in
                    switch key {
                    case .number(let number): .init(String(number), self.value(node))
                    case .text(let text): .init(String(decoding: text, as: UTF8.self), self.value(node))
                    case .next: .init("", self.value(node))
                    }
                })
        }
    }
}
