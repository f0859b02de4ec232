/// Something odd in a body.
package struct Finding: Hashable, Sendable, CustomStringConvertible {
    package var oddity: Oddity
    /// The part it was found in; `nil` for the body as a whole.
    package var part: PartReference?
    /// Its offset in the body, in bytes; for a header section, the section's start. `nil` for a finding in the message's head.
    package var offset: Int64?
    /// One sentence: the finding, and what to do. Text of the sender's in it may have control characters.
    package var message: String

    /// - Parameter details: One for each place in the oddity's sentence.
    package init(_ oddity: Oddity, _ details: String..., part: PartReference? = nil, at offset: Int64? = nil) {
        self.init(oddity, details, part, offset)
    }

    init(_ oddity: Oddity, _ details: [String], _ part: PartReference?, _ offset: Int64?) {
        (self.oddity, self.part, self.offset, self.message) = (oddity, part, offset, oddity.sentence(details))
    }

    /// The reason why a body can't be read any further.
    package init(_ error: FormworkError, part: PartReference? = nil) {
        let name = error.parsingFailure?.description ?? "\(error.code)"
        self.init(Oddity(rawValue: name) ?? .malformed, part: part, at: error.offset)
        self.message = "\(name): \(error.message)"
    }

    /// The error of a profile that refuses it.
    package var refusal: FormworkError { ParsingFailure(self.oddity.failure).error(self.message, at: self.offset) }

    /// One line: severity, rule, section, part, sentence, offset. Control characters are escaped.
    package var description: String {
        let place = self.part.map { "\($0): " } ?? ""
        let offset = self.offset.map { " [body offset \($0)]" } ?? ""
        let rule = "\(self.oddity.severity.rawValue) \(self.oddity.rawValue) (\(self.oddity.section))"
        return "\(rule): \(place)\(self.message)\(offset)".withControlCharactersEscaped
    }
}
