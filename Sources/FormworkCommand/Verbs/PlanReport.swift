import Formwork
import FormworkURLEncoded

extension BodyPlan {
    /// The plan as a whole, as `headers --json` and `plan --json` print it.
    var properties: [(name: String, value: ParameterValue)] {
        [
            ("contentType", .text(self.contentType)),
            ("contentLength", .optional(self.contentLength)),
            ("unknownLength", .optional(self.lengthBlocker?.description)),
            ("isReplayable", .bool(self.isReplayable)),
            ("notReplayable", .optional(self.replayBlocker?.description)),
        ]
    }
}

extension LayoutEntry {
    /// A piece of the body, as `plan --json` prints it. Parts count from 0.
    var json: ParameterValue {
        let isContent = self.kind != .framing
        return .members([
            ("offset", .optional(self.offset)),
            ("length", .optional(self.length)),
            ("part", .optional(self.part.map { Int64($0.index) })),
            ("name", .optional(self.part?.name)),
            ("filename", .optional(self.filename)),
            ("kind", .text(self.kind.name)),
            ("source", .text(self.kind.sourceText)),
            ("type", .optional(isContent ? self.contentType?.mediaType : nil)),
            ("typeReason", .optional(isContent ? self.contentType?.reason : nil)),
        ])
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
        case .file(let path, let offset):
            (path ?? "open descriptor") + (offset > 0 ? " from \(offset)" : "")
        case .stream(let label): label
        case .parts(let count): "\(count, "part")"
        default: self.name
        }
    }
}

extension BodyPlan {
    /// A table for people.
    /// - Parameter width: The terminal's columns; `nil` for lines of any length.
    package func table(width: Int?) -> String {
        var table = TextTable(
            ["offset", "length", "part", "source", "type", "why"], numbers: [0, 1], dropping: [5, 4, 2])
        for entry in self.layout {
            let type = entry.kind == .framing ? nil : entry.contentType
            let range: [String] = [entry.offset, entry.length].map { $0.map { "\($0)" } ?? "?" }
            let part: String = entry.part.map { "\($0)" } ?? ""
            table.append(range + [part, entry.kind.sourceText, type?.mediaType ?? "", type?.reason ?? ""])
        }
        let lines = [
            "Content-Type: \(self.contentType)",
            "Content-Length\(self.contentLength.map { ": \($0)" } ?? " unknown: \(self.lengthBlocker?.description ?? "")")",
            "Can be sent again: " + (self.replayBlocker.map { "no, \($0)" } ?? "yes"),
        ]
        // The value of Content-Type may be copied, so it is never broken.
        let notes = lines.flatMap { Paragraph.lines($0, width: width, indent: 2) }
        return table.text(width: width) + "\n" + notes.map { $0 + "\n" }.joined()
    }
}
