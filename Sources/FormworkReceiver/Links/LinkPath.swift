#if Transfer
import FormworkHTTP
import FormworkResumable

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

    /// A target for the log, without the link. A refused request may also write it with an authority, or escaped.
    static func masked(_ target: String) -> String {
        if let link = LinkPath(target) { return "\(self.root)***\(link.rest)" }
        let authority = target.utf8.firstRange(of: "://".utf8)?.upperBound
        let path = authority.map { String(target[$0...].drop { $0 != "/" }) } ?? target
        return (path.percentDecoded ?? path).utf8.starts(with: self.root.utf8) ? "\(self.root)***" : target
    }
}

/// A link that a request was made under.
struct LinkScope: Sendable {
    var link: UploadLink
    /// The link's path, with a slash at its end.
    var base: String

    /// The terms of an upload under the link.
    var terms: UploadTerms {
        UploadTerms(link: self.link.id, folder: self.link.prefix, maxSize: self.link.maxSize, mayReplace: false)
    }
}
#endif
