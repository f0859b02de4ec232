/// The grammar of `-F` arguments.
public enum FormGrammar: String, Hashable, Sendable, Codable, CaseIterable {
    /// curl's grammar, in which all text that curl drops silently is an error: text after a closing quote, an unknown
    /// `;word` (such as the rest of a JSON value with `;`), a parameter without a meaning, an invalid header.
    case strict
    /// curl 7.88.1, byte for byte: text that curl drops is dropped, with curl's warnings.
    case curl
}
