/// Maps libmagic's names to the currently registered ones.
enum MediaTypeNames {
    private static let renamed = [
        "application/font-sfnt": "font/sfnt",
        "application/javascript": "text/javascript",  // RFC 9239
        "application/vnd.ms-opentype": "font/otf",  // RFC 8081
        "application/x-dosexec": "application/vnd.microsoft.portable-executable",
        "application/x-font-ttf": "font/ttf",
        "application/x-font-woff": "font/woff",
        "application/x-gzip": "application/gzip",  // RFC 6713
        "application/x-java-applet": "application/java-vm",
        "application/x-rar": "application/vnd.rar",
        "application/x-sqlite3": "application/vnd.sqlite3",
        "application/x-wine-extension-ini": "text/plain",
        "application/x-zstd": "application/zstd",  // RFC 8878
        "audio/vnd.dolby.dd-raw": "audio/ac3",  // RFC 4184
        "audio/x-aiff": "audio/aiff",
        "audio/x-flac": "audio/flac",  // RFC 9639
        "audio/x-hx-aac-adts": "audio/aac",
        "audio/x-m4a": "audio/mp4",  // RFC 4337
        "audio/x-wav": "audio/wav",
        "image/x-icon": "image/vnd.microsoft.icon",
        "image/x-ms-bmp": "image/bmp",  // RFC 7903
        "image/x-portable-greymap": "image/x-portable-graymap",
        "text/x-vcard": "text/vcard",  // RFC 6350
        "video/MP2T": "video/mp2t",
        "video/x-m4v": "video/mp4",
        "video/x-matroska": "video/matroska",  // RFC 9559
    ]

    static func current(_ name: String) -> String { self.renamed[name] ?? name }
}
