#if Command
import Formwork

/// Which parts `extract` takes.
struct PartSelector {
    /// `--part`: a name, or `#` and a number from 1.
    enum Choice {
        case name(String)
        case number(Int)

        init(_ text: String) {
            if text.first == "#", let number = Int(text.dropFirst()), number > 0 {
                self = .number(number)
            } else {
                self = .name(text)
            }
        }
    }

    enum Kind { case all, files, fields }

    /// How many parts an error lists.
    private static let listed = 10

    let option: String?
    private let choice: Choice?
    private let kind: Kind
    /// Takes one part of a name that several have.
    private let isSingle: Bool
    private var count = 0
    private var list: [String] = []
    /// Numbers of the parts that were meant, from 1; the first two are enough to say which.
    private var matches: [Int] = []

    /// - Parameter isSingle: Whether the content goes where only one part can.
    init(_ option: String?, _ kind: Kind, isSingle: Bool) {
        (self.option, self.choice, self.kind) = (option, option.map(Choice.init), kind)
        self.isSingle = isSingle
    }

    /// Whether the next part is taken.
    mutating func takes(_ header: ReceivedHeader) -> Bool {
        self.count += 1
        guard let choice = self.choice else {
            return self.kind == .all || (self.kind == .files) == header.isFile
        }
        if self.list.count < Self.listed { self.list.append(Self.shown(header, self.count)) }
        let isMeant =
            switch choice {
            case .name(let name): header.name == name
            case .number(let number): self.count == number
            }
        guard isMeant else { return false }
        if self.matches.count < 2 { self.matches.append(self.count) }
        return !self.isSingle || self.matches.count == 1
    }

    /// What is wrong with the choice, once all parts were seen.
    func check() throws {
        guard let option = self.option else { return }
        let shown = ShellQuote.quote(option).withControlCharactersEscaped
        if self.matches.isEmpty {
            let more = self.count > Self.listed ? " and \(self.count - Self.listed) more" : ""
            let list =
                self.list.isEmpty ? "the body has no parts" : "there are \(self.list.joined(separator: ", "))\(more)"
            throw ExitStatus(2, "formwork: --part \(shown): there is no such part: \(list)")
        }
        if self.isSingle, self.matches.count > 1 {
            throw ExitStatus(
                2,
                "formwork: --part \(shown): parts #\(self.matches[0]) and #\(self.matches[1]) have this name, and the "
                    + "first was written: choose by number, --part '#\(self.matches[1])'")
        }
    }

    private static func shown(_ header: ReceivedHeader, _ number: Int) -> String {
        let text = "#\(number) \(header.name ?? "without a name")" + (header.isFile ? " (file)" : "")
        return DisplayText(text, limit: 60).text
    }
}
#endif
