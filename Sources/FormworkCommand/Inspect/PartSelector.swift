import ArgumentParser
import Formwork

/// Which parts `extract` writes.
struct PartSelector {
    enum Kind: String, ChoiceOption { case files, fields }

    /// The most parts that an error lists.
    private static let listed = 10

    /// `--part`: a name, or `#` and a number from 1.
    let option: String?
    /// The number in the option; `nil` for a name.
    private let number: Int?
    /// `nil` for all.
    private let kind: Kind?
    /// Whether only the first part is selected if several have the name.
    private let isSingle: Bool
    private var count = 0
    private var list: [String] = []
    /// Numbers, from 1, of the parts that match. The first two are enough for an error.
    private var matches: [Int] = []

    /// - Parameter isSingle: Whether the output has room for only one part.
    init(_ option: String?, _ kind: Kind?, isSingle: Bool) {
        let number = option?.first == "#" ? (option?.dropFirst()).flatMap { Int($0) } : nil
        self.number = number.flatMap { $0 > 0 ? $0 : nil }
        (self.option, self.kind, self.isSingle) = (option, kind, isSingle)
    }

    /// Whether the next part is selected.
    mutating func takes(_ header: ReceivedHeader) -> Bool {
        self.count += 1
        guard let option = self.option else { return self.kind.map { ($0 == .files) == header.isFile } ?? true }
        if self.list.count < Self.listed { self.list.append(Self.shown(header, self.count)) }
        guard self.number.map({ $0 == self.count }) ?? (header.name == option) else { return false }
        if self.matches.count < 2 { self.matches.append(self.count) }
        return !self.isSingle || self.matches.count == 1
    }

    /// Checks the choice, after all parts were seen.
    func check() throws {
        guard let option = self.option else { return }
        let shown = ShellQuote.quote(option)
        if self.matches.isEmpty {
            let more = self.count > Self.listed ? " and \(self.count - Self.listed) more" : ""
            let list =
                self.list.isEmpty ? "the body has no parts" : "the body has \(self.list.joined(separator: ", "))\(more)"
            let hint = Int(option) == nil ? "" : ": '#\(option)' is a number"
            throw ExitStatus(2, "--part \(shown): no such part: \(list)\(hint)")
        }
        try ExitStatus.refuse(
            if: self.isSingle && self.matches.count > 1,
            "--part \(shown): parts #\(self.matches[0]) and #\(self.matches[1]) have this name, and only the "
                + "first was written: choose by number, such as --part '#\(self.matches[1])'")
    }

    private static func shown(_ header: ReceivedHeader, _ number: Int) -> String {
        let text = "#\(number) \(header.name ?? "without a name")" + (header.isFile ? " (file)" : "")
        return DisplayText(text, limit: 60).text
    }
}
