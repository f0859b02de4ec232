#if Command
import Formwork
import FormworkURLEncoded

/// Explains wrong arguments: which one is wrong, and what to write instead.
///
/// ArgumentParser reports a missing argument before an unknown one, and suggests options by their letters alone.
struct UsageAdvice {
    fileprivate struct Verb {
        var name: String
        /// Whether a value follows, by spelling: `-F` or `--form`.
        var options: [String: Bool] = [:]
        var positionals = 0
        var verbs: [Verb] = []
    }

    private let root: Verb

    /// - Parameter tool: ArgumentParser's description of all verbs, in JSON; `nil` if it can't be read.
    init?(tool: String) {
        guard let value = try? OrderedJSON.read(Array(tool.utf8)), let root = value["command"].flatMap(Verb.init) else {
            return nil
        }
        self.root = root
    }

    /// The text for arguments that the parser refused.
    /// - Parameters:
    ///   - words: The arguments, without those of parts.
    ///   - given: The parser's own message.
    func text(for words: [String], given: String) -> String {
        var (verb, rest, path) = (self.root, words[...], "formwork")
        while let word = rest.first, !word.hasPrefix("-"), !verb.verbs.isEmpty {
            guard let next = verb.verbs.first(where: { $0.name == word }) else {
                return Self.unknownVerb(word, of: verb, path)
            }
            verb = next
            path += " \(word)"
            rest = rest.dropFirst()
        }
        let problem: String
        switch Self.scan(rest, verb) {
        case .unknown(let option): problem = Self.unknownOption(option, of: verb)
        case .extra(let words): problem = Self.extra(words, of: verb)
        case nil: problem = SecretText.masked(Self.ownText(given))
        }
        // The short page of some verbs has only names of options.
        let help = path == "formwork" ? "formwork --help" : "formwork help\(path.trimmingPrefix("formwork"))"
        return "formwork: \(problem.withControlCharactersEscaped)\nSee '\(help)'."
    }

    /// The parser's message, beginning like every other error. Only its first line is the reason.
    private static func ownText(_ given: String) -> String {
        let all = given.trimmingPrefix("Error: ")
        var text = String(all.prefix { !$0.isNewline })
        if let list = text.firstRange(of: ". Please provide one of the following:") {
            // The values follow, each on a line of its own.
            let values = all.split(whereSeparator: \.isNewline).dropFirst()
                .prefix { $0.hasPrefix(" ") }.map { String($0.drop { " -".contains($0) }) }
            text = text[..<list.lowerBound] + ": choose one of \(values.joined(separator: ", "))"
        } else if let list = text.firstRange(of: ". Please provide one of ") {
            let values = text[list.upperBound...].replacing("'", with: "").replacing(#/ (or|and) /#, with: ", ")
            let choice = values.contains(", ") ? "choose one of" : "write"
            text = text[..<list.lowerBound] + ": \(choice) \(values.hasSuffix(".") ? values.dropLast() : values)"
        } else if let flags = text.firstMatch(of: #/with flag '(.+)' had already been set with flag '(.+)'/#) {
            text = "give \(flags.2) or \(flags.1), not both"
        } else if let match = text.firstMatch(of: #/value '(.*)' is invalid for '(--?[a-z0-9-]+) /#) {
            let (value, name) = (match.1, match.2)
            let isNumber = value.wholeMatch(of: #/[0-9]+[kKmMgGtTpPshd]?/#) != nil
            // The shortest size that is too large is 8192P.
            if isNumber, value.count > (Self.sizes.contains(name) ? 4 : 5), name != "--trusted-proxy" {
                text += ": it is too large"
            } else if Self.sizes.contains(name) {
                text += ": write a number of bytes, alone or with k, M, G, T or P, such as 500k or 4G"
            } else if Self.times.contains(name) {
                text += ": write a time in seconds, such as 10 or 0.5, or with its unit, such as 90s, 15m, 24h or 7d"
            } else if name == "--trusted-proxy" {
                text += ": write an address or a block, such as 10.0.0.1 or 10.0.0.0/8"
            } else {
                text += ": write a number"
            }
        }
        return text.prefix(1).lowercased() + text.dropFirst()
    }

    /// Options whose value is a number of bytes.
    private static let sizes: Set<Substring> = [
        "--max-size", "--max-file-size", "--max-field-size", "--min-rate", "--free-space", "--memory", "--part-size",
        "--piece-size", "--resume-total", "--limit-rate",
    ]

    /// Options whose value is a time.
    private static let times: Set<Substring> = [
        "--abandon-after", "--connect-timeout", "--drain-delay", "--expect100-timeout", "--expires", "--grace",
        "--hook-timeout", "--idle-timeout", "--max-retry-after", "--max-time", "--progress-interval",
        "--resume-lifetime", "--retry-delay", "--stall-timeout", "--store-timeout", "-m",
    ]

    private enum Problem {
        case unknown(option: String)
        case extra([String])
    }

    private static func scan(_ words: ArraySlice<String>, _ verb: Verb) -> Problem? {
        var others: [String] = []
        var index = words.startIndex
        while index < words.endIndex {
            let word = words[index]
            index += 1
            if word == "--" { break }
            if !word.hasPrefix("-") || word == "-" {
                others.append(word)
            } else if word.hasPrefix("--") {
                let name = String(word.prefix { $0 != "=" })
                guard let hasValue = verb.options[name] else { return .unknown(option: name) }
                if hasValue, name == word { index += 1 }
            } else {
                var letters = word.dropFirst()
                while let letter = letters.popFirst() {
                    guard let hasValue = verb.options["-\(letter)"] else { return .unknown(option: "-\(letter)") }
                    guard hasValue else { continue }
                    if letters.isEmpty { index += 1 }
                    break
                }
            }
        }
        // curl's own arguments follow '--'.
        return others.count > (verb.name == "curl" ? 1 : verb.positionals) ? .extra(others) : nil
    }

    // MARK: Verbs

    private static let otherVerbs = [
        "serve": "receive", "server": "receive", "listen": "receive", "upload": "send", "post": "send", "put": "send",
        "push": "send", "request": "send", "encode": "body", "create": "body", "make": "body", "build": "body",
        "parse": "inspect", "read": "inspect", "show": "inspect", "list": "inspect", "ls": "inspect", "lint": "inspect",
        "decode": "inspect", "unpack": "extract", "get": "extract", "header": "headers", "mime": "type",
        "urlencode": "query encode", "urldecode": "query decode",
    ]

    private static func unknownVerb(_ word: String, of verb: Verb, _ path: String) -> String {
        let names = verb.verbs.map(\.name)
        let near = verb.name == "formwork" ? self.otherVerbs[word.lowercased()] : nil
        let meant = near ?? Self.nearest(to: word.lowercased(), in: names)
        let hint = meant.map { ": did you mean '\(path) \($0)'?" } ?? ""
        return "formwork: '\(self.shown(word).withControlCharactersEscaped)' isn't a verb\(hint)\n"
            + "The verbs are: \(names.joined(separator: ", ")). See '\(path) --help'."
    }

    // MARK: Options

    private static func unknownOption(_ option: String, of verb: Verb) -> String {
        let text = "unknown option '\(option)'"
        if verb.name == "curl" {
            return "\(text): curl's own options follow '--', as in: formwork curl URL -F name=value -- -sS"
        }
        if let advice = self.advice[verb.name]?[option] { return "\(text): \(advice)" }
        if ["type", "inspect", "extract"].contains(verb.name) {
            if !option.hasPrefix("--") { return "\(text): a file whose name begins with '-' is written ./-NAME" }
        } else if let advice = self.common[option] {
            return "\(text): \(advice)"
        }
        let long = verb.options.keys.filter { $0.hasPrefix("--") }.sorted()
        guard option.hasPrefix("--"), let near = Self.nearest(to: option, in: long) else { return text }
        return "\(text): did you mean '\(near)'?"
    }

    /// By verb and option. Those of `send` are curl's, HTTPie's and wget's.
    private static let advice: [String: [String: String]] = [
        "send": [
            "-G": Self.parameters, "--get": Self.parameters, "-c": Self.cookies, "--cookie-jar": Self.cookies,
            "-O": "-o FILE writes the answer to a file", "--remote-name": "-o FILE writes the answer to a file",
            "-D": "-i writes the answer's header, and -v both heads",
            "--dump-header": "-i writes the answer's header, and -v both heads",
            "-K": "there is no configuration file; -H @FILE and --netrc hold secrets",
            "--config": "there is no configuration file; -H @FILE and --netrc hold secrets",
            "-4": Self.address, "-6": Self.address, "--ipv4": Self.address, "--ipv6": Self.address,
            "--connect-to": Self.address, "--compressed": "answers aren't compressed: leave it out",
            "-g": "URLs have no patterns: leave it out", "--globoff": "URLs have no patterns: leave it out",
            "--path-as-is": "segments . and .. of a path are always left out",
            "-e": "write -H 'Referer: URL'", "--referer": "write -H 'Referer: URL'",
            "-C": "--state FILE continues an upload", "--continue-at": "--state FILE continues an upload",
            "--continue": "--state FILE continues an upload",
            "--retry-connrefused": "--retry includes refused connections: leave it out",
            "--retry-max-time": "--max-time limits the time of all tries",
            "--oauth2-bearer": Self.token, "--bearer": Self.token, "--token": Self.token, "--auth": Self.token,
            "--basic": "-u uses the Basic scheme: leave it out",
            "--digest": "only the Basic scheme and tokens are supported: -u, or FORMWORK_TOKEN in the environment",
            "--anyauth": "only the Basic scheme and tokens are supported: -u, or FORMWORK_TOKEN in the environment",
            "--follow": "redirects are followed: leave it out", "-a": "-F NAME=@FILE sends a file",
            "--file": "-F NAME=@FILE sends a file", "--field": "-F NAME=VALUE sends a field",
            "--multipart": "a form is always multipart: leave it out",
            "--url": "the URL has no option: formwork send URL", "-I": "-i writes the answer's header",
            "--head": "-i writes the answer's header", "-N": "the answer is written as it arrives: leave it out",
            "--no-buffer": "the answer is written as it arrives: leave it out",
            "--tlsv1.2": "TLS 1.2 is the oldest version: leave it out",
            "--tlsv1.3": "the newest version that both sides support is used: leave it out",
            "--post-file": "-T FILE -X POST sends a file as the whole body",
            "--body-file": "-T FILE -X POST sends a file as the whole body",
            "--raw": "--data-raw TEXT, or -T FILE, sends a body as it is",
            "--timeout": "--max-time limits the whole transfer, --stall-timeout its silence",
            "--print": "-v shows both heads, -i the answer's",
        ],
        "receive": [
            "-d": "write --dir FOLDER", "--directory": "write --dir FOLDER", "-o": "write --dir FOLDER",
            "-p": "write --port NUMBER",
            "-b": "write --host ADDRESS", "--bind": "write --host ADDRESS",
            "-u": "write --token TOKEN, or set FORMWORK_TOKEN",
            "--user": "write --token TOKEN, or set FORMWORK_TOKEN",
            "--auth": "write --token TOKEN, or set FORMWORK_TOKEN",
            "--cert": "write --tls-cert FILE and --tls-key FILE", "--key": "write --tls-cert FILE and --tls-key FILE",
            "--unix-socket": "receive listens on TCP only: write --port NUMBER, or let a service "
                + "manager pass the socket",
        ],
        "extract": [
            "-o": "write --to FILE-OR-FOLDER", "--output": "write --to FILE-OR-FOLDER",
            "-d": "write --to FILE-OR-FOLDER",
        ],
        "inspect": ["-b": "write --boundary TEXT", "-v": "leave it out"],
    ]

    private static let parameters = "parameters go into the URL with --url-query NAME=VALUE"
    private static let cookies = "received cookies aren't kept: -i shows them, and -b NAME=VALUE sends one"
    private static let address = "--resolve HOST:PORT:ADDRESS chooses the address"
    private static let token = "set FORMWORK_TOKEN in the environment, or write -H 'Authorization: Bearer TOKEN'"

    /// Of every verb.
    private static let common = [
        "-V": "write --version", "--file": "write -F NAME=@FILE", "--field": "write -F NAME=VALUE",
        "-d": "-F NAME=VALUE makes a field of the form", "--data": "-F NAME=VALUE makes a field of the form",
    ]

    // MARK: Other arguments

    /// A word that may be a URL with secrets, also without a scheme.
    private static func shown(_ word: String) -> String {
        let authority = word.utf8.authority
        let hasPassword = authority.contains(UInt8(ascii: ":")) && authority.contains(UInt8(ascii: "@"))
        return hasPassword ? SecretText.masked(url: word) : SecretText.masked(word)
    }

    private static func extra(_ words: [String], of verb: Verb) -> String {
        guard verb.name == "send" || verb.name == "curl" else {
            return "unexpected argument '\(Self.shown(words[min(verb.positionals, words.count - 1)]))'"
        }
        if let method = words.first, ["GET", "POST", "PUT", "PATCH", "DELETE"].contains(method.uppercased()) {
            let option = verb.name == "curl" ? "-- -X \(method.uppercased())" : "-X \(method.uppercased())"
            return "unexpected argument '\(method)': the method is an option: \(option)"
        }
        var others = words
        others.remove(at: words.firstIndex { $0.contains("://") } ?? 0)
        let word = Self.shown(others.first ?? "")
        if word.hasPrefix("{") || word.hasPrefix("[") {
            return "unexpected argument '\(word)': --json reports the result in JSON; --data-json sends JSON"
        }
        if word.contains("://") || word.contains("***@") {
            return "unexpected argument '\(word)': a form goes to one URL"
        }
        if word.contains("=") { return "unexpected argument '\(word)': a field needs -F: -F '\(word)'" }
        if let at = word.firstIndex(of: "@"), at != word.startIndex {
            let file = "\(word[..<at])=\(word[at...])"
            return "unexpected argument '\(word)': a file needs -F: -F '\(file)'"
        }
        return "unexpected argument '\(word)': each file needs an -F of its own: -F NAME=@\(word)"
    }

    // MARK: Distances

    /// The name with the fewest changes, at most two, and at most one for each three letters.
    private static func nearest(to word: String, in names: [String]) -> String? {
        let bound = min(2, word.filter { $0 != "-" }.count / 3)
        let found = names.map { ($0, Self.distance(word, $0)) }.filter { $0.1 <= bound }
        return found.min { $0.1 < $1.1 }?.0
    }

    /// Insertions, deletions, replacements and swaps of neighbours.
    private static func distance(_ first: String, _ second: String) -> Int {
        let (a, b) = (Array(first.utf8), Array(second.utf8))
        var rows = [[Int]](repeating: [Int](repeating: 0, count: b.count + 1), count: a.count + 1)
        for i in 0...a.count { rows[i][0] = i }
        for j in 0...b.count { rows[0][j] = j }
        guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
        for i in 1...a.count {
            for j in 1...b.count {
                let same = a[i - 1] == b[j - 1] ? 0 : 1
                rows[i][j] = min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + same)
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
                    rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1)
                }
            }
        }
        return rows[a.count][b.count]
    }
}

extension UsageAdvice.Verb {
    fileprivate init?(_ value: ParameterValue) {
        guard let name = value["commandName"]?.string else { return nil }
        self.name = name
        // Parts are taken out before.
        self.options = [
            "-h": false, "--help": false, "--version": false, "-F": true, "--form": true, "--form-string": true,
        ]
        for argument in value["arguments"]?.elements ?? [] { self.add(argument) }
        self.verbs = (value["subcommands"]?.elements ?? []).compactMap(Self.init).filter { $0.name != "help" }
    }

    private mutating func add(_ argument: ParameterValue) {
        guard let kind = argument["kind"]?.string else { return }
        if kind == "positional" {
            if argument["isRepeating"] == .bool(true) { self.positionals = .max } else { self.positionals += 1 }
            return
        }
        for name in argument["names"]?.elements ?? [] {
            guard let text = name["name"]?.string, let form = name["kind"]?.string else { continue }
            self.options[(form == "long" ? "--" : "-") + text] = kind == "option"
        }
    }
}
#endif
