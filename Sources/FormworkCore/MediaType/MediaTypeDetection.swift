/// How the type of a file upload is found if the caller gives none.
///
/// Make your own from a closure, or use ``byExtension``, or `auto` or `byContent` of FormworkMagic. Copies of one
/// detection are equal; two that were made by the same code are not.
public struct MediaTypeDetection: Sendable, Equatable {
    private final class Decision: Sendable {
        let decide: @Sendable (_ filename: String?, _ head: [UInt8]?) -> MediaTypeChoice

        init(_ decide: @escaping @Sendable (_ filename: String?, _ head: [UInt8]?) -> MediaTypeChoice) {
            self.decide = decide
        }
    }

    /// The number of first bytes that ``choice(forFilename:head:)`` needs; 0 if the name is enough.
    ///
    /// They are read when the body is planned. A file is opened once for them. A stream is read until it has returned
    /// them or ends, a descriptor until nothing has arrived for 50 ms. These bytes are still sent in their place.
    public let headCount: Int
    private let decision: Decision

    /// Makes a detection.
    /// - Parameters:
    ///   - headCount: The number of first bytes that `decide` needs, clamped to 0 to 64 MiB.
    ///   - decide: Returns the choice for a filename, `nil` if there is none, and the first bytes. They are fewer only
    ///     if the content is shorter, and `nil` if it can't be read yet.
    public init(
        headCount: Int, _ decide: @escaping @Sendable (_ filename: String?, _ head: [UInt8]?) -> MediaTypeChoice
    ) {
        self.headCount = max(0, min(headCount, 64 << 20))
        self.decision = Decision(decide)
    }

    /// The choice for a filename and the content's first bytes.
    public func choice(forFilename filename: String?, head: [UInt8]?) -> MediaTypeChoice {
        self.decision.decide(filename, head)
    }

    /// Whether both are copies of one detection.
    public static func == (left: MediaTypeDetection, right: MediaTypeDetection) -> Bool {
        left.decision === right.decision
    }

    /// Uses only ``MediaTypeTable``; `application/octet-stream` if it has no entry. Reads no content.
    public static let byExtension = MediaTypeDetection(headCount: 0) { filename, _ in
        let candidates = filename?.withRawSpan { FilenameExtension.candidates(in: $0) }
        if let found = candidates.flatMap({ MediaTypeTable.find($0) }) {
            return MediaTypeChoice(found.mediaType, by: .extension, reason: found.extension.text(after: "extension ."))
        }
        return MediaTypeChoice(.unknown, by: .none, reason: "no type known for this name")
    }

    /// curl's rule for files: its ten suffixes, otherwise `application/octet-stream`. Reads no content.
    public static let curl = MediaTypeDetection(headCount: 0) { filename, _ in
        if let filename, let mediaType = CurlMediaTypes.mediaType(forFilename: filename) {
            return MediaTypeChoice(mediaType, by: .extension, reason: "in curl's table")
        }
        return MediaTypeChoice(.unknown, by: .none, reason: "not in curl's table")
    }
}

extension String {
    fileprivate static var unknown: String { MediaTypeChoice.unknown }
}

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
