import SystemPackage

extension FilePath {
    /// What to pass instead of a path that was not found and looks like something else; `nil` for other paths.
    var advice: String? {
        let text = self.string
        if text.isEmpty { return "the path is empty, so name a file" }
        // A path has one slash where a URL has two.
        if text.hasPrefix("file:/") { return "this is the text of a file URL, so pass the URL or its path" }
        if text.utf8.first == 0x7E { return "only a shell replaces ~, so write the home folder's path" }
        return Self.beginsLikeURL(text) ? "this is a URL, so download it first and pass the file" : nil
    }

    /// Whether a text begins with a scheme (RFC 3986 §3.1) of at least two characters, as a drive of Windows has one, and
    /// `:/`.
    private static func beginsLikeURL(_ text: String) -> Bool {
        let bytes = text.utf8
        guard let colon = bytes.firstIndex(of: 0x3A), bytes[colon...].starts(with: [0x3A, 0x2F]) else { return false }
        let scheme = bytes[..<colon]
        return scheme.count > 1 && scheme.first?.isLetter ?? false
            && scheme.allSatisfy { $0.isLetterOrDigit || [0x2B, 0x2D, 0x2E].contains($0) }
    }
}
