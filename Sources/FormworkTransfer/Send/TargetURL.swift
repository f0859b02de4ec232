#if Transfer
import Formwork
import FormworkCommand

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The URL of a form, as the user typed it.
enum TargetURL {
    /// Adds a missing scheme, and converts a host with letters outside ASCII to its IDNA form.
    static func complete(_ text: String) throws -> String {
        let url = text.contains("://") ? text : "http://\(text)"
        guard let start = url.firstRange(of: "://")?.upperBound else { return url }
        let authority = url[start...].prefix { !"/?#".contains($0) }
        let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        guard !host.utf8.allSatisfy({ $0 < 0x80 }) else { return url }
        var parts = URLComponents(string: url)
        if let encoded = parts?.encodedHost, encoded.utf8.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "%") }) {
            parts?.encodedHost = encoded
            if let whole = parts?.string { return whole }
        }
        let shown = String(host).withControlCharactersEscaped
        throw ExitStatus(
            2, "formwork: \(shown): not a valid host: write it in ASCII, in its xn-- form (IDNA) if it has one")
    }
}
#endif
