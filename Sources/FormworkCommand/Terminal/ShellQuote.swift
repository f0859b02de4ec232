#if Command
import FormworkCore

/// Words as a shell reads them.
package enum ShellQuote {
    private static let plain = Set("=@./-_,:+".utf8)

    /// `word`, in quotes if a shell would split or change it.
    package static func quote(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { $0.isLetterOrDigit || $0 >= 0x80 || self.plain.contains($0) }
        if isPlain, !word.isEmpty { return word }
        // By scalars: a quote and a combining mark after it are one Character, but a shell sees the quote.
        let quoted = word.unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }
        return "'\(quoted.joined())'"
    }
}
#endif
