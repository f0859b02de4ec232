#if Command
import ArgumentParser
import Formwork
import FormworkURLEncoded

/// A verb as ArgumentParser describes it: its text, options and subcommands.
struct HelpVerb {
    struct Option {
        /// `-F, --form <name=content>`, or `<file>`.
        var spelling: String
        var text: String
        var details: String
        /// The title of its group; `nil` for an argument.
        var group: String?
        var isOptional = false
    }

    /// The words that call it, such as `formwork query encode`.
    var path: [String]
    var abstract: String
    var discussion: String
    var options: [Option]
    var verbs: [HelpVerb]

    var name: String { self.path.last ?? "" }

    /// All verbs of a root command.
    init<Root: ParsableCommand>(_ root: Root.Type) throws {
        do {
            _ = try Root.parseAsRoot(["--experimental-dump-help"])
            throw FormworkError(.invalidArgument, "the command has no description")
        } catch let error as FormworkError {
            throw error
        } catch {
            let text = Root.fullMessage(for: error)
            guard let command = try OrderedJSON.read(Array(text.utf8))["command"] else {
                throw FormworkError(.invalidArgument, "the command has no description")
            }
            self.init(command, in: [])
        }
    }

    private init(_ command: ParameterValue, in path: [String]) {
        self.path = path + [command["commandName"]?.string ?? ""]
        self.abstract = command["abstract"]?.string ?? ""
        self.discussion = command["discussion"]?.string ?? ""
        let verb = self.path.last ?? ""
        self.options = (command["arguments"]?.elements ?? []).compactMap { Option($0, of: verb) }
        let path = self.path
        self.verbs = (command["subcommands"]?.elements ?? []).map { Self($0, in: path) }.filter { $0.name != "help" }
    }

    /// The verb, its options and its verbs, as `formwork help --json` prints them for the manual.
    var json: ParameterValue {
        let options = self.options.filter { !$0.spelling.hasPrefix("--version") }.map { option in
            ParameterValue.members([
                ("spelling", .text(option.spelling)), ("text", .text(option.text)), ("details", .text(option.details)),
                ("group", .optional(option.group)), ("isOptional", .bool(option.isOptional)),
            ])
        }
        let statuses = ExitStatusList.rows(for: self.path.count > 1 && self.verbs.isEmpty ? self.name : nil)
        return .members([
            ("name", .text(self.path.joined(separator: " "))), ("abstract", .text(self.abstract)),
            ("discussion", .text(self.discussion)), ("options", .array(options)),
            (
                "exitStatuses",
                .array(statuses.map { .members([("status", .text($0.status)), ("meaning", .text($0.meaning))]) })
            ),
            ("verbs", .array(self.verbs.map(\.json))),
        ])
    }

    /// The verb that the words call; `nil` if they call no verb.
    func verb(_ words: some Sequence<String>) -> HelpVerb? {
        var verb = self
        for word in words {
            guard let next = verb.verbs.first(where: { $0.name == word }) else { return nil }
            verb = next
        }
        return verb
    }
}

extension HelpVerb.Option {
    fileprivate init?(_ argument: ParameterValue, of verb: String) {
        guard argument["shouldDisplay"] != .bool(false) else { return nil }
        let names = (argument["names"]?.elements ?? []).map { name in
            (name["kind"]?.string == "long" ? "--" : "-") + (name["name"]?.string ?? "")
        }
        let value = argument["valueName"]?.string ?? "value"
        switch argument["kind"]?.string {
        case "positional":
            let dots = argument["isRepeating"] == .bool(true) ? " ..." : ""
            self.spelling = "<\(value)>\(dots)"
            self.group = nil
            self.isOptional = argument["isOptional"] == .bool(true)
        case "flag": self.spelling = Self.sorted(names).joined(separator: ", ")
        default: self.spelling = Self.sorted(names).joined(separator: ", ") + " <\(value)>"
        }
        if argument["kind"]?.string != "positional" {
            let long = names.first { $0.hasPrefix("--") } ?? names.first ?? ""
            self.group = argument["sectionTitle"]?.string ?? HelpGroups.title(of: long, in: verb)
        }
        var text = argument["abstract"]?.string ?? ""
        let values = argument["allValues"]?.elements ?? argument["allValueStrings"]?.elements ?? []
        let names2 = values.compactMap(\.string)
        if !names2.isEmpty, !names2.allSatisfy({ text.contains($0) || value.contains($0) }) {
            text += " (\(names2.joined(separator: ", ")))"
        }
        if let usual = argument["defaultValue"]?.string, !usual.isEmpty, !text.contains("default") {
            text += " (default: \(usual))"
        }
        self.text = text
        self.details = argument["discussion"]?.string ?? ""
    }

    /// Short names first.
    private static func sorted(_ names: [String]) -> [String] {
        names.filter { !$0.hasPrefix("--") } + names.filter { $0.hasPrefix("--") }
    }
}
#endif
