#if Transfer
import Foundation
import Testing

/// What the command answers to options and words that other programs have.
@Suite("Usage errors", .timeLimit(.minutes(10)))
struct UsageTests {
    @Test(
        "An unknown option is named, with what to write instead",
        arguments: [
            ("send http://h -F a=1 -G", "unknown option '-G': parameters go into the URL with --url-query NAME=VALUE"),
            (
                "send http://h -F a=1 --compressed",
                "unknown option '--compressed': answers aren't compressed: leave it out"
            ),
            (
                "send http://h -F a=1 --bearer x",
                "unknown option '--bearer': set FORMWORK_TOKEN in the environment, or write -H 'Authorization: Bearer TOKEN'"
            ),
            ("send http://h -F a=1 --insecur", "unknown option '--insecur': did you mean '--insecure'?"),
            ("send http://h -F a=1 --nope", "unknown option '--nope'"),
            ("send -F a=1 -qZ", "unknown option '-Z'"),
            ("receive -d inbox", "unknown option '-d': --dir FOLDER"),
            ("receive -p 9000", "unknown option '-p': --port NUMBER"),
            (
                "curl -sS http://h -F a=1",
                "unknown option '-s': curl's own options follow '--', as in: formwork curl URL -F name=value -- -sS"
            ),
            ("inspect --boundry x f", "unknown option '--boundry': did you mean '--boundary'?"),
            ("send POST http://h a=b", "unexpected argument 'POST': the method is an option: -X POST"),
            ("send http://h a=b", "unexpected argument 'a=b': a field needs -F: -F 'a=b'"),
            ("send http://h photo@a.jpg", "unexpected argument 'photo@a.jpg': a file needs -F: -F 'photo=@a.jpg'"),
            (
                "send -F x=@a.jpg b.jpg http://h",
                "unexpected argument 'b.jpg': each file needs an -F of its own: -F NAME=@b.jpg"
            ),
            (
                "send http://h --json '{}'",
                "unexpected argument '{}': --json reports the result in JSON; --data-json sends JSON"
            ),
        ])
    func options(line: String, message: String) throws {
        let result = try Command.shell("\"$F\" \(line)")
        let verb = line.prefix { $0 != " " }
        #expect(result.status == 2 && result.errors == "formwork: \(message)\nSee 'formwork \(verb) --help'.\n")
    }

    @Test(
        "An unknown command lists the commands, and the near one",
        arguments: [
            ("serve", ": did you mean 'formwork receive'?"), ("upload", ": did you mean 'formwork send'?"),
            ("sedn", ": did you mean 'formwork send'?"), ("inspct", ": did you mean 'formwork inspect'?"),
            ("xyzzy", ""),
        ])
    func verbs(word: String, hint: String) throws {
        let result = try Command.run(word, "http://h", "-F", "a=1")
        #expect(
            result.status == 2
                && result.errors == """
                    formwork: '\(word)' isn't a command\(hint)
                    The commands are: body, headers, send, curl, plan, type, receive, inspect, extract, query, \
                    completion. See 'formwork --help'.

                    """,
            "\(result.errors)")
    }

    @Test("receive takes a folder without an option")
    func receiveFolder() throws {
        let folder = Folder()
        let outcome = try Command.shell(
            """
            "$F" receive inbox --port 0 > url 2> log & P=$!
            until [ -s url ]; do sleep 0.05; done
            "$F" send $(cat url) -F 'f=x;filename=a.txt' -q --resume tus > /dev/null; echo $?; cat inbox/a.txt; kill $P; wait $P
            """, in: folder.path)
        #expect(outcome.text == "0\nx", "\(outcome.errors)")
    }
}
#endif
