/// The head of an HTTP/1.x message (RFC 9112 §2.1): the words of its start line, and its header fields, which are checked.
package struct MessageHead: Sendable {
    package let startLine: [String]
    package let fields: [HeaderField]
    /// A line that isn't a header field, and was left out.
    package private(set) var invalidLine: String?

    /// Reads a head without its empty line. LF alone ends a line, too.
    /// - Parameter skipsInvalidLines: Whether a line that isn't a header field is left out. Otherwise it is an error.
    package init(_ section: ArraySlice<UInt8>, skipsInvalidLines: Bool = false) throws(FormworkError) {
        var lines = section.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
            String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
        }
        self.startLine = lines.removeFirst().split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        var fields: [HeaderField] = []
        for line in lines {
            if let field = try? HeaderField(line: line) {
                fields.append(field)
            } else if !skipsInvalidLines {
                throw FormworkError(.malformedBody, "\"\(line)\" is not a header field")
            } else {
                self.invalidLine = self.invalidLine ?? line
            }
        }
        self.fields = fields
    }

    /// The empty line that ends the first head, with the line end before it; `nil` if it isn't there yet.
    package static func end(in bytes: ArraySlice<UInt8>, from start: Int) -> Range<Int>? {
        var place = start
        while let line = bytes[place...].firstIndex(of: 0x0A) {
            if bytes[(line + 1)...].first == 0x0A { return line..<line + 2 }
            if bytes[(line + 1)...].starts(with: [0x0D, 0x0A]) {
                return (line > bytes.startIndex && bytes[line - 1] == 0x0D ? line - 1 : line)..<line + 3
            }
            place = line + 1
        }
        return nil
    }

    package func values(_ name: String) -> [String] { self.fields.filter { $0.isNamed(name) }.map(\.value) }

    /// The values of a name as one list (RFC 9110 §5.3); `nil` without the field.
    package func value(_ name: String) -> String? {
        let values = self.values(name)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// - Returns: `nil` without the field.
    /// - Throws: `malformedBody` for a value that isn't a number of bytes, and for values that differ.
    package func contentLength() throws(FormworkError) -> Int64? {
        let values = Set(self.values("Content-Length"))
        guard let text = values.count > 1 ? self.value("Content-Length") : values.first else { return nil }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let length = Int64(text) else {
            throw FormworkError(
                .malformedBody, "Content-Length is \"\(text.shortened(to: 40))\", not a count of bytes")
        }
        return length
    }
}
