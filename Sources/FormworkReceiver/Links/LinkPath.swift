/// A request target below an upload link: `/.link/TOKEN/a.txt`.
struct LinkPath {
    /// The path of all links.
    static let root = "/.link/"

    /// The link's two words.
    var token: String
    /// The target as it would be without the link: `/a.txt`.
    var rest: String
    /// Whether the token is followed by a slash.
    var isFolder: Bool

    /// `nil` if the target isn't below a link.
    init?(_ target: String?) {
        // Scalar by scalar: a mark after a slash is one `Character` with it.
        guard let target = target?.unicodeScalars, target.starts(with: Self.root.unicodeScalars) else { return nil }
        let tail = target.dropFirst(Self.root.unicodeScalars.count)
        let token = tail.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let rest = tail[token.endIndex...]
        self.token = String(token)
        self.isFolder = rest.first == "/"
        self.rest = self.isFolder ? String(rest) : "/" + String(rest)
    }

    /// The path of the link itself, with a slash at its end.
    var base: String { "\(Self.root)\(self.token)/" }

    /// A target for logs, traces and hooks, without the words of a link. A client may write it in another way: escaped,
    /// with an authority, or below another path, as after `https://host/` and `/.link/…` were joined.
    static func masked(_ target: String) -> String {
        // A target that was masked before keeps its rest.
        guard let link = LinkPath(target), link.token.contains(".") || link.token == "***" else {
            return self.hasLink(target) ? "\(self.root)***" : target
        }
        return "\(self.root)***" + (self.hasLink(link.rest) ? "\(self.root)***" : link.rest)
    }

    private static func hasLink(_ target: String) -> Bool {
        // In any case: a wrong one is refused, but the log would show a link that works.
        let lowercased = target.looselyDecoded.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
        return lowercased.firstRange(of: self.root.utf8) != nil
    }
}

/// A link that a request was made under.
struct LinkScope: Sendable {
    var link: SignedLink
    /// The link's path, with a slash at its end.
    var base: String

    /// The terms of an upload under the link.
    var terms: UploadTerms {
        UploadTerms(
            link: self.link.id, folder: self.link.prefix, total: self.link.total,
            uses: self.link.uses.map { .init(count: $0, expires: self.link.expires) }, maxSize: self.link.maxSize,
            mayReplace: false)
    }
}
