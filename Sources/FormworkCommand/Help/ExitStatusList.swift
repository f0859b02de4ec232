/// The exit statuses of all verbs, for the help pages and the manual.
package enum ExitStatusList {
    private static let network: Set<String> = ["send"]
    private static let reading: Set<String> = ["inspect", "extract", "encode", "decode"]
    private static let composing: Set<String> = ["body", "headers", "plan", "curl"]
    private static let form = Self.composing.union(Self.network)
    private static let stopped: Set<String> = ["body", "curl", "send", "extract"]

    /// A status, its meaning, and the verbs that exit with it; `nil` for all verbs.
    private static let all: [(status: String, meaning: String, verbs: Set<String>?)] = [
        ("0", "success", nil),
        ("1", "a redirect leads to a scheme other than http and https", Self.network),
        ("2", "the arguments are wrong, or ask for what isn't there or allowed", nil),
        ("3", "a redirect leads to an invalid URL, or 307 or 308 has no Location", Self.network),
        ("6", "the host's name can't be resolved", Self.network),
        ("7", "the host doesn't accept the connection", Self.network),
        ("22", "the server answered 400 or more", Self.network),
        ("23", "the output can't be written, or its reader went away", nil),
        ("26", "a file can't be read, has another length, or doesn't fit ;encoder", Self.form),
        ("26", "a file can't be read", Self.reading.union(["type", "receive", "link"])),
        ("28", "a time-out passed", Self.network),
        ("35", "the TLS handshake failed", Self.network),
        ("43", "an ;encoder isn't known, with --compat curl", Self.form),
        ("47", "too many redirects, or one from https to http", Self.network),
        ("55", "the server answered before it had all of a body over 4 MiB", Self.network),
        ("56", "the connection failed before the answer was complete", Self.network),
        ("58", "the client's certificate or key can't be used", Self.network),
        ("60", "the server's certificate isn't trusted", Self.network),
        ("63", "a limit was exceeded", Self.form.union(Self.reading)),
        ("65", "a file changed or can't be read again, or the upload can't continue", Self.network),
        ("65", "a file changed, can't be read again, or has an unknown length", Self.composing),
        ("70", "the input is malformed: a body, a query string or JSON", Self.reading),
        ("71", "too few open files, threads or memory, or the port is taken", nil),
        ("77", "the certificates to trust can't be read", Self.network),
        // For the list of all verbs, which has the first row of a status.
        ("127", "curl or formwork-transfer isn't installed", []),
        ("127", "curl isn't installed", ["curl"]),
        ("127", "formwork-transfer isn't installed", ["send", "receive", "link"]),
        ("129", "its terminal was closed (SIGHUP)", Self.stopped),
        ("130, 143", "interrupted, or terminated", Self.stopped),
        ("130, 143", "a second signal stopped it; after the first it ends with 0", ["receive"]),
    ]

    /// The section of a verb's help; `nil` for all verbs, each status once.
    package static func section(for verb: String? = nil) -> String {
        var seen: Set<String> = []
        let rows = self.all.filter { row in
            guard let verb else { return seen.insert(row.status).inserted }
            return row.verbs?.contains(verb) ?? true
        }
        let lines = rows.map { row in
            let space = String(repeating: " ", count: 10 - row.status.utf8.count)
            return "  \(row.status)\(space)\(row.meaning)"
        }
        return (["EXIT STATUS"] + lines).joined(separator: "\n")
    }
}
