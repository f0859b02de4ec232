import Formwork
import Synchronization

/// One `-F`, `--form-string` or `--files-from` of the command line.
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

    /// Takes the part arguments of this process from its words.
    static func take(from words: inout GivenWords) {
        let parts = words.take(["-F", "--form", "--form-string", "--files-from"])
        let arguments = parts.map { PartArgument(option: Option(rawValue: $0.option) ?? .form, text: $0.text) }
        self.taken.withLock { $0 = arguments }
    }

    /// The option and its value, as errors show them.
    private var shown: String { "\(self.option.rawValue) \(ShellQuote.quote(self.text))" }

    /// Adds the argument's parts.
    /// - Parameter notes: Gets warnings for a form that can be sent.
    func add(to form: inout CurlForm, _ expansion: FileExpansion, _ notes: inout [String]) throws {
        do {
            switch self.option {
            case .form:
                let argument = try FormArgument(parsing: self.text, grammar: form.grammar)
                // As curl has it, `headers=@-` names a file, not standard input.
                for file in argument.content.headerFiles where file != "-" {
                    try CommandInputs.note(file, for: self.shown)
                }
                for file in argument.content.files {
                    try CommandInputs.note(file.path, for: self.shown, isPart: true)
                }
                let expanded = try expansion.expand(argument)
                for argument in expanded { try form.append(argument) }
                if expanded.count == 1, case .files(let files) = argument.content, files.count > 1 {
                    let fix = files.map { ShellQuote.quote("\(argument.name ?? "")=@\($0.path)") }
                    notes.append(
                        "\(self.shown): most servers read several files in one part as one field, "
                            + "and store no file: write " + fix.map { "-F \($0)" }.joined(separator: " "))
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
        let bytes = try GivenFile.bytes(of: String(words.last ?? ""), self.shown, limit: 256 << 20)
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
        if error.code == .sourceUnavailable, let advice = error.path.flatMap(self.advice) {
            error.message += error.cause.map { " (\($0)): \(advice)" } ?? ": \(advice)"
            error.cause = nil
        }
        let path = error.path.map { "\($0) " } ?? ""
        error.message = "\(self.shown): \(path)\(error.message)"
        error.path = nil
        return error
    }

    private func advice(for path: String) -> String? {
        if path.hasPrefix("@") { return "--files-from NAME=LIST sends each file of a list" }
        let match = self.text.wholeMatch(of: #/([^=]*=[@<])([^;"]*,[^;"]*)(?:;.*)?/#)?.output
        return match.map { "if ',' belongs to the path, write \(ShellQuote.quote("\($0.1)\"\($0.2)\""))" }
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

/// A curl command for a shell.
enum CurlCommandLine {
    static func text(for plan: BodyPlan, followedBy words: [String] = []) throws(FormworkError) -> String {
        let arguments = try plan.curlArguments() + words
        return (["curl"] + arguments).map(ShellQuote.quote).joined(separator: " ") + "\n"
    }
}
