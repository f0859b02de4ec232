import Formwork

/// Parts as aligned columns. The first thousand rows decide the widths, so that any number of parts can be shown.
final class PartTable {
    private static let rowsForWidths = 1_000
    /// Number, length and offset are right-aligned.
    private static let numbers: Set<Int> = [0, 4, 5]
    /// The most columns of a field's value that are shown.
    private static let previewWidth = 40

    /// Columns that are left out if there is no room: the value, the type, the offset, the filename.
    private static let dropping = ["value", "type", "offset", "filename"]
    /// The columns before a digest that has a line of its own.
    private static let digestIndent = 4

    private let titles: [DisplayText]
    private let showsDigests: Bool
    private let terminalWidth: Int?
    private let output: OutputBuffer
    private var rows: [[DisplayText]]
    /// `nil` until the first rows are written.
    private var layout: Layout?

    /// The widths of the columns, and where they are.
    private struct Layout {
        var widths: [Int]
        var columns: ShownColumns
        /// The column of digests, if each has a line of its own.
        var digest: Int?
    }

    init(_ output: OutputBuffer, showsDigests: Bool, terminalWidth: Int?) {
        (self.output, self.showsDigests, self.terminalWidth) = (output, showsDigests, terminalWidth)
        let titles =
            ["#", "name", "filename", "type", "length", "offset"] + (showsDigests ? ["sha256"] : []) + ["value"]
        self.titles = titles.map { DisplayText($0) }
        self.rows = [self.titles]
    }

    func append(_ record: PartRecord) throws {
        // Digests are in the row on a terminal of 120 columns: other texts give way.
        let limit = self.terminalWidth.map { self.showsDigests && $0 >= 120 ? max(6, ($0 - 96) / 3) : max(8, $0 / 4) }
        let header = record.header
        let digest = self.showsDigests ? [DisplayText(record.sha256 ?? "")] : []
        self.rows.append(
            [
                DisplayText(String(record.index + 1)), DisplayText(header.name ?? "-", limit: limit),
                DisplayText(header.filename ?? "-", limit: limit),
                DisplayText(header.contentType ?? "-", limit: limit), DisplayText(String(record.length)),
                DisplayText(String(record.offset)),
            ] + digest + [DisplayText(header.isFile ? "" : Self.preview(record), limit: Self.previewWidth)])
        if self.layout != nil || self.rows.count > Self.rowsForWidths { try self.flush() }
    }

    /// Writes the rows that wait for the widths.
    func flush() throws {
        let rows = self.rows
        self.rows = []
        let layout = self.layout ?? self.layout(of: rows)
        self.layout = layout
        for row in rows {
            for line in self.lines(row, layout) { try self.output.write(line + "\n") }
        }
    }

    /// Writes the last rows, and which columns were left out.
    func end() throws {
        try self.flush()
        for line in self.layout?.columns.note(self.titles, self.terminalWidth) ?? [] {
            try self.output.write(line + "\n")
        }
    }

    private func layout(of rows: [[DisplayText]]) -> Layout {
        let widths = self.titles.indices.map { column in rows.map { $0[column].width }.max() ?? 0 }
        // The value is cut at the end of the line.
        var least = widths
        least[self.titles.count - 1] = min(widths[self.titles.count - 1], 8)
        let dropping = Self.dropping.compactMap { name in self.titles.firstIndex { $0.text == name } }
        let whole = ShownColumns(least, dropping: Array(dropping.prefix(1)), within: self.terminalWidth)
        let needed = whole.shown.reduce(2 * (whole.shown.count - 1)) { $0 + least[$1] }
        guard let width = self.terminalWidth, needed > width else { return Layout(widths: widths, columns: whole) }
        // The digests get lines of their own, and the others need no room for them.
        let digest = self.titles.firstIndex { $0.text == "sha256" }
        if let digest { least[digest] = -2 }
        var columns = ShownColumns(least, dropping: dropping, within: width)
        if let digest { columns.remove(digest) }
        return Layout(widths: widths, columns: columns, digest: digest)
    }

    private func lines(_ row: [DisplayText], _ layout: Layout) -> [String] {
        let line = layout.columns.line(row, layout.widths, Self.numbers, within: self.terminalWidth)
        guard let place = layout.digest, let width = self.terminalWidth else { return [line] }
        // The digest follows in pieces that fit.
        let indent = String(repeating: " ", count: Self.digestIndent)
        let text = Array(row[place].text)
        // Whole or in halves, if there is room.
        let room = [64, 32].first { $0 <= width - Self.digestIndent } ?? max(1, width - Self.digestIndent)
        let pieces = stride(from: 0, to: text.count, by: room).map { text[$0..<min($0 + room, text.count)] }
        return [line] + pieces.map { indent + String($0) }
    }

    /// The start of a field's value; empty if it isn't text.
    private static func preview(_ record: PartRecord) -> String {
        let start = record.start
        let isAll = record.length == Int64(start.count)
        // A character that the end of the sample cuts off is left out.
        let tail = isAll ? nil : start.suffix(3).lastIndex { $0 >= 0xC0 }
        guard let text = String(validating: start[..<(tail ?? start.endIndex)], as: UTF8.self),
            !text.unicodeScalars.contains("\0")
        else { return "" }
        return isAll ? text : text + "…"
    }
}
