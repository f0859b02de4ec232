import FormworkSystem

/// The words of a command line, as curl reads them: a value may be attached to its option, and short options to each other,
/// as in `-sSXPUT`, which is `-s`, `-S` and `-X` with the value `PUT`.
///
/// ArgumentParser refuses values that are attached to short options, and shows them in its message. It loses the order
/// between two options, and its time grows with the square of their number, which is slow for ten thousand parts. So what may
/// be given often is taken from the words before ArgumentParser sees them.
struct GivenWords {
    /// A word, or an option and its value. The value isn't another option, even if it looks like one.
    struct Item {
        /// A short option has one letter, and a long one no `=`.
        var word: String
        /// `nil` for a word without a value.
        var value: String?
        /// Whether the value was in the option's word.
        var isAttached = false

        /// What ArgumentParser reads in the same way.
        fileprivate var words: [String] {
            guard let value else { return [self.word] }
            // Real boundaries begin with dashes, which ArgumentParser would take for an option, and an empty value for none.
            guard self.isAttached || self.word == "--boundary", !value.isEmpty else { return [self.word, value] }
            if self.word.hasPrefix("--") || value.hasPrefix("-") {
                return ["\(GivenWords.longNames[self.word] ?? self.word)=\(value)"]
            }
            return value.hasPrefix("=") ? [self.word + value] : [self.word, value]
        }
    }

    private(set) var items: [Item] = []
    /// The words from `--` on, which are no options.
    private let end: ArraySlice<String>

    /// - Parameter isWhole: Whether each word stays as it is.
    init(_ words: [String], isWhole: Bool = false) {
        var index = 0
        while index < words.count, words[index] != "--" {
            let word = words[index]
            index += 1
            guard !isWhole, let (flags, option, value) = Self.option(word) else {
                self.items.append(Item(word: word))
                continue
            }
            if let flags { self.items.append(Item(word: flags)) }
            var item = Item(word: option, value: value, isAttached: value != nil)
            if value == nil, index < words.count {
                item.value = words[index]
                index += 1
            }
            self.items.append(item)
        }
        self.end = words[index...]
    }

    /// All words, for ArgumentParser.
    var words: [String] { self.items.flatMap(\.words) + self.end }

    /// The first word.
    var verb: String? { self.items.first?.word }

    /// The words without a value, and `--progress` joined with its value.
    var flags: [String] {
        self.items.compactMap { item in
            guard let value = item.value else { return item.word }
            return item.word == "--progress" ? "--progress=\(value)" : nil
        }
    }

    /// Removes options that have a value.
    /// - Returns: The options as they were written, with their values, in order.
    mutating func take(_ options: Set<String>) -> [(option: String, text: String)] {
        defer { self.items.removeAll { $0.value != nil && options.contains($0.word) } }
        return self.items.compactMap { item in
            item.value.flatMap { options.contains(item.word) ? (item.word, $0) : nil }
        }
    }

    /// The option with a value that a word is or ends with, and the value if it is in the same word; `nil` for another word.
    /// - Returns: Also the short options before it, as a word.
    static func option(_ word: String) -> (flags: String?, option: String, value: String?)? {
        if word.hasPrefix("--") {
            let name = String(Substring(word.utf8.prefix { $0 != UInt8(ascii: "=") }))
            guard self.longOptions.contains(name) else { return nil }
            let value = word.utf8.dropFirst(name.utf8.count + 1)
            return (nil, name, name == word ? nil : String(Substring(value)))
        }
        let letters = word.dropFirst()
        guard word.hasPrefix("-"), let place = letters.firstIndex(where: { self.longNames["-\($0)"] != nil }),
            // Other characters aren't flags: the word is something else, such as a negative number.
            letters[..<place].allSatisfy({ $0.isASCII && ($0.isLetter || $0 == "#") })
        else { return nil }
        let value = letters[letters.index(after: place)...]
        let flags = letters[..<place]
        return (flags.isEmpty ? nil : "-\(flags)", "-\(letters[place])", value.isEmpty ? nil : String(value))
    }

    /// The long name of each short option with a value. A short option has the same meaning in every verb.
    private static let longNames: [String: String] = [
        "-A": "--user-agent", "-b": "--cookie", "-d": "--data", "-E": "--cert", "-F": "--form", "-H": "--header",
        "-m": "--max-time", "-o": "--output", "-T": "--upload-file", "-u": "--user", "-w": "--write-out",
        "-x": "--proxy", "-X": "--request",
    ]

    /// The options with a value of all verbs.
    static let longOptions: Set<String> = [
        "--allow-origin", "--array", "--as", "--base-path", "--bool", "--boundary", "--cacert", "--cert", "--compat",
        "--connect-timeout", "--content-type", "--cookie", "--data", "--data-binary", "--data-json", "--data-raw",
        "--data-urlencode", "--dialect", "--digest", "--dir", "--drain-delay", "--entry", "--escape",
        "--expect100-timeout", "--expires", "--fields", "--files-from", "--form", "--form-string", "--free-space",
        "--from", "--grace", "--header", "--hook", "--hook-failure", "--hook-secret-file", "--hook-timeout", "--host",
        "--http", "--idle-timeout", "--into", "--key", "--key-file", "--length", "--limit", "--limit-rate",
        "--link-key-file", "--list", "--log", "--log-level", "--max-redirs", "--max-size", "--max-time",
        "--max-uploads", "--max-uploads-per-client", "--memory", "--message", "--min-rate", "--netrc-file", "--noproxy",
        "--null", "--offset", "--only", "--output", "--part", "--piece-size", "--port", "--prefix", "--presigned",
        "--profile", "--progress", "--proxy", "--repeated", "--request", "--resolve", "--resume", "--resume-dir",
        "--resume-lifetime", "--resume-total", "--resume-uploads", "--resume-uploads-per-client", "--retry",
        "--retry-delay", "--s3", "--save", "--sort", "--space", "--stall-timeout", "--state", "--title", "--tls-cert",
        "--tls-key", "--to", "--token", "--token-file", "--trusted-proxy", "--type-from", "--unix-socket",
        "--upload-file", "--url", "--url-query", "--user", "--user-agent", "--write-out",
    ]

    /// The position, from 1, of the first argument of this process that is not UTF-8; `nil` if there is none.
    ///
    /// Swift repairs such text silently, so other bytes would be sent than were given.
    static var firstNotUTF8: Int? {
        ThisProcess.rawArguments.dropFirst().firstIndex { String(validating: $0, as: UTF8.self) == nil }
    }
}
