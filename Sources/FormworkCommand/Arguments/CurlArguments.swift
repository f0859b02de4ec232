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
        self.items.contains { Self.credentials.contains($0.option) }
            || self.headers.contains(where: Self.isAuthorization)
    }

    /// Whether they give parts of a form.
    var haveParts: Bool { self.items.contains { ["-F", "--form", "--form-string"].contains($0.option) } }

    /// The values of `-H`.
    var headers: [String] { self.items.filter { ["-H", "--header"].contains($0.option) }.compactMap(\.value) }

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
