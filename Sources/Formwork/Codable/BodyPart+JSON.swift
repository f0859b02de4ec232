import FormworkCore

extension BodyPart {
    /// A part of `application/json`, for APIs that accept metadata together with a file. Dates are ISO 8601.
    /// - Throws: What Foundation's `JSONEncoder` throws.
    public init(name: String, json value: some Encodable) throws {
        guard let coding = JSONParts.coding else { throw JSONParts.missing }
        let json = try coding.json(of: value, dates: .iso8601, userInfo: [:])
        self.init(header: PartHeader(name: name, contentType: "application/json"), source: .bytes(json))
    }
}
