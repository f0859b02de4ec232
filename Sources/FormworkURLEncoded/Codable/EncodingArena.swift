import FormworkCore

/// The state that all encoders and containers of one encoding share.
final class EncodingArena {
    let coding: CodingPolicy
    let root = EncodedNode()
    /// Whether arrays contain containers, whose names may not distinguish them.
    private(set) var hasContainersInArrays = false
    /// The containers that the types themselves made.
    private var required: [EncodedNode] = []
    /// How many types are writing now, each inside the one before.
    private var levels = 0
    private(set) var isTooDeep = false

    init(_ coding: CodingPolicy) { self.coding = coding }

    deinit { self.root.leaveContainers() }

    var isLossy: Bool { self.coding.isLossy }
    /// The text for nil; `nil` if it isn't written or doesn't matter.
    var nullText: String? { self.isLossy ? nil : self.coding.nullText }
    /// The text that is read as nil for optionals of all types but `String`; `nil` for none.
    private var emptyText: String? { self.nullText ?? (self.coding.readsEmptyAsNil ? "" : nil) }

    /// Encodes a value whose root is an object.
    /// - Throws: ``InvalidRoot`` for other roots; `EncodingError`; errors of the value's type.
    func encode(_ value: some Encodable) throws {
        guard try self.coding.isLossy || self.leaf(value, at: self.root) == nil else { throw InvalidRoot.singleValue }
        try self.encode(value, at: self.root)
        switch self.root.kind {
        case .object, .nothing: break
        case .array: throw InvalidRoot.array
        case .value: throw InvalidRoot.singleValue
        }
        guard !self.coding.isLossy, let lost = self.required.first(where: \.isLost) else { return }
        throw self.refusal(
            Void?.none as Any, lost,
            "A container without values leaves nothing that could be read back: a case of an enumeration needs a raw value, or "
                + "an associated one that isn't nil or empty")
    }

    /// Lets a type write its value. Types call each other for each level, so a value of any depth would overflow the stack.
    func encode(_ value: some Encodable, at place: EncodedNode) throws {
        let limit = self.coding.nesting ?? 512
        guard max(place.depth, self.levels) <= limit else {
            self.isTooDeep = true
            guard self.isLossy else { throw self.tooDeep(place) }
            let why = "The value nests deeper than \(limit) levels."
            let context = EncodingError.Context(codingPath: place.codingPath, debugDescription: why)
            throw EncodingError.invalidValue(place.key?.stringValue ?? "", context)
        }
        self.levels += 1
        defer { self.levels -= 1 }
        try value.encode(to: ValueEncoder(arena: self, place: place))
    }

    func refusal(_ value: Any, _ place: EncodedNode, _ why: String) -> EncodingError {
        self.coding.refusal(value, place.codingPath, why)
    }
}

// MARK: Places

extension EncodingArena {
    /// The place of a member: the same one for each request, unless values replace others.
    func place(_ key: some CodingKey, in parent: EncodedNode) -> EncodedNode {
        let name = self.name(of: key, in: parent)
        if !self.isLossy, let known = parent.member(name) { return known }
        var index = -1
        // An element whose key is a number below 0 is appended.
        if self.isLossy, let number = key.intValue { index = number < 0 ? .max : number }
        let place = EncodedNode(in: parent, key, name: name, index: index)
        if self.coding.changesNames { place.isOpen = key.isOpen }
        if !self.isLossy { parent.adopt(place) }
        return place
    }

    func require(_ place: EncodedNode, _ requirement: EncodedNode.Requirement) -> EncodedNode {
        place.requirement = requirement
        self.required.append(place)
        return place
    }

    /// The name of a key in the text.
    private func name(of key: some CodingKey, in place: EncodedNode) -> String {
        guard let convert = self.coding.convertKey, !type(of: key).isAny else { return key.stringValue }
        return convert(place.codingPath + [key])
    }

    /// Leaves out a member that is nil.
    func leaveOut(_ key: some CodingKey, in parent: EncodedNode) throws {
        guard !self.isLossy else { return }
        if let known = parent.member(self.name(of: key, in: parent)) { try self.checkIsFree(known, isNil: true) }
        // It has to be missing from the text.
        if self.coding.changesNames { _ = self.place(key, in: parent) }
    }
}

// MARK: Values

extension EncodingArena {
    /// Writes a value, or lets its type write it.
    /// - Parameters:
    ///   - isOptional: Whether the value was in an optional that isn't part of `Value`.
    ///   - lacks: Why a value without any text can't be read back; `nil` if it can.
    func put<Value: Encodable>(
        _ value: Value, at place: EncodedNode, isOptional: Bool = false, lacks: @autoclosure () -> String? = nil
    ) throws {
        let leaf = try self.leaf(value, at: place)
        if let leaf, !leaf.isNothing {
            try self.write(leaf, at: place)
            if isOptional { try self.checkIsNotNull(value, at: place) }
            return
        }
        // A second text is compared when it is written, but a second array would continue the first one.
        if place.isContainer { try self.checkIsFree(place) }
        (place.isWritten, place.isNull) = (false, false)
        if leaf == nil { try self.encode(value, at: place) }
        try self.check(value, at: place, isOptional: isOptional, lacks: lacks())
    }

    /// Writes a single value.
    func write(_ leaf: EncodedLeaf, at place: EncodedNode) throws {
        guard !self.isLossy else { return self.replace(at: place, with: leaf) }
        place.isWritten = true
        switch place.kind {
        case .nothing:
            try self.attach(place, as: .value)
            place.value = leaf
        // Only the same value may be written again, and not as another element.
        case .value where place.index < 0 && self.haveOneText(leaf, place.value): break
        case .value, .array, .object: throw self.conflict(place)
        }
    }

    private func haveOneText(_ one: EncodedLeaf, _ other: EncodedLeaf) -> Bool {
        self.coding.text(of: one).map { $0 == self.coding.text(of: other) } ?? false
    }

    /// Finds the value's place again from the root, as Alamofire does, and replaces what is there.
    private func replace(at place: EncodedNode, with leaf: EncodedLeaf) {
        guard self.coding.nesting == nil else { return }
        let steps = sequence(first: place, next: \.parent).prefix { $0.parent != nil }
        let target = steps.reversed().reduce(self.root) { $0.child(replacing: $1) }
        target.clear(.value)
        target.value = leaf
    }

    /// Puts a place and the containers around it among what is written.
    private func attach(_ place: EncodedNode, as kind: EncodedNode.Kind) throws {
        if let parent = place.parent {
            let container: EncodedNode.Kind = place.index < 0 ? .object : .array
            if parent.kind == .nothing { try self.attach(parent, as: container) }
            guard parent.kind == container else { throw self.conflict(parent) }
            try self.checkName(of: place, in: parent, isContainer: kind != .value)
            if place.index >= 0, kind != .value { self.hasContainersInArrays = true }
        }
        place.kind = kind
    }

    /// Refuses a place that has a value.
    func checkIsFree(_ place: EncodedNode, isNil: Bool = false) throws {
        guard self.isLossy || place.kind == .nothing else { throw self.conflict(place, isNil: isNil) }
    }

    /// - Parameter isNil: Whether the second value is `nil`.
    func conflict(_ place: EncodedNode, isNil: Bool = false) -> EncodingError {
        self.refusal(
            place.key?.stringValue ?? "", place,
            isNil
                ? "There is already a value here, which nil couldn't replace: encode one"
                : "There is already a value here, and the two couldn't be told apart: encode one, of one kind")
    }

    /// Refuses a name that would be split differently or read as another key.
    private func checkName(of place: EncodedNode, in parent: EncodedNode, isContainer: Bool) throws {
        if let convertsBack = self.coding.convertsBack, let key = place.key, case let read = convertsBack(place.name),
            place.name != key.stringValue || read != place.name, read != key.stringValue, !type(of: key).isAny
        {
            throw self.refusal(
                key.stringValue, place,
                "The name \"\(place.name)\" would be read as the key \"\(read)\": "
                    + "give the key another name (CodingKeys)")
        }
        // An element may have its array's name.
        var levels = parent.depth
        if case .repeated = self.coding.dialect.flattening.arrays, place.index >= 0, !isContainer { levels -= 1 }
        guard levels <= self.coding.dialect.parsing.limits.nesting else { throw self.tooDeep(place) }
        guard place.index < 0, let why = self.problem(with: place.name, isFirst: parent.parent == nil, isContainer)
        else { return }
        throw self.refusal(place.name, place, why)
    }

    /// Why a key would be read as another one.
    private func problem(with key: String, isFirst: Bool, _ isContainer: Bool) -> String? {
        if let problem = self.coding.keyProblem { return problem(key, isFirst) }
        let isSplit: Bool
        switch self.coding.dialect.flattening.members {
        case .brackets: isSplit = key.contains(byte: 0x5B, or: isFirst ? 0x5B : 0x5D)
        case .dots: isSplit = key.contains(byte: 0x5B, or: 0x2E)
        case .custom, .refused: return nil
        }
        guard isSplit || key.isEmpty && (isContainer || !isFirst) else { return nil }
        return "The key \"\(key)\" would be read as another one: it is empty, or has a bracket or "
            + self.coding.words.splittingOption
    }

    private func tooDeep(_ place: EncodedNode) -> EncodingError {
        self.refusal(
            place.key?.stringValue ?? "", place,
            "The name nests deeper than \(self.coding.dialect.parsing.limits.nesting, "level") (\(self.coding.words.depthOption))"
        )
    }
}

// MARK: Nothing and null

extension EncodingArena {
    /// Refuses a value if too little of it was written to be read back.
    func check<Value: Encodable>(
        _ value: Value, at place: EncodedNode, isOptional: Bool = false, lacks: @autoclosure () -> String?
    ) throws {
        guard !self.isLossy else { return }
        let isOptional = isOptional || Value.self is any AnyOptional.Type && !Self.isNil(value)
        guard place.isWritten || place.isContainer else {
            try self.checkIsFree(place)
            if let lacks = lacks() { throw self.refusal(value, place, lacks) }
            guard isOptional else { return }
            throw self.refusal(
                value, place,
                "An optional value that is empty, or nil itself, writes nothing and would be read as nil: pass nil or make "
                    + "the member not optional" + self.coding.remedy("it"))
        }
        if isOptional { try self.checkIsNotNull(value, at: place) }
    }

    /// Refuses a value in an optional if it is read as nil.
    func checkIsNotNull<Value>(_ value: Value, at place: EncodedNode) throws {
        guard place.isNull || self.looksNull(place, Value.self) else { return }
        throw self.refusal(
            value, place,
            self.nullText.map { "nilEncoding writes nil like this value, as \"\($0)\"" }
                ?? "An optional value that is one empty field would be read as nil, as empty controls are: pass nil or make "
                + "the member not optional" + self.coding.remedy("it"))
    }

    /// Whether a text, or an array that is written like one, is read as nil.
    private func looksNull(_ place: EncodedNode, _ type: Any.Type) -> Bool {
        guard let empty = self.emptyText, self.nullText != nil || Self.base(type) != String.self else { return false }
        if place.kind == .value { return self.coding.text(of: place.value) == empty }
        guard place.kind == .array, case .repeated = self.coding.dialect.flattening.arrays else { return false }
        let elements = Array(place.written.prefix(2))
        return elements.count == 1 && self.looksNull(elements[0], type)
    }

    private static func base(_ type: Any.Type) -> Any.Type { (type as? any AnyOptional.Type)?.base ?? type }

    static func isNil(_ value: some Any) -> Bool { (value as? any AnyOptional)?.isNil ?? false }
}

// MARK: Fields

extension EncodingArena {
    /// Calls a closure for each value, with the name that it has in a form: members and elements with members of their own
    /// are in brackets.
    /// - Throws: `EncodingError` for values and objects in one array that couldn't be told apart.
    func forEachLeaf(_ visit: (String, EncodedLeaf) -> Void) throws {
        for child in self.root.written { try self.visit(child, child.name, visit) }
    }

    private func visit(_ place: EncodedNode, _ name: String, _ visit: (String, EncodedLeaf) -> Void) throws {
        switch place.kind {
        case .value: visit(name, place.value)
        case .object, .nothing:
            for child in place.written { try self.visit(child, "\(name)[\(child.name)]", visit) }
        case .array:
            if case .repeated = self.coding.dialect.flattening.arrays,
                Set(place.written.map { $0.kind == .value }).count > 1
            {
                throw self.coding.refusal(
                    name, [IndexKey(named: name)],
                    "Values and objects in one array need FormDataEncoder.arrays = .indices")
            }
            for (index, child) in place.written.enumerated() {
                let isValue = child.kind == .value
                try self.visit(
                    child, isValue ? self.coding.dialect.flattening.arrays.name(name, index) : "\(name)[\(index)]",
                    visit)
            }
        }
    }
}
