import FormworkFoundation
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The common settings of AFNetworking's request serializers.
///
/// They are also available on the serializers: `serializer.timeoutInterval = 30`.
public struct RequestSettings: Sendable {
    /// Writes parameters as a query or a form instead of the dialect. Its errors are thrown to the caller.
    public typealias QuerySerialization = @Sendable (URLRequest, ParameterValue) throws -> String

    /// The version of AFNetworking to imitate.
    public var version: AFNetworkingVersion
    /// What to do if AFNetworking would lose data.
    public var compatibility: Compatibility
    /// Fields for every request that doesn't have them.
    public var headers: HTTPHeaders
    /// The encoding of text bodies; before version 2.6.0 also of escapes.
    public var stringEncoding = String.Encoding.utf8
    /// The types of files appended with their own name, by extension in lower case; other extensions have the type of
    /// ``MediaTypeTable``. AFNetworking asks Apple's systems, which have other types for some extensions, such as
    /// `cer`.
    public var mediaTypes = ["cer": "application/x-x509-ca-cert"]
    /// The methods whose parameters go into the URL, in upper case.
    public var methodsEncodingParametersInURL: Set<String> = ["GET", "HEAD", "DELETE"]
    /// Writes queries and forms; `nil` uses ``dialect``.
    public var querySerialization: QuerySerialization?

    /// Whether requests may use a mobile network; `nil` keeps the request's own setting.
    public var allowsCellularAccess: Bool?
    /// The requests' cache policy; `nil` keeps the request's own.
    public var cachePolicy: URLRequest.CachePolicy?
    /// Whether cookies are sent and stored; `nil` keeps the request's own setting.
    public var httpShouldHandleCookies: Bool?
    /// Whether requests may be sent before the previous answer arrived; `nil` keeps the request's own setting.
    public var httpShouldUsePipelining: Bool?
    /// The purpose of the requests; `nil` keeps the request's own.
    public var networkServiceType: URLRequest.NetworkServiceType?
    /// Seconds without a byte until a request fails; `nil` keeps the request's own.
    public var timeoutInterval: TimeInterval?

    /// Creates settings with AFNetworking's defaults.
    /// - Parameters:
    ///   - version: The version of AFNetworking to imitate.
    ///   - compatibility: What to do if AFNetworking would lose data.
    ///   - headers: Fields of every request; `nil` for the user's languages and the running program's name.
    public init(
        version: AFNetworkingVersion = .latest, compatibility: Compatibility = .safe,
        headers: HTTPHeaders? = nil
    ) {
        self.version = version
        self.compatibility = compatibility
        self.headers = headers ?? .afnetworking(version)
    }

    /// How parameters are written in queries and forms: ``URLEncodedDialect/afnetworking(_:)`` with names, and the
    /// texts of sets, in the order of `NSString`'s `compare:`, or before version 2.2 of `caseInsensitiveCompare:`.
    public var dialect: URLEncodedDialect {
        var dialect = URLEncodedDialect.afnetworking(self.version)
        dialect.flattening.order =
            self.version < "2.2"
            ? .by { $0.caseInsensitiveCompare($1) == .orderedAscending } : .by { $0.precedes($1) }
        if self.version < "2.6", self.stringEncoding != .utf8 { dialect.transcoding = .init(self.stringEncoding) }
        if self.compatibility == .safe {
            (dialect.flattening.rootArray, dialect.flattening.duplicates) = (.refused, .refuse)
        }
        return dialect
    }

    /// What Foundation's serializers write.
    /// - Throws: ``FormworkError/Code/invalidArgument`` for a name that occurs twice, if nothing may be lost;
    ///   ``FormworkError/Code/limitExceeded`` for more than 512 levels.
    func foundationObject(_ value: Any) throws(FormworkError) -> Any {
        guard let parameters = value as? ParameterValue else { return value }
        let object = try parameters.foundationObject
        if self.compatibility == .safe { try parameters.checkNames() }
        return object
    }
}

extension RequestSettings {
    /// Sets a field of every request, or removes it if `value` is `nil`.
    public mutating func setValue(_ value: String?, forHTTPHeaderField name: String) { self.headers[name] = value }

    /// The value of a field of every request; `nil` if there is none.
    public func value(forHTTPHeaderField name: String) -> String? { self.headers[name] }

    /// Basic authorization (RFC 7617), as UTF-8.
    public mutating func setAuthorization(username: String, password: String) {
        self.headers.update(.authorization(username: username, password: password))
    }

    /// Authorization with a bearer token (RFC 6750).
    public mutating func setAuthorization(bearerToken: String) {
        self.headers.update(.authorization(bearerToken: bearerToken))
    }

    /// Authorization as `Token token="…"`, which AFNetworking had until 2.7.
    public mutating func setAuthorization(token: String) {
        self.headers.update(.authorization("Token token=\"\(token)\""))
    }

    /// Removes the authorization.
    public mutating func clearAuthorization() { self.headers.remove(name: "Authorization") }
}

extension RequestSettings {
    /// A request with the properties that were set.
    func request(method: String, url: URL) -> URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = method
        if let allowsCellularAccess { request.allowsCellularAccess = allowsCellularAccess }
        if let cachePolicy { request.cachePolicy = cachePolicy }
        if let httpShouldHandleCookies { request.httpShouldHandleCookies = httpShouldHandleCookies }
        if let httpShouldUsePipelining { request.setPipelining(httpShouldUsePipelining) }
        if let networkServiceType { request.networkServiceType = networkServiceType }
        if let timeoutInterval { request.timeoutInterval = timeoutInterval }
        return request
    }

    /// Whether the request's parameters go into its URL.
    func encodesInURL(_ request: URLRequest) -> Bool {
        self.methodsEncodingParametersInURL.contains((request.httpMethod ?? "GET").uppercased())
    }

    /// Adds the fields that the request lacks.
    func addHeaders(to request: inout URLRequest) {
        for header in self.headers {
            guard self.version < "2.0.1" || request.value(forHTTPHeaderField: header.name) == nil else { continue }
            request.setValue(header.value, forHTTPHeaderField: header.name)
        }
    }

    /// Sets the request's type, with the body's encoding in versions before `plainSince`.
    func setContentType(
        _ type: String, _ encoding: String.Encoding, plainSince: AFNetworkingVersion, of request: inout URLRequest
    ) {
        guard self.version < "2.2.3" || request.value(forHTTPHeaderField: "Content-Type") == nil else { return }
        let charset = self.version < plainSince ? encoding.ianaCharset.map { "; charset=\($0)" } : nil
        request.setValue(type + (charset ?? ""), forHTTPHeaderField: "Content-Type")
    }
}

/// Access to a deprecated property without a warning, as its use is the caller's decision.
private protocol Pipelining { var httpShouldUsePipelining: Bool { get set } }

extension URLRequest: Pipelining {}

extension Pipelining {
    fileprivate mutating func setPipelining(_ isUsed: Bool) { self.httpShouldUsePipelining = isUsed }
}

extension ParameterValue {
    /// Refuses members of which a dictionary keeps one. Swift compares names by their characters, so two spellings of
    /// `é` are one name.
    func checkNames() throws(FormworkError) {
        switch self {
        case .array(let elements), .set(let elements):
            for element in elements { try element.checkNames() }
        case .object(let members):
            var names: Set<String> = []
            for member in members {
                guard names.insert(member.name).inserted else {
                    throw FormworkError(.invalidArgument, "\"\(member.name)\" occurs more than once")
                }
                try member.value.checkNames()
            }
        case .null, .bool, .integer, .double, .text, .bytes: break
        }
    }
}

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
        func value<Value: Decodable>(_ key: CodingKeys) throws -> Value? {
            try container.decodeIfPresent(Value.self, forKey: key)
        }
        func raw<Value: RawRepresentable>(_ key: CodingKeys) throws -> Value? where Value.RawValue: Decodable {
            try value(key) as Value.RawValue? == nil ? nil : container.decode(rawValueOf: key)
        }
        let text = try value(.version) ?? AFNetworkingVersion.latest.description
        guard let version = AFNetworkingVersion(text) else {
            throw DecodingError.dataCorruptedError(
                forKey: .version, in: container,
                debugDescription: "\"\(text)\" is not a version such as \"2.5.4\"")
        }
        self.init(version: version, compatibility: try value(.compatibility) ?? .safe, headers: try value(.headers))
        self.stringEncoding = try raw(.stringEncoding) ?? self.stringEncoding
        self.mediaTypes = try value(.mediaTypes) ?? self.mediaTypes
        self.methodsEncodingParametersInURL =
            try value(.methodsEncodingParametersInURL) ?? self.methodsEncodingParametersInURL
        (self.cachePolicy, self.networkServiceType) = (try raw(.cachePolicy), try raw(.networkServiceType))
        self.allowsCellularAccess = try value(.allowsCellularAccess)
        self.httpShouldHandleCookies = try value(.httpShouldHandleCookies)
        self.httpShouldUsePipelining = try value(.httpShouldUsePipelining)
        self.timeoutInterval = try value(.timeoutInterval)
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

extension KeyedDecodingContainer {
    /// Decodes a type of Foundation by its raw value.
    /// - Throws: `DecodingError`, also for a number that the type doesn't have.
    func decode<Value: RawRepresentable>(rawValueOf key: Key) throws -> Value where Value.RawValue: Decodable {
        let number = try self.decode(Value.RawValue.self, forKey: key)
        if let value = Value(rawValue: number) { return value }
        throw DecodingError.dataCorruptedError(
            forKey: key, in: self, debugDescription: "\(number) is not a \(Value.self)")
    }
}
