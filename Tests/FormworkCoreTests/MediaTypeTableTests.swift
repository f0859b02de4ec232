import Testing

@testable import FormworkCore

@Suite("MediaTypeTable", .timeLimit(.minutes(10)))
struct MediaTypeTableTests {
    /// Types that somebody decided, and that no newer source may change unseen.
    static let types: [(extension: String, mediaType: String)] = [
        // Pictures
        ("apng", "image/apng"), ("avif", "image/avif"), ("bmp", "image/bmp"), ("dng", "image/x-adobe-dng"),
        ("exr", "image/x-exr"), ("gif", "image/gif"), ("heic", "image/heic"), ("heif", "image/heif"),
        ("hif", "image/heif"), ("ico", "image/vnd.microsoft.icon"), ("jpeg", "image/jpeg"), ("jpg", "image/jpeg"),
        ("jxl", "image/jxl"), ("png", "image/png"), ("psd", "image/vnd.adobe.photoshop"), ("svg", "image/svg+xml"),
        ("svgz", "application/gzip"), ("tif", "image/tiff"), ("tiff", "image/tiff"), ("webp", "image/webp"),
        // Sound and films
        ("3gp", "video/3gpp"), ("aac", "audio/aac"), ("aiff", "audio/aiff"), ("amr", "audio/amr"),
        ("avi", "video/x-msvideo"), ("flac", "audio/flac"), ("m4a", "audio/mp4"), ("m4v", "video/mp4"),
        ("mid", "audio/midi"), ("mka", "audio/matroska"), ("mkv", "video/matroska"), ("mov", "video/quicktime"),
        ("mp3", "audio/mpeg"), ("mp4", "video/mp4"), ("mpg", "video/mpeg"), ("mts", "video/mp2t"),
        ("oga", "audio/ogg"), ("ogg", "audio/ogg"), ("ogv", "video/ogg"), ("opus", "audio/ogg"),
        ("srt", "application/x-subrip"), ("ts", "video/mp2t"), ("vtt", "text/vtt"), ("wav", "audio/wav"),
        ("weba", "audio/webm"), ("webm", "video/webm"), ("wv", "audio/x-wavpack"),
        // Documents
        ("ai", "application/postscript"), ("doc", "application/msword"),
        ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        ("epub", "application/epub+zip"), ("eml", "message/rfc822"), ("htm", "text/html"), ("html", "text/html"),
        ("ics", "text/calendar"), ("md", "text/markdown"), ("mht", "message/rfc822"),
        ("msg", "application/vnd.ms-outlook"),
        ("numbers", "application/vnd.apple.numbers"), ("odt", "application/vnd.oasis.opendocument.text"),
        ("org", "text/plain"), ("pages", "application/vnd.apple.pages"), ("pdf", "application/pdf"),
        ("ps", "application/postscript"), ("rst", "text/x-rst"), ("rtf", "application/rtf"), ("tex", "text/x-tex"),
        ("txt", "text/plain"), ("vcf", "text/vcard"), ("xhtml", "application/xhtml+xml"),
        ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        // Data
        ("bin", "application/octet-stream"), ("csv", "text/csv"), ("geojson", "application/geo+json"),
        ("glb", "model/gltf-binary"), ("gltf", "model/gltf+json"), ("ipynb", "application/x-ipynb+json"),
        ("json", "application/json"), ("jsonl", "application/x-ndjson"), ("ndjson", "application/x-ndjson"),
        ("obj", "model/obj"), ("parquet", "application/vnd.apache.parquet"), ("sql", "application/sql"),
        ("sqlite", "application/vnd.sqlite3"), ("stl", "model/stl"), ("toml", "application/toml"),
        ("tsv", "text/tab-separated-values"), ("wasm", "application/wasm"), ("xml", "application/xml"),
        ("yaml", "application/yaml"), ("yml", "application/yaml"),
        // Fonts, keys
        ("otf", "font/otf"), ("ttc", "font/collection"), ("ttf", "font/ttf"), ("woff", "font/woff"),
        ("woff2", "font/woff2"), ("crt", "application/pkix-cert"), ("pem", "application/x-pem-file"),
        // Archives and programs
        ("7z", "application/x-7z-compressed"), ("apk", "application/vnd.android.package-archive"),
        ("br", "application/octet-stream"), ("bz2", "application/x-bzip2"),
        ("deb", "application/vnd.debian.binary-package"), ("dmg", "application/x-apple-diskimage"),
        ("exe", "application/vnd.microsoft.portable-executable"), ("gz", "application/gzip"),
        ("ipa", "application/octet-stream"), ("iso", "application/x-iso9660-image"),
        ("jar", "application/java-archive"), ("lz4", "application/x-lz4"), ("msi", "application/x-msi"),
        ("rar", "application/vnd.rar"), ("rpm", "application/x-rpm"), ("tar", "application/x-tar"),
        ("tgz", "application/gzip"), ("xz", "application/x-xz"), ("zip", "application/zip"),
        ("zst", "application/zstd"),
        // Source and configuration
        ("bat", "text/plain"), ("c", "text/x-c"), ("cjs", "text/javascript"), ("conf", "text/plain"),
        ("css", "text/css"), ("dart", "application/vnd.dart"), ("go", "text/plain"), ("graphql", "text/plain"),
        ("h", "text/x-c"), ("java", "text/x-java"), ("js", "text/javascript"), ("kt", "text/plain"),
        ("lock", "text/plain"), ("log", "text/plain"), ("m", "text/plain"), ("mjs", "text/javascript"),
        ("php", "text/x-php"), ("pl", "text/x-perl"), ("proto", "text/plain"), ("py", "text/x-python"),
        ("rb", "text/x-ruby"), ("rs", "text/plain"), ("scss", "text/plain"), ("sh", "application/x-sh"),
        ("swift", "text/plain"), ("tsx", "text/plain"), ("vue", "text/plain"),
        // Longer than a number of 64 bits
        ("atomdeleted", "application/atomdeleted+xml"), ("webmanifest", "application/manifest+json"),
        ("properties", "text/plain"), ("mobileconfig", "application/x-apple-aspen-config"),
        ("senml-etchc", "application/senml-etch+cbor"), ("model-inter", "application/vnd.vd-study"),
    ]

    @Test("An extension has the type that was decided, whatever its case", arguments: types)
    func type(extension: String, mediaType: String) {
        #expect(MediaTypeTable.mediaType(forExtension: `extension`) == mediaType)
        #expect(MediaTypeTable.mediaType(forExtension: `extension`.uppercased()) == mediaType)
        #expect(MediaTypeTable.mediaType(forFilename: "a." + `extension`) == mediaType)
    }

    @Test(
        "An extension that several formats share, or that would make a receiver act, has no type",
        arguments: [
            "key", "pub", "mod", "pdb", "dmp", "pt", "info", "bak", "old", "~", "%", "hta", "lnk", "rdp", "jnlp", "pac",
            "scr", "xyz", "vpm", "appcache", "unknown",
        ])
    func noType(extension: String) {
        #expect(MediaTypeTable.mediaType(forExtension: `extension`) == nil)
    }

    @Test(
        "A filename's end decides",
        arguments: [
            ("PHOTO.JPG", "jpg", "image/jpeg"), ("Photo.JpEg", "jpeg", "image/jpeg"),
            ("a.b.png", "png", "image/png"), ("report.pdf.exe", "exe", "application/vnd.microsoft.portable-executable"),
            ("backup.tar.gz", "tar.gz", "application/gzip"), ("BACKUP.Tar.GZ", "tar.gz", "application/gzip"),
            ("v1.2.tar.gz", "tar.gz", "application/gzip"), ("a.tar.bz2", "tar.bz2", "application/x-bzip2"),
            ("a.tar.xz", "tar.xz", "application/x-xz"), ("a.tar.zst", "tar.zst", "application/zstd"),
            ("a.txt.gz", "gz", "application/gzip"), ("tar.gz", "gz", "application/gzip"),
            (".tar.gz", "gz", "application/gzip"), ("index.d.ts", "d.ts", "text/plain"), ("d.ts", "ts", "video/mp2t"),
            ("script.user.js", "js", "text/javascript"), (".config.json", "json", "application/json"),
            ("..a.txt", "txt", "text/plain"), ("a..txt", "txt", "text/plain"), ("/.txt.md", "md", "text/markdown"),
            ("dir.d/name.csv", "csv", "text/csv"), ("/tar.tar/x.gz", "gz", "application/gzip"),
            ("../up.html", "html", "text/html"), ("//a//b.css", "css", "text/css"), ("-.txt", "txt", "text/plain"),
            ("a b.txt", "txt", "text/plain"), (" .txt", "txt", "text/plain"), ("東京.gif", "gif", "image/gif"),
            ("e\u{301}.txt", "txt", "text/plain"), ("a\r\n.txt", "txt", "text/plain"), ("a\0.txt", "txt", "text/plain"),
            ("a.\u{301}.txt", "txt", "text/plain"), ("x.senml-etchc", "senml-etchc", "application/senml-etch+cbor"),
            ("x.0123456789012345.txt", "txt", "text/plain"), ("C:\\docs\\a.txt", "txt", "text/plain"),
        ])
    func found(filename: String, extension: String, mediaType: String) throws {
        let match = try #require(MediaTypeTable.match(forFilename: filename))
        #expect(match.extension == `extension`)
        #expect(match.mediaType == mediaType)
        #expect(MediaTypeTable.mediaType(forFilename: filename) == mediaType)
        #expect(MediaTypeTable.mediaType(forFilename: "x\(filename)"[...].dropFirst()) == mediaType)
    }

    @Test(
        "A name without a known extension has no type",
        arguments: [
            "", ".", "..", "...", "/", "txt", "a.", "a.txt.", "a.tar.", ".txt", ".gitignore", ".html", "..txt",
            "...txt",
            "dir/.txt", "dir/..txt", "a.txt/", "a.txt/b", "a.txt/.", "a.txt/..", "a.tar/gz",
            "a.txt ", "a. txt", "a.txt\n", "a.txt\r\n", "a.\r\ntxt", "a.txt\0", "a.jpg\0\0\0", "a.\0txt", "a.txt\u{7F}",
            "a.txt\u{301}", "a.t\u{301}xt", "a.\u{301}txt", "a.g\u{130}f", "a.\u{FF47}if", "a.\u{212A}ml",
            "a\u{2024}txt", "a.txt\u{202E}", "a.txt\u{FEFF}", "a.tx", "a.txtt", "a.xtxt", "a.[txt]", "a.@txt",
            "a.senml-etchcx", "a.01234567890123456", "a.sarif-external-properties",
        ])
    func notFound(filename: String) {
        #expect(MediaTypeTable.mediaType(forFilename: filename) == nil)
        #expect(MediaTypeTable.match(forFilename: filename) == nil)
    }

    @Test("A name's length changes nothing", arguments: ["x", ".", "/", "\u{301}"])
    func long(piece: String) {
        let long = String(repeating: piece, count: 100_000)
        #expect(MediaTypeTable.mediaType(forFilename: "a." + long) == nil)
        #expect(MediaTypeTable.mediaType(forFilename: "a.txt" + long) == nil)
        #expect(MediaTypeTable.mediaType(forFilename: long + "/a.txt") == "text/plain")
        #expect(MediaTypeTable.mediaType(forExtension: long) == nil)
    }

    @Test(
        "What is no extension has no type",
        arguments: ["", ".", ".txt", "txt.", "/txt", "a/txt", "txt\0", " txt", "txt ", "tar..gz", "\u{212A}ml"])
    func noExtension(text: String) {
        #expect(MediaTypeTable.mediaType(forExtension: text) == nil)
    }

    @Test("Two pieces are one extension where that is known")
    func twoPieces() {
        #expect(MediaTypeTable.mediaType(forExtension: "tar.gz") == "application/gzip")
        #expect(MediaTypeTable.mediaType(forExtension: "D.TS"[...]) == "text/plain")
    }

    @Test("An extension has one to sixteen visible bytes, no slash, and is told apart by the last")
    func extensionBytes() {
        func read(_ text: String) -> String? { FilenameExtension(text[...].utf8)?.text }
        #expect(read("a") == "a")
        #expect(read("ABCDEFGH") == "abcdefgh")
        #expect(read("Abcdefghi") == "abcdefghi")
        #expect(read("0123456789abcdeF") == "0123456789abcdef")
        #expect(read("0123456789abcdefg") == nil)
        #expect(read("") == nil && read("a/b") == nil && read("a b") == nil && read("a\0") == nil && read("é") == nil)
        let ordered = ["a", "aa", "ab", "abcdefgh", "abcdefgha", "abcdefghb", "b"]
            .map { FilenameExtension($0[...].utf8) }
        #expect(zip(ordered, ordered.dropFirst()).allSatisfy { if let a = $0, let b = $1 { a < b } else { false } })
    }

    @Test(
        "A file is named with its type's usual extension",
        arguments: [
            ("image/jpeg", "jpg"), ("IMAGE/JPEG", "jpg"), ("image/tiff", "tif"), ("text/plain", "txt"),
            ("text/plain; charset=utf-8", "txt"), ("text/plain ;a=b", "txt"), ("text/html;charset=utf-8", "html"),
            ("audio/mpeg", "mp3"),
            ("audio/ogg", "ogg"), ("video/mpeg", "mpg"), ("video/quicktime", "mov"), ("text/javascript", "js"),
            ("application/gzip", "gz"), ("application/octet-stream", "bin"), ("application/zip", "zip"),
            ("application/manifest+json", "webmanifest"), ("application/vnd.kinar", "kne"),
            ("application/yaml", "yaml"),
        ])
    func preferred(mediaType: String, extension: String) {
        #expect(MediaTypeTable.preferredExtension(for: mediaType) == `extension`)
    }

    @Test(
        "A type that isn't in the table has no extension",
        arguments: [
            "", "/", "image", "image/", "image/jpe", "image/jpegx", "zzz/zzz", "; charset=utf-8", "image/jpeg\0",
        ])
    func notPreferred(mediaType: String) {
        #expect(MediaTypeTable.preferredExtension(for: mediaType) == nil)
    }
}

/// What lookups rely on, and what a type's use in a header does.
@Suite("MediaTypeTable's data", .timeLimit(.minutes(10)))
struct MediaTypeTableDataTests {
    static let extensions = (0..<MediaTypeTable.count).map { MediaTypeTable.extension(at: $0) }

    @Test("Extensions are in order, without repetition, and found")
    func order() {
        let short = Self.extensions.prefix(MediaTypeTable.shortTypes.count)
        let long = Self.extensions.dropFirst(short.count)
        #expect(zip(short, short.dropFirst()).allSatisfy { $0 < $1 })
        #expect(zip(long, long.dropFirst()).allSatisfy { $0 < $1 })
        #expect(short.allSatisfy { (1...8).contains($0.text.utf8.count) })
        #expect(long.allSatisfy { (9...16).contains($0.text.utf8.count) })
        #expect(Set(Self.extensions).count == MediaTypeTable.count)
        #expect(MediaTypeTable.shortTypes.count == short.count && MediaTypeTable.longTypes.count == long.count)
        for (place, text) in Self.extensions.map(\.text).enumerated() {
            let number = (MediaTypeTable.shortTypes + MediaTypeTable.longTypes)[place]
            #expect(MediaTypeTable.mediaType(forExtension: text) == MediaTypeTable.types[Int(number)], "\(text)")
            #expect(MediaTypeTable.mediaType(forFilename: "a." + text) == MediaTypeTable.types[Int(number)], "\(text)")
        }
    }

    @Test("Extensions are small letters, digits and signs of ASCII, and begin and end with no dot")
    func spelling() {
        for text in Self.extensions.map(\.text) {
            let isClean = text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "/") }
            #expect(isClean && text == text.lowercased() && !text.hasPrefix(".") && !text.hasSuffix("."), "\(text)")
        }
    }

    @Test("Every type is a token, a slash and a token, and no type is one for a body with a boundary")
    func types() {
        for type in MediaTypeTable.types {
            let pieces = type.split(separator: "/", omittingEmptySubsequences: false)
            #expect(pieces.count == 2, "\(type)")
            #expect(pieces.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(Self.isToken) }, "\(type)")
            #expect(!type.hasPrefix("multipart/"), "\(type)")
        }
        let lower = MediaTypeTable.types.map { $0.lowercased() }
        #expect(zip(lower, lower.dropFirst()).allSatisfy { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    }

    @Test("Every type's preferred extension has that type")
    func preferred() throws {
        #expect(MediaTypeTable.preferredExtensions.count == MediaTypeTable.types.count)
        for type in MediaTypeTable.types {
            let text = try #require(MediaTypeTable.preferredExtension(for: type))
            #expect(MediaTypeTable.mediaType(forExtension: text) == type, "\(text)")
        }
    }

    @Test("The table is as large as it was")
    func size() {
        #expect(MediaTypeTable.count == 1618)
        #expect(MediaTypeTable.types.count == 1148)
    }

    /// RFC 9110 §5.6.2.
    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
