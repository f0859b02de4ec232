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
            ("receive -d inbox", "unknown option '-d': write --dir FOLDER"),
            ("receive -p 9000", "unknown option '-p': write --port NUMBER"),
            (
                "curl -sS http://h -F a=1",
                "unknown option '-s': curl's own options follow '--', as in: formwork curl URL -F name=value -- -sS"
            ),
            ("inspect --boundry x f", "unknown option '--boundry': did you mean '--boundary'?"),
            ("send POST http://h a=b", "unexpected argument 'POST': the method is an option: -X POST"),
            ("send http://h a=b", "unexpected argument 'a=b': a field needs -F: -F 'a=b'"),
            (
                "send -F a=b http://h 'http://us:SECRET@h/?token=SECRET'",
                "unexpected argument 'http://***@h/?token=***': a form goes to one URL"
            ),
            ("curl http://h us:SECRET@h -F a=b", "unexpected argument '***@h': a form goes to one URL"),
            ("body -F a=b 'http://us:SECRET@h/'", "unexpected argument 'http://***@h/'"),
            ("send http://h photo@a.jpg", "unexpected argument 'photo@a.jpg': a file needs -F: -F 'photo=@a.jpg'"),
            (
                "send -F x=@a.jpg b.jpg http://h",
                "unexpected argument 'b.jpg': each file needs an -F of its own: -F NAME=@b.jpg"
            ),
            (
                "receive --unix-socket s",
                "unknown option '--unix-socket': receive listens on TCP only: write --port NUMBER, or let a service "
                    + "manager pass the socket"
            ),
            (
                "send http://h --json '{}'",
                "unexpected argument '{}': --json reports the result in JSON; --data-json sends JSON"
            ),
        ])
    func options(line: String, message: String) throws {
        let result = try Command.shell("\"$F\" \(line)")
        let verb = line.prefix { $0 != " " }
        #expect(result.status == 2 && result.errors == "formwork: \(message)\nSee 'formwork help \(verb)'.\n")
    }

    @Test("An object has the same advice", arguments: ["--json", "--progress json"])
    func object(option: String) throws {
        let result = try Command.shell("\"$F\" send http://h '{\"a\":1}' \(option)")
        let text = option == "--json" ? result.text : result.errors
        #expect(result.status == 2)
        #expect(
            text.contains(
                #"""
                "unexpected argument '{\"a\":1}': --json reports the result in JSON; --data-json sends JSON"
                """#), "\(text)")
        #expect(!text.contains("See "))
    }

    @Test(
        "Help is asked for with a verb after it, too, and has no value",
        arguments: [
            (
                "--help send", 0,
                "formwork send: Send the form to a server, with progress, and with retries and"
            ),
            (
                "-h query encode", 0,
                "formwork query encode: Write a JSON object as a query string."
            ),
            ("send --help=1", 2, "formwork: --help: has no value: leave '=' and the rest out"),
            ("body --version=1", 2, "formwork: --version: has no value: leave '=' and the rest out"),
            (
                "receive --dir . --host unix:/tmp/r.sock", 2,
                "formwork: --host unix:/tmp/r.sock: is not a name or an address: receive listens on TCP only, not on a Unix socket"
            ),
        ])
    func help(words: String, status: Int32, first: String) throws {
        let result = try Command.shell("\"$F\" \(words) 2>&1")
        #expect(result.status == status && result.text.hasPrefix(first + "\n"), "\(result.text.prefix(300))")
    }

    @Test("Help for a word that isn't a verb is an error", arguments: ["sedn --help", "-h sedn", "sedn x -h"])
    func helpForNoVerb(words: String) throws {
        let result = try Command.shell("\"$F\" \(words)")
        #expect(result.status == 2 && result.text == "")
        #expect(
            result.errors.hasPrefix("formwork: 'sedn' isn't a verb: did you mean 'formwork send'?\n"),
            "\(result.errors)")
        let query = try Command.shell("\"$F\" query parse --help")
        #expect(query.status == 2)
        #expect(
            query.errors == """
                formwork: 'parse' isn't a verb
                The verbs are: encode, decode. See 'formwork query --help'.

                """, "\(query.errors)")
    }

    @Test("The root's help names --version")
    func version() throws {
        #expect(try Command.run("--help").text.contains("'formwork --version' prints the version."))
    }

    @Test("A redirect that needs standard input again names --spool")
    func redirected() throws {
        let receiver = try Receiver(answering: "307 Temporary Redirect\r\nLocation: /there")
        let result = try Command.shell("printf x | \"$F\" send http://127.0.0.1:\(receiver.port)/ -F f=@-")
        #expect(result.status == 65)
        #expect(
            result.errors == """
                formwork: part 1 "f": the server redirects to http://127.0.0.1:\(receiver.port)/there, but standard input can \
                be read only once: send there, or give a source that can be opened again; --spool stores it first

                """, "\(result.errors)")
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
                    formwork: '\(word)' isn't a verb\(hint)
                    The verbs are: body, headers, send, curl, plan, type, receive, link, inspect, extract, query, \
                    completion. See 'formwork --help'.

                    """,
            "\(result.errors)")
    }

    @Test(
        "A short option's value may be attached, as in curl",
        arguments: [
            ("-XPUT", "PUT / HTTP/1.1"), ("-sSXPUT", "PUT / HTTP/1.1"), ("-vX PATCH", "PATCH / HTTP/1.1"),
            ("-HX-One:1", "X-One: 1"), ("-H'X-One: -1'", "X-One: -1"), ("-ume:pw", "Authorization: Basic ***"),
            ("-u-me:pw", "Authorization: Basic ***"), ("-bk=l", "Cookie: ***"), ("-Ame/1", "User-Agent: me/1"),
            ("-A-", "User-Agent: -"), ("-m3", "POST / HTTP/1.1"), ("-ofile", "POST / HTTP/1.1"),
            ("-qw%{url}", "POST / HTTP/1.1"), ("-xhttp://proxy:1", "POST / HTTP/1.1"),
            ("-sFc=d", "POST / HTTP/1.1"), ("-X -HX", ""),
        ])
    func attached(words: String, line: String) throws {
        let result = try Command.shell("\"$F\" send http://h.example/ -F a=b --dry-run \(words)")
        let lines = result.text.components(separatedBy: "\n")
        #expect((result.status == 0) == !line.isEmpty && (line.isEmpty || lines.contains(line)), "\(result)")
    }

    @Test func `Attached values in other verbs, and the whole body`() throws {
        let folder = Folder()
        let result = try Command.shell(
            "\"$F\" body -Fa=b --boundary b -oout && \"$F\" plan -F a=b -HContent-Type:multipart/related | tail -n 3; "
                + "\"$F\" send http://h.example/ -da=1 -d-2 --dry-run | grep Length; cat out", in: folder.path)
        #expect(result.status == 0 && result.errors == "", "\(result.errors)")
        #expect(
            result.text.hasPrefix("Content-Type: multipart/related; boundary=")
                && result.text.contains("\nContent-Length: 6\n") && result.text.hasSuffix("\r\n\r\nb\r\n--b--\r\n"),
            "\(result.text)")
    }

    @Test(
        "An error never shows the value of -u or -H",
        arguments: [
            ("plan -F a=b -ume:hidden", "unknown option '-u'"),
            (
                "plan -F a=b -H 'Authorization: hidden'",
                "-H 'Authorization: …': is a header of the request, not of the body: leave it out"
            ),
            (
                "plan -F a=b -H 'X-One: hidden'",
                "-H 'X-One: …': is a header of the request, not of the body: leave it out"
            ),
            ("send http://h -F a=b -Hhidden", "-H …: write 'Name: value'"),
            (
                "send http://h -F a=b -H 'Host: a' -H 'Host: b'",
                "-H 'Host: …': it can be given only once: leave one of them out"
            ),
            ("send http://h -F a=b -H'Authorization Bearer hidden'", "-H 'Authorization …': write 'Name: value'"),
            (
                "send http://h -F a=b -H'X-One: a'$'\\n''hidden'",
                "-H 'X-One: …': a value can't contain line ends or other control characters"
            ),
            ("body -F a=b --as request --url http://h -Hhidden", "-H …: write 'Name: value'"),
            ("send http://h -F a=b -Zume:hidden", "unknown option '-Z'"),
            ("send http://h -F a=b --user", "missing value for '--user <user[:password]>'"),
        ])
    func secrets(line: String, message: String) throws {
        let result = try Command.shell("\"$F\" \(line)")
        let first = result.errors.prefix { $0 != "\n" }
        #expect(result.status == 2 && first == "formwork: \(message)", "\(result.errors)")
        #expect(!result.errors.contains("hidden") && !result.errors.contains("\\n"), "\(result.errors)")
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
