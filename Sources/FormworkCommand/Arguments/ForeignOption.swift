/// What to write instead of options that curl and other programs have.
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
            ["-4", "-6", "--ipv4", "--ipv6", "--connect-to"]: "--resolve HOST:PORT:ADDRESS chooses the address",
            ["--compressed"]: "answers aren't compressed: leave it out",
            ["--oauth2-bearer", "--bearer", "--token", "--auth"]:
                "set FORMWORK_TOKEN in the environment, or write -H 'Authorization: Bearer TOKEN'",
            ["--digest", "--anyauth"]:
                "only the Basic scheme and tokens are supported: -u, or FORMWORK_TOKEN in the environment",
            ["--file", "-a"]: "-F NAME=@FILE sends a file",
            ["--timeout"]: "--max-time limits the whole transfer, --stall-timeout its silence",
        ],
        "receive": [
            ["-d", "-o", "--directory"]: "write --dir FOLDER",
            ["-p"]: "write --port NUMBER",
            ["-b", "--bind"]: "write --host ADDRESS",
            ["-u", "--user", "--auth"]: "write --token TOKEN, or set FORMWORK_TOKEN",
            ["--cert", "--key"]: "write --tls-cert FILE and --tls-key FILE",
            ["--unix-socket"]:
                "receive listens on TCP only: write --port NUMBER, or let a service manager pass the socket",
        ],
        "extract": [["-o", "--output", "-d"]: "write --to FILE-OR-FOLDER"],
        "inspect": [["-b"]: "write --boundary TEXT"],
    ]

    /// The reason why wrong arguments are wrong, if one of them is such an option.
    /// - Parameter words: The arguments with each short option as a word of its own, without those of parts.
    static func reason(in words: [String]) -> String? {
        guard let advice = self.advice.first(where: { $0.key == words.first })?.value else { return nil }
        var index = 1
        while index < words.count, words[index] != "--" {
            let option = String(words[index].prefix { $0 != "=" })
            if let found = advice.first(where: { $0.key.contains(option) }) {
                return "unknown option '\(option)': \(found.value)"
            }
            index += PartArgument.hasValue(words[index]) ? 2 : 1
        }
        return nil
    }
}
