import FormworkCore

extension MediaTypeDetection {
    /// How many bytes of content are read.
    private static let headCount = 32 << 10

    /// By name and content together; the result is never worse than with either alone. See the article on media types.
    public static let auto = auto()

    /// Only by content, with libmagic; `application/octet-stream` if the content can't be read.
    public static let byContent = byContent()

    /// ``auto`` with options.
    /// - Parameters:
    ///   - charset: Whether to add `; charset=…` for text, as libmagic detects it.
    ///   - magic: The libmagic to use. If it fails, only names decide; ``LibMagic/failure`` has the reason.
    public static func auto(charset: Bool = false, magic: LibMagic = .shared) -> MediaTypeDetection {
        MediaTypeDetection(headCount: self.headCount) { filename, head in
            let named = filename.flatMap { MediaTypeTable.match(forFilename: $0) }
            if let named, let head, Signature.begins(head, named.mediaType) {
                return AutoPolicy.choice(named: named, found: named.mediaType, head: head)
            }
            let found = head.flatMap { magic.found(in: $0, charset: charset) }
            return AutoPolicy.choice(named: named, found: found?.type, head: head ?? []).with(charset: found?.charset)
        }
    }

    /// ``byContent`` with options.
    /// - Parameters:
    ///   - charset: Whether to add `; charset=…` for text, as libmagic detects it.
    ///   - magic: The libmagic to use. If it fails, no type is found; ``LibMagic/failure`` has the reason.
    public static func byContent(charset: Bool = false, magic: LibMagic = .shared) -> MediaTypeDetection {
        MediaTypeDetection(headCount: self.headCount) { _, head in
            let found = head.flatMap { magic.found(in: $0, charset: charset) }
            return AutoPolicy.choice(named: nil, found: found?.type, head: head ?? []).with(charset: found?.charset)
        }
    }
}

extension LibMagic {
    /// How many bytes libmagic gets: they are enough for all formats except JSON, which it detects only in complete
    /// content. More would cost up to a millisecond for text.
    private static let shownCount = 4096

    /// The type in current names, and the charset of text.
    fileprivate func found(in head: [UInt8], charset: Bool) -> (type: String, charset: String?)? {
        guard var answer = try? self.mediaType(of: Array(head.prefix(Self.shownCount)), charset: charset) else {
            return nil
        }
        if answer.hasPrefix("text/plain"), head.count > Self.shownCount, head.first(where: { !$0.isSpace }).isBracket,
            let longer = try? self.mediaType(of: head, charset: charset)
        {
            answer = longer
        }
        let pieces = answer.split(separator: ";", maxSplits: 1)
        let charset = pieces.count < 2 ? nil : pieces[1].drop { $0 == " " }.dropFirst("charset=".count)
        return (MediaTypeNames.current(String(pieces[0])), charset.map(String.init))
    }
}

extension UInt8? {
    /// Whether JSON may begin with it.
    fileprivate var isBracket: Bool { self == UInt8(ascii: "{") || self == UInt8(ascii: "[") }
}

extension MediaTypeChoice {
    /// The choice with a charset, if it is one for text.
    fileprivate func with(charset: String?) -> MediaTypeChoice {
        guard let charset, let type = self.mediaType, type.hasPrefix("text/"), charset != "binary",
            charset != "unknown-8bit"
        else { return self }
        var copy = self
        copy.mediaType = "\(type); charset=\(charset)"
        return copy
    }
}
