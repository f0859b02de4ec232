import FormworkURLEncoded
import Synchronization

/// A decoder at one place of a form's tree.
final class FormValueDecoder: Decoder {
    typealias Value = FormContents.Value

    let form: FormContents
    let value: Value
    /// The decoder that this one is in, and its key there; `nil` for the root. Errors need the whole path, values don't.
    private let parent: FormValueDecoder?
    private let key: (any CodingKey)?
    /// How many levels up from this one, itself included, have no fields in the form.
    let absence: Int
    /// The type that is read here if there are no fields for it.
    private let absentType: ObjectIdentifier?
    /// How many enclosing arrays consist of only this field. A single field counts as an array of one, so a type that
    /// tries arrays first would otherwise recurse forever.
    private let lists: Int

    var options: FormDataDecoder { self.form.options }
    var userInfo: [CodingUserInfoKey: Any] { self.form.options.userInfo }

    init(
        _ value: Value, in form: FormContents, under parent: FormValueDecoder? = nil, _ key: (any CodingKey)? = nil,
        absence: Int = 0, absentType: ObjectIdentifier? = nil, lists: Int = 0
    ) {
        (self.value, self.form, self.parent, self.key) = (value, form, parent, key)
        (self.absence, self.absentType, self.lists) = (absence, absentType, lists)
    }

    var codingPath: [any CodingKey] {
        var path: [any CodingKey] = []
        var place: FormValueDecoder? = self
        while let decoder = place, let key = decoder.key {
            path.append(key)
            place = decoder.parent
        }
        path.reverse()
        return path
    }

    func child(_ value: Value, _ key: some CodingKey) -> FormValueDecoder {
        FormValueDecoder(value, in: self.form, under: self, key)
    }

    /// An element of this array.
    func element(_ value: Value, _ key: some CodingKey) -> FormValueDecoder {
        var lists = 0
        if case .leaf = self.value { lists = self.lists + 1 }
        return FormValueDecoder(value, in: self.form, under: self, key, lists: lists)
    }

    /// A member that is missing in the form. Values that write nothing can be decoded from it.
    /// - Parameter type: What it is read as; `nil` if the caller reads it.
    func absent(_ key: some CodingKey, _ type: Any.Type?) -> FormValueDecoder {
        FormValueDecoder(
            .object([]), in: self.form, under: self, key, absence: self.absence + 1,
            absentType: type.map { ObjectIdentifier($0) })
    }

    /// Whether a missing member is read as `type`: not if a member around it, missing too, is being read as that.
    /// - Parameter type: `nil` if the caller reads it. This limits recursion: a type with two optional members of its own
    ///   type would otherwise be tried 2^32 times within 32 levels.
    func mayBeAbsent(_ type: Any.Type?) -> Bool {
        let type = type.map { ObjectIdentifier($0) }
        let absent = sequence(first: self, next: \.parent).prefix { $0.absence > 0 }
        return self.absence < 32 && absent.count { $0.absentType == type } < (type == nil ? 4 : 1)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        if case .leaf = self.value {
            throw self.mismatch(
                [String: String].self, "fields with brackets in their names, or a part of type application/json",
                called: "An object")
        }
        let members = FormMemberList(of: self, areParts: self.parent == nil && self.form.arePartsMembers)
        return KeyedDecodingContainer(FormMembers<Key>(members: members))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try self.checkRoot([String].self)
        switch self.value {
        // A control for several files sends an empty file if none is selected.
        case .array(let elements): return FormElements(self, elements.filter { !self.isEmptyFile($0) })
        case .leaf where self.lists >= max(1, min(self.options.nameDepth, 512)):
            throw self.mismatch([String].self, "fewer arrays in arrays: this is one field", called: "An array")
        case .leaf: return FormElements(self, self.isEmptyFile(self.value) ? [] : [self.value])
        case .object(let members) where members.isEmpty: return FormElements(self, [])
        case .object:
            throw self.mismatch(
                [String].self,
                "fields with the same name, with [] after it, or with [0], [1], … in that order; a dictionary reads other "
                    + "names", called: "An array")
        }
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { FormSingleValue(decoder: self) }

    /// A value of any type.
    func read<Wanted: Decodable>(_ type: Wanted.Type) throws -> Wanted {
        // Most values have these types, and checking conformances takes time.
        if type == FormFile.self {
            try self.checkChosen(type)
            return try self.cast(FormFile(self.entry(FormFile.self, wantsFile: true)))
        }
        if Self.isPlain(type) || Self.isOrdinary(type) && !self.isJSON(for: type) {
            return try type.init(from: self)
        }
        if let convertible = type as? any FormTextConvertible.Type {
            return try self.cast(self.converted(convertible))
        }
        // The type's own initializer would call `decodeNil`, which can't distinguish an empty text from an empty
        // number.
        if let optional = type as? any ReadableOptional.Type { return try self.cast(optional.read(self)) }
        if let chunk = type as? any BodyChunk.Type { return try self.cast(self.bytes(chunk)) }
        if let moment = type as? any FormMoment.Type { return try self.cast(self.moment(moment)) }
        if let part = type as? any JSONPartDecodable.Type { return try self.cast(part.read(self)) }
        Self.ordinary.withLock { _ = $0.insert(ObjectIdentifier(type)) }
        if self.isJSON(for: type) { return try self.readJSON(type) }
        return try type.init(from: self)
    }

    /// The types that turned out to have none of the conformances that ``read(_:)`` looks for. Looking for them takes longer than decoding.
    private static let ordinary = Mutex<Set<ObjectIdentifier>>([])

    private static func isOrdinary(_ type: Any.Type) -> Bool {
        self.ordinary.withLock { $0.contains(ObjectIdentifier(type)) }
    }

    /// Whether a type's own `init(from:)` asks for one value.
    private static func isPlain(_ type: Any.Type) -> Bool {
        type == String.self || type == Int.self || type == Bool.self || type == Double.self || type == Float.self
            || type == Int8.self || type == Int16.self || type == Int32.self || type == Int64.self
            || type == Int128.self || type == UInt.self || type == UInt8.self || type == UInt16.self
            || type == UInt32.self || type == UInt64.self || type == UInt128.self
    }

    /// Refuses a file control that was left empty. It isn't a file without content: a program would store that.
    private func checkChosen(_ type: Any.Type) throws(DecodingError) {
        guard self.isEmptyFile(self.value) else { return }
        throw .valueNotFound(
            type,
            .init(
                codingPath: self.codingPath,
                debugDescription: "The file control was left empty: no file was chosen. An optional would be nil."))
    }

    private func bytes<Chunk: BodyChunk>(_ type: Chunk.Type) throws -> Chunk {
        try self.checkChosen(type)
        guard let entry = self.leaf else {
            throw self.mismatch(type, "one field or file, because it is bytes; use [Int] for a list of numbers")
        }
        return Chunk(copying: try self.content(of: entry)[...])
    }

    /// A part's content in memory.
    private func content(of entry: ReceivedForm.Entry) throws -> [UInt8] {
        do throws(FormworkError) { return try entry.content.bytesNow(upTo: self.options.memoryBytes) } catch {
            let message =
                error.code == .limitExceeded
                ? "The file has \(entry.content.count, "byte"): the limit in memory is \(self.options.memoryBytes)"
                    + " (FormDataDecoder.memoryBytes). Use FormFile to leave it on disk."
                : error.message
            throw DecodingError.dataCorrupted(
                .init(codingPath: self.codingPath, debugDescription: message, underlyingError: error))
        }
    }

    private func moment<Moment: FormMoment>(_ type: Moment.Type) throws -> Moment {
        let text = try self.text(type)
        guard let seconds = self.options.dates.secondsSince2001(text) else {
            throw self.unreadable(text, type, ": it needs \(self.options.dates) (FormDataDecoder.dates)")
        }
        return Moment(timeIntervalSinceReferenceDate: seconds)
    }

    /// Whether a value that is neither text nor bytes is JSON here. The elements of a list may also be separate parts
    /// of JSON, and those that are ``JSONPart`` always are.
    private func isJSON(for type: Any.Type) -> Bool {
        guard let entry = self.leaf, entry.header.isJSON else { return false }
        let isSet = type is any SetAlgebra.Type && !(type is any OptionSet.Type)
        guard type is any RangeReplaceableCollection.Type || isSet else { return true }
        if let list = type as? any Sequence.Type, list.elementType is any JSONPartDecodable.Type { return false }
        return entry.content.inMemory?.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == 0x5B
    }

    /// Decodes a part of JSON.
    func readJSON<Wanted: Decodable>(_ type: Wanted.Type) throws -> Wanted {
        guard let entry = self.leaf else { throw self.mismatch(type, "one part of JSON") }
        return try self.readJSON(type, self.content(of: entry))
    }

    func readJSON<Wanted: Decodable>(_ type: Wanted.Type, _ json: some Sequence<UInt8>) throws -> Wanted {
        guard let coding = JSONParts.coding else { throw JSONParts.missing }
        do {
            return try coding.value(type, of: Array(json), dates: self.options.dates, userInfo: self.options.userInfo)
        } catch let error as DecodingError {
            throw error.prefixed(by: self.codingPath)
        }
    }

    private func cast<Wanted>(_ value: some Any) throws -> Wanted {
        guard let value = value as? Wanted else { throw self.mismatch(Wanted.self, "another type") }
        return value
    }

    private func converted<Wanted: FormTextConvertible>(_ type: Wanted.Type) throws -> Wanted {
        let text = try self.text(type)
        guard let value = Wanted(formText: text) else { throw self.unreadable(text, type) }
        return value
    }

    /// Refuses a root type that can't be a form. This is a mistake in the program, not in the form.
    private func checkRoot(_ type: Any.Type) throws(FormworkError) {
        guard self.key == nil else { return }
        throw FormworkError(
            .invalidArgument,
            "\(type) is not an object: decode a struct whose members are the form's fields, or a dictionary"
        )
    }

    /// The part at this place; `nil` for several and for a tree.
    private var leaf: ReceivedForm.Entry? {
        guard case .leaf(let index) = self.value else { return nil }
        return self.form.parts.entry(index)
    }

    /// The field or file at this place.
    private func entry(_ type: Any.Type, wantsFile: Bool) throws -> ReceivedForm.Entry {
        try self.checkRoot(type)
        switch self.value {
        case .leaf(let index):
            let entry = self.form.parts.entry(index)
            guard entry.isFile == wantsFile else {
                throw self.mismatch(type, wantsFile ? "a file" : "a field, not a file")
            }
            return entry
        case .array: throw self.mismatch(type, "one field, not several of the same name")
        case .object: throw self.mismatch(type, "a field without brackets after its name")
        }
    }

    func text(_ type: Any.Type) throws -> String {
        let entry = try self.entry(type, wantsFile: false)
        do throws(FormworkError) {
            return try entry.text(in: self.options.textDecoding)
        } catch {
            throw DecodingError.dataCorrupted(
                .init(codingPath: self.codingPath, debugDescription: error.message, underlyingError: error))
        }
    }

    /// Whether the form has no field for this, or an empty file control.
    var isNothing: Bool { self.absence > 0 || self.isEmptyFile(self.value) }

    /// Whether an optional of `type` is `nil` here. For all types but `String`, an empty field is a control that was
    /// left empty.
    func isNil(_ type: Any.Type) -> Bool {
        if self.isNothing { return true }
        guard let entry = self.leaf, !entry.isFile else { return false }
        return entry.content.count == 0 && ((type as? any AnyOptional.Type)?.base ?? type) != String.self
    }

    private func isEmptyFile(_ value: Value) -> Bool {
        guard case .leaf(let index) = value else { return false }
        return self.form.parts.isEmptyFileControl(index)
    }

    /// - Parameter name: What needs it, if a container doesn't know the caller's type.
    func mismatch(_ type: Any.Type, _ wanted: String, called name: String? = nil) -> DecodingError {
        .typeMismatch(
            type, .init(codingPath: self.codingPath, debugDescription: "\(name ?? "\(type)") needs \(wanted)."))
    }

    func unreadable(_ text: String, _ type: Any.Type, _ hint: String = "") -> DecodingError {
        let shown = text.shortened(to: 40).withControlCharactersEscaped
        return .dataCorrupted(
            .init(codingPath: self.codingPath, debugDescription: "\"\(shown)\" is not a valid \(type)\(hint)."))
    }
}

/// One value at a place.
struct FormSingleValue: SingleValueDecodingContainer {
    let decoder: FormValueDecoder
    var codingPath: [any CodingKey] { self.decoder.codingPath }

    func decodeNil() -> Bool { self.decoder.isNothing }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try self.decoder.read(type) }
    func decode(_ type: String.Type) throws -> String { try self.decoder.text(type) }

    func decode(_ type: Bool.Type) throws -> Bool {
        let text = try self.decoder.text(type)
        guard let value = Bool(formText: text) else { throw self.decoder.unreadable(text, type) }
        return value
    }

    private func number<Number: LosslessStringConvertible>(_ type: Number.Type) throws -> Number {
        let text = try self.decoder.text(type)
        guard let number = Number(text) else { throw self.decoder.unreadable(text, type) }
        return number
    }

    private func fraction<Number: BinaryFloatingPoint & LosslessStringConvertible>(
        _ type: Number.Type
    ) throws -> Number {
        let text = try self.decoder.text(type)
        let acceptsNonFinite = self.decoder.options.acceptsNonFiniteNumbers
        guard let number = type.init(decimal: text, acceptsNonFinite: acceptsNonFinite) else {
            throw self.decoder.unreadable(text, type)
        }
        return number
    }

    func decode(_ type: Double.Type) throws -> Double { try self.fraction(type) }
    func decode(_ type: Float.Type) throws -> Float { try self.fraction(type) }
    func decode(_ type: Int.Type) throws -> Int { try self.number(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try self.number(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try self.number(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try self.number(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try self.number(type) }
    func decode(_ type: Int128.Type) throws -> Int128 { try self.number(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try self.number(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try self.number(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try self.number(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try self.number(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try self.number(type) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try self.number(type) }
}

/// An optional, whose wrapped type decides whether an empty field is `nil`.
private protocol ReadableOptional {
    static func read(_ decoder: FormValueDecoder) throws -> Self
}

extension Optional: ReadableOptional where Wrapped: Decodable {
    fileprivate static func read(_ decoder: FormValueDecoder) throws -> Self {
        decoder.isNil(Wrapped.self) ? nil : try decoder.read(Wrapped.self)
    }
}

extension DecodingError {
    /// The error with the path to the part in front of its coding path.
    fileprivate func prefixed(by path: [any CodingKey]) -> DecodingError {
        func longer(_ context: Context) -> Context {
            Context(
                codingPath: path + context.codingPath, debugDescription: context.debugDescription,
                underlyingError: context.underlyingError)
        }
        return switch self {
        case .typeMismatch(let type, let context): .typeMismatch(type, longer(context))
        case .valueNotFound(let type, let context): .valueNotFound(type, longer(context))
        case .keyNotFound(let key, let context): .keyNotFound(key, longer(context))
        case .dataCorrupted(let context): .dataCorrupted(longer(context))
        @unknown default: self
        }
    }
}

extension Sequence {
    fileprivate static var elementType: Any.Type { Element.self }
}
