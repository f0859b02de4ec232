import Formwork
import FormworkFoundation
import Foundation

/// One header field: an unchanged name and value.
public struct HTTPHeader: Hashable, Codable, Sendable, CustomStringConvertible {
    /// The field's name, in its original case.
    public let name: String
    /// The field's value.
    public let value: String

    /// Creates a field.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// `name: value`.
    public var description: String { "\(self.name): \(self.value)" }
}

extension HTTPHeader {
    /// An `Accept` field.
    public static func accept(_ value: String) -> Self { Self(name: "Accept", value: value) }

    /// An `Accept-Charset` field.
    public static func acceptCharset(_ value: String) -> Self { Self(name: "Accept-Charset", value: value) }

    /// An `Accept-Language` field. ``defaultAcceptLanguage`` has the user's own languages.
    public static func acceptLanguage(_ value: String) -> Self { Self(name: "Accept-Language", value: value) }

    /// An `Accept-Encoding` field. ``defaultAcceptEncoding`` has what `URLSession` decodes.
    public static func acceptEncoding(_ value: String) -> Self { Self(name: "Accept-Encoding", value: value) }

    /// Basic authorization (RFC 7617), as UTF-8. The user name must not contain a colon, which ends it.
    public static func authorization(username: String, password: String) -> Self {
        self.authorization(BasicCredentials(user: username, password: password).fieldValue)
    }

    /// Authorization with a bearer token (RFC 6750).
    public static func authorization(bearerToken: String) -> Self {
        self.authorization("Bearer \(bearerToken)")
    }

    /// An `Authorization` field with any scheme.
    public static func authorization(_ value: String) -> Self { Self(name: "Authorization", value: value) }

    /// A `Content-Disposition` field.
    public static func contentDisposition(_ value: String) -> Self { Self(name: "Content-Disposition", value: value) }

    /// A `Content-Encoding` field.
    public static func contentEncoding(_ value: String) -> Self { Self(name: "Content-Encoding", value: value) }

    /// A `Content-Type` field.
    public static func contentType(_ value: String) -> Self { Self(name: "Content-Type", value: value) }

    /// A `User-Agent` field. ``defaultUserAgent`` names the running program.
    public static func userAgent(_ value: String) -> Self { Self(name: "User-Agent", value: value) }

    /// A `Sec-WebSocket-Protocol` field.
    public static func websocketProtocol(_ value: String) -> Self { Self(name: "Sec-WebSocket-Protocol", value: value) }
}
