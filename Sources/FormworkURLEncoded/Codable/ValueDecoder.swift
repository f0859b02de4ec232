import FormworkCore
import Synchronization

/// A decoder at one place of a tree of names.
package final class ValueDecoder: Decoder {
    /// A place of the tree. A leaf has a number.
    package typealias Value = NameTree.Value

    package let leaves: any DecodingLeaves
    let value: Value
    /// The decoder that this one is in, and its key there; `nil` for the root. Errors need the whole path, values don't.
    let parent: ValueDecoder?
    let key: (any CodingKey)?
    /// How many levels up from this one, itself included, have no names in the text.
    private let absence: Int
    /// The type that is read here if there is nothing for it.
    private let absentType: ObjectIdentifier?
    /// How many enclosing arrays consist of only this leaf. A single leaf counts as an array of one, so a type that tries
    /// arrays first would otherwise recurse forever.
    private let lists: Int
    /// Where the place is in the text, if names were changed.
    let found: ChangedPosition?

    package var userInfo: [CodingUserInfoKey: Any] { self.leaves.coding.userInfo }

    /// The root.
    /// - Parameter tree: The tree; ignored if the leaves are the root's members.
    package convenience init(_ tree: Value, _ leaves: any DecodingLeaves) {
        self.init(
            tree, in: leaves, under: nil, nil,
            found: leaves.changes == nil ? nil : ChangedPosition(name: "", path: []))
    }

    private init(
        _ value: Value, in leaves: any DecodingLeaves, under parent: ValueDecoder?, _ key: (any CodingKey)?,
        absence: Int = 0, absentType: ObjectIdentifier? = nil, lists: Int = 0, found: ChangedPosition?
    ) {
        (self.value, self.leaves, self.parent, self.key) = (value, leaves, parent, key)
        (self.absence, self.absentType, self.lists, self.found) = (absence, absentType, lists, found)
    }

    package var codingPath: [any CodingKey] {
        var path: [any CodingKey] = []
        var place: ValueDecoder? = self
        while let decoder = place, let key = decoder.key {
            path.append(key)
            place = decoder.parent
        }
        path.reverse()
        return path
    }

    /// Whether this is the root.
    var isRoot: Bool { self.key == nil }

    /// A member that was found.
    func child(_ value: Value, _ key: any CodingKey, _ found: ChangedPosition? = nil) -> ValueDecoder {
        ValueDecoder(value, in: self.leaves, under: self, key, found: found)
    }

    /// An element of this array.
    func element(_ value: Value, _ index: Int) -> ValueDecoder {
        var lists = 0
        if case .leaf = self.value { lists = self.lists + 1 }
        return ValueDecoder(
            value, in: self.leaves, under: self, IndexKey(index), lists: lists, found: self.place(ofElement: index))
    }

    /// A member that is missing. Values that write nothing can be decoded from it.
    /// - Parameter type: What it is read as; `nil` if the caller reads it.
    func absent(_ key: any CodingKey, _ type: Any.Type?) -> ValueDecoder {
        ValueDecoder(
            .object([]), in: self.leaves, under: self, key, absence: self.absence + 1,
            absentType: type.map { ObjectIdentifier($0) }, found: self.place(ofMissing: key))
    }

    /// Whether a missing member is read as `type`: not if a member around it, missing too, is being read as that.
    /// - Parameter type: `nil` if the caller reads it. This limits recursion: a type with two optional members of its own
    ///   type would otherwise be tried 2^32 times within 32 levels.
    func mayBeAbsent(_ type: Any.Type?) -> Bool {
        let type = type.map { ObjectIdentifier($0) }
        let absent = sequence(first: self, next: \.parent).prefix { $0.absence > 0 }
        return self.absence < 32 && absent.count { $0.absentType == type } < (type == nil ? 4 : 1)
    }

    // MARK: Containers

    package func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try self.checkIsObject(isOpen: Key.isAny)
        return KeyedDecodingContainer(
            DecodedMembers<Key>(
                members: DecodedMemberList(of: self, convertsKeys: self.leaves.coding.key != nil && !Key.isAny)))
    }

    /// - Parameter isOpen: Whether keys are known only from the names.
    func checkIsObject(isOpen: @autoclosure () -> Bool) throws {
        if case .leaf = self.value {
            throw self.mismatch([String: String].self, self.leaves.coding.words.objectNames, called: "An object")
        }
        if self.found != nil, let changes = self.leaves.changes { try self.checkNames(changes, isOpen: isOpen()) }
    }

    package func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        DecodedElements(self, try self.elements())
    }

    package func singleValueContainer() -> any SingleValueDecodingContainer { DecodedSingle(decoder: self) }

    func elements() throws -> [Value] {
        try self.checkRoot([String].self)
        if let elements = try self.namedElements() { return elements }
        switch self.value {
        // A control for several files sends an empty file if none is selected.
        case .array(let elements): return elements.filter { !self.isEmptyControl($0) }
        case .unclear:
            let words = self.leaves.coding.words
            throw self.refusal(
                words.arrayOption, "the ends of the elements aren't known: they need \(words.indexedOption)")
        case .leaf where self.lists >= max(1, min(self.leaves.coding.lists, 512)):
            throw self.mismatch([String].self, "fewer arrays in arrays: this is one field", called: "An array")
        case .leaf: return self.isEmptyControl(self.value) ? [] : [self.value]
        case .object(let members) where members.isEmpty: return []
        case .object(let members):
            if self.leaves.coding.hasSparseIndices, let elements = Self.byNumber(members) { return elements }
            let numbers =
                self.leaves.coding.hasSparseIndices
                ? "numbers in brackets" : "[0], [1], … in that order\(self.leaves.coding.words.option("indices"))"
            throw self.mismatch(
                [String].self,
                "fields with the same name, with [] after it, or with \(numbers); a dictionary reads other names",
                called: "An array")
        }
    }

    /// Members in the order of their numbers; `nil` if one has another name than a number of 0 or more.
    private static func byNumber(_ members: [(name: String, value: Value)]) -> [Value]? {
        var numbers: [(number: Int, value: Value)] = []
        for member in members {
            guard let number = Int(member.name), number >= 0 else { return nil }
            numbers.append((number, member.value))
        }
        return numbers.sorted { $0.number < $1.number }.map(\.value)
    }

    // MARK: Values

    /// A value of any type.
    package func read<Wanted: Decodable>(_ type: Wanted.Type) throws -> Wanted {
        // Most values have these types, and looking for conformances takes time.
        if type == String.self { return try self.cast(self.text(type)) }
        if type == Int.self { return try self.cast(self.integer(Int.self)) }
        if type == Bool.self { return try self.cast(self.parsed(type) { Bool(formText: $0) }) }
        if type == Double.self { return try self.cast(self.fraction(Double.self)) }
        if type == Float.self { return try self.cast(self.fraction(Float.self)) }
        if Self.isOrdinary(type), !self.isEmbedded { return try type.init(from: self) }
        return try self.readSpecial(type)
    }

    private func parsed<Wanted>(_ type: Any.Type, _ parse: (String) -> Wanted?) throws -> Wanted {
        let text = try self.text(type)
        guard let value = parse(text) else { throw self.unreadable(text, type) }
        return value
    }

    private func integer<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
        try self.parsed(type) { Number($0) }
    }

    private func fraction<Number: BinaryFloatingPoint & LosslessStringConvertible>(
        _ type: Number.Type
    ) throws -> Number {
        let acceptsNonFinite = self.leaves.coding.acceptsNonFiniteNumbers
        return try self.parsed(type) { Number(decimal: $0, acceptsNonFinite: acceptsNonFinite) }
    }

    private var isEmbedded: Bool {
        if case .leaf(let leaf) = self.value { self.leaves.isEmbedded(leaf) } else { false }
    }

    /// A value whose type may have a form of its own.
    @inline(never)
    private func readSpecial<Wanted: Decodable>(_ type: Wanted.Type) throws -> Wanted {
        if !Self.isOrdinary(type) {
            if let integer = type as? any FixedWidthInteger.Type { return try self.cast(self.integer(integer)) }
            if let value = try self.leaves.coding.foreign?.value(type, from: self) { return value }
            if let special = type as? any ValueDecodable.Type { return try self.cast(special.read(self)) }
            let (convertible, moment) = (type as? any FormTextConvertible.Type, type as? any FormMoment.Type)
            if let dates = self.leaves.coding.dates {
                if let convertible { return try self.cast(self.parsed(type) { convertible.init(formText: $0) }) }
                if let moment { return try self.cast(self.moment(moment, dates)) }
            }
            if convertible == nil, moment == nil, !(type is any BodyChunk.Type) {
                Self.ordinary.withLock { _ = $0.insert(ObjectIdentifier(type)) }
            }
        }
        if case .leaf(let leaf) = self.value, let value = try self.leaves.embedded(type, leaf, at: self) {
            return value
        }
        return try type.init(from: self)
    }

    /// The types that turned out to have none of the conformances that ``read(_:)`` looks for. Looking for them takes
    /// longer than decoding.
    private static let ordinary = Mutex<Set<ObjectIdentifier>>([])

    private static func isOrdinary(_ type: Any.Type) -> Bool {
        self.ordinary.withLock { $0.contains(ObjectIdentifier(type)) }
    }

    private func moment<Moment: FormMoment>(_ type: Moment.Type, _ dates: FormDateFormat) throws -> Moment {
        let text = try self.text(type)
        guard let seconds = dates.secondsSince2001(text) else {
            throw self.unreadable(text, type, ": it needs \(dates)\(self.leaves.coding.words.option("dates"))")
        }
        return Moment(timeIntervalSinceReferenceDate: seconds)
    }

    private func cast<Wanted>(_ value: some Any) throws -> Wanted {
        guard let value = value as? Wanted else { throw self.mismatch(Wanted.self, "another type") }
        return value
    }

    /// Refuses a root type that isn't an object. This is a mistake in the program, not in the text.
    private func checkRoot(_ type: Any.Type) throws {
        guard self.isRoot else { return }
        guard !self.leaves.coding.needsObject else {
            throw FormworkError(
                .invalidArgument,
                "\(type) is not an object: decode a struct whose members are the form's fields, or a dictionary")
        }
        if case .object(let members) = self.value, members.isEmpty { return }
        throw self.mismatch(type, "names for its members")
    }

    /// The text at this place, which may be the only element of an array.
    package func textOrOnlyElement() throws -> String {
        if let text = try? self.text(String.self) { return text }
        let elements = try self.elements()
        return try (elements.count == 1 ? self.element(elements[0], 0) : self).text(String.self)
    }

    /// The leaf at this place; `nil` for several and for a tree.
    package var leaf: Int? { if case .leaf(let leaf) = self.value { leaf } else { nil } }

    /// The leaf at this place.
    package func leaf(for type: Any.Type) throws -> Int {
        try self.checkRoot(type)
        switch self.value {
        case .leaf(let leaf): return leaf
        case .array, .unclear:
            let duplicates = self.leaves.coding.words.option("duplicates")
            throw self.mismatch(type, "one field: the name is repeated\(duplicates), or has brackets after it")
        case .object: throw self.mismatch(type, "a field without brackets after its name")
        }
    }

    package func text(_ type: Any.Type) throws -> String {
        try self.leaves.text(self.leaf(for: type), as: type, at: self)
    }

    /// Whether there is nothing for this in the text, or something that means nothing.
    package var isNothing: Bool {
        self.absence > 0 ? !self.hasNamedElements : self.isNothing(self.value)
    }

    /// Whether an optional of `type` is `nil` here.
    func isNil(_ type: Any.Type) -> Bool {
        if self.isNothing { return true }
        guard self.leaves.coding.readsEmptyAsNil, let leaf, self.leaves.isEmpty(leaf) else { return false }
        return ((type as? any AnyOptional.Type)?.base ?? type) != String.self
    }

    private func isNothing(_ value: Value) -> Bool {
        guard case .leaf(let leaf) = value else { return false }
        guard let null = self.leaves.coding.nullText else { return self.leaves.isNothing(leaf) }
        return self.leaves.plainText(leaf)?.hasSameBytes(as: null) ?? false
    }

    private func isEmptyControl(_ value: Value) -> Bool {
        if case .leaf(let leaf) = value { self.leaves.isNothing(leaf) } else { false }
    }

    // MARK: Errors

    /// - Parameter name: What needs it, if a container doesn't know the caller's type.
    package func mismatch(_ type: Any.Type, _ wanted: String, called name: String? = nil) -> DecodingError {
        .typeMismatch(
            type, .init(codingPath: self.codingPath, debugDescription: "\(name ?? "\(type)") needs \(wanted)."))
    }

    func unreadable(_ text: String, _ type: Any.Type, _ hint: String = "") -> DecodingError {
        let shown = text.shortened(to: 40).withControlCharactersEscaped
        return self.corrupted("\"\(shown)\" is not a valid \(type)\(hint).")
    }

    package func corrupted(_ what: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: self.codingPath, debugDescription: what))
    }

    package func refusal(_ option: String, _ reason: String) -> DecodingError {
        self.corrupted("\(option) loses information that decoding needs: \(reason)")
    }
}

/// A type that is read in a way of its own by decoders of names.
package protocol ValueDecodable {
    static func read(_ decoder: ValueDecoder) throws -> Self
}

// Its own initializer would call `decodeNil`, which can't distinguish an empty text from an empty number.
extension Optional: ValueDecodable where Wrapped: Decodable {
    package static func read(_ decoder: ValueDecoder) throws -> Self {
        decoder.isNil(Wrapped.self) ? nil : try decoder.read(Wrapped.self)
    }
}
