import Formwork
import Synchronization

/// One `-F` or `--form-string` of the command line.
///
/// They are removed before ArgumentParser sees the rest. It loses the order between two options, and its time grows
/// with the square of their number, which is slow for ten thousand parts.
struct PartArgument {
    enum Option: String {
        case form = "-F"
        case formString = "--form-string"
    }

    private static let taken = Mutex<[PartArgument]>([])

    /// The arguments of this process, in order.
    static var ofThisProcess: [PartArgument] { self.taken.withLock { $0 } }

    let option: Option
    let text: String

    /// Stores the part arguments of this process, and returns the others for ArgumentParser.
    static func take(from words: [String]) -> [String] {
        var rest: [String] = []
        var index = 0
        while index < words.count {
            let word = words[index]
            if word == "--" { return rest + words[index...] }
            index += 1
            if let argument = PartArgument(joined: word) {
                self.taken.withLock { $0.append(argument) }
            } else if let option = Option(spelling: word), index < words.count {
                self.taken.withLock { $0.append(PartArgument(option: option, text: words[index])) }
                index += 1
            } else if word == "--boundary", index < words.count, words[index].hasPrefix("-") {
                // Real boundaries begin with dashes, which ArgumentParser would take for an option.
                rest.append("\(word)=\(words[index])")
                index += 1
            } else {
                rest.append(word)
                // The value of another option isn't a part argument, even if it looks like one.
                if self.optionsWithValue.contains(word), index < words.count {
                    rest.append(words[index])
                    index += 1
                }
            }
        }
        return rest
    }

    /// The arguments with each short option as a word of its own. Values of options don't change, nor does any word after
    /// `--`.
    static func separated(_ words: [String]) -> [String] {
        var separated: [String] = []
        var index = 0
        while index < words.count, words[index] != "--" {
            let word = words[index]
            index += 1
            if let short = ShortOptions(word) {
                separated += short.separated
            } else if word.hasPrefix("--"), word.hasSuffix("="), self.optionsWithValue.contains(String(word.dropLast()))
            {
                // ArgumentParser takes an empty value for a missing one.
                separated += [String(word.dropLast()), ""]
            } else {
                separated.append(word)
            }
            let last = separated.last ?? ""
            let isWhole = last == word || ShortOptions(word)?.value.isEmpty == true
            if isWhole, self.optionsWithValue.contains(last) || Option(spelling: last) != nil, index < words.count {
                separated.append(words[index])
                index += 1
            }
        }
        return separated + words[index...]
    }

    /// The flags among the words, and `--progress` joined with its value. Values of options aren't flags, nor is any word
    /// after `--`.
    static func flags(in words: [String]) -> [String] {
        var flags: [String] = []
        var index = 0
        while index < words.count, words[index] != "--" {
            let word = words[index]
            index += 1
            let hasValue = self.optionsWithValue.contains(word) || Option(spelling: word) != nil
            guard hasValue, index < words.count else {
                flags.append(word)
                continue
            }
            if word == "--progress" { flags.append("\(word)=\(words[index])") }
            index += 1
        }
        return flags
    }

    /// Whether the next word is an option's value, other than with `--name=value`.
    static func hasValue(_ option: String) -> Bool {
        self.optionsWithValue.contains(option) || Option(spelling: option) != nil
    }

    static let optionsWithValue: Set<String> = [
        "--abandon-after", "--array", "--as", "--bool", "--boundary", "--cacert", "--cert", "--compat",
        "--connect-timeout", "--content-type", "--cookie", "--data", "--data-binary", "--data-json", "--data-raw",
        "--data-urlencode", "--dialect", "--digest", "--dir", "--drain-delay", "--entry", "--escape",
        "--expect100-timeout", "--expires", "--fields", "--free-space", "--from", "--grace", "--header", "--hook",
        "--hook-failure", "--hook-secret-file", "--hook-timeout", "--host", "--idle-timeout", "--into", "--key",
        "--key-file", "--length", "--limit", "--limit-rate", "--link-key-file", "--list", "--log", "--log-level",
        "--max-field-size", "--max-fields", "--max-file-size", "--max-files", "--max-redirs", "--max-retry-after",
        "--max-size", "--max-time", "--max-uploads", "--max-uploads-per-client", "--memory", "--message",
        "--min-rate", "--netrc-file", "--noproxy", "--null", "--offset", "--output", "--part", "--part-parallelism",
        "--part-size", "--piece-size", "--port", "--prefix", "--presigned", "--profile", "--progress",
        "--progress-interval", "--proxy", "--repeated", "--request", "--resolve", "--resume", "--resume-dir",
        "--resume-lifetime", "--resume-total", "--resume-uploads", "--resume-uploads-per-client", "--retry",
        "--retry-delay", "--s3-addressing", "--save", "--sort", "--space", "--stall-timeout", "--state",
        "--state-dir", "--store-timeout", "--title", "--tls-cert", "--tls-key", "--to", "--token", "--token-file",
        "--trusted-proxy", "--type-from", "--unix-socket", "--upload-file", "--url", "--url-query", "--user",
        "--user-agent", "--write-out", "-A", "-E", "-H", "-T", "-X", "-b", "-d", "-m", "-o", "-u", "-w", "-x",
    ]

    private init(option: Option, text: String) {
        self.option = option
        self.text = text
    }

    /// `--form=name=value`, `--form-string=name=value`, or curl's `-Fname=value`.
    private init?(joined word: String) {
        for (head, option) in [("--form=", Option.form), ("--form-string=", .formString), ("-F", .form)]
        where word.utf8.count > head.utf8.count && word.hasPrefix(head) {
            self.init(option: option, text: String(word.dropFirst(head.count)))
            return
        }
        return nil
    }

    /// Adds the argument's parts.
    /// - Parameter notes: Gets warnings for a form that can be sent.
    func add(
        to form: inout CurlForm, _ expansion: FileExpansion, _ notes: inout [String]
    ) throws {
        do {
            switch self.option {
            case .form:
                let argument = try FormArgument(parsing: self.text, grammar: form.options.grammar)
                let option = "-F \(ShellQuote.quote(self.text))"
                for file in argument.content.headerFiles { try CommandInputs.note(file, for: option) }
                for file in argument.content.files {
                    try CommandInputs.note(file.path, for: option, isPart: true)
                }
                let expanded = try expansion.expand(argument)
                for argument in expanded { try form.append(argument) }
                if expanded.count == 1, case .files(let files) = argument.content, files.count > 1 {
                    let fix = files.map { ShellQuote.quote("\(argument.name ?? "")=@\($0.path)") }
                    notes.append(
                        "-F \(ShellQuote.quote(self.text)): most servers read several files in one part as one field, and "
                            + "store no file: write " + fix.map { "-F \($0)" }.joined(separator: " "))
                }
            case .formString: try form.append(literal: self.text)
            }
        } catch let error as FormworkError {
            throw self.explain(error)
        }
    }

    /// Puts the argument in front of its error: the user knows the argument, not the part.
    func explain(_ error: FormworkError) -> FormworkError {
        var error = error
        error.part = nil
        if let file = error.path, error.message.hasSuffix(FormworkError.streamAdvice) {
            let name = FilePath(file).lastComponent?.string ?? file
            let part = self.text.prefix { $0 != "=" } + "=@-;filename=\(name)"
            error.message.removeLast(FormworkError.streamAdvice.count)
            error.message += "write cat \(ShellQuote.quote(file)) | formwork … -F \(ShellQuote.quote(String(part)))"
        }
        let path = error.path.map { "\($0) " } ?? ""
        error.message = "\(self.option.rawValue) \(ShellQuote.quote(self.text)): \(path)\(error.message)"
        error.path = nil
        return error
    }
}

extension FormArgument.Content {
    /// The files that are sent.
    fileprivate var files: [FormArgument.File] {
        switch self {
        case .files(let files): files
        case .contents(let file): [file]
        default: []
        }
    }

    /// The files that `headers=@` names.
    fileprivate var headerFiles: [String] {
        let parameters =
            switch self {
            case .text(_, let parameters), .open(let parameters): [parameters]
            default: self.files.map(\.parameters)
            }
        return parameters.flatMap(\.headers).compactMap { if case .file(let path) = $0 { path } else { nil } }
    }
}

extension PartArgument.Option {
    fileprivate init?(spelling word: String) {
        switch word {
        case "-F", "--form": self = .form
        case "--form-string": self = .formString
        default: return nil
        }
    }
}

/// A curl command for a shell.
enum CurlCommandLine {
    static func text(for plan: BodyPlan, followedBy words: [String] = []) throws(FormworkError) -> String {
        let arguments = try plan.curlArguments() + words
        return (["curl"] + arguments).map(ShellQuote.quote).joined(separator: " ") + "\n"
    }
}
