#if Command
import Formwork

/// Secrets in texts for people, such as the heads that `-v` shows.
package enum SecretText {
    /// The text with asterisks in place of user and password in URLs, of parameters that carry a credential, and of the
    /// signatures of upload links.
    package static func masked(_ text: String) -> String {
        var text = text
        while let range = self.linkSignature(in: text) { text.replaceSubrange(range, with: "***") }
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "=") }) else { return text }
        return
            text
            .replacing(/:\/\/[^\/?#\s]*@/) { _ in "://***@" }
            .replacing(/([?&;][^=&;#\s]+)=([^&#\s>"]*)/) { match in
                let name = match.1.dropFirst()
                return self.isSecret(parameter: String(name)) && !match.2.isEmpty ? "\(match.1)=***" : "\(match.0)"
            }
    }

    /// The first signature of an upload link that isn't masked: `/.link/CLAIMS.SIGNATURE/`.
    static func linkSignature(in text: String) -> Range<String.Index>? {
        var rest = text[...]
        while let start = rest.firstRange(of: "/.link/")?.upperBound {
            rest = rest[start...]
            let token = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.*".contains($0)) }
            guard let dot = token.firstIndex(of: ".") else { continue }
            let signature = token[token.index(after: dot)...]
            if signature.contains(where: { $0 != "*" }) { return signature.startIndex..<signature.endIndex }
        }
        return nil
    }

    /// Whether a parameter of a URL carries a credential, as far as its name shows.
    static func isSecret(parameter name: String) -> Bool { Redirection.carriesCredentials(name) }
}
#endif
