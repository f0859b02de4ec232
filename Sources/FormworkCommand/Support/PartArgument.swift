import Formwork
import Synchronization
import SystemPackage

/// One `-F` or `--form-string` of the command line.
///
/// They are taken out before ArgumentParser sees the rest: it loses the order between two options, and its time grows
/// with the square of their number, which ten thousand parts feel.
struct PartArgument {
    enum Option: String {
        case form = "-F"
        case formString = "--form-string"
    }

    private static let taken = Mutex<[PartArgument]>([])

    /// Those of this process, in order.
    static var ofThisProcess: [PartArgument] { self.taken.withLock { $0 } }

    let option: Option
    let text: String

    /// Takes the part arguments of this process, and gives what is left for ArgumentParser.
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
            } else {
                rest.append(word)
                // The value of another option is none of ours, whatever it looks like.
                if self.optionsWithValue.contains(word), index < words.count {
                    rest.append(words[index])
                    index += 1
                }
            }
        }
        return rest
    }

    private static let optionsWithValue: Set<String> = [
        "--boundary", "--escape", "--from", "-o", "--output", "--offset", "--length", "--progress", "--save",
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

    /// The part that the argument stands for.
    func part(_ standardInput: inout StandardInput) throws -> BodyPart {
        let argument =
            switch self.option {
            case .form: try FormArgument(parsing: self.text)
            case .formString: try FormArgument(literal: self.text)
            }
        var filename = argument.filename
        let source: BodySource
        switch argument.content {
        case .text(let text): source = .text(text)
        case .file("-"):
            source = try standardInput.take(length: argument.length)
            if argument.isUpload, filename == nil { filename = "-" }
        case .file(let path):
            source = .file(FilePath(path))
            if argument.isUpload, filename == nil { filename = FilePath(path).lastComponent?.string ?? path }
        }
        return BodyPart(name: argument.name, source: source, filename: filename, contentType: argument.contentType)
    }

    /// Puts the argument in front of what went wrong with it.
    func explaining<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch var error as FormworkError {
            error.part = nil
            let path = error.path.map { "\($0) " } ?? ""
            error.message = "\(self.option.rawValue) \(ShellQuote.quote(self.text)): \(path)\(error.message)"
            error.path = nil
            throw error
        }
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
