#if Command
import Formwork

/// Secrets in texts for people, such as the heads that `-v` shows.
package enum SecretText {
    /// The text with asterisks in place of user and password in URLs, and of parameters that carry a credential.
    package static func masked(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "=") }) else { return text }
        return
            text
            .replacing(/:\/\/[^\/?#\s]*@/) { _ in "://***@" }
            .replacing(/([?&;][^=&;#\s]+)=([^&#\s>"]*)/) { match in
                let name = match.1.dropFirst()
                return self.isSecret(parameter: String(name)) && !match.2.isEmpty ? "\(match.1)=***" : "\(match.0)"
            }
    }

    /// Whether a parameter of a URL carries a credential, as far as its name shows.
    static func isSecret(parameter name: String) -> Bool { Redirection.carriesCredentials(name) }
}
#endif
