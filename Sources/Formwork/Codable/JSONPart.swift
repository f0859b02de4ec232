import FormworkURLEncoded

/// A member that is sent as one part of JSON, for APIs that accept metadata together with a file.
///
/// ```swift
/// struct Upload: Codable {
///     @JSONPart var metadata: Metadata
///     var photo: FormFile
/// }
/// ```
///
/// ``FormDataEncoder`` writes it as a part of `application/json`. ``FormDataDecoder`` reads it from a part of any type.
/// A member without this wrapper is read as JSON too if its part has the type `application/json`. `nil` writes no part.
/// Other coders code the value itself.
@propertyWrapper
public struct JSONPart<Value> {
    /// The value.
    public var wrappedValue: Value

    /// A member with this value.
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}

extension JSONPart: Sendable where Value: Sendable {}
extension JSONPart: Equatable where Value: Equatable {}
extension JSONPart: Hashable where Value: Hashable {}

extension JSONPart: Encodable where Value: Encodable {
    /// Encodes the value itself, as the coder would without the wrapper.
    public func encode(to encoder: any Encoder) throws {
        // Not `wrappedValue.encode(to:)`: coders have ways of their own for dates, bytes, numbers and URLs.
        var container = encoder.singleValueContainer()
        try container.encode(self.wrappedValue)
    }
}

extension JSONPart: Decodable where Value: Decodable {
    /// Decodes the value itself, as the coder would without the wrapper.
    public init(from decoder: any Decoder) throws {
        self.init(wrappedValue: try decoder.singleValueContainer().decode(Value.self))
    }
}

extension KeyedDecodingContainer {
    /// Decodes a member that may be missing.
    public func decode<Value: Decodable>(
        _ type: JSONPart<Value?>.Type, forKey key: Key
    ) throws -> JSONPart<Value?> {
        try self.decodeIfPresent(type, forKey: key) ?? JSONPart(wrappedValue: nil)
    }
}

extension KeyedEncodingContainer {
    /// Encodes a member that may be missing.
    public mutating func encode<Value: Encodable>(_ part: JSONPart<Value?>, forKey key: Key) throws {
        if part.wrappedValue != nil { try self.encodeIfPresent(part, forKey: key) }
    }
}

/// Reads and writes JSON for forms. ``JSONParts`` conforms to it in the module that imports Foundation, because this
/// one doesn't.
package protocol JSONPartCoding {
    static func json(
        of value: some Encodable, dates: FormDateFormat, userInfo: [CodingUserInfoKey: any Sendable]
    ) throws -> [UInt8]
    static func value<Value: Decodable>(
        _ type: Value.Type, of json: [UInt8], dates: FormDateFormat, userInfo: [CodingUserInfoKey: any Sendable]
    ) throws -> Value
}

/// The entry point for JSON.
package enum JSONParts {
    /// `nil` in a program that isn't linked with Foundation.
    static var coding: (any JSONPartCoding.Type)? { (JSONParts.self as Any.Type) as? any JSONPartCoding.Type }
}

/// A ``JSONPart`` of any type, for encoding.
protocol JSONPartEncodable {
    /// The JSON; `nil` if the value is `nil`.
    func json(_ options: FormDataEncoder) throws -> [UInt8]?
}

extension JSONPart: JSONPartEncodable where Value: Encodable {
    func json(_ options: FormDataEncoder) throws -> [UInt8]? {
        guard !((self.wrappedValue as? any AnyOptional)?.isNil ?? false) else { return nil }
        guard let coding = JSONParts.coding else { throw JSONParts.missing }
        return try coding.json(of: self.wrappedValue, dates: options.dates, userInfo: options.userInfo)
    }
}

/// A ``JSONPart`` of any type.
protocol AnyJSONPart {}

extension JSONPart: AnyJSONPart {}

extension JSONPart: ValueDecodable where Value: Decodable {
    package static func read(_ decoder: ValueDecoder) throws -> Self {
        guard let form = decoder.leaves as? FormLeaves else {
            return Self(wrappedValue: try decoder.read(Value.self))
        }
        let isNil = decoder.isNothing && Value.self is any AnyOptional.Type
        return Self(
            wrappedValue: try isNil
                ? form.readJSON(Value.self, "null".utf8, decoder) : form.readJSON(Value.self, decoder))
    }
}

extension JSONParts {
    static var missing: FormworkError {
        FormworkError(.invalidArgument, "JSON parts need the product Formwork, which links Foundation's JSON coders")
    }
}

extension ReceivedPart {
    /// Reads the content as JSON, whatever its declared type. Dates are ISO 8601.
    ///
    /// ```swift
    /// let metadata = try await part.decode(Metadata.self, upTo: 64 << 10)
    /// ```
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - limit: The most bytes of JSON.
    /// - Throws: ``FormworkError/Code/malformedBody`` with the part if the content isn't JSON of the type: a server answers 400
    ///   with the field. Its cause is the `DecodingError`, whose coding path begins with the part's name. What
    ///   ``collect(upTo:)`` throws.
    public func decode<Value: Decodable>(_ type: Value.Type, upTo limit: Int) async throws -> Value {
        let json = try await self.collect(upTo: limit)
        guard let coding = JSONParts.coding else { throw JSONParts.missing }
        do { return try coding.value(type, of: json, dates: .iso8601, userInfo: [:]) } catch let error as DecodingError
        {
            throw FormworkError(
                .malformedBody, "the content isn't JSON of the type \(type)",
                part: PartReference(index: self.index, name: self.name),
                cause: error.prefixed(by: self.name.map { [IndexKey(named: $0)] } ?? []))
        }
    }
}

extension BodyPart {
    /// A part of `application/json`, for APIs that accept metadata together with a file. Dates are ISO 8601.
    /// - Throws: What Foundation's `JSONEncoder` throws; `EncodingError` for more than 511 levels;
    ///   ``FormworkError/Code/invalidArgument`` for a `Data` or another buffer, which JSON would have as Base64.
    public init(name: String, json value: some Encodable) throws {
        // Arrays of numbers are JSON's own.
        guard !(value is any BodyChunk) || value is [UInt8] || value is ArraySlice<UInt8> else {
            throw FormworkError(
                .invalidArgument, "JSON would have these bytes as Base64: to send the bytes, use source: .bytes(...)",
                part: PartReference(index: 0, name: name))
        }
        guard let coding = JSONParts.coding else { throw JSONParts.missing }
        let json = try coding.json(of: value, dates: .iso8601, userInfo: [:])
        self.init(header: PartHeader(name: name, contentType: "application/json"), source: .bytes(json))
    }
}
