/// A text in lines of at most so many columns.
enum Paragraph {
    /// Breaks a text between words.
    /// - Parameters:
    ///   - width: Columns, indentation included; `nil` for any number. A longer word is broken too.
    ///   - indent: The columns before every other line.
    /// - Returns: Lines without their ends; the first has no indentation.
    static func lines(_ text: String, width: Int?, indent: Int) -> [String] {
        guard let width else { return [text] }
        var lines: [String] = []
        var line = ""
        var used = 0
        var isEmpty = true
        let longest = max(2, width - indent)
        for word in text.split(separator: " ", omittingEmptySubsequences: true).flatMap({ self.pieces($0, longest) }) {
            let count = DisplayText.width(of: String(word))
            if !isEmpty, used + 1 + count > width {
                lines.append(line)
                line = String(repeating: " ", count: indent) + word
                used = indent + count
            } else {
                line += (isEmpty ? "" : " ") + word
                used += count + (isEmpty ? 0 : 1)
            }
            isEmpty = false
        }
        return lines + [line]
    }

    /// A word, in pieces of at most so many columns.
    private static func pieces(_ word: Substring, _ longest: Int) -> [Substring] {
        guard DisplayText.width(of: String(word)) > longest else { return [word] }
        var pieces: [Substring] = []
        var start = word.startIndex
        var used = 0
        for index in word.indices {
            let count = DisplayText.width(of: String(word[index]))
            if used + count > longest {
                pieces.append(word[start..<index])
                (start, used) = (index, 0)
            }
            used += count
        }
        return pieces + [word[start...]]
    }
}
