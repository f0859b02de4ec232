#if Command
import Formwork

/// The value of `-H` in errors.
package enum HeaderText {
    /// The name, and an ellipsis in place of the value, which may be a secret; quoted for a shell.
    package static func masked(_ header: String) -> String {
        let name = header.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
        // Without a separator the whole text may be the value: its writer forgot the name.
        guard !name.isEmpty, name.utf8.count <= 40, name.endIndex < header.endIndex else { return "…" }
        return ShellQuote.quote("\(name)\(header[name.endIndex] == ":" ? ":" : "") …")
    }
}
#endif
