/// How the type of a file upload is found when the caller gives none.
///
/// A value: make your own from a closure, or take ``byExtension`` here and `auto` or `byContent` of FormworkMagic. Equal are
/// copies of one detection; two that were made by the same code are not.
public struct MediaTypeDetection: Sendable, Equatable {
    private final class Decision: Sendable {
        let decide: @Sendable (_ filename: String?, _ head: [UInt8]?) -> MediaTypeChoice

        init(_ decide: @escaping @Sendable (_ filename: String?, _ head: [UInt8]?) -> MediaTypeChoice) {
            self.decide = decide
        }
    }

    /// Bytes from the content's start that ``choice(forFilename:head:)`` wants to see; 0 when the name is enough.
    ///
    /// They are read when the body is planned: a file is opened for them once, a stream is read until it has given
    /// them or ends, a descriptor until nothing has come for a twentieth of a second; what was read is sent in its place.
    public let headCount: Int
    private let decision: Decision

    /// Makes a detection.
    /// - Parameters:
    ///   - headCount: Bytes from the content's start that `decide` wants to see, from 0 to 64 MiB; fewer or more count as
    ///     these.
    ///   - decide: Gives the choice for a filename, `nil` when there is none, and a head that is shorter only when the
    ///     content is, and `nil` when the content can't be looked into.
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

    /// Whether one is a copy of the other.
    public static func == (left: MediaTypeDetection, right: MediaTypeDetection) -> Bool {
        left.decision === right.decision
    }

    /// By ``MediaTypeTable`` alone; `application/octet-stream` when it has no entry. Reads nothing.
    public static let byExtension = MediaTypeDetection(headCount: 0) { filename, _ in
        if let match = filename.flatMap({ MediaTypeTable.match(forFilename: $0) }) {
            return MediaTypeChoice(match.mediaType, by: .extension, reason: "extension .\(match.extension)")
        }
        return MediaTypeChoice(.unknown, by: .none, reason: "no type known for this name")
    }

    /// curl's rule for files: its ten endings, else `application/octet-stream`. Reads nothing.
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
