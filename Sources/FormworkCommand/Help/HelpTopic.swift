/// What `formwork help` explains beside the verbs.
enum HelpTopic: String, CaseIterable {
    case parts, statuses

    static var names: [String] { self.allCases.map(\.rawValue) }

    /// Lines of two columns: what is written, and what it means.
    private var rows: [(String, String)] {
        switch self {
        case .parts:
            [
                ("name=value", "a field"),
                ("name=@path", "a file; '-' is standard input"),
                ("name=@'*.jpg'", "each file that matches, as a part of its own"),
                ("name=@folder", "each file below it, with --recursive"),
                ("name=@path,path", "several files in one multipart/mixed, which most servers read as a field"),
                ("name=<path", "a field with a file's content"),
                ("'name=('", "begins a multipart inside the form, '=)' ends it"),
                (";type=TYPE", "after a value or a path: its media type"),
                (";filename=NAME", "the name that the server sees"),
                (";headers=", "'Name: value', or @path with a header on each line"),
                (";encoder=", "base64, quoted-printable, 7bit, 8bit or binary"),
                (";length=BYTES", "for standard input, FIFOs and devices"),
                ("\"a;b,c.txt\"", "double quotes around a path or value protect ';' and ','"),
                ("--form-string name=value", "a field with exactly this value, even '@' and ';'"),
                ("--files-from name=list", "as -F name=@path for each path of a list, which ends it with LF or NUL"),
                ("-H 'Content-Type: TYPE'", "sets the form's type; headers, plan and body accept no other header"),
            ]
        case .statuses:
            [
                ("0", "success"),
                ("1", "a redirect leads to another scheme than http and https"),
                ("2", "the arguments are wrong, or ask for what isn't there or allowed"),
                ("3", "a redirect leads to an invalid URL, or 307 or 308 has no Location"),
                ("6", "the host's name can't be resolved"),
                ("7", "the host doesn't accept the connection"),
                ("22", "the server answered 400 or more, with and without -f"),
                ("23", "the output can't be written"),
                ("26", "a file can't be read, has another length, or doesn't fit ;encoder"),
                ("28", "a time-out passed"),
                ("35", "the TLS handshake failed"),
                ("43", "--compat curl doesn't know an ;encoder"),
                ("47", "too many redirects, or one from https to http"),
                ("55", "the server answered before it had all of a body over 4 MiB"),
                ("56", "the connection failed before the answer was complete"),
                ("58", "the client's certificate or key can't be used"),
                ("60", "the server's certificate isn't trusted, or not valid now"),
                ("63", "a limit was exceeded"),
                ("65", "a file changed, can't be read again or has no length, or the upload can't continue"),
                ("70", "the input is malformed"),
                ("71", "too few open files, threads or memory, or the port is taken"),
                ("77", "the certificates to trust can't be read"),
                ("127", "curl or formwork-transfer isn't installed"),
                ("129, 130, 143", "ended by SIGHUP, SIGINT or SIGTERM; receive ends with 0"),
            ]
        }
    }

    private var title: String {
        switch self {
        case .parts: "-F name=content adds a part to the form, in the grammar of curl's -F. CONTENT is"
        case .statuses:
            "All verbs have curl's exit statuses, but for 70, 71 and 22 without -f. 'formwork curl' exits with curl's own if curl ran."
        }
    }

    /// - Parameter width: Columns of the terminal.
    func text(width: Int) -> String {
        let rows = self.rows
        let column = 4 + (rows.map(\.0.utf8.count).max() ?? 0)
        let lines = rows.flatMap { left, right in
            let start = "  \(left)" + String(repeating: " ", count: column - 2 - left.utf8.count)
            guard width - column >= 24 else {
                // Below each other, in a narrow terminal.
                return ["  \(left)"] + Paragraph.lines(right, width: width - 6, indent: 6)
            }
            let right = Paragraph.lines(right, width: width - column, indent: 0)
            return zip(right.indices, right).map { $0 == 0 ? start + $1 : String(repeating: " ", count: column) + $1 }
        }
        return (Paragraph.lines(self.title, width: width, indent: 0) + [""] + lines).map { $0 + "\n" }.joined()
    }
}
