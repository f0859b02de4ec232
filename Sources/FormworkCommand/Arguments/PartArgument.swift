#if Command
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
            } else if word == "--boundary", index < words.count {
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

    private static let optionsWithValue: Set<String> = [
        "--array", "--as", "--bool", "--boundary", "--cacert", "--cert", "--compat", "--connect-timeout",
        "--content-type", "--dialect", "-E", "--entry", "--escape", "--expect100-timeout", "--from", "-H", "--header",
        "--into", "--key", "--length", "--limit", "--limit-rate", "-m", "--max-redirs", "--max-time", "--noproxy",
        "--null", "-o", "--offset", "--output", "--part", "--piece-size", "--presigned", "--profile", "--progress",
        "--progress-interval", "--proxy", "--request", "--resume", "--retry", "--retry-delay", "--save", "--sort",
        "--space", "--stall-timeout", "--state", "--to", "--type-from", "-u", "--unix-socket", "--url", "--user", "-x",
        "-X",
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
    func add(to form: inout CurlForm) throws(FormworkError) {
        do throws(FormworkError) {
            switch self.option {
            case .form: try form.append(self.text)
            case .formString: try form.append(literal: self.text)
            }
        } catch {
            throw self.explain(error)
        }
    }

    /// Puts the argument in front of its error: the user knows the argument, not the part.
    func explain(_ error: FormworkError) -> FormworkError {
        var error = error
        error.part = nil
        let path = error.path.map { "\($0) " } ?? ""
        error.message = "\(self.option.rawValue) \(ShellQuote.quote(self.text)): \(path)\(error.message)"
        error.path = nil
        return error
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
#endif
