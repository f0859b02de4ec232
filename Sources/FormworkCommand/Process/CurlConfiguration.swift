import Formwork
import FormworkSystem

/// curl's configuration (`-K`), which isn't in the list of processes: headers, URL and credentials.
struct CurlConfiguration {
    private(set) var text = ""

    /// Adds an option with a value. curl reads these escapes between double quotes.
    mutating func add(_ option: String, _ value: String) {
        let escapes: [Unicode.Scalar: String] = [
            "\\": "\\\\", "\"": "\\\"", "\t": "\\t", "\n": "\\n", "\r": "\\r", "\u{B}": "\\v",
        ]
        // By scalars: a quote and a combining mark after it are one Character, but curl would end the value there.
        self.text += "\(option) = \"\(value.unicodeScalars.map { escapes[$0] ?? String($0) }.joined())\"\n"
    }

    /// Whether arguments of curl's give credentials, or may give them by a configuration file.
    static func givesCredentials(_ arguments: [String]) -> Bool {
        let longNames = [
            "--user", "--oauth2-bearer", "--netrc", "--netrc-file", "--netrc-optional", "--aws-sigv4", "--config",
        ]
        var before = ""
        for word in arguments {
            let name = String(word.prefix { $0 != "=" })
            if longNames.contains(name) { return true }
            if ["-H", "--header"].contains(before), self.isAuthorization(word) { return true }
            before = word
            guard word.hasPrefix("-"), !word.hasPrefix("--") else { continue }
            let (flags, option, value) = self.cluster(word)
            if flags.contains("n") { return true }
            switch option {
            case nil: continue
            case "u", "K": return true
            case "H" where self.isAuthorization(value): return true
            case let letter?: before = value.isEmpty ? "-\(letter)" : ""
            }
        }
        return false
    }

    /// The first of curl's arguments that has it send a request again.
    static func repetition(in arguments: [String]) -> String? {
        let longNames = [
            "--retry", "--retry-all-errors", "--retry-connrefused", "--retry-delay", "--retry-max-time", "--location",
            "--location-trusted", "--anyauth", "--digest", "--negotiate", "--ntlm", "--ntlm-wb", "--proxy-anyauth",
            "--proxy-digest", "--proxy-negotiate", "--proxy-ntlm",
        ]
        var isValue = false
        for word in arguments {
            guard !isValue else {
                isValue = false
                continue
            }
            guard !word.hasPrefix("--") else {
                // curl takes the beginning of a name for it.
                if word.utf8.count > 4, longNames.contains(where: { $0.hasPrefix(word) }) { return word }
                continue
            }
            guard word.hasPrefix("-") else { continue }
            let cluster = self.cluster(word)
            if cluster.flags.contains("L") { return "-L" }
            isValue = cluster.option != nil && cluster.value.isEmpty
        }
        return nil
    }

    /// The first of curl's arguments that has it make a second request: another URL, or `--next`.
    static func secondRequest(in arguments: [String]) -> String? {
        // After other long options a word may be their value.
        let withoutValue = [
            "--compressed", "--fail", "--fail-with-body", "--globoff", "--http1.0", "--http1.1", "--http2", "--include",
            "--insecure", "--ipv4", "--ipv6", "--progress-bar", "--show-error", "--silent", "--verbose",
        ]
        var isValue = false
        for word in arguments {
            if word.hasPrefix("--") {
                let name = String(word.prefix { $0 != "=" })
                if ["--next", "--url"].contains(name) { return word }
                isValue = !withoutValue.contains(name) && !name.hasPrefix("--no-") && name == word
            } else if word.hasPrefix("-"), word != "-", !isValue {
                let cluster = self.cluster(word)
                if cluster.flags.contains(":") { return word }
                isValue = cluster.option != nil && cluster.value.isEmpty
            } else {
                guard isValue else { return word }
                isValue = false
            }
        }
        return nil
    }

    /// One word of curl's short options: flags, then at most one option with a value, which may be the next word.
    private static func cluster(_ word: String) -> (flags: Substring, option: Character?, value: String) {
        let letters = word.dropFirst()
        let place = letters.firstIndex { "AbcCdDeEFHhKmoPQrtTuUwxXyYz".contains($0) } ?? letters.endIndex
        guard place < letters.endIndex else { return (letters, nil, "") }
        return (letters[..<place], letters[place], String(letters[letters.index(after: place)...]))
    }

    /// Whether a header is `Authorization`, or a file that may have it.
    static func isAuthorization(_ header: String) -> Bool {
        let name = header.utf8.prefix { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: ";") }
        return header.utf8.first == UInt8(ascii: "@") || Substring(name).lowercased() == "authorization"
    }
}

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
            throw ExitStatus(2, "FORMWORK_USER and FORMWORK_TOKEN are both set: set only one of them")
        case (let user?, nil):
            // By bytes: a colon and a combining mark after it are one Character.
            guard let colon = user.utf8.firstIndex(of: UInt8(ascii: ":")) else {
                throw ExitStatus(2, "FORMWORK_USER: write user:password")
            }
            return .user(String(user[..<colon]), password: String(user[user.utf8.index(after: colon)...]))
        case (nil, let token?):
            let isText = token.utf8.allSatisfy { ($0 >= 0x20 || $0 == 0x09) && $0 != 0x7F }
            guard isText, token.utf8.first != 0x20, token.utf8.last != 0x20 else {
                throw ExitStatus(2, "FORMWORK_TOKEN contains a line end or another control character")
            }
            return .token(token)
        }
    }
}
