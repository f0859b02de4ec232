extension FormLint {
    /// How much a finding weighs.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Severity: String, Hashable, Sendable {
        /// A standard forbids it: a receiver may refuse the body, or read another one.
        case departure
        /// A standard advises against it, or real servers trip over it.
        case advice
    }

    /// One thing that was found.
    public struct Finding: Hashable, Sendable, CustomStringConvertible {
        /// What to decide on.
        public var rule: Rule
        /// The part it was found in; `nil` for the body as a whole.
        public var part: PartReference?
        /// Where in the body it was found, in bytes: for a header section, where that begins. `nil` for what stands in
        /// `Content-Type`.
        public var offset: Int64?
        /// One sentence: what was found, and what to do.
        public var message: String

        /// How much it weighs: the rule's.
        public var severity: Severity { self.rule.severity }
        /// The section that says so, as `RFC 7578 §4.2`: the rule's.
        public var section: String { self.rule.section }

        /// Describes a finding.
        public init(rule: Rule, part: PartReference? = nil, offset: Int64? = nil, message: String) {
            (self.rule, self.part, self.offset, self.message) = (rule, part, offset, message)
        }

        /// One line: severity, rule, section, part, sentence, offset. Control characters are shown escaped.
        public var description: String {
            let place = self.part.map { "\($0): " } ?? ""
            let offset = self.offset.map { " [body offset \($0)]" } ?? ""
            return "\(self.severity.rawValue) \(self.rule.rawValue) (\(self.section)): \(place)\(self.message)\(offset)"
                .withControlCharactersEscaped
        }
    }
}
