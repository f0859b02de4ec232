#if Command
import Formwork

/// Parts as aligned columns. The first thousand rows decide the widths, so that any number of parts can be shown.
final class PartTable {
    private static let rowsForWidths = 1_000
    /// Number, length and offset are right-aligned.
    private static let numbers: Set<Int> = [0, 4, 5]
    /// The most columns of a field's value that are shown.
    private static let previewWidth = 40

    private let showsDigests: Bool
    private let terminalWidth: Int?
    private let output: OutputBuffer
    private var rows: [[DisplayText]]
    /// `nil` until the first rows are written.
    private var widths: [Int]?

    init(_ output: OutputBuffer, showsDigests: Bool, terminalWidth: Int?) {
        (self.output, self.showsDigests, self.terminalWidth) = (output, showsDigests, terminalWidth)
        let titles =
            ["#", "name", "filename", "type", "length", "offset"] + (showsDigests ? ["sha256"] : []) + ["value"]
        self.rows = [titles.map { DisplayText($0) }]
    }

    func append(_ record: PartRecord) throws {
        // Digests are not cut on a terminal of 120 columns: other texts give way.
        let limit = self.terminalWidth.map { self.showsDigests ? max(6, ($0 - 96) / 3) : max(12, $0 / 4) }
        let header = record.header
        let digest = self.showsDigests ? [DisplayText(record.sha256 ?? "")] : []
        self.rows.append(
            [
                DisplayText(String(record.index + 1)), DisplayText(header.name ?? "-", limit: limit),
                DisplayText(header.filename ?? "-", limit: limit),
                DisplayText(header.contentType ?? "-", limit: limit), DisplayText(String(record.length)),
                DisplayText(String(record.offset)),
            ] + digest + [DisplayText(header.isFile ? "" : Self.preview(record), limit: Self.previewWidth)])
        if self.widths != nil || self.rows.count > Self.rowsForWidths { try self.flush() }
    }

    /// Writes the rows that wait for the widths.
    func flush() throws {
        let rows = self.rows
        self.rows = []
        let widths =
            self.widths ?? (rows.first ?? []).indices.map { column in rows.map { $0[column].width }.max() ?? 0 }
        self.widths = widths
        for row in rows { try self.output.write(self.line(row, widths) + "\n") }
    }

    private func line(_ row: [DisplayText], _ widths: [Int]) -> String {
        let cells = row.indices.map { column in
            let space = String(repeating: " ", count: max(0, widths[column] - row[column].width))
            return Self.numbers.contains(column) ? space + row[column].text : row[column].text + space
        }
        var line = cells.joined(separator: "  ")
        while line.utf8.last == 0x20 { line.removeLast() }
        guard let width = self.terminalWidth, DisplayText.width(of: line) > width else { return line }
        return DisplayText.cut(line, to: width).text
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
#endif
