import FormworkCore

/// The places at which a type writes, and what is known of them.
extension EncodedTree {
    mutating func place(_ key: any CodingKey, in parent: Int32) -> Int32 {
        let index = self.coding.index(of: key)
        self.places.append(
            Position(
                parent: parent, key: key, name: self.name(of: key, in: parent), index: index,
                depth: self.places[Int(parent)].depth + 1))
        return Int32(self.places.count - 1)
    }

    /// The name of a key in the text.
    func name(of key: any CodingKey, in place: Int32) -> String {
        guard let convert = self.coding.convertKey, !type(of: key).isAny else { return key.stringValue }
        return convert(self.codingPath(place) + [key])
    }

    /// The name of a member's key.
    /// - Throws: `EncodingError` if the name is read as another key.
    func checkedName(of key: any CodingKey, in place: Int32) throws -> String {
        let name = self.name(of: key, in: place)
        guard let read = self.coding.convertsBack?(name), name != key.stringValue || read != name,
            read != key.stringValue, !type(of: key).isAny
        else { return name }
        throw self.coding.refusal(
            key.stringValue, self.codingPath(place) + [key],
            "The name \"\(name)\" would be read as the key \"\(read)\": give the key another name (CodingKeys)")
    }

    mutating func place(_ index: Int, in parent: Int32) -> Int32 {
        self.places.append(Position(parent: parent, key: nil, index: index, depth: self.places[Int(parent)].depth + 1))
        return Int32(self.places.count - 1)
    }

    /// The count of the elements of a place.
    mutating func counter(of place: Int32) -> Int32 {
        let known = self.places[Int(place)].counter
        guard known < 0 || self.coding.isLossy else { return known }
        self.places[Int(place)].counter = Int32(self.counts.count)
        self.counts.append(0)
        return Int32(self.counts.count - 1)
    }

    /// Values are encoded recursively, so a value of any depth would overflow the stack before it has a name.
    func checkDepth(_ place: Int32) throws {
        guard self.places[Int(place)].depth > 512 else { return }
        let path = self.codingPath(place)
        guard self.coding.isLossy else { throw self.tooDeep(path) }
        throw EncodingError.invalidValue(
            path.last?.stringValue ?? "",
            .init(codingPath: path, debugDescription: "the value nests deeper than 512 levels"))
    }

    func tooDeep(_ path: [any CodingKey]) -> EncodingError {
        self.coding.refusal(
            path.last?.stringValue ?? "", path,
            "The name nests deeper than \(self.coding.depth.levels, "level") (\(self.coding.depth.option))")
    }

    /// The first place whose container can't be read back.
    var emptyRequired: Int32? {
        self.required.first { place, requirement in
            guard self.isEmpty(place) else { return false }
            let parent = self.places[Int(place)].parent
            return switch requirement {
            case .always: true
            // Only so many missing containers are read in each other.
            case .ifAlone: parent == 0 ? self.nodes[0].count == 0 : self.isEmpty(parent)
            case .never: self.isEmpty(parent) && parent > 0 && self.depthOfEmpty(parent) > 2
            }
        }?.place
    }

    /// Whether nothing was written at a place.
    private func isEmpty(_ place: Int32) -> Bool {
        let level = self.places[Int(place)]
        return !level.isWritten && level.node < 0
    }

    /// How many places are empty from this one up.
    private func depthOfEmpty(_ place: Int32) -> Int {
        var (place, depth) = (place, 0)
        while place > 0, self.isEmpty(place) { (place, depth) = (self.places[Int(place)].parent, depth + 1) }
        return depth
    }

    /// Notes what is known of a member's key, if names may be changed.
    mutating func note(_ key: some CodingKey, in place: Int32) {
        guard self.coding.changesNames, key.isOpen, let node = self.node(of: key, in: place) else { return }
        self.nodes[Int(node)].isOpen = true
    }

    /// Leaves out a member that is nil.
    mutating func leaveOut(_ key: some CodingKey, in place: Int32) throws {
        try self.checkIsFree(key, in: place, isNil: true)
        if self.coding.changesNames { self.leftOut.append((place, key)) }
    }

    /// Members for which nothing was written, if names may be changed.
    var unwritten: [(place: Int32, key: any CodingKey)] {
        guard self.coding.changesNames else { return [] }
        var members = self.leftOut
        for place in self.places {
            if let key = place.key, self.node(of: key, in: place.parent) == nil { members.append((place.parent, key)) }
        }
        return members
    }

    mutating func require(_ place: Int32, _ requirement: Requirement) -> Int32 {
        self.required.append((place, requirement))
        return place
    }

    /// Whether an array is written like `nil`.
    func looksNull(_ array: Int32, _ null: String?) -> Bool {
        guard let null, array >= 0, case .repeated = self.coding.flattening.arrays else { return false }
        let node = self.nodes[Int(array)]
        guard node.kind == .array, node.count == 1 else { return false }
        let element = self.nodes[Int(node.first)]
        return element.kind == .value && self.coding.text(of: element.value) == null
    }

    func path(_ key: String, _ index: Int, in place: Int32) -> [any CodingKey] {
        self.codingPath(place) + [index < 0 ? IndexKey(named: key) : IndexKey(index)]
    }

    func codingPath(_ place: Int32) -> [any CodingKey] {
        var (place, path): (Int32, [any CodingKey]) = (place, [])
        while place > 0 {
            let level = self.places[Int(place)]
            path.append(level.key ?? IndexKey(level.index))
            place = level.parent
        }
        return path.reversed()
    }
}
