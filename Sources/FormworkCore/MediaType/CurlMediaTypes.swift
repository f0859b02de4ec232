/// curl's own table of media types, with ten suffixes.
package enum CurlMediaTypes {
    private static let entries: [(suffix: String, mediaType: String)] = [
        (".gif", "image/gif"), (".jpg", "image/jpeg"), (".jpeg", "image/jpeg"), (".png", "image/png"),
        (".svg", "image/svg+xml"), (".txt", "text/plain"), (".htm", "text/html"), (".html", "text/html"),
        (".pdf", "application/pdf"), (".xml", "application/xml"),
    ]

    /// The type that curl writes for a part without one; `nil` for none.
    /// - Parameter path: The file's path; `nil` if it isn't a file.
    package static func mediaType(filename: String?, path: String?) -> String? {
        var type = filename.flatMap(self.mediaType)
        if let path {
            type = type ?? self.mediaType(forFilename: path) ?? (filename == nil ? nil : MediaTypeChoice.unknown)
        }
        return type == "text/plain" && filename == nil ? nil : type
    }

    /// The type for a name's suffix, in upper or lower case; `nil` if the table doesn't have it.
    package static func mediaType(forFilename filename: String) -> String? {
        // Every suffix begins with its only dot, so only names with a dot are compared.
        guard let dot = filename.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        let suffix = filename[dot...].lowercased()
        return self.entries.first { $0.suffix == suffix }?.mediaType
    }
}
