/// What to write instead of words of the command line: a section for each case, with rows of words and a text.
enum Advice {
    private static let table = String(decoding: PackageResources.advice_txt, as: UTF8.self)

    /// The row of a word: its first word and its text; `nil` if the section has none.
    static func row(of word: String, in section: String) -> (word: String, text: String)? {
        let rows = self.table.split(separator: "\n").drop { $0 != "[\(section)]" }.dropFirst()
        for row in rows.prefix(while: { !$0.hasPrefix("[") }) {
            guard let colon = row.firstRange(of: ": ") else { continue }
            let words = row[..<colon.lowerBound].split(separator: " ")
            if words.contains(word[...]) { return (String(words[0]), String(row[colon.upperBound...])) }
        }
        return nil
    }
}
