/// Refuses options that are given twice although the command has room for one value. ArgumentParser uses the last one, and
/// what the others name would be lost without a word.
///
/// Options that change how the command works aren't refused: as with curl, the last one counts.
enum SingleValueOption {
    /// What to do instead, by the option's spellings.
    private static let advice: KeyValuePairs<[String], String> = [
        ["--part"]: "extract one part after the other, or leave out --part to extract all",
        ["-T", "--upload-file"]: "send the files one after the other, or all in one form with -F NAME=@FILE",
        ["-b", "--cookie"]: "join the cookies, as in -b 'a=1; b=2'",
    ]
    private static let others: Set = [
        "--as", "--data-json", "--dir", "--entry", "--from", "--host", "--into", "--port", "--presigned",
        "--resume-dir", "--save", "--state", "--tls-cert", "--tls-key", "--to", "--token", "--token-file", "--url",
    ]

    static func check(_ words: GivenWords) throws(ExitStatus) {
        var given: Set<String> = []
        for item in words.items where item.value != nil {
            guard let (spelling, advice) = self.advice(for: item.word, words.verb) else { continue }
            try ExitStatus.refuse(
                if: !given.insert(spelling).inserted, "\(spelling) is given more than once: \(advice)")
        }
    }

    private static func advice(for name: String, _ verb: String?) -> (spelling: String, text: String)? {
        // curl's -o is for one of several URLs, and send has one.
        if verb == "body", name == "-o" || name == "--output" { return ("-o", "write to one file") }
        if let entry = self.advice.first(where: { $0.key.contains(name) }) { return (entry.key[0], entry.value) }
        return self.others.contains(name) ? (name, "give one") : nil
    }
}
