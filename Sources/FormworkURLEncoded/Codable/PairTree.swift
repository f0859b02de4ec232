import FormworkCore

/// The names of all pairs as a tree, split at their brackets or dots, with values as text.
struct PairTree {
    struct Node {
        /// The text in the brackets; `nil` for `[]`.
        var name: String?
        var values: [String] = []
        var children: [Int32] = []
        /// Elements are objects, and only a repeated member name shows where one ends.
        var isGrouped = false
        /// Such elements contain arrays, whose repeated names show nothing.
        var isAmbiguous = false
    }

    /// A name as UTF-8: the two spellings of `é` are different names.
    private struct Member: Hashable {
        var parent: Int32
        var name: [UInt8]
    }

    private(set) var nodes = [Node()]
    private var members: [Member: Int32] = [:]
    private let usesDots: Bool

    init(
        _ pairs: URLEncodedPairs, _ names: URLEncodedCoding.MemberNames, _ limits: URLEncodedLimits
    ) throws(FormworkError) {
        self.usesDots = if case .dots = names { true } else { false }
        // Trees are walked recursively, so `.max` has a bound too.
        let depth = min(max(0, limits.depth), 512)
        var levels = limits.levels
        for pair in pairs {
            let path = self.cut(pair.name)
            guard path.count <= depth else {
                throw FormworkError(
                    .limitExceeded, "\"\(pair.name.shortened(to: 40))\" is deeper than \(depth, "level") (limits.depth)"
                )
            }
            try levels.add(path.count - 1)
            self.insert(path[...], pair.value ?? "", at: 0)
        }
    }

    /// The tree of a value that was read. A name that occurs more than once has several values.
    init(_ value: ParameterValue) {
        self.usesDots = false
        self.insert(value, at: 0)
    }

    private mutating func insert(_ value: ParameterValue, at node: Int32) {
        switch value {
        case .object(let members):
            for member in members {
                self.insert(
                    member.value,
                    at: self.member(member.name, of: node) ?? self.append(Node(name: member.name), to: node))
            }
        case .array(let elements), .set(let elements):
            for element in elements { self.insert(element, at: self.append(Node(), to: node)) }
        case .text(let text): self.nodes[Int(node)].values.append(text)
        case .null, .bool, .integer, .double, .bytes: break
        }
    }

    func member(_ name: String, of parent: Int32) -> Int32? {
        self.members[Member(parent: parent, name: Array(name.utf8))]
    }

    /// The parts of a name: `a[b][]` is `a`, `b` and `nil`. The text after each bracket, closed or not, is a part.
    func cut(_ name: String) -> [String?] {
        guard self.usesDots else { return self.cutBrackets(name.utf8[...]) }
        return name.utf8.split(separator: 0x2E, omittingEmptySubsequences: false).flatMap { self.cutBrackets($0) }
    }

    /// By bytes: a bracket with a combining mark after it would be another character.
    private func cutBrackets(_ name: Substring.UTF8View) -> [String?] {
        name.split(separator: 0x5B, omittingEmptySubsequences: false).enumerated().map { index, part in
            guard index > 0, part.last == 0x5D else { return String(Substring(part)) }
            return part.count == 1 ? nil : String(Substring(part.dropLast()))
        }
    }

    private mutating func insert(_ path: ArraySlice<String?>, _ value: String, at parent: Int32) {
        var (path, node) = (path, parent)
        while let part = path.popFirst() {
            if let name = part {
                node = self.member(name, of: node) ?? self.append(Node(name: name), to: node)
            } else if path.isEmpty {
                node = self.append(Node(), to: node)
            } else {
                node = self.group(path, of: node)
            }
        }
        self.nodes[Int(node)].values.append(value)
    }

    /// The element of an array that a member belongs to: a new one if the last one already has that member.
    private mutating func group(_ path: ArraySlice<String?>, of array: Int32) -> Int32 {
        self.nodes[Int(array)].isGrouped = true
        let hasArrays = path.contains(nil)
        if hasArrays { self.nodes[Int(array)].isAmbiguous = true }
        if let last = self.nodes[Int(array)].children.last, self.nodes[Int(last)].name == nil,
            hasArrays || !self.hasValue(path, of: last)
        {
            return last
        }
        return self.append(Node(), to: array)
    }

    private func hasValue(_ path: ArraySlice<String?>, of parent: Int32) -> Bool {
        var node = parent
        for part in path {
            guard let name = part, let child = self.member(name, of: node) else { return false }
            node = child
        }
        return !self.nodes[Int(node)].values.isEmpty
    }

    private mutating func append(_ child: Node, to parent: Int32) -> Int32 {
        let node = Int32(self.nodes.count)
        self.nodes.append(child)
        self.nodes[Int(parent)].children.append(node)
        if let name = child.name { self.members[Member(parent: parent, name: Array(name.utf8))] = node }
        return node
    }

    /// Whether all grouped elements have the same members, so that no other grouping is equally likely.
    func isRegular(_ array: Int32) -> Bool {
        let shapes = self.nodes[Int(array)].children.lazy.map { self.shape($0) }
        guard let first = shapes.first else { return true }
        return shapes.allSatisfy { $0 == first }
    }

    private func shape(_ node: Int32) -> [String] {
        let node = self.nodes[Int(node)]
        return ["("] + node.children.flatMap { [self.nodes[Int($0)].name ?? ""] + self.shape($0) } + [")"]
    }
}
