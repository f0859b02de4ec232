/// Refuses options that are given twice although the command has room for one value. ArgumentParser uses the last one, and
/// what the others name would be lost without a word.
///
/// Options that change how the command works aren't refused: as with curl, the last one counts.
enum SingleValueOption {
    /// What to do instead, by the option's first spelling.
    private static let advice: KeyValuePairs<[String], String> = [
        ["--part"]: "extract one part after the other, or leave out --part to extract all",
        ["--to"]: "extract into one folder",
        ["--save"]: "save to one file",
        ["--from"]: "read one description",
        ["--as"]: "choose one",
        ["--entry"]: "choose one request",
        ["--into"]: "give one URL",
        ["--url"]: "give one URL",
        ["-T", "--upload-file"]: "send the files one after the other, or all in one form with -F NAME=@FILE",
        ["--data-json"]: "send one JSON text",
        ["--presigned"]: "send the policies one after the other",
        ["--state"]: "give one file",
        ["--state-dir"]: "give one folder",
        ["-b", "--cookie"]: "join the cookies, as in -b 'a=1; b=2'",
        ["--dir"]: "give one folder",
        ["--resume-dir"]: "give one folder",
        ["--token"]: "give one token",
        ["--token-file"]: "give one file",
        ["--host"]: "give one address",
        ["--port"]: "give one port",
        ["--tls-cert"]: "give one file",
        ["--tls-key"]: "give one file",
    ]

    /// - Parameter words: The arguments with each short option as a word of its own, without those of parts.
    static func check(_ words: [String]) throws(ExitStatus) {
        var given: Set<String> = []
        var index = 0
        while index < words.count, words[index] != "--" {
            let word = words[index]
            index += PartArgument.optionsWithValue.contains(word) ? 2 : 1
            guard word.hasPrefix("-") else { continue }
            let name = word.hasPrefix("--") ? String(word.prefix { $0 != "=" }) : word
            guard let (spelling, advice) = self.advice(for: name, words.first) else { continue }
            guard given.insert(spelling).inserted else {
                throw ExitStatus(2, "formwork: \(spelling) is given more than once: \(advice)")
            }
        }
    }

    private static func advice(for name: String, _ verb: String?) -> (spelling: String, text: String)? {
        // curl's -o is for one of several URLs, and send has one.
        if verb == "body", name == "-o" || name == "--output" { return ("-o", "write to one file") }
        guard let entry = self.advice.first(where: { $0.key.contains(name) }) else { return nil }
        return (entry.key[0], entry.value)
    }
}
