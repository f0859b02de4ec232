#if Command
import FormworkSystem
import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A verb's help as text: examples first, then the options in groups, wrapped once.
struct HelpPage {
    /// The most lines of a short page on a terminal of 80 columns.
    static let mostLines = 100
    /// The columns before an option's text.
    private static let indent = 26

    let verb: HelpVerb
    let width: Int
    /// Whether the page has everything, as `formwork help VERB` prints it.
    let isWhole: Bool

    init(_ verb: HelpVerb, width: Int, isWhole: Bool) {
        (self.verb, self.width, self.isWhole) = (verb, width, isWhole)
    }

    /// The columns of standard output: COLUMNS, the terminal's, or 80.
    static var usualWidth: Int {
        let given = ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) }
        return min(max(given ?? Terminal.columns(of: .standardOutput) ?? 80, 40), 120)
    }

    var text: String {
        if self.isWhole { return Self.joined(self.lines(.whole)) }
        // A page that is too long leaves out second sentences, then the texts of the last groups.
        let groups = self.groups.count
        for detail in [Detail.abstract(collapsed: 0)] + (0...groups).map({ .sentence(collapsed: $0) }) {
            let lines = self.lines(detail)
            if lines.count <= Self.mostLines || detail == .sentence(collapsed: groups) { return Self.joined(lines) }
        }
        return ""
    }

    /// How much is written about each option, and how many groups at the end are only lists of names.
    private enum Detail: Equatable {
        case whole
        case abstract(collapsed: Int)
        case sentence(collapsed: Int)

        var collapsed: Int {
            switch self {
            case .whole: 0
            case .abstract(let count), .sentence(let count): count
            }
        }
    }

    private static func joined(_ lines: [String]) -> String { lines.map { $0 + "\n" }.joined() }

    private func lines(_ detail: Detail) -> [String] {
        var lines = Paragraph.lines(
            "\(self.verb.path.joined(separator: " ")): \(self.verb.abstract)", width: self.width)
        lines += [""] + HelpText.lines(self.verb.discussion, width: self.width)
        if self.isWhole, self.verb.path.count > 1, self.verb.verbs.isEmpty {
            lines += ["", "EXIT STATUS"] + HelpText.lines(ExitStatusList.text(for: self.verb.name), width: self.width)
        }
        lines += [""] + Paragraph.lines("USAGE: \(self.usage)", width: self.width, indent: 4)
        if !self.verb.verbs.isEmpty {
            lines += ["", "VERBS"]
            for verb in self.verb.verbs { lines += self.entry("  \(verb.name)", verb.abstract, indent: 12) }
        }
        let groups = self.groups
        for (index, group) in groups.enumerated() {
            lines += ["", group.title.uppercased()]
            if index >= groups.count - detail.collapsed {
                let names = group.options.map { String($0.spelling.prefix { $0 != "<" }) }
                let list = names.map { $0.split(separator: " ").joined(separator: " ") }.joined(separator: "; ")
                lines += Paragraph.lines("  " + list, width: self.width, first: 2, indent: 2).map { line in
                    line.hasPrefix("  ") ? line : "  " + line
                }
                continue
            }
            for option in group.options {
                var text = option.text
                if case .sentence = detail { text = Self.firstSentence(text) }
                lines += self.entry("  \(option.spelling)", text, indent: Self.indent)
                guard detail == .whole, !option.details.isEmpty else { continue }
                lines += HelpText.lines(option.details, width: self.width - 6).map { "      " + $0 }
            }
        }
        if !self.isWhole, self.verb.verbs.isEmpty {
            let name = self.verb.path.dropFirst().joined(separator: " ")
            lines +=
                [""] + Paragraph.lines("'formwork help \(name)' has all details and exit statuses.", width: self.width)
        }
        return lines
    }

    private var usage: String {
        let arguments = self.verb.options.filter { $0.group == nil }.map {
            $0.isOptional ? "[\($0.spelling)]" : $0.spelling
        }
        let rest = self.verb.verbs.isEmpty ? ["[options]"] + arguments : ["<verb>"]
        return (self.verb.path + rest).joined(separator: " ")
    }

    private var groups: [(title: String, options: [HelpVerb.Option])] {
        var groups: [(title: String, options: [HelpVerb.Option])] = []
        for option in self.verb.options where !option.spelling.hasPrefix("--version") {
            let title = option.group ?? "Arguments"
            if let index = groups.firstIndex(where: { $0.title == title }) {
                groups[index].options.append(option)
            } else {
                groups.append((title, [option]))
            }
        }
        if groups.count == 1, groups[0].title == HelpGroups.other { groups[0].title = "Options" }
        let ranked = groups.enumerated().sorted { left, right in
            let (a, b) = (Self.rank(left.element.title), Self.rank(right.element.title))
            return a == b ? left.offset < right.offset : a < b
        }
        return ranked.map(\.element)
    }

    private static func rank(_ title: String) -> Int { title == "Arguments" ? -1 : HelpGroups.rank(title) }

    /// A name and its text, which begins in a column of its own.
    private func entry(_ name: String, _ text: String, indent: Int) -> [String] {
        let indent = min(indent, self.width / 3)
        let used = DisplayText.width(of: name)
        guard used + 2 <= indent else {
            let first = DisplayText.cut(name, to: self.width).text
            let lines = Paragraph.lines(text, width: self.width, first: indent, indent: indent)
            return [first] + [String(repeating: " ", count: indent) + lines[0]] + lines.dropFirst()
        }
        let lines = Paragraph.lines(text, width: self.width, first: indent, indent: indent)
        return [name + String(repeating: " ", count: indent - used) + lines[0]] + lines.dropFirst()
    }

    private static func firstSentence(_ text: String) -> String {
        guard let end = text.firstRange(of: ". ") else { return text }
        return String(text[..<end.lowerBound]) + "."
    }
}

/// The text of a verb: titles in capitals, paragraphs, and indented lines that are kept as they are.
enum HelpText {
    static func lines(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        var paragraph: [Substring] = []
        func flush() {
            if !paragraph.isEmpty { lines += Paragraph.lines(paragraph.joined(separator: " "), width: width) }
            paragraph = []
        }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let indent = line.prefix { $0 == " " }.count
            if line.allSatisfy({ $0 == " " || $0.isUppercase }) || indent >= 2 {
                flush()
                lines += self.kept(line, indent, width)
            } else {
                paragraph.append(line)
            }
        }
        flush()
        return lines
    }

    /// A line that is only broken if it is too long. In a table the text after two blanks keeps its column.
    private static func kept(_ line: Substring, _ indent: Int, _ width: Int) -> [String] {
        guard DisplayText.width(of: String(line)) > width else { return [String(line)] }
        let space = String(repeating: " ", count: indent)
        let rest = line.dropFirst(indent)
        if let gap = rest.firstRange(of: "  ") {
            let text = rest[gap.lowerBound...].drop { $0 == " " }
            let column = indent + rest.distance(from: rest.startIndex, to: text.startIndex)
            if column <= 12 {
                let lines = Paragraph.lines(String(text), width: width, first: column, indent: column)
                return [String(line[..<text.startIndex]) + lines[0]] + lines.dropFirst()
            }
        }
        let lines = Paragraph.lines(String(rest), width: width, first: indent, indent: indent + 2)
        return [space + lines[0]] + lines.dropFirst()
    }
}
#endif
