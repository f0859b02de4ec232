// Texts for print() and logs: one line, with each part but without content and boundary. debugDescription has the
// layout, with paths.

extension FormData: CustomStringConvertible {
    /// The form without its content: `2 parts: field "title"; file "photo" (beach.jpg)`.
    public var description: String {
        Summary.text(
            self.entries.map { entry in
                switch entry {
                case .part(let part): part.summary
                case .parts(let parts) where parts.arrivals == nil: "parts made when they are read"
                case .parts: "parts that arrive while sending"
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
    /// The plan without its content: `1234 bytes, can be read again, 1 part: field "title"`.
    public var description: String {
        let parts = self.storage.parts.filter { $0.parent < 0 }
        return "\(self.summary), "
            + Summary.text(parts.map { $0.part?.summary ?? "parts made when they are read" })
    }

    private var summary: String {
        let length = self.contentLength.map { "\($0, "byte")" } ?? "unknown length"
        return "\(length), \(self.isReplayable ? "can be read again" : "can be read once")"
    }

    /// The plan and every piece of its layout, with offset, length and source, without content.
    public var debugDescription: String {
        let pieces = self.layout.map { entry in
            let (offset, length) = (entry.offset.map { "\($0)" } ?? "?", entry.length.map { "\($0)" } ?? "?")
            return "\n  \(offset) +\(length) \(entry.kind)\(entry.part.map { ", part \($0.index + 1)" } ?? "")"
        }
        return self.summary + pieces.joined()
    }
}

package enum Summary {
    /// The most parts that are named. The others are only counted.
    private static let limit = 20

    package static func text(_ parts: [String]) -> String {
        guard !parts.isEmpty else { return "no parts" }
        let rest = parts.count > Self.limit ? ["\(parts.count - Self.limit) more"] : []
        return "\(parts.count, "part"): "
            + (parts.prefix(Self.limit) + rest).joined(separator: "; ")
    }

    package static func line(name: String?, filename: String?, contentType: String?) -> String {
        let kind = filename == nil ? "field" : "file"
        return kind + (name.map { " \"\(Self.shown($0))\"" } ?? " without a name")
            + Self.details(filename: filename, contentType: contentType)
    }

    /// A file outside a form.
    static func file(filename: String?, contentType: String?) -> String {
        "file" + Self.details(filename: filename, contentType: contentType)
    }

    private static func details(filename: String?, contentType: String?) -> String {
        let details = [filename, contentType].compactMap { $0.flatMap { $0.isEmpty ? nil : Self.shown($0) } }
        return details.isEmpty ? "" : " (\(details.joined(separator: ", ")))"
    }

    private static func shown(_ text: String) -> String {
        text.shortened(to: 80).withControlCharactersEscaped
    }
}
