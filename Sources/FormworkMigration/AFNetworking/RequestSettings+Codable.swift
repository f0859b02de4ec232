import FormworkFoundation
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension RequestSettings: Codable {
    private enum CodingKeys: String, CodingKey {
        case version, compatibility, headers, stringEncoding, mediaTypes, methodsEncodingParametersInURL
        case allowsCellularAccess, cachePolicy, httpShouldHandleCookies, httpShouldUsePipelining, networkServiceType
        case timeoutInterval
    }

    /// Decodes settings. Missing ones have the defaults of ``init(version:compatibility:headers:)``.
    /// - Throws: `DecodingError`, also for an unknown version or policy.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func raw<Value: RawRepresentable>(_ key: CodingKeys) throws -> Value? where Value.RawValue: Decodable {
            try container.decodeIfPresent(Value.RawValue.self, forKey: key).map { number in
                guard let value = Value(rawValue: number) else {
                    throw DecodingError.dataCorruptedError(
                        forKey: key, in: container, debugDescription: "\(number) is not a \(Value.self)")
                }
                return value
            }
        }
        let latest = AFNetworkingVersion.latest.description
        let text = try container.decodeIfPresent(String.self, forKey: .version) ?? latest
        guard let version = AFNetworkingVersion(text) else {
            throw DecodingError.dataCorruptedError(
                forKey: .version, in: container,
                debugDescription: "\"\(text)\" is not a version such as \"2.5.4\"")
        }
        self.init(
            version: version,
            compatibility: try container.decodeIfPresent(Compatibility.self, forKey: .compatibility) ?? .safe,
            headers: try container.decodeIfPresent(HTTPHeaders.self, forKey: .headers))
        self.stringEncoding = try raw(.stringEncoding) ?? self.stringEncoding
        self.mediaTypes = try container.decodeIfPresent([String: String].self, forKey: .mediaTypes) ?? self.mediaTypes
        self.methodsEncodingParametersInURL =
            try container.decodeIfPresent(Set<String>.self, forKey: .methodsEncodingParametersInURL)
            ?? self.methodsEncodingParametersInURL
        self.allowsCellularAccess = try container.decodeIfPresent(Bool.self, forKey: .allowsCellularAccess)
        self.cachePolicy = try raw(.cachePolicy)
        self.httpShouldHandleCookies = try container.decodeIfPresent(Bool.self, forKey: .httpShouldHandleCookies)
        self.httpShouldUsePipelining = try container.decodeIfPresent(Bool.self, forKey: .httpShouldUsePipelining)
        self.networkServiceType = try raw(.networkServiceType)
        self.timeoutInterval = try container.decodeIfPresent(TimeInterval.self, forKey: .timeoutInterval)
    }

    /// Encodes all settings, including an `Authorization` among the headers; AFNetworking's archives contain only the
    /// headers.
    /// - Throws: `EncodingError` if ``querySerialization`` is set, because a closure can't be encoded. With
    ///   ``Compatibility/exact`` it is left out, like AFNetworking's block.
    public func encode(to encoder: any Encoder) throws {
        guard self.querySerialization == nil || self.compatibility == .exact else {
            throw EncodingError.invalidValue(
                self,
                .init(
                    codingPath: encoder.codingPath,
                    debugDescription:
                        "querySerialization is a closure, which can't be encoded: set it to nil before encoding, "
                        + "and set it again after decoding"))
        }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.version.description, forKey: .version)
        try container.encode(self.compatibility, forKey: .compatibility)
        try container.encode(self.headers, forKey: .headers)
        try container.encode(self.stringEncoding.rawValue, forKey: .stringEncoding)
        try container.encode(self.mediaTypes, forKey: .mediaTypes)
        try container.encode(self.methodsEncodingParametersInURL.sorted(), forKey: .methodsEncodingParametersInURL)
        try container.encodeIfPresent(self.allowsCellularAccess, forKey: .allowsCellularAccess)
        try container.encodeIfPresent(self.cachePolicy?.rawValue, forKey: .cachePolicy)
        try container.encodeIfPresent(self.httpShouldHandleCookies, forKey: .httpShouldHandleCookies)
        try container.encodeIfPresent(self.httpShouldUsePipelining, forKey: .httpShouldUsePipelining)
        try container.encodeIfPresent(self.networkServiceType?.rawValue, forKey: .networkServiceType)
        try container.encodeIfPresent(self.timeoutInterval, forKey: .timeoutInterval)
    }
}
