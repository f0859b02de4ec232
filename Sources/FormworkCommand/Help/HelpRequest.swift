#if Command
import ArgumentParser
import Formwork

/// A request for help: `formwork help VERB` for the whole page, `formwork VERB --help` for a short one.
enum HelpRequest {
    /// Prints the page, or the version, that the words ask for.
    /// - Returns: Whether they did.
    static func answer<Root: ParsableCommand>(_ words: [String], _ root: Root.Type) throws -> Bool {
        // ArgumentParser doesn't look whether it could be written.
        if words == ["--version"] {
            try StandardOutput.write(Root.configuration.version + "\n")
            return true
        }
        let flags = PartArgument.flags(in: words)
        if let option = flags.first(where: { $0.hasPrefix("--help=") || $0.hasPrefix("--version=") }) {
            throw ExitStatus(2, "formwork: \(option.prefix { $0 != "=" }): has no value: leave '=' and the rest out")
        }
        let isWhole = words.first == "help"
        // 'formwork --help send' is 'formwork send --help'.
        let isFirst = isWhole || words.first.map(Self.isHelpFlag) == true
        var path = Array(words.dropFirst(isFirst ? 1 : 0).prefix { !$0.hasPrefix("-") })
        // 'help' explains itself by the list of verbs.
        if isWhole, path == ["help"] { path = [] }
        let isAsked = words.isEmpty || isWhole || flags.contains(where: Self.isHelpFlag)
        guard isAsked || words == ["query"] else { return false }
        let tree = try HelpVerb(Root.self)
        // Words after the verb are arguments; after 'help' all of them are verbs.
        guard let verb = isWhole ? tree.verb(path) : Self.longest(path, in: tree) else {
            let shown = ShellQuote.quote(path.joined(separator: " ")).withControlCharactersEscaped
            let names = tree.verbs.map(\.name).joined(separator: ", ")
            throw ExitStatus(2, "formwork: help \(shown): is not a verb: choose one of \(names)")
        }
        if !verb.verbs.isEmpty, verb.path.count <= path.count,
            let advice = UsageAdvice(tool: Root._dumpHelp())?.text(for: path, given: "")
        {
            throw ExitStatus(2, advice)
        }
        if isWhole, let option = words.first(where: { $0.hasPrefix("-") && !["--json", "-h", "--help"].contains($0) }) {
            let shown = ShellQuote.quote(option).withControlCharactersEscaped
            throw ExitStatus(2, "formwork: help: \(shown) is not an option: write formwork help VERB, or add --json")
        }
        if isWhole, words.contains("--json") {
            try JSONOutput.write([("command", verb.json)])
            return true
        }
        try StandardOutput.write(HelpPage(verb, width: HelpPage.usualWidth, isWhole: isWhole).text)
        return true
    }

    private static func isHelpFlag(_ word: String) -> Bool { word == "-h" || word == "--help" }

    private static func longest(_ path: [String], in tree: HelpVerb) -> HelpVerb? {
        (0...path.count).reversed().lazy.compactMap { tree.verb(path.prefix($0)) }.first
    }
}
#endif
