/// Walks one `-F` argument, scalar by scalar, because a combining mark must not hide a `;`, and knows the column for errors.
struct FormArgumentScanner {
    private let scalars: String.UnicodeScalarView
    private var index: String.UnicodeScalarView.Index

    init(_ text: String, at index: String.Index) {
        self.scalars = text.unicodeScalars
        self.index = index
    }

    var isAtEnd: Bool { self.index == self.scalars.endIndex }
    var peek: Unicode.Scalar? { self.isAtEnd ? nil : self.scalars[self.index] }
    /// Counted from 1, in characters as people see them.
    var column: Int { String(self.scalars[..<self.index]).count + 1 }
    /// What stands from here to the next `;`.
    var segment: String { String(String.UnicodeScalarView(self.scalars[self.index...].prefix { $0 != ";" })) }

    mutating func skip() { self.index = self.scalars.index(after: self.index) }

    mutating func skipBlanks() {
        while self.peek == " " || self.peek == "\t" { self.skip() }
    }

    func error(_ message: String, column: Int? = nil) -> FormworkError {
        FormworkError(.invalidArgument, "column \(column ?? self.column): \(message)")
    }

    /// The keyword that stands here with its `=`, in any case; `nil` when none does, and nothing is skipped then.
    mutating func keyword() -> String? {
        for keyword in ["type", "filename", "length"] {
            let head = self.scalars[self.index...].prefix(keyword.count + 1)
            guard String(String.UnicodeScalarView(head)).lowercased() == keyword + "=" else { continue }
            self.index = head.endIndex
            return keyword
        }
        return nil
    }

    /// A word in double quotes, in which `\\` and `\"` are escapes, or a bare one without surrounding blanks. A quote
    /// without an end is a character like others.
    mutating func word(endingAt terminators: String) throws(FormworkError) -> String {
        self.skipBlanks()
        if self.peek == "\"", let quoted = self.quotedWord() {
            self.skipBlanks()
            if let next = self.peek, !terminators.unicodeScalars.contains(next) {
                throw self.error("text behind a closing quote would be lost: write \\\" for a quote inside quotes")
            }
            return quoted
        }
        let bare = self.scalars[self.index...].prefix { !terminators.unicodeScalars.contains($0) }
        self.index = bare.endIndex
        return Self.trimmed(bare)
    }

    /// The value of `type=`: parameters that are no keyword of ours belong to it (`;type=text/html;charset=utf-8`).
    mutating func mediaType() throws(FormworkError) -> String {
        self.skipBlanks()
        let start = self.index
        while true {
            self.index = self.scalars[self.index...].firstIndex(of: ";") ?? self.scalars.endIndex
            var ahead = self
            guard !ahead.isAtEnd else { break }
            ahead.skip()
            ahead.skipBlanks()
            if ahead.keyword() != nil { break }
            self.skip()
        }
        return Self.trimmed(self.scalars[start..<self.index])
    }

    private mutating func quotedWord() -> String? {
        var ahead = self
        ahead.skip()
        var word = String.UnicodeScalarView()
        while let scalar = ahead.peek {
            ahead.skip()
            if scalar == "\"" {
                self = ahead
                return String(word)
            }
            if scalar == "\\", let next = ahead.peek, next == "\\" || next == "\"" {
                ahead.skip()
                word.append(next)
            } else {
                word.append(scalar)
            }
        }
        return nil
    }

    private static func trimmed(_ text: Substring.UnicodeScalarView) -> String {
        var text = text
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return String(String.UnicodeScalarView(text))
    }
}
