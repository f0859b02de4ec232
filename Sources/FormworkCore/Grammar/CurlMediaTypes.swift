/// curl's own table of media types: ten endings.
package enum CurlMediaTypes {
    private static let entries: [(suffix: String, mediaType: String)] = [
        (".gif", "image/gif"), (".jpg", "image/jpeg"), (".jpeg", "image/jpeg"), (".png", "image/png"),
        (".svg", "image/svg+xml"), (".txt", "text/plain"), (".htm", "text/html"), (".html", "text/html"),
        (".pdf", "application/pdf"), (".xml", "application/xml"),
    ]

    /// What curl makes of a part without a type; `nil` writes none.
    /// - Parameter path: The file's; `nil` for what is no file.
    package static func mediaType(filename: String?, path: String?) -> String? {
        var type = filename.flatMap(self.mediaType)
        if let path {
            type = type ?? self.mediaType(forFilename: path) ?? (filename == nil ? nil : MediaTypeChoice.unknown)
        }
        return type == "text/plain" && filename == nil ? nil : type
    }

    /// The type of a name that ends so, in any case; `nil` when none of the ten does.
    package static func mediaType(forFilename filename: String) -> String? {
        // Every suffix has its only dot in front, so only names with one are worth a comparison.
        guard let dot = filename.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        let suffix = filename[dot...].lowercased()
        return self.entries.first { $0.suffix == suffix }?.mediaType
    }
}
