import ArgumentParser
import Formwork
import FormworkSystem
import FormworkURLEncoded

struct QueryEncodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "encode",
        abstract: "Write a JSON object as a query string.",
        usage: "formwork query encode [options] [FILE]",
        discussion: """
            EXAMPLES
              echo '{"q":"a b","n":1}' | formwork query encode | curl -d @- http://h/
              formwork query encode a.json --dialect php --into https://example.com/list

            Members are read in their order, even several with one name. The dialect decides how they are written: \
            whatwg writes all of them; others use dictionaries, which keep the last member of a name. A line end is \
            added only on a terminal, so a pipe gets exactly the text.
            """)

    @Argument(
        help: ArgumentHelp("A file with JSON; without it, or with '-', standard input.", valueName: "file"),
        completion: .file())
    var file: String?

    @OptionGroup(title: "Dialect") var options: QueryOptions

    @OptionGroup(title: "Dialect") var form: EncodingOptions

    @Flag(
        help: """
            Read [[name,value],…] with texts, numbers, true, false or null, and write all pairs in their order; null \
            is written without '='.
            """)
    var pairs = false

    @Option(value: "url", "Print this URL with the text added to it, as the dialect adds it.")
    var into: String?

    func validate() throws { try GivenPath.check(["the input": self.file]) }

    func run() throws {
        let (dialect, destination) = try self.options.encoding(self.form, isPairs: self.pairs)
        let input = try TextInput(self.file)
        var text = try TextInput.naming(input.name) { () throws(FormworkError) in
            let value = try OrderedJSON.read(input.bytes)
            let parameters = self.pairs ? try Self.object(ofPairs: value) : value
            try Self.check(parameters, dialect.flattening.rootArray)
            return try dialect.encode(parameters)
        }
        if let into {
            do throws(FormworkError) {
                text = try destination.url(into, adding: text)
            } catch {
                let message = "--into \(ShellQuote.quote(into)): \(error.message)"
                throw error.changed { ($0.message, $0.offset) = (message, nil) }
            }
        }
        let isTerminal = Terminal.isTerminal(.standardOutput)
        try StandardOutput.write(isTerminal ? text + "\n" : text)
    }

    private static func check(_ root: ParameterValue, _ arrays: Flattening.RootArray) throws(FormworkError) {
        let what: String
        switch root {
        case .object: return
        case .array:
            guard case .refused = arrays else { return }
            what = "an array"
        case .null: what = "null"
        case .bool(let flag): what = "\(flag)"
        case .integer, .double: what = "a number"
        case .text, .bytes, .set: what = "a text"
        }
        throw FormworkError(.malformedBody, "parameters must be an object, such as {\"page\": 1}, not \(what)")
    }

    /// An object in which only the values' text is left to the dialect's rules.
    private static func object(ofPairs value: ParameterValue) throws(FormworkError) -> ParameterValue {
        guard case .array(let pairs) = value else {
            throw FormworkError(.malformedBody, "--pairs needs an array of pairs, such as [[\"page\", 1]]")
        }
        var members: [ParameterValue.Member] = []
        for (index, pair) in pairs.enumerated() {
            guard case .array(let pair) = pair, pair.count == 2, case .text(let name) = pair[0], pair[1].isSingle else {
                throw FormworkError(
                    .malformedBody,
                    "pair \(index + 1) is not [name, value]: write a text, and a text, number, true, false or null")
            }
            members.append(.init(name, pair[1]))
        }
        return .object(members)
    }
}

extension ParameterValue {
    fileprivate var isSingle: Bool {
        switch self {
        case .null, .bool, .integer, .double, .text, .bytes: true
        case .array, .set, .object: false
        }
    }
}
