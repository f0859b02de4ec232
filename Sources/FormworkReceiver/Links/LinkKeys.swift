import Formwork
import FormworkDigests

/// The keys that upload links are signed with. The first signs, and links of any of them are accepted, so that a key can be
/// replaced.
struct LinkKeys: Sendable {
    /// The fewest bytes of a key. Everyone who has a link can try shorter ones without asking the receiver.
    static let shortest = 32
    static let advice = "make a key with 'openssl rand -hex 32'"

    private let keys: [[UInt8]]
    /// The identifiers of links that are refused.
    private let withdrawn: Set<Substring>

    /// Reads one key a line. A line with the identifier of a link withdraws that link.
    init(_ text: String) throws(SecretFault) {
        let all = text.split(whereSeparator: \.isNewline)
        self.withdrawn = Set(all.filter(SignedLink.isID))
        let lines = try SecretFault.lines(all.filter { !SignedLink.isID($0) }, most: 16, "key", Self.advice)
        guard lines.allSatisfy({ $0.utf8.count >= Self.shortest }) else {
            throw SecretFault(reason: "a key has \(Self.shortest) characters or more: \(Self.advice)")
        }
        self.keys = lines.map { Array($0.utf8) }
    }

    /// The two words of a link, with a dot between them.
    func token(for link: SignedLink) -> String {
        let text = Array(link.text.utf8)
        let code = HMACSHA256.code(for: text, key: self.keys[0])
        return "\(Self.encoded(text)).\(Self.encoded(code))"
    }

    /// The link that the two words are.
    /// - Parameter now: Seconds since 1970.
    /// - Throws: 403, with what is wrong.
    func link(_ token: String, now: Int64) throws(ProblemDetails) -> SignedLink {
        let words = token.split(separator: ".", omittingEmptySubsequences: false)
        guard words.count == 2, let text = Self.decoded(words[0]), let code = Self.decoded(words[1]),
            code.count == HMACSHA256.byteCount
        else { throw .forbidden("This upload link isn't complete: copy all of it.") }
        let isSigned = self.keys.contains { HMACSHA256.isValid(code, for: text, key: $0) }
        guard isSigned else {
            throw .forbidden(
                "This upload link's signature is wrong: the link was changed, or made with another receiver's key.")
        }
        guard let text = String(validating: text, as: UTF8.self) else { throw SignedLink.unknown }
        let link = try SignedLink(text)
        guard !self.withdrawn.contains(link.id[...]) else { throw .forbidden("This upload link was withdrawn.") }
        guard link.expires > now else {
            throw .forbidden(
                "This upload link expired at \(link.expiry). The receiver's clock shows \(SignedLink.text(ofTime: now))."
            )
        }
        return link
    }

    private static func encoded(_ bytes: [UInt8]) -> String {
        Base64.encode(bytes).replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    private static func decoded(_ text: Substring) -> [UInt8]? {
        guard text.utf8.count <= 4_096 else { return nil }
        let plain = text.replacing("-", with: "+").replacing("_", with: "/")
        guard let bytes = Base64.decode(plain + String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)),
            // One spelling for each link: unused bits are 0, and base64's other letters aren't used.
            self.encoded(bytes) == text
        else { return nil }
        return bytes
    }
}

/// Why a text has no secrets.
struct SecretFault: Error {
    /// Also says how to make one.
    var reason: String

    /// The lines of a text, each with a secret, if there are not too many.
    static func lines(
        _ lines: [Substring], most: Int, _ noun: String, _ advice: String
    ) throws(SecretFault) -> [Substring] {
        guard !lines.isEmpty else { throw SecretFault(reason: "has no \(noun): \(advice)") }
        guard lines.count <= most else {
            throw SecretFault(reason: "has more than \(most) \(noun)s, one a line\(noun == "key" ? "" : ": \(advice)")")
        }
        return lines
    }
}
