#if Command
import Formwork

/// A plan as `plan --json` prints it.
struct PlanReport: Encodable {
    struct Piece: Encodable {
        var offset: Int64?
        var length: Int64?
        var part: Int?
        var name: String?
        var filename: String?
        var kind: String
        var source: String
        var type: String?
        var typeReason: String?
    }

    var contentType: String
    var contentLength: Int64?
    var unknownLength: String?
    var isReplayable: Bool
    var notReplayable: String?
    var pieces: [Piece]

    init(_ plan: BodyPlan) {
        self.contentType = plan.contentType
        self.contentLength = plan.contentLength
        self.unknownLength = plan.lengthBlocker?.description
        self.isReplayable = plan.isReplayable
        self.notReplayable = plan.replayBlocker?.description
        self.pieces = plan.layout.map { entry in
            let isContent = entry.kind != .framing
            return Piece(
                offset: entry.offset, length: entry.length, part: entry.part?.index, name: entry.part?.name,
                filename: entry.filename, kind: entry.kind.name, source: entry.kind.sourceText,
                type: isContent ? entry.contentType?.mediaType : nil,
                typeReason: isContent ? entry.contentType?.reason : nil)
        }
    }
}

extension LayoutEntry.Kind {
    /// One word.
    var name: String {
        switch self {
        case .framing: "framing"
        case .memory: "memory"
        case .file: "file"
        case .synthetic: "synthetic"
        case .stream: "stream"
        case .parts: "parts"
        }
    }

    /// Where the bytes come from, for people.
    var sourceText: String {
        switch self {
        case .framing: "framing"
        case .memory: "memory"
        case .file(let path, let offset):
            (path ?? "open descriptor") + (offset > 0 ? " from \(offset)" : "")
        case .synthetic: "synthetic"
        case .stream(let label): label
        case .parts(let count): "\(count) parts"
        }
    }
}

/// A plan as a table for people.
package struct PlanTable {
    private let plan: BodyPlan

    package init(_ plan: BodyPlan) { self.plan = plan }

    package var text: String {
        var rows = [["offset", "length", "part", "source", "type", "why"]]
        for entry in self.plan.layout {
            let type: [String] =
                if entry.kind == .framing {
                    ["", ""]
                } else {
                    [entry.contentType?.mediaType ?? "", entry.contentType?.reason ?? ""]
                }
            rows.append(
                [
                    entry.offset.map(String.init) ?? "?", entry.length.map(String.init) ?? "?",
                    entry.part.map { "\($0)" } ?? "", entry.kind.sourceText,
                ] + type)
        }
        rows = rows.map { $0.map(\.withControlCharactersEscaped) }
        return Self.aligned(rows) + "\nContent-Type: \(self.plan.contentType)\n" + self.lengthLine + self.replayLine
    }

    private var lengthLine: String {
        if let length = self.plan.contentLength { return "Content-Length: \(length)\n" }
        return "Content-Length unknown: \(self.plan.lengthBlocker.map(String.init(describing:)) ?? "")\n"
    }

    private var replayLine: String {
        guard let blocker = self.plan.replayBlocker else { return "Can be sent again: yes\n" }
        return "Can be sent again: no, \(blocker)\n"
    }

    /// The first two columns are numbers and right-aligned.
    private static func aligned(_ rows: [[String]]) -> String {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = row.indices.map { column in
                let space = String(repeating: " ", count: widths[column] - row[column].count)
                return column < 2 ? space + row[column] : row[column] + space
            }
            return cells.joined(separator: "  ").trimmingTrailingBlanks
        }.joined(separator: "\n") + "\n"
    }
}

extension String {
    fileprivate var trimmingTrailingBlanks: String {
        String(self[...(self.lastIndex { $0 != " " } ?? self.startIndex)])
    }
}
#endif
