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
}

/// curl's arguments, as far as they matter here.
struct CurlArguments {
    private struct Item {
        /// As it was given, with other short options.
        var word: String
        /// `-u` or `--user`; empty for a word that is neither an option nor a value.
        var option: String
        var value: String?
    }

    private var items: [Item] = []

    init(_ words: [String]) {
        // A long option may have a value, and a short one of these has one.
        var (mayHaveValue, needsValue) = (false, false)
        for word in words {
            let isOption = word.hasPrefix("-") && word != "-"
            if needsValue || mayHaveValue && !isOption {
                self.items[self.items.count - 1].value = word
                (mayHaveValue, needsValue) = (false, false)
            } else if word.hasPrefix("--") {
                let name = String(word.prefix { $0 != "=" })
                self.items.append(Item(word: word, option: name))
                mayHaveValue = name == word && !Self.withoutValue.contains(name) && !name.hasPrefix("--no-")
            } else if isOption {
                let letters = word.dropFirst()
                let flags = letters.prefix { !"AbcCdDeEFHhKmoPQrtTuUwxXyYz".contains($0) }
                self.items += flags.map { Item(word: word, option: "-\($0)") }
                mayHaveValue = false
                guard let option = letters.dropFirst(flags.count).first else { continue }
                let value = letters.dropFirst(flags.count + 1)
                self.items.append(Item(word: word, option: "-\(option)", value: String(value)))
                needsValue = value.isEmpty
            } else {
                self.items.append(Item(word: word, option: ""))
            }
        }
    }

    private static let withoutValue = [
        "--compressed", "--fail", "--fail-with-body", "--globoff", "--http1.0", "--http1.1", "--http2", "--include",
        "--insecure", "--ipv4", "--ipv6", "--progress-bar", "--show-error", "--silent", "--verbose",
    ]
    private static let credentials = [
        "-n", "-u", "-K", "--user", "--oauth2-bearer", "--netrc", "--netrc-file", "--netrc-optional", "--aws-sigv4",
        "--config",
    ]
    private static let repeating = [
        "--retry", "--retry-all-errors", "--retry-connrefused", "--retry-delay", "--retry-max-time", "--location",
        "--location-trusted", "--anyauth", "--digest", "--negotiate", "--ntlm", "--ntlm-wb", "--proxy-anyauth",
        "--proxy-digest", "--proxy-negotiate", "--proxy-ntlm",
    ]

    /// Whether they give credentials, or may give them by a configuration file.
    var giveCredentials: Bool {
        self.items.contains { item in
            Self.credentials.contains(item.option)
                || ["-H", "--header"].contains(item.option) && Self.isAuthorization(item.value ?? "")
        }
    }

    /// The first option that has curl send a request again.
    var repetition: String? {
        self.items.first { item in
            // curl takes the beginning of a name for it.
            item.option == "-L" || item.option.utf8.count > 4 && Self.repeating.contains { $0.hasPrefix(item.option) }
        }?.option
    }

    /// The first word that has curl make a second request: another URL, or `--next`.
    var secondRequest: String? { self.items.first { ["", "-:", "--next", "--url"].contains($0.option) }?.word }

    /// Whether a header is `Authorization`, or a file that may have it.
    static func isAuthorization(_ header: String) -> Bool {
        header.fileAfterSign != nil || GivenHeader(header).isNamed("authorization")
    }
}

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
            guard isText, token.utf8.first != 0x20, token.utf8.last != 0x20 else {
                throw ExitStatus(2, "FORMWORK_TOKEN contains a line end or another control character")
            }
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
