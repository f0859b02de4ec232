import FormworkCore
import FormworkDigests
import FormworkSystem
import HTTPTypes
import FormworkEssentials

/// The secret that gives access to a receiver, and the ways a request can present it.
struct AccessToken: Sendable {
    /// The cookie that the page's login sets.
    static let cookieName = "formwork-receiver"

    let text: String

    /// Makes a token from a text.
    /// - Throws: 400 for a text that can't be sent in a header field.
    init(_ text: String) throws(ProblemDetails) {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .badRequest("A token must be printable ASCII characters without spaces.")
        }
        self.text = text
    }

    private init(unchecked text: String) { self.text = text }

    /// A token of 160 random bits.
    static func random() -> Self {
        let letters = Array("abcdefghijklmnopqrstuvwxyz234567")
        return Self(unchecked: String((0..<32).map { _ in letters.randomElement() ?? "a" }))
    }

    /// Whether a text is the token. Takes the same time for every text.
    func isToken(_ text: String) -> Bool { Self.areEqual(text, self.text) }

    /// The name that a request gives with the token; `nil` for none. It isn't checked.
    static func user(in fields: HTTPFields) -> String? {
        guard let name = fields[.authorization].flatMap(Self.credentials)?.user, !name.isEmpty else { return nil }
        return name.cut(to: 64)
    }

    /// What a field presents: as `Bearer`, or as `Basic` with the token as the password.
    private static func credentials(_ value: String) -> (user: String?, token: String)? {
        // One or more blanks follow the scheme (RFC 9110 section 11.4).
        let words = value.split(separator: " ").map(String.init)
        guard words.count == 2 else { return nil }
        switch words[0].lowercased() {
        case "bearer": return (nil, words[1])
        case "basic":
            guard let pair = Data(base64Encoded: words[1]).map({ String(decoding: $0, as: UTF8.self) }),
                let colon = pair.utf8.firstIndex(of: UInt8(ascii: ":"))
            else { return nil }
            return (String(pair[..<colon]), String(pair[pair.utf8.index(after: colon)...]))
        default: return nil
        }
    }

    /// - Returns: `admitted`, `missing` or `wrong`.
    func admission(_ fields: HTTPFields) -> AccessControl.Admission {
        let values = fields[values: .authorization]
        guard let value = values.first else { return .missing }
        // A request has one (RFC 9110 section 11.6.2). With many, one request would be many tries.
        guard values.count == 1, let given = Self.credentials(value) else { return .wrong }
        return self.isToken(given.token) ? .admitted : .wrong
    }

    // MARK: sessions

    /// A login, as its cookie describes it.
    struct Session: Hashable {
        /// Identifies the login.
        var id: String
        /// Seconds since 1970.
        var end: Int64
    }

    /// How many seconds a login lasts: one day.
    static let sessionTime: Int64 = 86_400

    /// The login that a request's cookie belongs to, unless it has expired.
    func session(in fields: HTTPFields, now: Int64) -> Session? {
        for line in fields[values: .cookie] {
            for cookie in line.split(separator: ";") {
                let pair = cookie.split(separator: "=", maxSplits: 1)
                guard pair.count == 2, pair[0].drop(while: { $0 == " " }) == Self.cookieName else { continue }
                let parts = pair[1].split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
                guard parts.count == 3, let end = Int64(parts[0]), end > now else { continue }
                let session = Session(id: parts[1], end: end)
                if Self.areEqual(parts[2], self.code(of: session)) { return session }
            }
        }
        return nil
    }

    /// Starts a login.
    func newSession(now: Int64) -> Session {
        Session(id: RandomWord.make(), end: now + Self.sessionTime)
    }

    /// The cookie that gives access to the receiver, for requests from this site only.
    func cookie(_ session: Session, isSecure: Bool) -> String {
        Self.cookie("\(session.end).\(session.id).\(self.code(of: session))", seconds: Self.sessionTime, isSecure)
    }

    /// The cookie that makes a browser delete the login cookie.
    static func endOfCookie(isSecure: Bool) -> String { self.cookie("", seconds: 0, isSecure) }

    private static func cookie(_ value: String, seconds: Int64, _ isSecure: Bool) -> String {
        "\(self.cookieName)=\(value); Max-Age=\(seconds); Path=/; HttpOnly; SameSite=Strict"
            + (isSecure ? "; Secure" : "")
    }

    /// Authenticates a cookie. A browser need not store the token itself. The code is the same for all receivers with
    /// this token, and after a restart.
    private func code(of session: Session) -> String {
        let code = HMACSHA256.code(
            for: Array("formwork receive \(session.end) \(session.id)".utf8), key: Array(self.text.utf8))
        return Hex.text(code)
    }

    private static func areEqual(_ one: String, _ other: String) -> Bool {
        // Digests have one length.
        HMACSHA256.areEqual(SHA256Digest.digest(of: Array(one.utf8)), SHA256Digest.digest(of: Array(other.utf8)))
    }
}
