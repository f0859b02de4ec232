#if Command
/// A text in lines of at most so many columns.
enum Paragraph {
    /// Breaks a text between words.
    /// - Parameters:
    ///   - width: Columns, indentation included. A longer word has a line of its own.
    ///   - first: The columns that are used in the first line already.
    ///   - indent: The columns before every other line.
    /// - Returns: Lines without their ends; the first has no indentation.
    static func lines(_ text: String, width: Int, first: Int = 0, indent: Int = 0) -> [String] {
        var lines: [String] = []
        var line = ""
        var used = first
        var isEmpty = true
        for word in text.split(separator: " ", omittingEmptySubsequences: true) {
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
}
#endif
