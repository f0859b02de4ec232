import FormworkCore

/// The values of one encoding as a tree.
///
/// Containers are added when their first value is written, so empty ones leave no trace. Only members, whose keys may
/// repeat, are looked up twice.
struct EncodedTree: ~Copyable {
    enum Kind: UInt8 { case object, array, value }

    /// A container or a value; siblings are linked in the order of writing.
    struct TreeNode {
        var kind: Kind
        /// The name of a member; empty for an element.
        var name: String
        /// Whether the member may be known only from its name in the text, as a dictionary's keys are.
        var isOpen = false
        /// The value, unless it is a container.
        var value = EncodedLeaf.nothing
        var first: Int32 = -1
        var last: Int32 = -1
        var next: Int32 = -1
        var count: Int32 = 0
        /// Identifies this container's keys: it changes when the container is replaced.
        var scope: Int32
    }

    /// A level of the values being encoded.
    struct Position {
        var parent: Int32
        /// `nil` for the root and for elements of arrays.
        var key: (any CodingKey)?
        /// The key's name in the text.
        var name = ""
        /// The element's index; negative for members.
        var index: Int
        /// The container's node, valid in `epoch`.
        var node: Int32 = -1
        var epoch: Int32 = 0
        /// Levels above it.
        var depth: Int32 = 0
        /// Whether a single value was written here.
        var isWritten = false
        /// Whether that was `nil`.
        var isNull = false
        /// Whether that was an empty text.
        var isEmpty = false
        /// The count of the elements of this place; negative before the first container.
        var counter: Int32 = -1
    }

    /// When a container that the type itself made can't be read back if nothing was written into it.
    enum Requirement {
        /// In an array it would be no element, and in a dictionary no key.
        case always
        /// An enumeration has no other way to write its case than a container.
        case ifAlone
        case never
    }

    private struct Member: Hashable {
        var scope: Int32
        var key: String
    }

    let coding: CodingPolicy
    var nodes: [TreeNode]
    var places: [Position]
    /// How many elements each unkeyed container was given, including those left out.
    var counts: [Int] = []
    /// Places whose container was made by the type itself.
    var required: [(place: Int32, requirement: Requirement)] = []
    /// Members that are nil and aren't written, if names may be changed.
    var leftOut: [(place: Int32, key: any CodingKey)] = []
    /// Whether arrays contain containers, whose names may not distinguish them.
    private(set) var hasContainersInArrays = false
    private var members: [Member: Int32] = [:]
    /// Grows when a container is replaced, as the nodes of places may be gone then.
    private var epoch: Int32 = 0
    private var scopes: Int32 = 1

    init(_ coding: CodingPolicy) {
        self.coding = coding
        self.nodes = [TreeNode(kind: .object, name: "", scope: 0)]
        self.places = [Position(parent: -1, key: nil, index: -1)]
        self.nodes.reserveCapacity(64)
        self.members.reserveCapacity(64)
    }

    /// Writes a value at the place itself.
    mutating func write(_ value: EncodedLeaf, at place: Int32) throws {
        if self.places[Int(place)].index >= 0 { try self.checkIsFree(place) }
        self.places[Int(place)].isWritten = true
        self.places[Int(place)].isEmpty = self.coding.readsEmptyAsNil && self.coding.text(of: value)?.isEmpty ?? false
        let level = self.places[Int(place)]
        guard place > 0 else { return try self.replaceRoot() }
        try self.write(value, level.index < 0 ? level.name : "", level.index, in: level.parent)
    }

    /// Writes a member of a place's container, or an element if `index` isn't negative.
    mutating func write(_ value: EncodedLeaf, _ key: String, _ index: Int, in place: Int32) throws {
        let parent = try self.container(at: place, index < 0 ? .object : .array)
        let (node, _, isNew) = self.child(key, index, of: parent)
        if isNew {
            try self.checkName(key, index, of: parent, in: place, isContainer: false)
        } else {
            try self.checkReplacing(node, value, key, index, in: place)
        }
        if self.nodes[Int(node)].kind != .value { self.clear(node, .value) }
        self.nodes[Int(node)].value = value
    }

    /// Only the same value may be written again.
    private func checkReplacing(
        _ node: Int32, _ value: EncodedLeaf, _ key: String, _ index: Int, in place: Int32
    ) throws {
        guard !self.coding.isLossy else { return }
        let old = self.nodes[Int(node)]
        let text = self.coding.text(of: value)
        if old.kind == .value, text != nil, self.coding.text(of: old.value) == text { return }
        throw self.conflict(self.path(key, index, in: place))
    }

    /// Refuses a second value of a key: a second array would continue the first one, and nil, which isn't written,
    /// would leave the first one.
    /// - Parameter isCompared: Whether a text is accepted, because a second one is compared with it when it is written.
    func checkIsFree(
        _ key: any CodingKey, in place: Int32, isCompared: Bool = false, isNil: Bool = false
    ) throws {
        guard !self.coding.isLossy, let node = self.node(of: key, in: place) else { return }
        guard !isCompared || self.nodes[Int(node)].kind != .value else { return }
        throw self.conflict(self.codingPath(place) + [key], isNil: isNil)
    }

    /// Refuses to write at a place that has a value already. In an array, it would become another element.
    func checkIsFree(_ place: Int32, isNil: Bool = false) throws {
        guard !self.coding.isLossy, self.places[Int(place)].isWritten || self.node(at: place) != nil else { return }
        throw self.conflict(self.codingPath(place), isNil: isNil)
    }

    /// A place's node; `nil` if nothing was written there. Several places may be for one key.
    private func node(at place: Int32) -> Int32? {
        let level = self.places[Int(place)]
        guard level.node < 0 else { return level.node }
        return place == 0 ? 0 : level.key.flatMap { self.node(of: $0, in: level.parent) }
    }

    func node(of key: any CodingKey, in place: Int32) -> Int32? {
        guard let parent = self.node(at: place) else { return nil }
        return self.members[Member(scope: self.nodes[Int(parent)].scope, key: self.name(of: key, in: place))]
    }

    /// Refuses a name that would be split differently when it is read.
    private func checkName(
        _ key: String, _ index: Int, of parent: Int32, in place: Int32, isContainer: Bool
    ) throws {
        guard !self.coding.isLossy else { return }
        // An element may have its array's name.
        let isRepeated = if case .repeated = self.coding.flattening.arrays { index >= 0 && !isContainer } else { false }
        let levels = Int(self.places[Int(place)].depth) - (isRepeated ? 1 : 0)
        guard levels <= self.coding.depth.levels else { throw self.tooDeep(self.path(key, index, in: place)) }
        guard index < 0, let why = self.problem(with: key, isFirst: parent == 0, isContainer) else { return }
        throw self.coding.refusal(key, self.path(key, index, in: place), why)
    }

    /// Why a key would be read as another one.
    private func problem(with key: String, isFirst: Bool, _ isContainer: Bool) -> String? {
        if let problem = self.coding.keyProblem { return problem(key, isFirst) }
        let isSplit: Bool
        switch self.coding.flattening.members {
        case .brackets: isSplit = key.contains(byte: 0x5B, or: isFirst ? 0x5B : 0x5D)
        case .dots: isSplit = key.contains(byte: 0x5B, or: 0x2E)
        case .custom, .refused: return nil
        }
        guard isSplit || key.isEmpty && (isContainer || !isFirst) else { return nil }
        return "The key \"\(key)\" would be read as another one: it is empty, or has a bracket or "
            + self.coding.words.splittingOption
    }

    /// - Parameter isNil: Whether the second value is `nil`.
    func conflict(_ path: [any CodingKey], isNil: Bool = false) -> EncodingError {
        self.coding.refusal(
            path.last?.stringValue ?? "", path,
            isNil
                ? "There is already a value here, which nil couldn't replace: encode one"
                : "There is already a value here, and the two couldn't be told apart: encode one, of one kind")
    }

    private mutating func replaceRoot() throws {
        guard self.nodes[0].count == 0 || self.coding.isLossy else {
            throw self.conflict([])
        }
        self.clear(0, .value)
    }

    private mutating func container(at place: Int32, _ kind: Kind) throws -> Int32 {
        guard place > 0 else {
            if self.nodes[0].kind != kind { try self.change(0, kind, at: place) }
            return 0
        }
        let level = self.places[Int(place)]
        if level.node >= 0, level.epoch == self.epoch, self.nodes[Int(level.node)].kind == kind { return level.node }
        var node = level.node
        if self.coding.isLossy || node < 0 {
            if level.index >= 0 { try self.checkIsFree(place) }
            let parent = try self.container(at: level.parent, level.index < 0 ? .object : .array)
            let key = level.index < 0 ? level.name : ""
            let child = self.child(key, level.index, of: parent)
            node = child.node
            if child.isNew {
                if let key = level.key { _ = try self.checkedName(of: key, in: level.parent) }
                try self.checkName(key, level.index, of: parent, in: level.parent, isContainer: true)
                if level.index >= 0 { self.hasContainersInArrays = true }
                self.nodes[Int(node)].kind = kind
            }
            // If values replace others, an element after left-out ones is a new one each time, and so are all its contents.
            let isParentKept = level.parent == 0 || self.places[Int(level.parent)].node >= 0
            let isSame = isParentKept && (level.index < 0 || child.position == level.index)
            let isKept = isSame || !self.coding.isLossy
            (self.places[Int(place)].node, self.places[Int(place)].epoch) = (isKept ? node : -1, self.epoch)
        }
        if self.nodes[Int(node)].kind != kind {
            try self.change(node, kind, at: place)
            self.places[Int(place)].epoch = self.epoch
        }
        return node
    }

    /// A container or value becomes a container of another kind.
    private mutating func change(_ node: Int32, _ kind: Kind, at place: Int32) throws {
        let old = self.nodes[Int(node)]
        let isRoot = node == 0
        guard self.coding.isLossy || (isRoot && old.count == 0 && old.kind != .value) else {
            throw self.conflict(self.codingPath(place))
        }
        self.clear(node, kind)
    }

    private mutating func clear(_ node: Int32, _ kind: Kind) {
        let old = self.nodes[Int(node)]
        if old.count > 0 || node == 0 { self.epoch += 1 }
        self.nodes[Int(node)] = TreeNode(kind: kind, name: old.name, next: old.next, scope: self.scopes)
        self.scopes += 1
    }

    /// The child with that key or index, created if there is none.
    private mutating func child(_ key: String, _ index: Int, of parent: Int32) -> (
        node: Int32, position: Int, isNew: Bool
    ) {
        let count = Int(self.nodes[Int(parent)].count)
        if index >= 0 {
            if self.coding.isLossy, index < count { return (self.element(index, of: parent), index, false) }
            return (self.append("", to: parent), count, true)
        }
        let node = Int32(self.nodes.count)
        /// One look-up, whether the key exists or not.
        func known(_ slot: inout Int32?) -> Int32? {
            defer { slot = slot ?? node }
            return slot
        }
        let member = Member(scope: self.nodes[Int(parent)].scope, key: key)
        if let known = known(&self.members[member]) { return (known, -1, false) }
        return (self.append(key, to: parent), -1, true)
    }

    private func element(_ index: Int, of parent: Int32) -> Int32 {
        let node = self.nodes[Int(parent)]
        if index == node.count - 1 { return node.last }
        var child = node.first
        for _ in 0..<index { child = self.nodes[Int(child)].next }
        return child
    }

    private mutating func append(_ name: String, to parent: Int32) -> Int32 {
        let node = Int32(self.nodes.count)
        self.nodes.append(TreeNode(kind: .value, name: name, scope: self.scopes))
        self.scopes += 1
        let last = self.nodes[Int(parent)].last
        if last < 0 { self.nodes[Int(parent)].first = node } else { self.nodes[Int(last)].next = node }
        self.nodes[Int(parent)].last = node
        self.nodes[Int(parent)].count += 1
        return node
    }
}
