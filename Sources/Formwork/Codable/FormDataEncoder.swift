import FormworkCore

/// Encodes a value as a form: a field for each of its values, a file for each ``FormFile``.
///
/// Members are named with brackets, `a[b]`; elements as ``arrays`` says, and with their index where they have members of
/// their own, `a[0][b]`. ``FormDataDecoder`` reads back what was encoded. What it couldn't is refused: a `nil` or an empty
/// value among an array's elements, and a key that is empty or holds a bracket. An empty array or object is left out, and
/// read back as an empty one; behind an optional it is read back as `nil`. A case of an enumeration that has neither a raw
/// value nor values of its own leaves nothing either, and can't be read back.
///
/// ```
/// let form = try FormDataEncoder().encode(profile)
/// ```
public struct FormDataEncoder: Sendable {
    /// How the elements of an array are named that have no members of their own.
    public enum Arrays: Sendable, Hashable {
        /// `a[]`, as PHP and Rails want it.
        case brackets
        /// `a[0]`, `a[1]`, …
        case indices
        /// `a` again and again, as browsers do (RFC 7578 §5.2).
        case repeated
    }

    /// How the elements of an array are named. Default: with brackets.
    public var arrays = Arrays.brackets
    /// Handed to the types that are encoded.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// The defaults, to be changed where needed.
    public init() {}

    /// Encodes a value whose root is an object.
    /// - Throws: `EncodingError` with the coding path.
    public func encode(
        _ value: some Encodable, framing: MultipartFraming = MultipartFraming()
    ) throws -> FormData {
        let sink = FormSink(self)
        try value.encode(to: FormValueEncoder(sink: sink))
        var form = FormData(framing: framing)
        for part in sink.parts { form.append(part) }
        return form
    }
}

/// Where all encoders of one value put its parts.
final class FormSink {
    private(set) var parts: [BodyPart] = []
    /// How deep in the value the last part was written.
    private(set) var depth = 0
    let options: FormDataEncoder

    init(_ options: FormDataEncoder) { self.options = options }

    func append(_ part: BodyPart, depth: Int) {
        self.parts.append(part)
        self.depth = depth
    }

    func renameLast(_ name: String?) { self.parts[self.parts.count - 1].header.name = name }
}

/// An encoder at one place.
struct FormValueEncoder: Encoder {
    let sink: FormSink
    /// The place's name; `nil` for the root, which is no part.
    private(set) var name: String?
    private(set) var codingPath: [any CodingKey] = []
    /// Whether some key on the way couldn't be read back; making a container can't say so, so writing does.
    private var hasBadKey = false
    var userInfo: [CodingUserInfoKey: Any] { self.sink.options.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(FormMembersEncoder<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { FormElementsEncoder(self) }
    func singleValueContainer() -> any SingleValueEncodingContainer { FormSingleValueEncoder(encoder: self) }

    init(sink: FormSink) { self.sink = sink }

    func member(_ key: some CodingKey) -> Self {
        let text = key.stringValue
        var member = self
        member.codingPath.append(key)
        member.name = self.name.map { "\($0)[\(text)]" } ?? text
        member.hasBadKey = self.hasBadKey || text.isEmpty || text.utf8.contains { $0 == 0x5B || $0 == 0x5D }
        return member
    }

    /// Writes any value.
    func write<Value: Encodable>(_ value: Value) throws {
        let text = self.text(of: value)
        guard text != nil || value is FormFile else { return try value.encode(to: self) }
        guard let name = self.name else { throw self.rootRefusal(value) }
        guard !self.hasBadKey else {
            throw self.refusal(value, "A key that is empty or holds a bracket couldn't be read back.")
        }
        if let text {
            self.sink.append(BodyPart(name: name, value: text), depth: self.codingPath.count)
        } else if let file = value as? FormFile {
            let part = BodyPart(
                name: name, source: file.source, filename: file.filename ?? "", contentType: file.contentType)
            self.sink.append(part, depth: self.codingPath.count)
        }
    }

    /// The text of a value that is no container and no file; `nil` when its type has to be asked.
    private func text<Value: Encodable>(of value: Value) -> String? {
        if let convertible = value as? any FormTextConvertible { return convertible.formText }
        switch value {
        case let text as String: return text
        case let bool as Bool: return bool ? "true" : "false"
        case let number as any FixedWidthInteger: return "\(number)"
        case let number as Double: return "\(number)"
        case let number as Float: return "\(number)"
        default: return nil
        }
    }

    func rootRefusal(_ value: Any) -> EncodingError {
        self.refusal(value, "A form's root is an object: its members are the form's fields.")
    }

    func refusal(_ value: Any, _ why: String) -> EncodingError {
        .invalidValue(value, .init(codingPath: self.codingPath, debugDescription: why))
    }
}

/// One value at a place.
struct FormSingleValueEncoder: SingleValueEncodingContainer {
    let encoder: FormValueEncoder
    var codingPath: [any CodingKey] { self.encoder.codingPath }

    /// Nothing: an absent field is `nil`.
    mutating func encodeNil() {}
    mutating func encode<Value: Encodable>(_ value: Value) throws { try self.encoder.write(value) }
}

/// The members of an object.
struct FormMembersEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: FormValueEncoder
    var codingPath: [any CodingKey] { self.encoder.codingPath }

    /// Nothing: an absent field is `nil`.
    mutating func encodeNil(forKey key: Key) {}
    mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try self.encoder.member(key).write(value)
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        KeyedEncodingContainer(FormMembersEncoder<NestedKey>(encoder: self.encoder.member(key)))
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        FormElementsEncoder(self.encoder.member(key))
    }

    /// What a superclass writes stands beside the members.
    mutating func superEncoder() -> any Encoder { self.encoder }
    mutating func superEncoder(forKey key: Key) -> any Encoder { self.encoder.member(key) }
}

/// The elements of an array. Copies count on together.
final class FormElementsEncoder: UnkeyedEncodingContainer {
    private let encoder: FormValueEncoder
    private(set) var count = 0

    init(_ encoder: FormValueEncoder) { self.encoder = encoder }

    var codingPath: [any CodingKey] { self.encoder.codingPath }

    func encodeNil() throws { throw self.lost(Void?.none as Any) }

    func encode<Value: Encodable>(_ value: Value) throws {
        guard self.encoder.name != nil else { throw self.encoder.rootRefusal(value) }
        let sink = self.encoder.sink
        let before = sink.parts.count
        let element = self.next()
        try element.write(value)
        guard sink.parts.count > before else { throw self.lost(value) }
        // Only what has no members of its own is named as the array's elements are to be.
        guard sink.parts.count == before + 1, sink.depth == element.codingPath.count else { return }
        switch sink.options.arrays {
        case .indices: break
        case .brackets: sink.renameLast(self.encoder.name.map { "\($0)[]" })
        case .repeated: sink.renameLast(self.encoder.name)
        }
    }

    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(FormMembersEncoder<Key>(encoder: self.next()))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { FormElementsEncoder(self.next()) }
    func superEncoder() -> any Encoder { self.next() }

    private func next() -> FormValueEncoder {
        defer { self.count += 1 }
        return self.encoder.member(ElementKey(self.count))
    }

    private func lost(_ value: Any) -> EncodingError {
        self.encoder.refusal(value, "A nil or empty element of an array couldn't be read back.")
    }
}
