/// Media types by filename extension: Debian's list, changed by the decisions in `scripts/fixtures/media-types.d`.
///
/// The extension is the text after the last dot of the last path component, or after the last two dots if the table has
/// that (`tar.gz`, `d.ts`). ASCII letters match in either case. A name whose only dots are at its start (`.gitignore`)
/// has no extension, and neither has one that ends with a dot.
///
/// Bytes are compared, not Characters, so a combining mark or line ending can't hide a dot. A lookup reads at most the
/// name's last component and, in optimized builds, allocates nothing unless the text is a bridged `NSString`.
public enum MediaTypeTable {
    /// The number of known extensions.
    static var count: Int { self.shortTypes.count + self.longTypes.count }

    /// The type of a file with that name; `nil` if its extension isn't known.
    /// - Parameter filename: A name, or a path with slashes.
    @inlinable
    public static func mediaType(forFilename filename: some StringProtocol) -> String? {
        self.mediaType(forFilename: filename.bytes)
    }

    /// The type of a file with that name, and the extension that determined it, in lower case and without its dot.
    /// - Parameter filename: A name, or a path with slashes.
    @inlinable
    public static func match(forFilename filename: some StringProtocol) -> (extension: String, mediaType: String)? {
        self.match(forFilename: filename.bytes)
    }

    /// The type for an extension without its first dot, in either case; `nil` if it isn't known.
    @inlinable
    public static func mediaType(forExtension extension: some StringProtocol) -> String? {
        self.mediaType(forExtension: `extension`.bytes)
    }

    /// The preferred extension for files of that type, without a dot; `nil` if the type isn't in the table.
    ///
    /// ``mediaType(forExtension:)`` returns the same type for it.
    /// - Parameter mediaType: A type in any case. Parameters (`; charset=utf-8`) are ignored.
    public static func preferredExtension(for mediaType: String) -> String? {
        let name = mediaType.utf8.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
        let wanted = name.lazy.map(\.asciiLowercased)
        let place = self.types.place { $0.utf8.lazy.map(\.asciiLowercased).lexicographicallyPrecedes(wanted) }
        guard place < self.types.count, self.types[place].utf8.lazy.map(\.asciiLowercased).elementsEqual(wanted) else {
            return nil
        }
        return self.extension(at: Int(self.preferredExtensions[place])).text
    }

    @usableFromInline
    static func mediaType(forFilename filename: Substring.UTF8View) -> String? {
        self.find(FilenameExtension.candidates(in: filename))?.mediaType
    }

    @usableFromInline
    static func match(forFilename filename: Substring.UTF8View) -> (extension: String, mediaType: String)? {
        self.find(FilenameExtension.candidates(in: filename)).map { ($0.extension.text, $0.mediaType) }
    }

    @usableFromInline
    static func mediaType(forExtension extension: Substring.UTF8View) -> String? {
        FilenameExtension(`extension`).flatMap { self.mediaType(for: $0) }
    }

    /// The extension at an index of the short ones, followed by the long ones.
    static func `extension`(at place: Int) -> FilenameExtension {
        if place < self.shortTypes.count { return FilenameExtension(padded: self.shortExtension(at: place)) }
        return self.longExtension(at: place - self.shortTypes.count)
    }

    /// Eight bytes, the first as the highest, with blanks after the last one of the extension.
    private static func shortExtension(at place: Int) -> UInt64 {
        // SAFETY: the text has eight bytes for each of `shortTypes`.
        let bytes = unsafe UnsafeRawPointer(self.shortExtensions.utf8Start)
        return unsafe UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8 * place, as: UInt64.self))
    }

    private static func longExtension(at place: Int) -> FilenameExtension {
        FilenameExtension(high: self.longExtensions[2 * place], low: self.longExtensions[2 * place + 1])
    }

    static func find(
        _ candidates: FilenameExtension.Candidates
    ) -> (extension: FilenameExtension, mediaType: String)? {
        if let both = candidates.lastTwo, let mediaType = self.mediaType(for: both) { return (both, mediaType) }
        return candidates.last.flatMap { last in self.mediaType(for: last).map { (last, $0) } }
    }

    private static func mediaType(for wanted: FilenameExtension) -> String? {
        if let short = wanted.padded {
            let place = self.shortTypes.indices.place { self.shortExtension(at: $0) < short }
            guard place < self.shortTypes.count, self.shortExtension(at: place) == short else { return nil }
            return self.types[Int(self.shortTypes[place])]
        }
        let place = (0..<self.longTypes.count).place { self.longExtension(at: $0) < wanted }
        guard place < self.longTypes.count, self.longExtension(at: place) == wanted else { return nil }
        return self.types[Int(self.longTypes[place])]
    }
}

extension RandomAccessCollection where Index == Int {
    /// The first index whose element doesn't satisfy `comesBefore`, in a collection in which all earlier elements do;
    /// `endIndex` if all do.
    fileprivate func place(_ comesBefore: (Element) -> Bool) -> Int {
        var (low, high) = (self.startIndex, self.endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if comesBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension StringProtocol {
    /// The text's bytes, for `String` and `Substring` without a copy.
    ///
    /// Inlined, so that the casts are resolved when a client is compiled, not in each lookup.
    @inlinable var bytes: Substring.UTF8View {
        if let text = self as? String { return text[...].utf8 }
        if let text = self as? Substring { return text.utf8 }
        return String(self)[...].utf8
    }
}

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
    static func mediaType(forFilename filename: String) -> String? {
        // Every suffix begins with its only dot, so only names with a dot are compared.
        guard let dot = filename.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        let suffix = filename[dot...].lowercased()
        return self.entries.first { $0.suffix == suffix }?.mediaType
    }
}
