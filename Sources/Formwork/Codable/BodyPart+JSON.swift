import FormworkCore

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
