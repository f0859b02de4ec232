import ArgumentParser
import Formwork
import FormworkURLEncoded

struct QueryDecodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode",
        abstract: "Read a query string and write it as JSON.",
        usage: "formwork query decode [options] [FILE]",
        discussion: """
            EXAMPLES
              echo 'a[b]=x&c[]=1&c[]=2' | formwork query decode --dialect php --pretty
              echo 'https://example.com/list?page=2#top' | formwork query decode --url

            Every value is a text. A name without '=' is null if the dialect reads it that way. One line end after the \
            text is ignored. With whatwg, a name that occurs twice becomes two members, with a warning: most JSON readers \
            keep only the last one. --repeated array makes one member with all values. A leading '?' belongs to the first \
            name, unless --url is given. The text may have up to 256 MiB, any number of pairs, and names nested up to 512 \
            levels.
            """)

    @Argument(
        help: ArgumentHelp("A file with the text; without it, or with '-', standard input.", valueName: "file"),
        completion: .file())
    var file: String?

    @OptionGroup(title: "Dialect") var options: QueryOptions

    @Flag(help: "Read a whole URL, and decode its query: the text between the first '?' and '#'.")
    var url = false

    @Flag(help: "Write [[name,value],…]: all pairs in their order, with unchanged names.")
    var pairs = false

    @Option(
        help: ArgumentHelp(
            "What a repeated name becomes: array, one member with all values; or dialect, as the dialect reads it "
                + "(php and rails keep the last value).", valueName: "array|dialect"))
    var repeated: RepeatedOption = .dialect

    @Flag(help: "Indent the JSON.")
    var pretty = false

    @Flag(help: "Refuse '%' without two hexadecimal digits, and bytes that aren't UTF-8, instead of repairing them.")
    var strict = false

    func validate() throws { try GivenPath.check(["the input": self.file]) }

    func run() throws {
        let dialect = try self.options.decoding()
        try ExitStatus.refuse(
            if: self.repeated != .dialect && self.pairs, "--repeated: --pairs lists every pair: leave one of them out")
        let input = try TextInput(self.file)
        if !self.url {
            self.warnOfURL(input.bytes)
        } else if !input.bytes.contains(UInt8(ascii: "?")) {
            Messages.warn("the URL has no '?', so it has no query: leave --url out for the text of a query alone")
        }
        let value = try TextInput.naming(input.name) { () throws(FormworkError) in
            let text = self.query(in: input.bytes)
            do throws(FormworkError) {
                return try self.value(of: Array(text), dialect)
            } catch {
                throw error.placed(from: text.startIndex)
            }
        }
        try StandardOutput.write(OrderedJSON.write(value, isPretty: self.pretty) + "\n")
    }

    private func value(of text: [UInt8], _ dialect: URLEncodedDialect) throws(FormworkError) -> ParameterValue {
        var rules = dialect.parsing
        rules.limits = .unlimited
        if self.strict { (rules.invalidEscapes, rules.invalidText) = (.refused, .refused) }
        if self.pairs || self.repeated == .array { rules.duplicates = .all }
        let missing = self.options.null.map { $0 == "name" ? .null : .text("") } ?? dialect.missing
        let pairs: [URLEncodedPair]
        do throws(FormworkError) {
            pairs = try URLEncodedPairs(text, rules: rules).pairs
        } catch {
            throw error.advising(
                dialect.parsing.invalidEscapes == .refused
                    ? "fix it, or read it with another --dialect"
                    : "fix it, or leave out --strict to have it repaired")
        }
        if pairs.contains(where: { ($0.name + ($0.value ?? "")).unicodeScalars.contains("\u{FFFD}") }) {
            Messages.warn("bytes that aren't UTF-8 were read as U+FFFD: --strict refuses them")
        }
        guard !self.pairs else {
            return .array(pairs.map { .array([.text($0.name), $0.value.map(ParameterValue.text) ?? missing]) })
        }
        guard self.repeated == .array || dialect.expansion == .flat else {
            return try self.expanded(pairs, dialect, missing)
        }
        let names = RepeatedNames(pairs)
        if self.repeated == .array {
            return dialect.expansion == .flat
                ? names.object(missing: missing) : try self.expanded(names.bracketed, dialect, missing)
        }
        if self.options.dialect == nil, let name = pairs.first(where: { $0.name.hasBrackets })?.name {
            Messages.warn(
                "the name \"\(name)\" has brackets, which PHP and Rails read as a list or an object: --dialect php or "
                    + "--dialect rails reads it so")
        } else if let name = names.first {
            Messages.warn("the name \"\(name)\" occurs more than once: --repeated array makes one member of its values")
        }
        return try self.expanded(pairs, dialect, missing)
    }

    private func expanded(
        _ pairs: [URLEncodedPair], _ dialect: URLEncodedDialect, _ missing: ParameterValue
    ) throws(FormworkError) -> ParameterValue {
        do throws(FormworkError) {
            return try dialect.expansion.expand(pairs, missing: missing, limits: .unlimited)
        } catch {
            throw error.advising("rename one of them, or use --pairs to list them all")
        }
    }

    /// A URL's scheme, or a leading '?', would silently become a part of the first name.
    private func warnOfURL(_ bytes: [UInt8]) {
        let start = String(decoding: bytes.prefix(8), as: UTF8.self).lowercased()
        let isURL = ["http://", "https://"].contains { start.utf8.starts(with: $0.utf8) }
        guard isURL || bytes.first == UInt8(ascii: "?") else { return }
        let what = isURL ? "the text is a URL" : "the text begins with '?'"
        Messages.warn("\(what), which becomes a part of the first name: --url decodes only the query")
    }

    private func query(in bytes: [UInt8]) -> ArraySlice<UInt8> {
        var text = bytes[...]
        if text.last == 0x0A { text = text.dropLast(text.dropLast().last == 0x0D ? 2 : 1) }
        guard self.url else { return text }
        return text.prefix { $0 != 0x23 }.drop { $0 != 0x3F }.dropFirst()
    }
}

extension String {
    /// Whether it is a name with brackets at its end: `tags[]`, `user[name]`.
    fileprivate var hasBrackets: Bool { self.hasSuffix("]") && self.first != "[" && self.contains("[") }
}

/// What a name becomes that occurs more than once.
enum RepeatedOption: String, ChoiceOption { case array, dialect }

/// The names of a query, and those that occur more than once.
struct RepeatedNames {
    private let pairs: [URLEncodedPair]
    private let byName: [String: [URLEncodedPair]]

    init(_ pairs: [URLEncodedPair]) {
        (self.pairs, self.byName) = (pairs, Dictionary(grouping: pairs, by: \.name))
    }

    private func isRepeated(_ pair: URLEncodedPair) -> Bool { self.byName[pair.name]?.count ?? 0 > 1 }

    /// The first repeated name; `nil` if no name is repeated.
    var first: String? { self.pairs.first(where: self.isRepeated)?.name }

    /// One member for each name, in the order of their first values. A repeated one has an array.
    func object(missing: ParameterValue) -> ParameterValue {
        var seen: Set<String> = []
        let members = self.pairs.filter { seen.insert($0.name).inserted }.map { pair in
            let all = (self.byName[pair.name] ?? []).map { $0.value.map(ParameterValue.text) ?? missing }
            return ParameterValue.Member(pair.name, all.count == 1 ? all[0] : .array(all))
        }
        return .object(members)
    }

    /// The pairs, with "[]" after repeated names, which every dialect with trees reads as an array.
    var bracketed: [URLEncodedPair] {
        self.pairs.map { pair in
            var pair = pair
            if self.isRepeated(pair), !pair.name.hasSuffix("[]") { pair.name += "[]" }
            return pair
        }
    }
}

extension FormworkError {
    /// The same error with advice about the text. A limit's error already has advice.
    fileprivate func advising(_ advice: String) -> FormworkError {
        self.changed { if $0.code == .malformedBody { $0.message += ": \(advice)" } }
    }

    /// The same error with its place in the input.
    fileprivate func placed(from start: Int) -> FormworkError {
        self.changed {
            if let offset = $0.offset { $0.message = "offset \(Int64(start) + offset): \($0.message)" }
            $0.offset = nil
        }
    }
}
