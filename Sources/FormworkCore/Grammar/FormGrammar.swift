/// Whose rules a `-F` argument is read by.
public enum FormGrammar: String, Hashable, Sendable, Codable, CaseIterable {
    /// curl's grammar, where everything that curl would lose without a word is an error: text behind a closing quote,
    /// an unknown `;word` (which is how a `;` cuts a JSON value), a parameter where it has no meaning, a header that
    /// is none.
    case strict
    /// curl 7.88.1, byte for byte: what it loses is lost, with a warning where curl gives one.
    case curl
}
