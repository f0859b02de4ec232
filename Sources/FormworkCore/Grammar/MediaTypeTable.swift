/// A media type and why it was chosen.
public struct MediaTypeChoice: Hashable, Sendable {
    /// The type; `nil` when the part should have none.
    public var mediaType: String?
    /// A few words for people: `given`, `extension .jpg`.
    public var reason: String

    /// Names a choice.
    public init(_ mediaType: String?, reason: String) {
        self.mediaType = mediaType
        self.reason = reason
    }
}

/// Media types by the end of a filename.
public enum MediaTypeTable {
    /// curl's own ten entries, which it compares with the end of the name in any case.
    public static let curl: [(suffix: String, mediaType: String)] = [
        (".gif", "image/gif"), (".jpg", "image/jpeg"), (".jpeg", "image/jpeg"), (".png", "image/png"),
        (".svg", "image/svg+xml"), (".txt", "text/plain"), (".htm", "text/html"), (".html", "text/html"),
        (".pdf", "application/pdf"), (".xml", "application/xml"),
    ]

    /// The type of a file named `filename`; `application/octet-stream` when the table has none.
    public static func choice(forFilename filename: String) -> MediaTypeChoice {
        // Every suffix has its only dot in front, so only names with one are worth a comparison.
        if let dot = filename.utf8.lastIndex(of: UInt8(ascii: ".")) {
            let suffix = filename[dot...].lowercased()
            if let entry = self.curl.first(where: { $0.suffix == suffix }) {
                return MediaTypeChoice(entry.mediaType, reason: "extension \(entry.suffix)")
            }
        }
        return MediaTypeChoice("application/octet-stream", reason: "no type known for this name")
    }
}
