#if Command
/// Rows as aligned columns that fit a terminal.
struct TextTable {
    /// Columns are not made narrower than this.
    private static let leastWidth = 6

    /// Columns whose cells are right-aligned and never shortened.
    let numbers: Set<Int>
    private var rows: [[DisplayText]]

    init(_ titles: [String], numbers: Set<Int> = []) {
        (self.numbers, self.rows) = (numbers, [titles.map { DisplayText($0) }])
    }

    mutating func append(_ row: [String]) { self.rows.append(row.map { DisplayText($0) }) }

    /// All lines, each with its end.
    /// - Parameter width: The terminal's columns; `nil` for any length.
    func text(width: Int?) -> String {
        let widths = self.widths(within: width)
        return self.rows.map { row in
            let cells = row.indices.map { column in
                let cell = DisplayText.cut(row[column], to: widths[column])
                let space = String(repeating: " ", count: max(0, widths[column] - cell.width))
                return self.numbers.contains(column) ? space + cell.text : cell.text + space
            }
            var line = cells.joined(separator: "  ")
            while line.utf8.last == 0x20 { line.removeLast() }
            return (width.map { DisplayText.cut(line, to: $0).text } ?? line) + "\n"
        }.joined()
    }

    /// The widest columns are shortened first.
    private func widths(within limit: Int?) -> [Int] {
        let columns = self.rows[0].indices
        var widths = columns.map { column in self.rows.map { $0[column].width }.max() ?? 0 }
        guard let limit else { return widths }
        var excess = widths.reduce(2 * (columns.count - 1), +) - limit
        while excess > 0 {
            let flexible = columns.filter { !self.numbers.contains($0) && widths[$0] > Self.leastWidth }
            guard let widest = flexible.max(by: { widths[$0] < widths[$1] }) else { break }
            widths[widest] -= 1
            excess -= 1
        }
        return widths
    }
}
#endif
