#if Transfer
import Crypto
import FormworkHTTP
import FormworkResumable
import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The secret that opens a receiver, and the ways in which a request can show it.
package struct AccessToken: Sendable {
    /// The cookie that the page's login sets.
    static let cookieName = "formwork-receiver"

    package let text: String

    /// Takes a secret.
    /// - Throws: 400 for one that no header could carry.
    package init(_ text: String) throws(ProblemDetails) {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .badRequest("A token is printable ASCII without blanks.")
        }
        self.text = text
    }

    private init(unchecked text: String) { self.text = text }

    /// A token of 160 random bits.
    package static func random() -> Self {
        let letters = Array("abcdefghijklmnopqrstuvwxyz234567")
        return Self(unchecked: String((0..<32).map { _ in letters.randomElement() ?? "a" }))
    }

    /// Whether a text is the token; takes as long whatever the text is.
    package func isToken(_ text: String) -> Bool { Self.areEqual(text, self.text) }

    /// Whether a request shows it: `Bearer`, `Basic` with the token as the password, or the cookie.
    func opens(_ fields: HTTPFields) -> Bool {
        for value in fields[values: .authorization] {
            let words = value.split(separator: " ", maxSplits: 1)
            guard words.count == 2 else { continue }
            switch words[0].lowercased() {
            case "bearer": if self.isToken(String(words[1])) { return true }
            case "basic":
                guard let data = Data(base64Encoded: String(words[1])) else { continue }
                let pair = String(decoding: data, as: UTF8.self)
                guard let colon = pair.firstIndex(of: ":") else { continue }
                if self.isToken(String(pair[pair.index(after: colon)...])) { return true }
            default: continue
            }
        }
        return fields[values: .cookie].contains { line in
            line.split(separator: ";").contains { cookie in
                let pair = cookie.split(separator: "=", maxSplits: 1)
                return pair.count == 2 && pair[0].drop { $0 == " " } == Self.cookieName
                    && Self.areEqual(String(pair[1]), self.cookieValue)
            }
        }
    }

    /// The cookie that opens the receiver, for this site's own requests only.
    func cookie(isSecure: Bool) -> String {
        "\(Self.cookieName)=\(self.cookieValue); Path=/; HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
    }

    /// Not the token itself, which a browser need not keep; the same after a restart with the same token.
    private var cookieValue: String {
        let code = HMAC<SHA256>.authenticationCode(
            for: Data("formwork receive".utf8), using: .init(data: Data(self.text.utf8)))
        return code.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func areEqual(_ one: String, _ other: String) -> Bool {
        // Digests compare in constant time (swift-crypto), and have one length.
        SHA256.hash(data: Data(one.utf8)) == SHA256.hash(data: Data(other.utf8))
    }
}
#endif
