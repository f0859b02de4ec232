#if Transfer
import Formwork
import FormworkCommand

/// The URL of a form, as the user typed it.
enum TargetURL {
    /// Adds a missing scheme, and converts a host with letters outside ASCII to its IDNA form.
    static func complete(_ text: String) throws -> String {
        // http:/host lacks a slash, and isn't a host named http.
        let hasScheme = text.contains("://") || ["http:/", "https:/"].contains { text.lowercased().hasPrefix($0) }
        let url = hasScheme ? text : "http://\(text)"
        guard let start = url.firstRange(of: "://")?.upperBound else { return url }
        let authority = url[start...].prefix { !"/?#".contains($0) }
        let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        guard !host.utf8.allSatisfy({ $0 < 0x80 }) else { return url }
        let name = host.prefix { $0 != ":" }
        if let encoded = InternationalHost.ascii(name) {
            return url[..<name.startIndex] + encoded + url[name.endIndex...]
        }
        let shown = String(host).withControlCharactersEscaped
        throw ExitStatus(
            2, "formwork: \(shown): not a valid host: write it in ASCII, in its xn-- form (IDNA) if it has one")
    }
}
#endif
