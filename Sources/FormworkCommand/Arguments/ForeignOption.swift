import FormworkSystem
import SystemPackage

/// What to write instead of options and words that curl, HTTPie and other programs have.
enum ForeignOption {
    /// The names of an option, and what to write, by verb.
    private static let advice: KeyValuePairs<String, KeyValuePairs<[String], String>> = [
        "send": [
            ["-G", "--get"]: "parameters go into the URL with --url-query NAME=VALUE",
            ["-c", "--cookie-jar"]: "received cookies aren't kept: -i shows them, and -b NAME=VALUE sends one",
            ["-O", "--remote-name"]: "-o FILE writes the answer to a file",
            ["-D", "--dump-header", "-I", "--head"]: "-i writes the answer's header, and -v both heads",
            ["-K", "--config"]: "there is no configuration file; -H @FILE and --netrc hold secrets",
            ["-C", "--continue-at"]: "--state FILE continues an upload",
            ["-e", "--referer"]: "write -H 'Referer: URL'",
            ["--state-dir"]: "--state FOLDER/ keeps a state for each URL and form",
            ["--compat", "--type-from"]: "'formwork plan --save FILE' has it, and --from FILE sends that form",
            ["--max-retry-after", "--retry-max-time"]: "--max-time limits the whole transfer, waits included",
            ["-4", "-6", "--ipv4", "--ipv6", "--connect-to"]: "--resolve HOST:PORT:ADDRESS chooses the address",
            ["--compressed"]: "answers aren't compressed: leave it out",
            ["--oauth2-bearer", "--bearer", "--token"]:
                "set FORMWORK_TOKEN in the environment, or write -H 'Authorization: Bearer TOKEN'",
            ["-a", "--auth"]: "write -u USER:PASSWORD, or set FORMWORK_TOKEN in the environment",
            ["-U", "--proxy-user"]: "the URL of -x has the proxy's user and password",
            ["--verify"]: "-k trusts every certificate, and --cacert FILE gives those to trust",
            ["--digest", "--anyauth"]: "only Basic and tokens work: -u, or FORMWORK_TOKEN in the environment",
            ["--file"]: "-F NAME=@FILE sends a file",
            ["--timeout"]: "--max-time limits the whole transfer, --stall-timeout its silence",
            ["-y", "-Y", "--speed-time", "--speed-limit"]: "--stall-timeout TIME ends a transfer without progress",
        ],
        "receive": [
            ["-d", "-o", "--directory"]: "the folder has no option: formwork receive FOLDER",
            ["--max-files", "--max-fields", "--max-field-size", "--max-file-size"]:
                "write --limit NAME=VALUE with one of file-size, files, fields, field-size",
            ["--once"]: "'formwork link --limit uses=1' makes a link for one upload",
            ["--accept", "--type", "--types"]: "--hook URL asks a program of yours before each upload",
            ["-p"]: "write --port NUMBER",
            ["-b", "--bind"]: "write --host ADDRESS",
            ["-u", "--user", "--auth"]: "write --token TOKEN, or set FORMWORK_TOKEN",
            ["--cert", "--key"]: "write --tls-cert FILE and --tls-key FILE",
            ["--unix-socket"]: "write --port NUMBER, or let a service manager pass the socket",
        ],
        "extract": [
            ["-o", "--output", "-d", "--dir", "--directory"]: "write --to FILE-OR-FOLDER",
            ["--files", "--files-only"]: "write --only files", ["--fields", "--fields-only"]: "write --only fields",
            ["-f", "--force"]: "--overwrite replaces files",
        ],
        "inspect": [
            ["-b"]: "write --boundary TEXT", ["--part"]: "'formwork extract --part NAME' writes a part",
            ["--hash", "--digest"]: "--sha256 adds digests", ["--format"]: "--json prints an object",
        ],
        "body": [["--range"]: "--offset and --length choose bytes"],
        "curl": [["--dry-run", "--offline"]: "--print prints curl's command line"],
        "type": [["--content"]: "write --from content"],
    ]

    /// The reason why wrong arguments are wrong, if one of them is such an option, or a word of HTTPie's.
    static func reason(in words: GivenWords) -> String? {
        guard let verb = words.verb else { return nil }
        guard GivenWords.option(verb) == nil else { return "no verb before '\(verb)': write formwork send URL -F …" }
        let advice = self.advice.first { $0.key == verb }?.value ?? [:]
        var isAfterURL = false
        for word in words.items.dropFirst().map(\.word) {
            let option = String(word.prefix { $0 != "=" })
            if let found = advice.first(where: { $0.key.contains(option) }) {
                return "unknown option '\(option)': \(found.value)"
            }
            guard !word.hasPrefix("-"), ["send", "curl"].contains(verb) else { continue }
            if ["{", "[\"", "[{"].contains(where: word.hasPrefix) {
                return "JSON has an option: --data-json TEXT sends it; --json alone prints the result as JSON"
            }
            if isAfterURL, let item = self.item(word) {
                // One of HTTPie's items that isn't a text makes all of them JSON.
                return words.items.first { $0.word.contains(":=") }.flatMap { self.item($0.word) } ?? item
            }
            if ["POST", "PUT", "PATCH"].contains(word) { return "the method is an option: -X \(word)" }
            isAfterURL = true
        }
        return nil
    }

    /// What to write instead of one of HTTPie's items, or of a file's name; `nil` for another word.
    private static func item(_ word: String) -> String? {
        guard let (_, name, sign, value) = word.wholeMatch(of: #/([^=:@]+)(==|:=|=|@|:)(.*)/#)?.output else {
            return (try? SystemCalls.status(of: FilePath(word))) == nil
                ? nil : "'\(word)' isn't an option: -F NAME=@\(word) sends the file in a form, -T \(word) alone"
        }
        // A second URL is named without its secrets by ArgumentParser's own message.
        guard sign != ":" || !value.hasPrefix("//") else { return nil }
        let instead =
            switch sign {
            case "==": "--url-query \(ShellQuote.quote("\(name)=\(value)"))"
            case ":=": "--data-json \(ShellQuote.quote("{\"\(name)\": \(value)}"))"
            case ":" where value.contains("@"): "one URL alone"
            case ":": "-H \(ShellQuote.quote("\(name): …"))"
            case "@": "-F \(ShellQuote.quote("\(name)=@\(value)"))"
            default: "-F \(ShellQuote.quote("\(name)=\(value)"))"
            }
        return "'\(name)\(sign)…' isn't an option: write \(instead)"
    }
}
