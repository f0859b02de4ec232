#if Command
import Formwork
import FormworkURLEncoded

extension FormLint.Finding {
    /// The finding as `inspect --lint --json` prints it.
    var json: ParameterValue {
        .object([
            .init("severity", .text(self.severity.rawValue)), .init("rule", .text(self.rule.rawValue)),
            .init("section", .text(self.section)), .init("part", self.part?.json ?? .null),
            .init("offset", .optional(self.offset)), .init("message", .text(self.message)),
        ])
    }
}

extension PartReference {
    fileprivate var json: ParameterValue {
        .object([
            .init("index", .integer(Int128(self.index))),
            .init("enclosing", .array(self.enclosing.map { .integer(Int128($0)) })),
            .init("name", self.name.map { .text($0) } ?? .null),
        ])
    }
}
#endif
