import Foundation
import Testing

/// What the command answers to options and words that other programs have.
@Suite("Usage errors", .timeLimit(.minutes(10)))
struct UsageTests {
    @Test(
        "An option of curl's or another program's is named, with what to write instead",
        arguments: [
            ("send http://h -F a=1 -G", "unknown option '-G': parameters go into the URL with --url-query NAME=VALUE"),
            (
                "send http://h -F a=1 --compressed",
                "unknown option '--compressed': answers aren't compressed: leave it out"
            ),
            (
                "send --bearer=x http://h -F a=1",
                "unknown option '--bearer': set FORMWORK_TOKEN in the environment, or write -H 'Authorization: Bearer TOKEN'"
            ),
            (
                "send http://h -F a=1 -c jar",
                "unknown option '-c': received cookies aren't kept: -i shows them, and -b NAME=VALUE sends one"
            ),
            ("receive -d inbox", "unknown option '-d': the folder has no option: formwork receive FOLDER"),
            ("receive -p 9000", "unknown option '-p': write --port NUMBER"),
            (
                "receive --unix-socket s",
                "unknown option '--unix-socket': receive listens on TCP only: write --port NUMBER, or let a service "
                    + "manager pass the socket"
            ),
            ("extract f -o parts", "unknown option '-o': write --to FILE-OR-FOLDER"),
            ("extract f --files-only", "unknown option '--files-only': write --only files"),
            (
                "send h --state-dir s",
                "unknown option '--state-dir': --state FOLDER/ keeps a state for each URL and form"
            ),
            ("send h --prescan -F a=1", "unknown option '--prescan': --spool gives the body a length"),
        ])
    func foreign(line: String, message: String) throws {
        let result = try Command.shell("\"$F\" \(line)")
        #expect(result.status == 2 && result.errors == "formwork: \(message)\n", "\(result.errors)")
    }

    @Test(
        "Other wrong arguments are named, with the verb's usage",
        arguments: [
            ("send http://h -F a=1 --insecur", "Unknown option '--insecur'. Did you mean '--insecure'?", "send"),
            ("send http://h -F a=1 --xyzzyxyzzy", "Unknown option '--xyzzyxyzzy'", "send"),
            ("send -F a=1 -qZ", "Unknown option '-Z'", "send"),
            ("curl -sS http://h -F a=1", "Unknown option '-sS'", "curl"),
            ("inspect --boundry x f", "Unknown option '--boundry'. Did you mean '--boundary'?", "inspect"),
            (
                "send -F a=b http://h 'http://us:SECRET@h/?token=SECRET'",
                "Unexpected argument 'http://***@h/?token=***", "send"
            ),
            ("body -F a=b 'http://us:SECRET@h/'", "Unexpected argument 'http://***@h/'", "body"),
            ("body -F a=b $'\\e[2J'", "Unexpected argument '\\u{1B}[2J'", "body"),
            ("query encode --dialct php", "Unknown option '--dialct'. Did you mean '--dialect'?", "query encode"),
        ])
    func options(line: String, message: String, verb: String) throws {
        let result = try Command.shell("\"$F\" \(line)")
        #expect(
            result.status == 2
                && result.errors.hasPrefix("formwork: \(message)\nUsage: formwork \(verb) ")
                && result.errors.hasSuffix("\n  See 'formwork \(verb) --help' for more information.\n"),
            "\(result.errors)")
    }

    @Test("The usage says how fields and files are given", arguments: ["body", "headers", "plan"])
    func usage(verb: String) throws {
        let result = try Command.shell("\"$F\" \(verb) a=b")
        #expect(
            result.status == 2 && result.errors.contains(" -F NAME=VALUE -F NAME=@FILE"), "\(result.errors)")
    }

    @Test("An object has the reason alone", arguments: ["--json", "--progress json"])
    func object(option: String) throws {
        let result = try Command.shell("\"$F\" send http://h 'b' \(option)")
        let text = option == "--json" ? result.text : result.errors
        #expect(result.status == 2)
        #expect(text.contains(#""Unexpected argument 'b'""#), "\(text)")
        #expect(!text.contains("See "))
    }

    @Test(
        "Help has one length",
        arguments: ["send", "query", "query encode", "inspect", "receive"])
    func help(verb: String) throws {
        let after = try Command.shell("\"$F\" \(verb) --help")
        #expect(after.status == 0 && after.errors == "", "\(after)")
        for words in ["help \(verb)", "\(verb) -h"] {
            #expect(try Command.shell("\"$F\" \(words)").text == after.text, "\(words)")
        }
    }

    @Test("receive names a Unix socket as --host")
    func unixSocket() throws {
        let result = try Command.shell("\"$F\" receive --dir . --host unix:/tmp/r.sock")
        #expect(
            result.status == 2
                && result.errors
                    == "formwork: --host unix:/tmp/r.sock: is not a name or an address: receive listens on TCP only, not "
                    + "on a Unix socket\n",
            "\(result.errors)")
    }

    private static let verbs =
        "body, headers, send, curl, plan, type, receive, link, inspect, extract, query, completion"

    @Test(
        "A word that isn't a verb is an error that lists the verbs, also if help is asked for",
        arguments: ["sedn --help", "sedn x -h", "help sedn", "sedn http://h -F a=1"])
    func noVerb(words: String) throws {
        let result = try Command.shell("\"$F\" \(words)")
        #expect(result.status == 2 && result.text == "")
        #expect(result.errors == "formwork: sedn isn't a verb: choose one of \(Self.verbs)\n", "\(result.errors)")
        let query = try Command.shell("\"$F\" query parse --help")
        #expect(
            query.status == 2 && query.errors == "formwork: parse isn't a verb: choose one of encode, decode\n",
            "\(query.errors)")
    }

    @Test("The root's help names --version")
    func version() throws {
        let words = try Command.run("--help").text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("'formwork --version' prints the version."))
    }
}
