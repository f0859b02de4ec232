/// A media type, who found it, and why.
public struct MediaTypeChoice: Hashable, Sendable, Codable {
    /// Who found it.
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
        /// Nobody: it is what remains when nothing is known.
        case none
    }

    /// The type; `nil` when the part should have none.
    public var mediaType: String?
    /// Who found it.
    public var detector: Detector
    /// A few words for people: `given`, `extension .jpg`.
    public var reason: String

    /// Names a choice.
    public init(_ mediaType: String?, by detector: Detector, reason: String) {
        self.mediaType = mediaType
        self.detector = detector
        self.reason = reason
    }

    /// The type for bytes of which nothing is known (RFC 2046 §4.5.1).
    public static let unknown = "application/octet-stream"
}
