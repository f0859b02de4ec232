import Formwork
import Synchronization

/// One `-F`, `--form-string` or `--files-from` of the command line.
///
/// They are removed before ArgumentParser sees the rest. It loses the order between two options, and its time grows
/// with the square of their number, which is slow for ten thousand parts.
struct PartArgument {
    enum Option: String {
        case form = "-F"
        case formString = "--form-string"
        case filesFrom = "--files-from"
    }

    /// The verbs that make a form.
    static let verbs: Set = ["body", "curl", "headers", "plan", "send"]

    private static let taken = Mutex<[PartArgument]>([])

    /// The arguments of this process, in order.
    static var ofThisProcess: [PartArgument] { self.taken.withLock { $0 } }

    let option: Option
    let text: String

    /// Stores the part arguments of this process, and returns the others for ArgumentParser.
    static func take(from words: [String]) -> [String] {
        let (pairs, end) = self.pairs(in: words)
        var rest: [String] = []
        for (word, value) in pairs {
            if let argument = PartArgument(word, value) {
                self.taken.withLock { $0.append(argument) }
            } else if word == "--boundary", let value, value.hasPrefix("-") {
                // Real boundaries begin with dashes, which ArgumentParser would take for an option.
                rest.append("\(word)=\(value)")
            } else {
                rest += [word, value].compactMap(\.self)
            }
        }
        return rest + end
    }

    /// The words before `--`, each with the next word if that is its value, and the words from `--` on. The value of an option
    /// isn't another option, even if it looks like one.
    static func pairs(in words: [String]) -> (pairs: [(word: String, value: String?)], end: ArraySlice<String>) {
        var pairs: [(word: String, value: String?)] = []
        var index = 0
        while index < words.count, words[index] != "--" {
            let value = self.hasValue(words[index]) && index + 1 < words.count ? words[index + 1] : nil
            pairs.append((words[index], value))
            index += value == nil ? 1 : 2
        }
        return (pairs, words[index...])
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

    /// The flags among the words, and `--progress` joined with its value.
    static func flags(in words: [String]) -> [String] {
        self.pairs(in: words).pairs.compactMap { word, value in
            guard let value else { return word }
            return word == "--progress" ? "\(word)=\(value)" : nil
        }
    }

    /// Whether the next word is an option's value, other than with `--name=value`.
    static func hasValue(_ option: String) -> Bool {
        self.optionsWithValue.contains(option) || Option(spelling: option) != nil
    }

    static let optionsWithValue: Set<String> = [
        "--allow-origin", "--array", "--as", "--base-path", "--bool", "--boundary", "--cacert", "--cert", "--compat",
        "--connect-timeout",
        "--content-type", "--cookie", "--data", "--data-binary", "--data-json", "--data-raw", "--data-urlencode",
        "--dialect", "--digest", "--dir", "--drain-delay", "--entry", "--escape", "--expect100-timeout", "--expires",
        "--fields", "--free-space", "--from", "--grace", "--header", "--hook", "--hook-failure",
        "--hook-secret-file", "--hook-timeout", "--host", "--http", "--idle-timeout", "--into", "--key",
        "--key-file", "--length", "--limit", "--limit-rate", "--link-key-file", "--list", "--log", "--log-level",
        "--max-redirs", "--max-size", "--max-time", "--max-uploads", "--max-uploads-per-client", "--memory",
        "--message", "--min-rate", "--netrc-file", "--noproxy", "--null", "--offset", "--only", "--output", "--part",
        "--piece-size", "--port", "--prefix", "--presigned", "--profile", "--progress", "--proxy", "--repeated",
        "--request", "--resolve", "--resume", "--resume-dir", "--resume-lifetime", "--resume-total",
        "--resume-uploads", "--resume-uploads-per-client", "--retry", "--retry-delay", "--s3", "--save", "--sort",
        "--space", "--stall-timeout", "--state", "--title", "--tls-cert", "--tls-key", "--to", "--token",
        "--token-file", "--trusted-proxy", "--type-from", "--unix-socket", "--upload-file", "--url", "--url-query",
        "--user", "--user-agent", "--write-out", "-A", "-E", "-H", "-T", "-X", "-b", "-d", "-m", "-o", "-u", "-w",
        "-x",
    ]

    private init(option: Option, text: String) {
        self.option = option
        self.text = text
    }

    /// An option and its value, in two words or one: `--form=name=value`, or curl's `-Fname=value`.
    private init?(_ word: String, _ value: String?) {
        if let option = Option(spelling: word), let value {
            self.init(option: option, text: value)
            return
        }
        let heads: KeyValuePairs = [
            "--form=": Option.form, "--form-string=": .formString, "--files-from=": .filesFrom, "-F": .form,
        ]
        for (head, option) in heads where word.utf8.count > head.utf8.count && word.hasPrefix(head) {
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
            case .filesFrom: try self.addFiles(to: &form, expansion)
            }
        } catch let error as FormworkError {
            throw self.explain(error)
        }
    }

    /// Adds a part for each path in a list: `LIST`, or `NAME=LIST`. Lines end with LF or CRLF; if the list has a NUL, its paths
    /// end with NUL.
    private func addFiles(to form: inout CurlForm, _ expansion: FileExpansion) throws {
        let words = self.text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let option = "\(self.option.rawValue) \(ShellQuote.quote(self.text))"
        let bytes = try GivenFile.bytes(of: String(words.last ?? ""), option, limit: 256 << 20)
        let end: UInt8 = bytes.contains(0) ? 0 : 0x0A
        var argument = try FormArgument(parsing: "file=@list", grammar: .strict)
        guard case .files(var files) = argument.content else { return }
        if words.count > 1 { argument.name = String(words[0]) }
        let before = form.argumentCount
        for line in bytes.split(separator: end) {
            let path = end == 0x0A && line.last == 0x0D ? line.dropLast() : line
            guard !path.isEmpty else { continue }
            // Only in an argument this means standard input.
            files[0].path = path.elementsEqual("-".utf8) ? "./-" : try FileExpansion.text(of: Array(path))
            argument.content = .files(files)
            for one in try expansion.expand(argument) { try form.append(one) }
        }
        guard form.argumentCount > before else {
            throw FormworkError(.sourceUnavailable, "the list has no path")
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
        if error.code == .sourceUnavailable, error.path != nil,
            let (_, name, file) = self.text.wholeMatch(of: #/([^=]*=[@<])([^;"]*,[^;"]*)(?:;.*)?/#)?.output
        {
            let cause = error.cause.map { " (\($0))" } ?? ""
            error.message += "\(cause): if ',' belongs to the path, write \(ShellQuote.quote("\(name)\"\(file)\""))"
            error.cause = nil
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
        case "--files-from": self = .filesFrom
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
