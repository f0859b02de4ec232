extension PercentEncoder {
    /// RFC 3986 section 2.3: leaves the unreserved characters unescaped.
    public static let rfc3986 = PercentEncoder(leaving: "-._~")
    /// The `application/x-www-form-urlencoded` percent-encode set of the WHATWG URL standard, a space as `+`.
    public static let form = PercentEncoder(leaving: "*-._", space: .plus)
    /// Leaves all of ASCII unescaped, like the names of Facebook and Recipes. Names from outside can break the query.
    static let raw = PercentEncoder(leaving: String(decoding: 0..<0x80, as: UTF8.self), space: .raw)

    /// Alamofire, and AFNetworking since 2.6.0: `?` and `/` stay unescaped (RFC 3986 section 3.4).
    package static let alamofire = PercentEncoder(leaving: "-./?_~")
    /// facebook-ios-sdk.
    package static let facebook = rfc3986
    /// The form POST of iOS Recipes.
    static let recipes = PercentEncoder(leaving: "!$'()*,-./:;?@_~")
    /// PHP's `urlencode`: RFC 1738.
    public static let php = PercentEncoder(leaving: "-._", space: .plus)
    /// Ruby's `CGI.escape`, with which Rails writes queries.
    public static let ruby = PercentEncoder(leaving: "-._~", space: .plus)
}

extension PercentEncoder {
    /// How a version of AFNetworking escapes keys.
    static func afnetworkingKey(_ version: AFNetworkingVersion) -> PercentEncoder {
        switch version {
        case ..<"1.0": PercentEncoder(leaving: "-._")
        case ..<"1.0.1": PercentEncoder(leaving: "'*,-[]_")
        case ..<"1.2": PercentEncoder(leaving: "'*,-.[]_")
        case ..<"1.3": PercentEncoder(leaving: "-.[]_")
        case ..<"2.6": PercentEncoder(leaving: "-.[]_~")
        default: .alamofire
        }
    }

    /// How a version of AFNetworking escapes values.
    static func afnetworkingValue(_ version: AFNetworkingVersion) -> PercentEncoder {
        ("1.3.3"..<"2.6").contains(version) ? PercentEncoder(leaving: "-._~") : .afnetworkingKey(version)
    }
}
