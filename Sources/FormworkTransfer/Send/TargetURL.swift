#if Transfer
import Formwork
import FormworkCommand

/// The URL of a form, as the user typed it.
enum TargetURL {
    /// Adds a missing scheme, and converts a host with letters outside ASCII to its IDNA form.
    static func complete(_ text: String) throws -> String {
        // http:/host lacks a slash, and isn't a host named http.
        let start = String(decoding: text.utf8.prefix(7), as: UTF8.self).lowercased()
        let hasScheme =
            text.utf8.authorityStart != nil || ["http:/", "https:/"].contains { start.utf8.starts(with: $0.utf8) }
        let url = hasScheme ? text : "http://\(text)"
        guard url.utf8.authorityStart != nil else { return url }
        let authority = url.utf8.authority
        let host =
            authority.lastIndex(of: UInt8(ascii: "@")).map { authority[authority.index(after: $0)...] } ?? authority
        guard !host.allSatisfy({ $0 < 0x80 }) else { return url }
        let name = Substring(host.prefix { $0 != UInt8(ascii: ":") })
        if let encoded = InternationalHost.ascii(name) {
            return String(url[..<name.startIndex]) + encoded + String(url[name.endIndex...])
        }
        let shown = String(Substring(host)).withControlCharactersEscaped
        throw ExitStatus(
            2, "formwork: \(shown): not a valid host: write it in ASCII, in its xn-- form (IDNA) if it has one")
    }
}
#endif
