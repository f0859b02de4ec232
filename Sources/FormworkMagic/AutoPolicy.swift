import FormworkCore

/// Combines the type from the name and the type from the content into one that is never worse than either.
///
/// A name can be wrong, and libmagic can be vague. So a signature overrules a name. Vague types ("text", "zip", "data")
/// don't, unless the name claims a format whose content always has a signature.
enum AutoPolicy {
    /// - Parameters:
    ///   - named: The type from the name, and its extension; `nil` if the name has none.
    ///   - found: The type from the content, in current names; `nil` if the content can't be read.
    ///   - head: The content's first bytes.
    static func choice(
        named: (extension: String, mediaType: String)?, found: String?, head: [UInt8]
    ) -> MediaTypeChoice {
        // `.bin` claims nothing.
        let claim = named.flatMap { $0.mediaType == MediaTypeChoice.unknown ? nil : $0 }
        guard let claim else {
            guard let found, !head.isEmpty, found != MediaTypeChoice.unknown else {
                let reason = head.isEmpty && found != nil ? "no content" : "nothing known"
                return MediaTypeChoice(
                    MediaTypeChoice.unknown, by: .none, reason: named.map { "extension .\($0.extension)" } ?? reason)
            }
            return MediaTypeChoice(found, by: .content, reason: "content, by libmagic")
        }
        let name = MediaTypeChoice(claim.mediaType, by: .extension, reason: "extension .\(claim.extension)")
        guard let found else { return name }
        if head.isEmpty {
            // Empty content can be text, but not a picture.
            guard self.isBinary(claim.mediaType) else { return name }
            return MediaTypeChoice(MediaTypeChoice.unknown, by: .none, reason: "no content")
        }
        if claim.extension == "ts", self.isText(found) {
            return MediaTypeChoice("text/plain", by: .content, reason: "content: TypeScript, which has no type")
        }
        if let reason = self.overruling(claim.mediaType, found, head) {
            return MediaTypeChoice(found, by: .content, reason: "content: \(reason) .\(claim.extension)")
        }
        return name
    }

    /// Why the content's type `found` overrules the name's `claim`; `nil` if it doesn't.
    private static func overruling(_ claim: String, _ found: String, _ head: [UInt8]) -> String? {
        guard claim != found, !(self.family(claim) != nil && self.family(claim) == self.family(found)) else {
            return nil
        }
        if let precise = self.precise[found], precise.contains(claim) { return nil }
        if found == MediaTypeChoice.unknown {
            // No signature was found: so it isn't a format that always has one, and with NUL it isn't text.
            if self.signed.contains(claim) { return "no signature of" }
            let isWide = head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF])
            return self.isText(claim) && head.contains(0) && !isWide ? "not text as in" : nil
        }
        if self.isText(found) {
            // Content that a browser would run must not be called an image, whatever the name claims.
            if found == "text/html", claim == "image/svg+xml" { return "HTML, not" }
            return self.isBinary(claim) ? "text, not" : nil
        }
        if self.containers.contains(found) { return self.signed.contains(claim) ? "not the signature of" : nil }
        return "another signature than"
    }

    /// Types of containers, which don't show what is in them.
    private static let containers: Set = [
        "application/zip", "application/x-ole-storage", "application/CDFV2", "application/vnd.ms-office",
    ]

    /// Names' types that are more precise than the content's type: these formats have the signature of another one.
    private static let precise: [String: Set<String>] = [
        "application/gzip": ["application/x-gnumeric", "application/x-ms-wmz"],
        "application/vnd.rar": ["application/vnd.comicbook-rar"],
        "application/x-mobipocket-ebook": ["application/vnd.amazon.ebook", "application/vnd.amazon.mobi8-ebook"],
        "image/png": ["image/apng"],
        // The raw images of most cameras are TIFF files.
        "image/tiff": [
            "image/x-adobe-dng", "image/x-canon-cr2", "image/x-epson-erf", "image/x-nikon-nef", "image/x-pentax-pef",
            "image/x-sony-arw",
        ],
        "video/matroska": ["video/matroska-3d"],
        "video/x-ms-asf": ["application/vnd.ms-asf", "audio/x-ms-wma", "video/x-ms-wm", "video/x-ms-wmv"],
    ]

    /// Types whose content always begins with a signature that libmagic knows: content without it has another type.
    private static let signed: Set = [
        "application/gzip", "application/pdf", "application/vnd.rar", "application/vnd.sqlite3",
        "application/wasm", "application/x-7z-compressed", "application/x-bzip2", "application/x-xz",
        "application/zstd", "audio/flac", "font/woff", "font/woff2", "image/bmp", "image/gif", "image/jpeg",
        "image/png", "image/tiff", "image/webp", "video/webm",
    ]

    /// Whether content of this type is never text.
    private static func isBinary(_ type: String) -> Bool {
        if self.signed.contains(type) { return true }
        let isMedia = ["image/", "audio/", "video/", "font/"].contains { type.hasPrefix($0) }
        return isMedia && !self.isText(type)
    }

    /// Formats that share a signature, so that only the name distinguishes them.
    private static func family(_ type: String) -> String? {
        switch type {
        case "video/mp4", "audio/mp4", "video/quicktime", "video/3gpp", "audio/3gpp", "video/3gpp2": "MP4"
        case "audio/ogg", "video/ogg", "application/ogg", "audio/opus": "Ogg"
        case "video/matroska", "audio/matroska", "video/webm", "audio/webm": "Matroska"
        case "font/sfnt", "font/ttf", "font/otf", "font/collection", "application/vnd.ms-fontobject": "sfnt"
        case "application/gzip", "application/x-compressed-tar": "gzip"
        default: nil
        }
    }

    /// Whether content of this type is text.
    private static func isText(_ type: String) -> Bool {
        if type.hasPrefix("text/") || type.hasSuffix("+xml") || type.hasSuffix("+json") { return true }
        return self.texts.contains(type)
    }

    private static let texts: Set = [
        "application/json", "application/xml", "application/x-ndjson", "application/yaml", "application/toml",
        "application/sql", "application/x-sh", "application/x-httpd-php", "application/x-tex", "application/x-subrip",
        "application/postscript", "application/rtf", "application/x-pem-file", "message/rfc822",
        "application/x-perl", "application/x-ruby", "application/graphql", "application/json5",
        // Playlists, and picture formats that are text or may be.
        "audio/mpegurl", "audio/x-scpls", "audio/x-pn-realaudio", "image/x-portable-anymap",
        "image/x-portable-bitmap", "image/x-portable-graymap", "image/x-portable-pixmap", "image/x-xbitmap",
        "image/x-xpixmap", "image/vnd.dxf",
    ]
}

/// The signatures of the pictures and documents that are uploaded most. If the name claims one of these formats and the
/// content has its signature, both agree, and libmagic isn't asked: it compares the content with thousands of formats,
/// which takes a quarter of a millisecond, and its database takes 6 MiB. It would say otherwise only of content that has
/// two signatures, such as a tar archive named `.gif` whose first file's name begins with `GIF89a`.
enum Signature {
    /// Whether content begins with the signature of a type; `false` for a type that isn't listed.
    static func begins(_ head: [UInt8], _ type: String) -> Bool {
        switch type {
        // The fourth byte F7 is JPEG-LS, which is another type.
        case "image/jpeg": head.starts(with: [0xFF, 0xD8, 0xFF]) && head.count > 3 && head[3] != 0xF7
        case "image/png":
            head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0x0D, 0x49, 0x48, 0x44, 0x52])
        case "image/gif": head.starts(with: "GIF87a".utf8) || head.starts(with: "GIF89a".utf8)
        case "image/webp": head.starts(with: "RIFF".utf8) && head.dropFirst(8).starts(with: "WEBP".utf8)
        case "application/pdf": head.starts(with: "%PDF-1.".utf8)
        default: false
        }
    }
}
