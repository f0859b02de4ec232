/// curl's own table of media types: ten endings.
package enum CurlMediaTypes {
    private static let entries: [(suffix: String, mediaType: String)] = [
        (".gif", "image/gif"), (".jpg", "image/jpeg"), (".jpeg", "image/jpeg"), (".png", "image/png"),
        (".svg", "image/svg+xml"), (".txt", "text/plain"), (".htm", "text/html"), (".html", "text/html"),
        (".pdf", "application/pdf"), (".xml", "application/xml"),
    ]

    /// The type of a name that ends so, in any case; `nil` when none of the ten does.
    package static func mediaType(forFilename filename: String) -> String? {
        // Every suffix has its only dot in front, so only names with one are worth a comparison.
        guard let dot = filename.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        let suffix = filename[dot...].lowercased()
        return self.entries.first { $0.suffix == suffix }?.mediaType
    }
}
