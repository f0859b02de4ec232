extension FormLint {
    /// The severity of a finding.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    package enum Severity: String, Hashable, Sendable {
        /// A standard forbids it. A receiver may refuse the body, or read it differently.
        case departure
        /// A standard advises against it, or it confuses real servers.
        case advice
    }

    /// One finding.
    package struct Finding: Hashable, Sendable, CustomStringConvertible {
        /// The rule, for decisions in code.
        package var rule: Rule
        /// The part it was found in; `nil` for the body as a whole.
        package var part: PartReference?
        /// Its offset in the body, in bytes; for a header section, the section's start. `nil` for a finding in
        /// `Content-Type`.
        package var offset: Int64?
        /// One sentence: the finding, and what to do.
        package var message: String

        /// The rule's severity.
        package var severity: Severity { self.rule.severity }
        /// The rule's section of a standard, such as `RFC 7578 §4.2`.
        package var section: String { self.rule.section }

        /// A finding.
        init(rule: Rule, part: PartReference? = nil, offset: Int64? = nil, message: String) {
            (self.rule, self.part, self.offset, self.message) = (rule, part, offset, message)
        }

        /// One line: severity, rule, section, part, sentence, offset. Control characters are escaped.
        package var description: String {
            let place = self.part.map { "\($0): " } ?? ""
            let offset = self.offset.map { " [body offset \($0)]" } ?? ""
            return "\(self.severity.rawValue) \(self.rule.rawValue) (\(self.section)): \(place)\(self.message)\(offset)"
                .withControlCharactersEscaped
        }
    }
}
