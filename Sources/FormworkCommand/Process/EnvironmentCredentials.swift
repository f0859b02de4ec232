#if Command
import FormworkSystem

/// Credentials in the environment, which the list of processes doesn't show.
package enum EnvironmentCredentials: Equatable {
    /// `FORMWORK_USER`, for the Basic scheme.
    case user(String, password: String)
    /// `FORMWORK_TOKEN`, for the Bearer scheme.
    case token(String)

    /// `nil` if neither variable is set, or both are empty.
    /// - Throws: `ExitStatus` for both, a user without a password, and control characters.
    package static func read() throws(ExitStatus) -> Self? {
        func variable(_ name: String) -> String? { SystemCalls.environment(name).flatMap { $0.isEmpty ? nil : $0 } }
        switch (variable("FORMWORK_USER"), variable("FORMWORK_TOKEN")) {
        case (nil, nil): return nil
        case (_?, _?):
            throw ExitStatus(2, "formwork: FORMWORK_USER and FORMWORK_TOKEN are both set: set only one of them")
        case (let user?, nil):
            // By bytes: a colon and a combining mark after it are one Character.
            guard let colon = user.utf8.firstIndex(of: UInt8(ascii: ":")) else {
                throw ExitStatus(2, "formwork: FORMWORK_USER: write user:password")
            }
            return .user(String(user[..<colon]), password: String(user[user.utf8.index(after: colon)...]))
        case (nil, let token?):
            let isText = token.utf8.allSatisfy { ($0 >= 0x20 || $0 == 0x09) && $0 != 0x7F }
            guard isText, token.utf8.first != 0x20, token.utf8.last != 0x20 else {
                throw ExitStatus(2, "formwork: FORMWORK_TOKEN contains a line end or another control character")
            }
            return .token(token)
        }
    }
}
#endif
