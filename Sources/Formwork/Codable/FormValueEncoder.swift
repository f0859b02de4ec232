/// An encoder at one place.
struct FormValueEncoder: Encoder {
    private static let insteadOfEmpty = ": pass nil, make the member not optional, or send it as a JSONPart."
    static let rootProblem = "A form's root must be an object, whose members are the form's fields."

    let sink: FormSink
    let place: EncodingPath
    var codingPath: [any CodingKey] { self.place.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { self.sink.options.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(FormMembersEncoder<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { FormElementsEncoder(self) }
    func singleValueContainer() -> any SingleValueEncodingContainer { FormSingleValueEncoder(encoder: self) }

    func at(_ place: EncodingPath) -> Self { Self(sink: self.sink, place: place) }

    func writeRoot<Value: Encodable>(_ value: Value) throws {
        guard !Self.isNil(value) else { throw self.place.refusal(value, Self.rootProblem) }
        try self.write(value)
    }

    /// Writes any value.
    private func write<Value: Encodable>(_ value: Value) throws {
        if let file = value as? FormFile {
            let name = try self.fieldName(value)
            let part = BodyPart(
                name: name, source: file.source, filename: file.filename ?? "", contentType: file.contentType)
            guard !(file.filename ?? "").isEmpty || !file.source.isKnownEmpty else {
                throw self.place.refusal(
                    value, "A file without name and content is what an empty file control sends: give it a filename.")
            }
            return try self.sink.append(part, named: name, isEmpty: false, at: self.place)
        }
        if let bytes = value as? any BodyChunk {
            let name = try self.fieldName(value)
            let part = BodyPart(
                name: name, source: .bytes(bytes), filename: FormDataEncoder.bytesFilename,
                contentType: "application/octet-stream")
            return try self.sink.append(part, named: name, isEmpty: false, at: self.place)
        }
        if let value = value as? any JSONPartEncodable {
            guard let json = try self.json(value) else { return }
            let name = try self.fieldName(value)
            let part = BodyPart(name: name, source: .bytes(json), contentType: "application/json")
            return try self.sink.append(part, named: name, isEmpty: false, at: self.place)
        }
        guard let text = try self.text(of: value) else { return try value.encode(to: self) }
        let name = try self.fieldName(value)
        try self.sink.append(BodyPart(name: name, value: text), named: name, isEmpty: text.isEmpty, at: self.place)
    }

    private func json(_ value: any JSONPartEncodable) throws -> [UInt8]? {
        do { return try value.json(self.sink.options) } catch EncodingError.invalidValue(let value, let context) {
            throw EncodingError.invalidValue(
                value,
                .init(
                    codingPath: self.codingPath + context.codingPath, debugDescription: context.debugDescription,
                    underlyingError: context.underlyingError))
        }
    }

    private func fieldName(_ value: Any) throws -> String {
        guard let name = self.place.fieldName else { throw self.place.refusal(value, Self.rootProblem) }
        return name
    }

    /// Writes a value here. Optionals decode a missing or empty field as `nil`, so such values are refused.
    /// - Parameters:
    ///   - isOptional: Whether the value came from an optional that `Value` doesn't include.
    ///   - lacks: Why a value that writes nothing couldn't be decoded; `nil` if it can be.
    func put<Value: Encodable>(_ value: Value, isOptional: Bool = false, lacks: String?) throws {
        try self.sink.checkDepth(self.place)
        let before = self.sink.written.count
        try self.write(value)
        let added = self.sink.written[before...]
        let optional = Value.self as? any AnyOptional.Type
        if added.isEmpty {
            if let lacks { throw self.place.refusal(value, lacks) }
            let isPlainNil = !isOptional && Self.isNil(value)
            guard isPlainNil || !(isOptional || optional != nil) else {
                throw self.place.refusal(
                    value,
                    "An optional value that is empty, or nil itself, writes nothing and would be read as nil"
                        + Self.insteadOfEmpty)
            }
        } else if isOptional || optional != nil, (optional?.base ?? Value.self) != String.self,
            let only = added.first, added.count == 1, only.isEmpty,
            only.part.header.name == self.place.name || only.place === self.place
        {
            throw self.place.refusal(
                value,
                "An optional value that is one empty field would be read as nil, as empty controls are"
                    + Self.insteadOfEmpty)
        }
    }

    static func isNil(_ value: some Any) -> Bool { (value as? any AnyOptional)?.isNil ?? false }

    /// The text of a simple value; `nil` if the value has to encode itself.
    private func text<Value: Encodable>(of value: Value) throws -> String? {
        if let convertible = value as? any FormTextConvertible { return try self.checked(convertible) }
        if let moment = value as? any FormMoment { return try self.text(moment) }
        switch value {
        case let text as String: return text
        case let bool as Bool: return bool ? "true" : "false"
        case let number as any FixedWidthInteger: return "\(number)"
        case let number as Double: return try self.finite(number)
        case let number as Float: return try self.finite(number)
        default: return nil
        }
    }

    private func finite<Number: BinaryFloatingPoint>(_ number: Number) throws -> String {
        guard number.isFinite || self.sink.options.acceptsNonFiniteNumbers else {
            throw self.place.refusal(number, "\(number) is not a finite number (acceptsNonFiniteNumbers writes it).")
        }
        return "\(number)"
    }

    private func text(_ moment: any FormMoment) throws -> String {
        let seconds = moment.timeIntervalSinceReferenceDate
        guard let text = self.sink.options.dates.text(secondsSince2001: seconds) else {
            // Foundation traps when it describes a date outside its calendar.
            throw self.place.refusal(
                seconds, "A Date \(seconds) s after 2001 has no text in this format (FormDataEncoder.dates).")
        }
        return text
    }

    private func checked<Value: FormTextConvertible>(_ value: Value) throws -> String {
        let text = value.formText
        guard let read = Value(formText: text), read.formText.hasSameBytes(as: text) else {
            throw self.place.refusal(
                value,
                value is any Numeric
                    ? "\(text) is not a finite number, and can't be read back: leave it out, or make it nil."
                    : "\(Value.self) doesn't read its own text back, \"\(text)\": its init(formText:) has to.")
        }
        if let value = value as? any Equatable, !value.isEqual(to: read) {
            throw self.place.refusal(value, "\(Value.self) reads its own text as another value, \"\(text)\".")
        }
        return text
    }
}

/// One value at a place.
private struct FormSingleValueEncoder: SingleValueEncodingContainer {
    let encoder: FormValueEncoder
    var codingPath: [any CodingKey] { self.encoder.codingPath }

    private func put<Value: Encodable>(_ value: Value) throws {
        // A type that wraps a single value may check for nil first, and would find it.
        try self.encoder.put(
            value,
            lacks: FormValueEncoder.isNil(value)
                ? nil
                : "An empty value in a wrapper type would be read as nil: leave the member out, or send it as a JSONPart."
        )
    }

    /// Writes nothing: a missing field is `nil`.
    mutating func encodeNil() throws {
        guard self.encoder.place.name != nil else {
            throw self.encoder.place.refusal(Void?.none as Any, FormValueEncoder.rootProblem)
        }
        try self.encoder.sink.checkIsFree(self.encoder.place)
    }

    mutating func encode<Value: Encodable>(_ value: Value) throws { try self.put(value) }
    mutating func encode(_ value: Int128) throws { try self.put(value) }
    mutating func encode(_ value: UInt128) throws { try self.put(value) }
}

/// The members of an object.
private struct FormMembersEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: FormValueEncoder
    var codingPath: [any CodingKey] { self.encoder.codingPath }

    private func place(_ key: Key) -> EncodingPath { EncodingPath(key, of: self.encoder.place) }

    private func put<Value: Encodable>(_ value: Value, _ key: Key, isOptional: Bool = false) throws {
        // A dictionary's keys are known only from the fields that were written.
        let isDictionary = !isOptional && Key(stringValue: "any key") != nil
        try self.encoder.at(self.place(key)).put(
            value, isOptional: isOptional,
            lacks: isDictionary
                ? "A dictionary's value that is nil or empty writes nothing: its key would be lost." : nil)
    }

    /// Writes nothing: a missing field is `nil`.
    mutating func encodeNil(forKey key: Key) throws { try self.encoder.sink.checkIsFree(self.place(key)) }
    mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try self.put(value, key) }
    mutating func encode(_ value: Int128, forKey key: Key) throws { try self.put(value, key) }
    mutating func encode(_ value: UInt128, forKey key: Key) throws { try self.put(value, key) }

    // The standard library's types never write an empty text that is read as nil; other types may.
    mutating func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
        if let value { try self.put(value, key, isOptional: true) }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        self.encoder.at(self.encoder.sink.require(self.place(key))).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        self.encoder.at(self.encoder.sink.require(self.place(key))).unkeyedContainer()
    }

    /// A superclass writes its members into the same object.
    mutating func superEncoder() -> any Encoder { self.encoder }
    mutating func superEncoder(forKey key: Key) -> any Encoder { self.encoder.at(self.place(key)) }
}

/// The elements of an array. All containers of one place share its count.
private struct FormElementsEncoder: UnkeyedEncodingContainer {
    private static let lost =
        "A nil or empty element of an array writes nothing and would be lost: "
        + "leave it out, or send the array as a JSONPart."

    private let encoder: FormValueEncoder

    init(_ encoder: FormValueEncoder) { self.encoder = encoder }

    var count: Int { self.encoder.place.count }
    var codingPath: [any CodingKey] { self.encoder.codingPath }

    private func next() -> FormValueEncoder {
        defer { self.encoder.place.count += 1 }
        let arrays = self.encoder.sink.options.arrays
        return self.encoder.at(EncodingPath(self.count, of: self.encoder.place, arrays: arrays))
    }

    private func put<Value: Encodable>(_ value: Value) throws {
        try self.next().put(value, lacks: Self.lost)
    }

    func encodeNil() throws { throw self.next().place.refusal(Void?.none as Any, Self.lost) }
    func encode<Value: Encodable>(_ value: Value) throws { try self.put(value) }
    func encode(_ value: Int128) throws { try self.put(value) }
    func encode(_ value: UInt128) throws { try self.put(value) }

    private func nextRequired() -> FormValueEncoder { self.encoder.at(self.encoder.sink.require(self.next().place)) }

    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        self.nextRequired().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self.nextRequired().unkeyedContainer() }
    func superEncoder() -> any Encoder { self.nextRequired() }
}

extension BodySource {
    /// Whether there are no bytes, as far as that is known before anything is opened.
    fileprivate var isKnownEmpty: Bool {
        switch self.kind {
        case .text(let text): text.isEmpty
        case .bytes(let bytes): bytes.isEmpty
        case .file(_, let range, _): range.length == 0
        case .descriptor(let source): source.length == 0
        case .synthetic(let bytes): bytes.count == 0
        case .stream(let source): source.length == 0
        case .concatenation(let sources): sources.allSatisfy(\.isKnownEmpty)
        case .encoded(let source, _): source.isKnownEmpty
        case .multipart: false
        }
    }
}

extension Equatable {
    fileprivate func isEqual(to other: Any) -> Bool { (other as? Self) == self }
}
