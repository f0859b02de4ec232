#if Transfer
import Foundation
import Testing

/// Options that would have no effect, and command lines without a verb, are refused.
@Suite("Nothing on the command line is ignored silently", .timeLimit(.minutes(10)))
struct SilentOptionTests {
    @Test(
        "A pair that contradicts itself, and an option that has no use",
        arguments: [
            ("body --from p.json --boundary c", "--from reads the whole form: leave out --boundary"),
            (
                "headers --from p.json -H 'Content-Type: multipart/mixed'",
                "--from reads the whole form: leave out -H 'Content-Type: …'"
            ),
            ("body --from p.json --escape refuse", "--from reads the whole form: leave out --escape"),
            ("plan --from p.json --type-from content", "--from reads the whole form: leave out --type-from"),
            (
                "headers -F a=1 -H 'Content-Type: multipart/mixed; boundary=zz' --boundary yy",
                "--boundary and -H 'Content-Type: …' both give the boundary: leave one out"
            ),
            (
                "body -F a=1 --form-escape --escape whatwg",
                "--form-escape and --escape whatwg contradict each other: leave one out"
            ),
            (
                "body --from p.json -H 'X: y'", "-H 'X: …': is a header of the request, not of the body: leave it out"
            ),
            (
                "headers --from p.json -H 'X: y'",
                "-H 'X: …': is a header of the request, not of the body: leave it out"
            ),
            (
                "body -F a=1 --as request -H 'Content-Length: 5'",
                "-H 'Content-Length: …': it is set from the body's length: leave it out"
            ),
            (
                "body -F a=1 --as request --url ''",
                "--url '': give a URL of http or https, such as http://localhost:8080/"
            ),
            ("help body --nope", "help: --nope is not an option: write formwork help VERB, or add --json"),
            (
                "-F a=1",
                "no verb: write formwork send URL -F … or formwork body -F …; 'formwork help' lists all"
            ),
        ])
    func refused(words: String, message: String) throws {
        let folder = Folder()
        let saved = try Command.shell("\"$F\" plan -F x=1 --boundary b --save p.json", in: folder.path)
        #expect(saved.status == 0)
        let outcome = try Command.shell("\"$F\" \(words)", in: folder.path)
        #expect(outcome.status == 2 && outcome.text == "", "\(outcome)")
        #expect(outcome.errors == "formwork: \(message)\n")
    }

    @Test("An error names the option that gives a length, if there is one")
    func lengths() throws {
        let folder = Folder()
        try folder.file("a", "x")
        let outcome = try Command.shell(
            """
            mkfifo fifo
            echo x | "$F" body -F f=@- --as request; "$F" body -F f=@fifo --as request
            "$F" body -F 'f=@a;encoder=quoted-printable' --as request
            "$F" body -F 'f=@a;encoder=quoted-printable' --as request --prescan --boundary b | tail -n 1
            "$F" body --as request -F a=1 --boundary b --url $'http://h/\\u0301a?x=1#y' -H 'HOST: other' | head -n 3
            """, in: folder.path)
        #expect(
            outcome.text
                == "--b--\r\nPOST /\u{301}a?x=1 HTTP/1.1\r\nHOST: other\r\n"
                + "Content-Type: multipart/form-data; boundary=b\r\n")
        #expect(
            outcome.errors == """
                formwork: --as request needs the body's length: part 1 "f": standard input without a declared length: --spool finds it
                formwork: --as request needs the body's length: part 1 "f": a FIFO or device without a declared length
                formwork: --as request needs the body's length: part 1 "f": quoted-printable that isn't measured: --prescan finds it

                """)
    }

    @Test("Options that another one needs or excludes")
    func usage() throws {
        for (words, message) in [
            ("body -F a=1 --url http://h/", "--url: has no use without --as"),
            (
                "send http://h/ -F a=1 --json -w x",
                "-w: --json prints one object alone: leave one out, or write -w '%{json}'"
            ),
            ("query --nope", "--nope"),
            (
                "send --presigned p.json -T a.txt",
                "--presigned sends a form: give its file with -F file=@path, not with -T or -d"
            ),
            ("body --from ''", "--from: the path is empty"),
            ("inspect ''", "the input: the path is empty"),
            ("query decode ''", "the input: the path is empty"), ("query encode ''", "the input: the path is empty"),
            ("send http://h/ -F a=1 --state -", "--state -: the state is read and written: name a file"),
        ] {
            let folder = Folder()
            try folder.file("p.json", #"{"url": "http://h/", "fields": {}}"#)
            let outcome = try Command.shell("\"$F\" \(words)", in: folder.path)
            #expect(outcome.status == 2 && outcome.errors.contains(message), "\(outcome)")
        }
    }

    @Test("The same boundary may be given twice, and a saved form written")
    func equal() throws {
        let folder = Folder()
        let outcome = try Command.shell(
            """
            "$F" headers -F a=1 -H 'Content-Type: multipart/mixed; boundary=zz' --boundary zz | head -n 1
            "$F" plan -F a=1 --boundary b --save p.json; "$F" body --from p.json | head -n 1
            "$F" body -F 'a"b=1' --boundary b --form-escape --escape backslash | sed -n 2p
            "$F" help body --json | grep -c '"formwork' ; "$F" query | head -c 8
            """, in: folder.path)
        #expect(
            outcome.text == """
                Content-Type: multipart/mixed; boundary=zz
                --b\r
                Content-Disposition: form-data; name="a\\"b"\r
                1
                formwork
                """, "\(outcome)")
    }

    @Test("An output whose name ends with a slash isn't a file")
    func folders() throws {
        let folder = Folder()
        for (option, words) in [
            ("-o", "body -F a=1 -o newd/"), ("--save", "plan -F a=1 --save newd/"),
            ("-o", "send http://127.0.0.1:1/ -F a=1 -o newd/"),
            ("--state", "send http://127.0.0.1:1/ -F a=1 --state newd/"),
        ] {
            let outcome = try Command.shell("\"$F\" \(words); echo $?; ls -A", in: folder.path)
            #expect(
                outcome.errors
                    == "formwork: \(option) newd/: ends with a slash, so it names a folder: name a file in it\n")
            #expect(outcome.text == "23\n")
        }
    }

    @Test("A boundary in the content is a wrong argument, not an unreadable file")
    func boundary() throws {
        let outcome = try Command.shell("\"$F\" body -F $'a=x\\r\\n--b\\r\\ny' --boundary b --check > /dev/null")
        #expect(outcome.status == 2, "\(outcome)")
    }

    @Test("A body of nothing but its first delimiter has no wrong cause")
    func delimiter() throws {
        let outcome = try Command.shell("printf -- '--b\\r\\n' | \"$F\" inspect -")
        #expect(outcome.status == 70 && !outcome.errors.contains("start of a line"), "\(outcome)")
    }
}
#endif
