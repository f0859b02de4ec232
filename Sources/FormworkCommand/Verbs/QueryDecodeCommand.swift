#if Command
import ArgumentParser
import Formwork
import FormworkURLEncoded

struct QueryDecodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode",
        abstract: "Read a query string and write it as JSON.",
        discussion: """
            EXAMPLES
              echo 'user[name]=x&tags[]=1&tags[]=2' | formwork query decode --dialect php --pretty
              echo 'https://example.com/list?page=2#top' | formwork query decode --url

            Every value is a text, or null for a name without '=' if the dialect writes or reads null so. One line end
            after the text is ignored. A '?' before it belongs to the first name, unless --url is given. The text may
            have up to 256 MiB, any number of pairs, and names nested up to 512 levels.
            """)

    @Argument(help: ArgumentHelp("A file with the text; without it, or with '-', standard input.", valueName: "file"))
    var file: String?

    @OptionGroup var options: QueryOptions

    @Flag(help: "Read a whole URL, and decode its query: the text between the first '?' and '#'.")
    var url = false

    @Flag(help: "Write [[name,value],…]: all pairs in their order, with unchanged names.")
    var pairs = false

    @Flag(help: "Indent the JSON.")
    var pretty = false

    @Flag(help: "Refuse '%' without two hexadecimal digits, and bytes that aren't UTF-8, instead of repairing them.")
    var strict = false

    func run() throws {
        let dialect = try self.options.decoding()
        let input = try TextInput(self.file)
        let value = try input.explaining { () throws(FormworkError) in
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
        if self.pairs { rules.duplicates = .kept }
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
        guard !self.pairs else {
            return .array(pairs.map { .array([.text($0.name), $0.value.map(ParameterValue.text) ?? missing]) })
        }
        do throws(FormworkError) {
            return try dialect.expansion.expand(pairs, missing: missing, limits: rules.limits)
        } catch {
            throw error.advising("rename one of them, or use --pairs to list them all")
        }
    }

    private func query(in bytes: [UInt8]) -> ArraySlice<UInt8> {
        var text = bytes[...]
        if text.last == 0x0A { text = text.dropLast(text.dropLast().last == 0x0D ? 2 : 1) }
        guard self.url else { return text }
        return text.prefix { $0 != 0x23 }.drop { $0 != 0x3F }.dropFirst()
    }
}

extension FormworkError {
    /// The same error with advice about the text. A limit's error already has advice.
    fileprivate func advising(_ advice: String) -> FormworkError {
        var error = self
        if self.code == .malformedBody { error.message += ": \(advice)" }
        return error
    }

    /// The same error with its place in the input.
    fileprivate func placed(from start: Int) -> FormworkError {
        var error = self
        if let offset = self.offset { error.message = "offset \(Int64(start) + offset): \(error.message)" }
        error.offset = nil
        return error
    }
}
#endif
