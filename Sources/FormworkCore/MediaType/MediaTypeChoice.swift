/// A media type, how it was found, and the reason.
public struct MediaTypeChoice: Hashable, Sendable, Codable {
    /// How a type was found.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Detector: String, Hashable, Sendable, Codable {
        /// The caller gave it.
        case given
        /// The filename's extension.
        case `extension`
        /// The content's first bytes.
        case content
        /// Nothing: it is the type for unknown content.
        case none
    }

    /// The type; `nil` if the part should have none.
    public var mediaType: String?
    /// How it was found.
    public var detector: Detector
    /// The reason in a few words, such as `given` or `extension .jpg`.
    public var reason: String

    /// A choice.
    public init(_ mediaType: String?, by detector: Detector, reason: String) {
        self.mediaType = mediaType
        self.detector = detector
        self.reason = reason
    }

    /// The type for unknown bytes (RFC 2046 §4.5.1).
    public static let unknown = "application/octet-stream"
}
