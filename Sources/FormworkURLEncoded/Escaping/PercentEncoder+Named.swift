extension PercentEncoder {
    /// RFC 3986 section 2.3: leaves the unreserved characters alone.
    public static let rfc3986 = PercentEncoder(leaving: "-._~")
    /// The `application/x-www-form-urlencoded` percent-encode set of the WHATWG URL standard, a space as `+`.
    public static let form = PercentEncoder(leaving: "*-._", space: .plus)
    /// The query percent-encode set of the WHATWG URL standard. It leaves `&`, `=`, `+` and `%` alone: for text that is
    /// a query already, never for a name or a value.
    public static let query = PercentEncoder(leaving: "!$%&'()*+,-./:;=?@[\\]^_`{|}~")
    /// As ``query`` for URLs of special schemes, such as `https`: escapes `'` too.
    public static let specialQuery = PercentEncoder(leaving: "!$%&()*+,-./:;=?@[\\]^_`{|}~")
    /// Leaves the whole of ASCII alone, as Facebook's and Recipes' names go in. Names given by others can break the query.
    public static let raw = PercentEncoder(leaving: String(decoding: 0..<0x80, as: UTF8.self), space: .raw)

    /// Alamofire, and AFNetworking since 2.6.0: `?` and `/` stand (RFC 3986 section 3.4).
    public static let alamofire = PercentEncoder(leaving: "-./?_~")
    /// facebook-ios-sdk.
    public static let facebook = rfc3986
    /// The form POST of iOS Recipes.
    public static let recipes = PercentEncoder(leaving: "!$'()*,-./:;?@_~")
    /// PHP's `urlencode`: RFC 1738.
    public static let php = PercentEncoder(leaving: "-._", space: .plus)
    /// Ruby's `CGI.escape`, with which Rails writes queries.
    public static let ruby = PercentEncoder(leaving: "-._~", space: .plus)
}

/// The versions of AFNetworking between which its escaping changed.
public enum AFNetworkingVersion: String, CaseIterable, Comparable, Sendable {
    /// 0.6.0 to 1.0RC1.
    case v0_6 = "0.6"
    /// 1.0, the version which escaped the dot.
    case v1_0 = "1.0"
    /// 1.0.1 to 1.1.0.
    case v1_0_1 = "1.0.1"
    /// 1.2.0 and 1.2.1.
    case v1_2 = "1.2"
    /// 1.3.0 to 1.3.2.
    case v1_3 = "1.3"
    /// 1.3.3 to 2.1.0, where keys keep brackets and are sorted without regard to case.
    case v1_3_3 = "1.3.3"
    /// 2.2.0 to 2.5.4.
    case v2_2 = "2.2"
    /// 2.6.0 to 4.0.1.
    case v2_6 = "2.6"

    /// The older version first.
    public static func < (left: AFNetworkingVersion, right: AFNetworkingVersion) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension PercentEncoder {
    /// How a version of AFNetworking escapes keys.
    public static func afnetworkingKey(_ version: AFNetworkingVersion) -> PercentEncoder {
        switch version {
        case .v0_6: PercentEncoder(leaving: "-._")
        case .v1_0: PercentEncoder(leaving: "'*,-[]_")
        case .v1_0_1: PercentEncoder(leaving: "'*,-.[]_")
        case .v1_2: PercentEncoder(leaving: "-.[]_")
        case .v1_3, .v1_3_3, .v2_2: PercentEncoder(leaving: "-.[]_~")
        case .v2_6: .alamofire
        }
    }

    /// How a version of AFNetworking escapes values.
    public static func afnetworkingValue(_ version: AFNetworkingVersion) -> PercentEncoder {
        switch version {
        case .v1_3_3, .v2_2: PercentEncoder(leaving: "-._~")
        default: .afnetworkingKey(version)
        }
    }
}
