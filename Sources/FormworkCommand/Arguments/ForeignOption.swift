import FormworkSystem
import FormworkURLEncoded
import SystemPackage

/// What to write instead of verbs, options and words that curl, HTTPie and other programs have.
enum ForeignOption {
    /// What to write instead of another program's verb; `nil` if it isn't known.
    /// - Parameter verbs: The verbs that there are.
    static func verb(_ word: String, verbs: [String]) -> String? {
        Advice.row(of: word, in: verbs.contains("decode") ? "verbs of query" : "verbs")?.text
    }

    /// The reason why wrong arguments are wrong, if one of them is such an option, or a word of HTTPie's.
    /// - Parameter message: What ArgumentParser says.
    static func reason(in words: GivenWords, _ message: String) -> String? {
        guard let verb = words.verb else { return nil }
        guard GivenWords.option(verb) == nil else { return "no verb before '\(verb)': write formwork send URL -F …" }
        let second = words.items.dropFirst().first?.word ?? ""
        let section = ["encode", "decode"].contains(second) ? "\(verb) \(second)" : verb
        var isAfterURL = ["body", "headers", "plan"].contains(verb)
        for (before, item) in zip(words.items, words.items.dropFirst()) {
            let word = item.word
            guard !word.hasPrefix("-") else {
                let option = String(word.prefix { $0 != "=" })
                guard let found = Advice.row(of: option, in: section)?.text else { continue }
                return "Unknown option '\(option)': \(found)"
            }
            if section == "query encode", word.contains("=") {
                return "parameters are JSON, as in echo '{\"name\":\"value\"}' | formwork query encode"
            }
            guard isAfterURL || ["send", "curl"].contains(verb) else { continue }
            if let value = before.value, !before.isAttached, GivenWords.option(value) != nil,
                !message.hasPrefix("Unknown")
            {
                return "\(before.word) has a value, and took '\(value)' for it: write its value after it"
            }
            if ["{", "[\"", "[{"].contains(where: word.hasPrefix) {
                return "JSON has an option: --data-json TEXT sends it; --json alone prints the result as JSON"
            }
            if isAfterURL, let reason = self.reason(of: word, in: words) { return reason }
            if ["POST", "PUT", "PATCH"].contains(word) { return "the method is an option: -X \(word)" }
            isAfterURL = true
        }
        guard message.hasPrefix("Unexpected argument") else { return nil }
        return Advice.row(of: "argument", in: section).map { "\($0.text): \(message)" }
    }

    /// What to write instead of HTTPie's items, or of a file's name; `nil` for another word.
    private static func reason(of word: String, in words: GivenWords) -> String? {
        guard let first = HTTPieItem(word) else {
            return (try? SystemCalls.status(of: FilePath(word))) == nil
                ? nil : "'\(word)' isn't an option: -F NAME=@\(word) sends the file in a form, -T \(word) alone"
        }
        let items = words.items.dropFirst().compactMap { $0.value == nil ? HTTPieItem($0.word) : nil }
        // One item that isn't a text makes all of them JSON, unless files are among them.
        let isForm = items.contains { $0.sign == "@" || $0.value.hasPrefix("@") }
        let members = !isForm && items.contains { $0.sign == ":=" } ? items.compactMap(\.member) : []
        var options = items.filter { members.isEmpty || $0.member == nil }.map(\.option)
        let object = "{\(members.joined(separator: ", "))}"
        if !members.isEmpty { options.insert("--data-json \(ShellQuote.quote(object))", at: 0) }
        return "'\(first.name)\(first.sign)…' isn't an option: write \(options.joined(separator: " "))"
    }
}

/// A word of HTTPie's, as in `name=value`.
private struct HTTPieItem {
    let (name, sign, value): (String, String, String)

    init?(_ word: String) {
        guard let (_, name, sign, value) = word.wholeMatch(of: #/([^=:@]+)(==|:=|=|@|:)(.*)/#)?.output,
            // A second URL is named without its secrets by ArgumentParser's own message.
            sign != ":" || !value.hasPrefix("//")
        else { return nil }
        (self.name, self.sign, self.value) = (String(name), String(sign), String(value))
    }

    /// A member of a JSON object; `nil` if the item isn't one.
    var member: String? {
        guard ["=", ":="].contains(self.sign) else { return nil }
        return OrderedJSON.write(.text(self.name)) + ": "
            + (self.sign == "=" ? OrderedJSON.write(.text(self.value)) : self.value)
    }

    var option: String {
        switch self.sign {
        case "==": "--url-query \(ShellQuote.quote("\(self.name)=\(self.value)"))"
        case ":" where self.value.contains("@"): "one URL alone"
        case ":": "-H \(ShellQuote.quote("\(self.name): …"))"
        case "@": "-F \(ShellQuote.quote("\(self.name)=@\(self.value)"))"
        case _ where self.value.hasPrefix("@"): "-F \(ShellQuote.quote("\(self.name)=<\(self.value.dropFirst())"))"
        default: "-F \(ShellQuote.quote("\(self.name)=\(self.value)"))"
        }
    }
}
