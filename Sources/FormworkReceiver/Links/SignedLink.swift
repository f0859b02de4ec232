import Formwork
import FormworkEssentials

/// What the holder of an upload link may do, and until when.
///
/// A link is a URL that needs no account: `/.link/CLAIMS.SIGNATURE/`, of which both words are base64url (RFC 4648 §5). The
/// claims are the text that is signed, byte for byte, so there is one way to write it:
/// ```text
/// formwork-link 1
/// expires=1790000000
/// id=7f3a90c2d1e4b586
/// max-size=5368709120
/// prefix=inbox/ann
/// title=Photos of the wedding
/// total=53687091200
/// uses=3
/// ```
/// The lines after the first are sorted by name; a claim that isn't made has no line. The signature is HMAC-SHA256 of this
/// text (``LinkKeys``).
struct SignedLink: Sendable, Hashable {
    /// When it expires, in seconds since 1970, by the receiver's clock.
    var expires: Int64
    /// Bytes of one upload; `nil` for the receiver's own limit.
    var maxSize: Int64?
    /// Bytes of all files in the link's folder; `nil` for no limit.
    var total: Int64?
    /// How many uploads it accepts; `nil` for any number.
    var uses: Int64?
    /// The folder below the destination that files are stored in, outermost first; empty for the destination itself.
    var folders: [SafeFilename] = []
    /// The page's heading; `nil` for the receiver's own.
    var title: String?
    /// Identifies the link in logs, lists and records: 16 hexadecimal digits.
    var id = Self.newID()

    /// The first line: format and version.
    private static let head = "formwork-link 1"
    /// The longest folder in bytes, so that names have room after it, and the deepest.
    private static let longestPrefix = 400
    private static let deepestPrefix = 16
    /// The longest title in bytes.
    static let longestTitle = 200
    /// The most bytes that a form's framing and fields may have in addition to ``maxSize``.
    static let framing: Int64 = 1 << 20
}

extension SignedLink {
    /// 64 random bits.
    static func newID() -> String {
        var generator = SystemRandomNumberGenerator()
        return UInt64.random(in: .min ... .max, using: &generator).padded(to: 16, radix: 16)
    }

    /// Whether a text is like the identifier of a link.
    static func isID(_ text: Substring) -> Bool {
        text.utf8.count == 16 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    /// The folders of a prefix such as `inbox/ann`; `nil` unless each of them is safe on every system just as it is.
    static func folders(of prefix: String) -> [SafeFilename]? {
        guard prefix.utf8.count <= self.longestPrefix else { return nil }
        // Scalar by scalar: a name may begin with a mark, which is one `Character` with the slash before it.
        let names = prefix.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
        // Byte by byte: strings of the same letters in other Unicode forms are equal.
        let folders = names.compactMap { name in
            SafeFilename(name).flatMap { $0.text.utf8.elementsEqual(name.utf8) ? $0 : nil }
        }
        return folders.count == names.count && folders.count <= self.deepestPrefix ? folders : nil
    }

    /// The folders with slashes between them; `nil` if there are none.
    var prefix: String? {
        self.folders.isEmpty ? nil : self.folders.map(\.text).joined(separator: "/")
    }

    /// The claims as they are signed.
    var text: String {
        let claims: [(String, String?)] = [
            ("expires", "\(self.expires)"), ("id", self.id), ("max-size", self.maxSize.map { "\($0)" }),
            ("prefix", self.prefix), ("title", self.title), ("total", self.total.map { "\($0)" }),
            ("uses", self.uses.map { "\($0)" }),
        ]
        return ([Self.head] + claims.compactMap { name, value in value.map { "\(name)=\($0)" } })
            .joined(separator: "\n")
    }

    /// Reads claims whose signature is right.
    /// - Throws: 403 for those of another version, and those that this version doesn't write: a claim that isn't known
    ///   may be a restriction.
    init(_ text: String) throws(ProblemDetails) {
        // Scalar by scalar: a title may begin with a mark, which is one `Character` with the sign before it.
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.first.map({ String($0) }) == Self.head else { throw Self.unknown }
        var claims: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let sign = line.firstIndex(of: "=") else { throw Self.unknown }
            claims[String(line[..<sign])] = String(line[line.index(after: sign)...])
        }
        guard let id = claims["id"], let expires = claims["expires"].flatMap({ Int64($0) }) else { throw Self.unknown }
        let folders = claims["prefix"].map { Self.folders(of: $0) } ?? []
        guard let folders else { throw Self.unknown }
        self.init(
            expires: expires, maxSize: claims["max-size"].flatMap { Int64($0) },
            total: claims["total"].flatMap { Int64($0) }, uses: claims["uses"].flatMap { Int64($0) }, folders: folders,
            title: claims["title"], id: id)
        // Whatever was left out above makes a difference here.
        guard self.text.utf8.elementsEqual(text.utf8), self.maxSize ?? 0 >= 0, self.total ?? 0 >= 0,
            1...LinkUses.most ~= self.uses ?? 1
        else { throw Self.unknown }
    }

    static let unknown = ProblemDetails.forbidden(
        "This upload link has a claim that this receiver doesn't accept.")

    /// When it expires: RFC 3339, in UTC.
    var expiry: String { Self.text(ofTime: self.expires) }

    static func text(ofTime seconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
    }
}
