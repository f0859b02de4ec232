#if Command
/// Words as a shell reads them.
package enum ShellQuote {
    private static let plain = Set("=@./-_,:+".utf8)

    /// `word`, in quotes if a shell would split or change it.
    package static func quote(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...: true
            default: self.plain.contains(byte)
            }
        }
        if isPlain, !word.isEmpty { return word }
        // By scalars: a quote and a combining mark after it are one Character, but a shell sees the quote.
        let quoted = word.unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }
        return "'\(quoted.joined())'"
    }
}
#endif
