import FormworkCore

/// A decoder at one place of a form's tree.
struct FormValueDecoder: Decoder {
    typealias Value = NameTree<ReceivedForm.Entry>.Value

    let value: Value
    let codingPath: [any CodingKey]
    let options: FormDataDecoder
    /// How many levels above this one, itself included, the form has nothing of.
    private(set) var absence = 0
    /// How many arrays around this one are this field alone, which is an array of one again and again: a type that tries
    /// arrays first would never come to an end.
    private var lists = 0
    var userInfo: [CodingUserInfoKey: Any] { self.options.userInfo }

    init(_ value: Value, _ codingPath: [any CodingKey], _ options: FormDataDecoder) {
        (self.value, self.codingPath, self.options) = (value, codingPath, options)
    }

    func child(_ value: Value, _ key: some CodingKey) -> Self {
        Self(value, self.codingPath + [key], self.options)
    }

    /// An element of the array that this is.
    func element(_ value: Value, _ key: some CodingKey) -> Self {
        var child = self.child(value, key)
        if case .leaf = self.value { child.lists = self.lists + 1 }
        return child
    }

    /// A member that the form doesn't have: from it, what writes nothing can be read.
    func absent(_ key: some CodingKey) -> Self {
        var child = self.child(.object([]), key)
        child.absence = self.absence + 1
        return child
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        let members: [(name: String, value: Value)]
        switch self.value {
        case .object(let own): members = own
        // Members whose names are numbers.
        case .array(let elements): members = elements.enumerated().map { (String($0), $1) }
        case .leaf: throw self.mismatch([String: String].self, "fields with brackets in their names")
        }
        return KeyedDecodingContainer(FormMembers<Key>(self, members))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        switch self.value {
        // A file control for many files sends an empty one where none is chosen.
        case .array(let elements): return FormElements(self, elements.filter { !Self.isEmptyFile($0) })
        case .leaf where self.lists >= max(1, min(self.options.nameDepth, 512)):
            throw self.mismatch([String].self, "fewer arrays in arrays: this is one field")
        case .leaf: return FormElements(self, Self.isEmptyFile(self.value) ? [] : [self.value])
        case .object(let members) where members.isEmpty: return FormElements(self, [])
        case .object: throw self.mismatch([String].self, "fields with the same name, or with [] behind it")
        }
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { FormSingleValue(decoder: self) }

    /// A value of any type.
    func read<Wanted: Decodable>(_ type: Wanted.Type) throws -> Wanted {
        if let file = type as? FormFile.Type {
            return try self.cast(FormFile(self.entry(file, wantsFile: true)))
        }
        if let convertible = type as? any FormTextConvertible.Type {
            return try self.cast(self.converted(convertible))
        }
        // The type's own would ask `decodeNil`, which can't tell empty text from an empty number.
        if let optional = type as? any ReadableOptional.Type { return try self.cast(optional.read(self)) }
        return try type.init(from: self)
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

    /// The field or file at this place.
    private func entry(_ type: Any.Type, wantsFile: Bool) throws -> ReceivedForm.Entry {
        switch self.value {
        case .leaf(let entry):
            guard entry.isFile == wantsFile else {
                throw self.mismatch(type, wantsFile ? "a file" : "a field, not a file")
            }
            return entry
        case .array: throw self.mismatch(type, "one field, and not several of the same name")
        case .object: throw self.mismatch(type, "a field without brackets behind its name")
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

    /// Whether the form has nothing of this, or an empty control for files.
    var isNothing: Bool { self.absence > 0 || Self.isEmptyFile(self.value) }

    /// Whether an optional of `type` is `nil` here: for all but `String`, an empty field is a control that was left
    /// empty.
    func isNil(_ type: Any.Type) -> Bool {
        if self.isNothing { return true }
        guard case .leaf(let entry) = self.value, !entry.isFile else { return false }
        return entry.content.count == 0 && ((type as? any AnyOptional.Type)?.base ?? type) != String.self
    }

    private static func isEmptyFile(_ value: Value) -> Bool {
        guard case .leaf(let entry) = value, entry.isFile else { return false }
        return entry.content.count == 0 && entry.filename?.isEmpty ?? true
    }

    func mismatch(_ type: Any.Type, _ wanted: String) -> DecodingError {
        .typeMismatch(type, .init(codingPath: self.codingPath, debugDescription: "\(type) needs \(wanted)."))
    }

    func unreadable(_ text: String, _ type: Any.Type) -> DecodingError {
        let shown = String(text.prefix(40)).withControlCharactersEscaped
        return .dataCorrupted(
            .init(codingPath: self.codingPath, debugDescription: "\"\(shown)\" is not a valid \(type)."))
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
        switch text.lowercased() {
        case "true", "1", "on", "yes": return true
        case "false", "0", "off", "no": return false
        default: throw self.decoder.unreadable(text, type)
        }
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

/// `nil` is read by its type, which says whether an empty field is one.
private protocol ReadableOptional {
    static func read(_ decoder: FormValueDecoder) throws -> Self
}

extension Optional: ReadableOptional where Wrapped: Decodable {
    fileprivate static func read(_ decoder: FormValueDecoder) throws -> Self {
        decoder.isNil(Wrapped.self) ? nil : try decoder.read(Wrapped.self)
    }
}
