import Formwork
import FormworkSystem

/// Credentials in the environment, which the list of processes doesn't show.
package struct EnvironmentCredentials {
    /// The value of `Authorization`.
    package let fieldValue: String
    /// The user and password; `nil` for a token.
    let user: String?

    /// Reads `FORMWORK_USER`, for the Basic scheme, or `FORMWORK_TOKEN`, for the Bearer scheme.
    /// - Returns: `nil` if neither variable is set, or both are empty.
    /// - Throws: `ExitStatus` for both, a user without a password, and control characters.
    package static func read() throws(ExitStatus) -> Self? {
        func variable(_ name: String) -> String? { SystemCalls.environment(name).flatMap { $0.isEmpty ? nil : $0 } }
        switch (variable("FORMWORK_USER"), variable("FORMWORK_TOKEN")) {
        case (nil, nil): return nil
        case (_?, _?): throw ExitStatus(2, "FORMWORK_USER and FORMWORK_TOKEN are both set: set only one of them")
        case (let user?, nil):
            guard let credentials = BasicCredentials(user) else {
                throw ExitStatus(2, "FORMWORK_USER: write user:password")
            }
            return Self(fieldValue: credentials.fieldValue, user: user)
        case (nil, let token?):
            let isText = token.utf8.allSatisfy { ($0 >= 0x20 || $0 == 0x09) && $0 != 0x7F }
            try ExitStatus.refuse(
                if: !isText || token.utf8.first == 0x20 || token.utf8.last == 0x20,
                "FORMWORK_TOKEN contains a line end or another control character")
            return Self(fieldValue: "Bearer \(token)", user: nil)
        }
    }
}

extension BasicCredentials {
    /// Reads `user:password`; `nil` without a colon.
    package init?(_ text: String) {
        // By bytes: a colon and a combining mark after it are one Character.
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        self.init(user: String(text[..<colon]), password: String(text[text.utf8.index(after: colon)...]))
    }
}
