import Formwork

/// Rows as aligned columns that fit a terminal.
struct TextTable {
    /// Columns are not made narrower than this: a column that doesn't fit is left out as a whole.
    private static let leastWidth = 10

    /// Columns whose cells are right-aligned and never shortened.
    let numbers: Set<Int>
    /// Columns that may be left out, the least important one first.
    let dropping: [Int]
    private var rows: [[DisplayText]]

    init(_ titles: [String], numbers: Set<Int> = [], dropping: [Int] = []) {
        (self.numbers, self.dropping, self.rows) = (numbers, dropping, [titles.map { DisplayText($0) }])
    }

    mutating func append(_ row: [String]) { self.rows.append(row.map { DisplayText($0) }) }

    /// All lines, each with its end.
    /// - Parameter width: The terminal's columns; `nil` for any length.
    func text(width: Int?) -> String {
        let natural = self.rows[0].indices.map { column in self.rows.map { $0[column].width }.max() ?? 0 }
        let least = natural.indices.map { self.numbers.contains($0) ? natural[$0] : min(natural[$0], Self.leastWidth) }
        let columns = ShownColumns(least, dropping: self.dropping, within: width)
        let widths = self.widths(natural, of: columns.shown, within: width)
        let lines = self.rows.map { row in
            columns.line(zip(row, widths).map { DisplayText($0.text, limit: $1) }, widths, self.numbers, within: width)
        }
        return (lines + columns.note(self.rows[0], width)).map { $0 + "\n" }.joined()
    }

    /// The widest columns are shortened first.
    private func widths(_ natural: [Int], of columns: [Int], within limit: Int?) -> [Int] {
        var widths = natural
        guard let limit else { return widths }
        var excess = columns.reduce(2 * (columns.count - 1)) { $0 + widths[$1] } - limit
        while excess > 0 {
            let flexible = columns.filter { !self.numbers.contains($0) && widths[$0] > Self.leastWidth }
            guard let widest = flexible.max(by: { widths[$0] < widths[$1] }) else { break }
            widths[widest] -= 1
            excess -= 1
        }
        return widths
    }
}

/// The columns of a table that a terminal has room for.
struct ShownColumns {
    private(set) var shown: [Int]
    private var dropped: [Int] = []

    /// - Parameters:
    ///   - least: The fewest columns of the terminal that each of the table's columns needs.
    ///   - dropping: Columns that may be left out, the least important one first.
    ///   - limit: The terminal's columns; `nil` for any number.
    init(_ least: [Int], dropping: [Int], within limit: Int?) {
        self.shown = Array(least.indices)
        guard let limit else { return }
        for column in dropping {
            let needed = self.shown.reduce(2 * (self.shown.count - 1)) { $0 + least[$1] }
            guard needed > limit else { break }
            self.shown.removeAll { $0 == column }
            self.dropped.append(column)
        }
    }

    /// Leaves out a column that is shown elsewhere.
    mutating func remove(_ column: Int) { self.shown.removeAll { $0 == column } }

    /// - Parameter numbers: Columns whose cells are right-aligned.
    func line(_ row: [DisplayText], _ widths: [Int], _ numbers: Set<Int>, within limit: Int?) -> String {
        let cells = self.shown.map { column in
            let space = String(repeating: " ", count: max(0, widths[column] - row[column].width))
            return numbers.contains(column) ? space + row[column].text : row[column].text + space
        }
        var line = cells.joined(separator: "  ")
        while line.utf8.last == 0x20 { line.removeLast() }
        return DisplayText(line, limit: limit).text
    }

    /// A line that names the columns that were left out; none if all are shown.
    func note(_ titles: [DisplayText], _ width: Int?) -> [String] {
        guard !self.dropped.isEmpty else { return [] }
        let names = self.dropped.sorted().map { titles[$0].text }.joined(separator: ", ")
        return Paragraph.lines("(no room for: \(names))", width: width, indent: 2)
    }
}
