import FormworkCore

// What print() and logs show: a line for the whole and one for each part, without content and boundary. Layouts, in
// debugDescription, name the paths too.

extension FormData: CustomStringConvertible {
    /// The form in a few lines, without content: `2 parts: field "title"; file "photo" (beach.jpg)`.
    public var description: String {
        Summary.text(
            self.entries.map { entry in
                switch entry {
                case .part(let part): part.summary
                case .parts: "parts made when their turn comes"
                case .arriving: "parts that arrive"
                }
            })
    }
}

extension BodyPart {
    /// The part without its content.
    var summary: String {
        Summary.line(name: self.header.name, filename: self.header.filename, contentType: self.header.contentType)
    }
}

extension BodyPlan: CustomStringConvertible, CustomDebugStringConvertible {
    /// The plan in a few lines, without content: `1234 bytes, can be read again, 1 part: field "title"`.
    public var description: String {
        let parts = self.storage.parts.filter { $0.parent < 0 }
        return "\(self.summary), "
            + Summary.text(parts.map { $0.part?.summary ?? "parts made when their turn comes" })
    }

    private var summary: String {
        let length = self.contentLength.map { "\($0) bytes" } ?? "a length that only the end can tell"
        return "\(length), \(self.isReplayable ? "can be read again" : "can be read once")"
    }

    /// The plan and every piece of its layout, without content: offset, length and where the bytes come from.
    public var debugDescription: String {
        let pieces = self.layout.map { entry in
            let (offset, length) = (entry.offset.map { "\($0)" } ?? "?", entry.length.map { "\($0)" } ?? "?")
            return "\n  \(offset) +\(length) \(entry.kind)\(entry.part.map { ", part \($0.index + 1)" } ?? "")"
        }
        return self.summary + pieces.joined()
    }
}

extension ReceivedForm: CustomStringConvertible {
    /// The form in a few lines, without content: `2 parts: field "title", 12 bytes; file "photo" (beach.jpg), 90210 bytes`.
    public var description: String {
        Summary.text(
            self.entries.map { entry in
                Summary.line(
                    name: entry.name, filename: entry.isFile ? entry.filename ?? "" : nil,
                    contentType: entry.contentType)
                    + ", \(entry.content.count) bytes"
            })
    }
}

package enum Summary {
    /// Parts that are named; what comes after them is counted.
    private static let limit = 20

    package static func text(_ parts: [String]) -> String {
        guard !parts.isEmpty else { return "no parts" }
        let rest = parts.count > Self.limit ? ["\(parts.count - Self.limit) more"] : []
        return "\(parts.count) part\(parts.count == 1 ? "" : "s"): "
            + (parts.prefix(Self.limit) + rest).joined(separator: "; ")
    }

    package static func line(name: String?, filename: String?, contentType: String?) -> String {
        let kind = filename == nil ? "field" : "file"
        let details = [filename, contentType].compactMap { $0.flatMap { $0.isEmpty ? nil : Self.shown($0) } }
        return kind + (name.map { " \"\(Self.shown($0))\"" } ?? " without a name")
            + (details.isEmpty ? "" : " (\(details.joined(separator: ", ")))")
    }

    private static func shown(_ text: String) -> String {
        let start = String(text.prefix(80)).withControlCharactersEscaped
        return text.count > 80 ? start + "…" : start
    }
}

extension ReceivedForm: Sequence {
    /// Goes through ``entries``.
    public func makeIterator() -> IndexingIterator<[Entry]> { self.entries.makeIterator() }
}
