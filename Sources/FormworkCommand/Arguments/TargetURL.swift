import Formwork

/// The URL of a form, as the user typed it.
package enum TargetURL {
    /// Adds a missing scheme, and converts a host with letters outside ASCII to its IDNA form.
    package static func complete(_ text: String) throws -> String {
        guard text.utf8.first != UInt8(ascii: ":") else {
            let shown = SecretText.masked(text)
            throw ExitStatus(2, "\(shown): the host is missing: write localhost\(shown)")
        }
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
        let shown = String(Substring(host))
        throw ExitStatus(2, "\(shown): not a valid host: write it in ASCII, in its xn-- form (IDNA) if it has one")
    }

    /// The URL without the segments `.` and `..` of its path (RFC 3986 section 5.2.4), as curl and browsers send it.
    package static func withoutDotSegments(_ url: String) -> String {
        let start = url.utf8.authority.endIndex
        let end = url.utf8[start...].firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? url.endIndex
        let segments = url.utf8[start..<end].split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        var kept: [String] = []
        for (index, segment) in segments.enumerated().dropFirst() {
            let text = String(Substring(segment))
            if text == ".." { _ = kept.popLast() }
            let isDots = text == "." || text == ".."
            if !isDots { kept.append(text) } else if index == segments.count - 1 { kept.append("") }
        }
        return url[..<start] + kept.map { "/\($0)" }.joined() + url[end...]
    }
}
