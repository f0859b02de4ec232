import FormworkCore

/// A place at which a type writes, and what it wrote there.
///
/// A place is among the children of its container, where the next request for its key finds it. Until its first value is
/// written it is nothing, so an empty container leaves no trace.
final class EncodedNode {
    enum Kind: UInt8 { case nothing, value, array, object }

    /// When a container that the type itself made can't be read back if nothing was written into it.
    enum Requirement {
        /// In an array it would be no element, and in a dictionary no key.
        case always
        /// An enumeration has no other way to write its case than a container.
        case ifAlone
        case never
    }

    /// The container; `nil` for the root. It keeps this place, too, until the arena ends: see ``leaveContainers()``.
    let parent: EncodedNode?
    /// `nil` for the root and for elements of arrays.
    let key: (any CodingKey)?
    /// The key's name in the text; empty for an element.
    let name: String
    /// The element's index; negative for a member.
    let index: Int
    /// Levels above it.
    let depth: Int

    var kind = Kind.nothing
    var value = EncodedLeaf.nothing
    /// In the order of the requests for them.
    private(set) var children: [EncodedNode] = []
    /// A bit for each name that was requested, by its length and first byte: most names are new, and needn't be compared.
    private var marks: UInt128 = 0
    /// Where members are, by name; empty while there are few, which are compared. Both ways compare bytes, as reading does: the
    /// two spellings of `é` are different names.
    private var positions: [[UInt8]: Int] = [:]
    /// How many elements this array was given, including those left out.
    var count = 0
    /// Whether a value was written here since a type began to.
    var isWritten = false
    /// Whether that was `nil`.
    var isNull = false
    /// Whether the member may be known only from its name in the text, as a dictionary's keys are.
    var isOpen = false
    /// Set if the type itself made the container.
    var requirement: Requirement?

    init(in parent: EncodedNode? = nil, _ key: (any CodingKey)? = nil, name: String = "", index: Int = -1) {
        (self.parent, self.key, self.name, self.index) = (parent, key, name, index)
        self.depth = parent.map { $0.depth + 1 } ?? 0
    }

    var isContainer: Bool { self.kind == .array || self.kind == .object }
    /// The places at which something was written.
    var written: some Sequence<EncodedNode> { self.children.lazy.filter { $0.kind != .nothing } }

    var codingPath: [any CodingKey] {
        var path: [any CodingKey] = []
        var place = self
        while let parent = place.parent {
            path.append(place.key ?? IndexKey(place.index))
            place = parent
        }
        return path.reversed()
    }

    /// The place of a member that was requested before.
    func member(_ name: String) -> EncodedNode? {
        let mark = UInt128(1) &<< UInt128(truncatingIfNeeded: name.utf8.count &* 37 &+ Int(name.utf8.first ?? 0))
        defer { self.marks |= mark }
        return self.marks & mark == 0 ? nil : self.find(name)
    }

    private func find(_ name: String) -> EncodedNode? {
        guard self.positions.isEmpty else { return self.positions[Array(name.utf8)].map { self.children[$0] } }
        // Names differ in their lengths first, which takes no call.
        let length = name.utf8.count
        return self.children.first {
            $0.index < 0 && $0.name.utf8.count == length && $0.name.hasSameBytes(as: name)
        }
    }

    /// Adds a place to this container.
    func adopt(_ place: EncodedNode) {
        if self.children.isEmpty { self.children.reserveCapacity(16) }
        self.children.append(place)
        guard place.index < 0, self.children.count > 64 else { return }
        for index in self.positions.count..<self.children.count {
            self.positions[Array(self.children[index].name.utf8)] = index
        }
    }

    /// Ends the cycles of containers and places.
    func leaveContainers() {
        for place in self.children where !place.children.isEmpty { place.leaveContainers() }
        self.children = []
    }

    // MARK: Replacing

    /// The child for a step, created if there is none. A value or a container of another kind is replaced.
    func child(replacing step: EncodedNode) -> EncodedNode {
        let kind: Kind = step.index < 0 ? .object : .array
        if self.kind != kind { self.clear(kind) }
        if kind == .array, step.index < self.children.count { return self.children[step.index] }
        if kind == .object, let child = self.find(step.name) { return child }
        let child = EncodedNode(in: self, name: step.name, index: step.index)
        self.adopt(child)
        return child
    }

    func clear(_ kind: Kind) {
        self.kind = kind
        for place in self.children { place.leaveContainers() }
        (self.children, self.positions) = ([], [:])
    }

    // MARK: What was written

    /// The tree of values.
    var parameters: ParameterValue {
        switch self.kind {
        case .value: if case .value(let value) = self.value { value } else { .null }
        case .array: .array(self.written.map(\.parameters))
        case .object, .nothing: .object(self.written.map { .init($0.name, $0.parameters) })
        }
    }

    /// How many places are empty from this one up.
    private var emptyDepth: Int { self.kind != .nothing || self.parent == nil ? 0 : 1 + (self.parent?.emptyDepth ?? 0) }

    /// Whether nothing can be read back of a container that the type itself made.
    var isLost: Bool {
        guard self.kind == .nothing, let parent else { return false }
        return switch self.requirement {
        case .always: true
        case .ifAlone: parent.kind == .nothing
        // Only so many missing containers are read in each other.
        case .never: parent.emptyDepth > 2
        case nil: false
        }
    }
}
