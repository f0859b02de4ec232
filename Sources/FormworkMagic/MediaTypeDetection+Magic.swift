import FormworkCore

extension MediaTypeDetection {
    /// Bytes of content that are read.
    private static let headCount = 32 << 10

    /// By name and content together: never worse than either alone. See the article on media types.
    public static let auto = auto()

    /// By content alone, as libmagic sees it; `application/octet-stream` when it can't be looked into.
    public static let byContent = byContent()

    /// ``auto`` with a choice.
    /// - Parameters:
    ///   - charset: Whether text gets `; charset=…` as libmagic finds it.
    ///   - magic: Who is asked. When it fails, names decide alone; ``LibMagic/failure`` tells why.
    public static func auto(charset: Bool = false, magic: LibMagic = .shared) -> MediaTypeDetection {
        MediaTypeDetection(headCount: self.headCount) { filename, head in
            let named = filename.flatMap { MediaTypeTable.match(forFilename: $0) }
            let found = head.flatMap { magic.found(in: $0, charset: charset) }
            return AutoPolicy.choice(named: named, found: found?.type, head: head ?? []).with(charset: found?.charset)
        }
    }

    /// ``byContent`` with a choice.
    /// - Parameters:
    ///   - charset: Whether text gets `; charset=…` as libmagic finds it.
    ///   - magic: Who is asked. When it fails, nothing is known; ``LibMagic/failure`` tells why.
    public static func byContent(charset: Bool = false, magic: LibMagic = .shared) -> MediaTypeDetection {
        MediaTypeDetection(headCount: self.headCount) { _, head in
            let found = head.flatMap { magic.found(in: $0, charset: charset) }
            return AutoPolicy.choice(named: nil, found: found?.type, head: head ?? []).with(charset: found?.charset)
        }
    }
}

extension LibMagic {
    /// Bytes that libmagic is shown: they decide all formats but JSON, which it believes only when it is whole. More
    /// would cost up to a millisecond for text.
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
    /// Whether JSON may begin so.
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
