#if Command
import Foundation
import Testing

/// Mistakes that had a misleading answer, or none.
@Suite("Errors and warnings that name the true cause", .timeLimit(.minutes(10)))
struct PlainWordsTests {
    @Test("A declared length that standard input doesn't have: the same for a pipe and a file")
    func declaredLength() throws {
        let folder = Folder()
        try folder.file("xx", "ab")
        let file = try Command.shell("\"$F\" body -F 'a=@-;length=30' < xx", in: folder.path)
        #expect(file.status == 26)
        #expect(
            file.errors
                == "formwork: -F 'a=@-;length=30': standard input has 2 bytes, not the declared length of 30\n")
        let pipe = try Command.shell("cat xx | \"$F\" body -F 'a=@-;length=30' > /dev/null", in: folder.path)
        #expect(pipe.status == 26)
    }

    @Test("Headers of a part that drop its name are a warning")
    func droppedName() throws {
        let folder = Folder()
        try folder.file("hd", "Content-Disposition: x\n")
        try folder.file("named", "Content-Disposition: form-data; filename=\"q\"; name=\"n\"\n")
        let result = try Command.shell(
            "\"$F\" body -F 'f=x;headers=@hd' > /dev/null; \"$F\" body -F 'f=x;headers=@named' > /dev/null",
            in: folder.path)
        #expect(
            result.errors == """
                formwork: warning: the headers of "f" replace Content-Disposition by one without a name, so its part has \
                no name and no filename: add ; name="…" to it, or leave it out

                """)
    }

    @Test("What is read whole for an option isn't called a part")
    func optionFiles() throws {
        let folder = Folder()
        try folder.file("k", String(repeating: "a", count: 70_000))
        let result = try Command.shell(
            """
            "$F" link --to https://h --key-file k; echo $?; "$F" send h -d @- <&-; echo $?; "$F" plan --from - <&-; echo $?
            "$F" send h -T /proc/cpuinfo; echo $?; "$F" send h -F a=b -u ''; echo $?
            """, in: folder.path)
        #expect(result.text == "63\n26\n26\n26\n2\n", "\(result)")
        #expect(
            result.errors == """
                formwork: --key-file k: it has more than 64 KiB: name another file
                formwork: -d: standard input can't be read (Bad file descriptor)
                formwork: standard input can't be read (Bad file descriptor)
                formwork: -T /proc/cpuinfo: has a size of 0 bytes but has content, as files of /proc do: write cat \
                /proc/cpuinfo | formwork send … -T -
                formwork: -u: the user is missing: write user:password

                """)
    }

    @Test("A FIFO is typed by its content, as standard input is")
    func fifo() throws {
        let result = try Command.shell("\"$F\" type <(printf '<html><body>hello</body></html>') | cut -f 1,2")
        #expect(result.text == "text/html\tcontent\n", "\(result)")
    }

    @Test(
        "A wrong value lists the valid ones",
        arguments: [
            (
                "body --as foo -F a=1",
                "the value 'foo' is invalid for '--as <ab|curl|hey|http|k6|oha|request|vegeta|wget|wrk>': choose one of "
                    + "ab, curl, hey, http, k6, oha, request, vegeta, wget, wrk"
            ),
            (
                "plan --compat foo -F a=1", "the value 'foo' is invalid for '--compat <curl>': write curl"
            ),
            (
                "body --escape foo -F a=1",
                "the value 'foo' is invalid for '--escape <whatwg|backslash|refuse>': choose one of whatwg, backslash, "
                    + "refuse"
            ),
            ("type ''", "the input: the path is empty"),
            ("send http://127.0.0.1:9 -F a=1 --unix-socket ''", "--unix-socket: the path is empty"),
            ("receive . --token-file ''", "--token-file: the path is empty"),
            (
                "receive . --resume-lifetime 5y",
                "the value '5y' is invalid for '--resume-lifetime <time>': write a time in seconds, such as 10 or 0.5, "
                    + "or with its unit, such as 90s, 15m, 24h or 7d"
            ),
            (
                "receive . --fields xml",
                "the value 'xml' is invalid for '--fields <fields>': choose one of json, drop\n"
            ),
            (
                "receive . --max-file-size 8192P",
                "the value '8192P' is invalid for '--max-file-size <max-file-size>': it is too large\n"
            ),
            ("receive . --resume-lifetime 0s", "--resume-lifetime: give 1s to 365d"),
            (
                "send http://127.0.0.1:9 -d a=1 -H 'Content-Type:'",
                "-H 'Content-Type:': a body is always sent with its type: leave out this header, or give another type, "
                    + "such as application/octet-stream"
            ),
            (
                "send http://127.0.0.1:9 -d a=1 --json -i",
                "-i: --json prints the answer's header fields in its object: leave -i out"
            ),
            (
                "send http://127.0.0.1:9 -d a=1 -H 'Content-Type: a/b' -H 'content-type: c/d'",
                "-H 'Content-Type: …': it can be given only once: leave one of them out"
            ),
            (
                "body -F a=1 -H 'Content-Type: multipart/mixed' -H 'Content-Type: multipart/mixed'",
                "-H 'Content-Type: …': it can be given only once: leave one of them out"
            ),
            (
                "send $'http://127.0.0.1:1/up\\r' -F a=1",
                "'http://127.0.0.1:1/up\\r': a URL can't have control characters, or blanks around it: leave them out"
            ),
            (
                "send ' 127.0.0.1:1/up' -F a=1",
                "' 127.0.0.1:1/up': a URL can't have control characters, or blanks around it: leave them out"
            ),
        ])
    func choices(line: String, message: String) throws {
        let result = try Command.shell("\"$F\" \(line)")
        #expect(result.status == 2 && result.errors.hasPrefix("formwork: \(message)"), "\(result.errors)")
    }

    @Test("'help help' is the list of verbs")
    func help() throws {
        let folder = Folder()
        let result = try Command.shell("\"$F\" help help > a; \"$F\" help > b; cmp a b && echo same", in: folder.path)
        #expect(result.text == "same\n" && result.errors == "", "\(result)")
    }

    @Test("A line of -H @FILE is named by its number")
    func headerLine() throws {
        let folder = Folder()
        try folder.file("h", "X-One: 1\r\n\r\nhidden words\n")
        let result = try Command.shell("\"$F\" curl http://127.0.0.1:1 -F a=1 -H @h", in: folder.path)
        #expect(result.status == 2 && result.errors == "formwork: -H @h: line 3: write 'Name: value'\n", "\(result)")
    }

    #if Transfer
    @Test("Sizes have T and P, and an error lists the forms")
    func sizes() throws {
        let result = try Command.shell("timeout 20 \"$F\" receive x --max-size 1X")
        #expect(
            result.status == 2
                && result.errors == """
                    formwork: the value '1X' is invalid for '--max-size <max-size>': write a number of bytes, alone or with \
                    k, M, G, T or P, such as 500k or 4G
                    See 'formwork help receive'.

                    """,
            "\(result.errors)")
        let level = try Command.shell("timeout 20 \"$F\" receive x --log-level foo")
        #expect(level.errors.contains(": choose one of trace, debug, info, notice, warning, error"), "\(level.errors)")
        let large = try Command.shell("timeout 20 \"$F\" receive x --max-size 1T --max-file-size 1P --dir y")
        #expect(large.errors.contains("give the folder once"), "\(large.errors)")
    }

    @Test("A server without resumable uploads isn't a failed connection")
    func unsupported() throws {
        let receiver = try Receiver()
        let result = try Command.shell(
            "timeout 60 \"$F\" send http://127.0.0.1:\(receiver.port) -F a=1 --resume ietf -q")
        #expect(result.status == 2)
        #expect(
            result.errors == """
                formwork: the server has no resumable uploads of the IETF's draft: it answered 200, as to an ordinary \
                request: --resume auto, without --piece-size, sends to any server

                """)
    }

    @Test("A retry that isn't possible is explained")
    func noRetry() throws {
        let receiver = try Receiver(answering: "503 Service Unavailable")
        let result = try Command.shell(
            "echo x | timeout 60 \"$F\" send http://127.0.0.1:\(receiver.port) -F a=@- --retry 3 -q > /dev/null")
        #expect(result.status == 22)
        #expect(
            result.errors == """
                formwork: the server answered 503 Service Unavailable; not tried again, as standard input can be read only once: --spool \
                stores it first

                """)
    }

    @Test("Lines of an answer's head may end with LF alone")
    func bareLineFeeds() throws {
        let receiver = try Receiver(raw: "HTTP/1.1 200 OK\nX-A: 1\nContent-Length: 4\n\na\nb\n")
        let result = try Command.shell(
            "timeout 60 \"$F\" send http://127.0.0.1:\(receiver.port) -F a=1 -q -w '%header{x-a}'")
        #expect(result.status == 0 && result.text == "a\nb\n1" && result.errors == "", "\(result)")
        let informed = try Receiver(raw: "HTTP/1.1 103 Early\nX-B: 2\n\nHTTP/1.1 200 OK\nContent-Length: 2\n\nok")
        let second = try Command.shell("timeout 60 \"$F\" send http://127.0.0.1:\(informed.port) -F a=1 -q")
        #expect(second.status == 0 && second.text == "ok", "\(second)")
    }

    @Test("A proxy that answers nonsense, or closes the connection, is named so")
    func proxies() throws {
        let closed = "the proxy closed the connection while the tunnel was made"
        // Its end may be noticed before its answer is read.
        for (answer, messages) in [
            ("nonsense\r\n\r\n", ["the proxy's answer isn't HTTP", closed]), ("", [closed]),
            // A TLS alert.
            (
                "\u{15}\u{3}\u{1}\u{0}\u{2}\u{2}\u{28}",
                ["the proxy speaks TLS on this port: write https:// before its name", closed]
            ),
            ("HTTP/1.1 200 OK\r\nX", ["the proxy closed the connection inside its answer", closed]),
        ] {
            let receiver = try Receiver(raw: answer, after: 10)
            let result = try Command.shell(
                "timeout 60 \"$F\" send https://h.example/ -x http://127.0.0.1:\(receiver.port) -F a=1 -q")
            #expect(result.status == 56, "\(result)")
            let isNamed = messages.contains { result.errors == "formwork: 127.0.0.1:\(receiver.port): \($0)\n" }
            #expect(isNamed, "\(result)")
        }
    }

    @Test("A header field of an answer may be folded over several lines")
    func folds() throws {
        for end in ["\r\n", "\n"] {
            let lines = [
                "HTTP/1.1 103 Early", "X-B: 2", " 3", "", "HTTP/1.1 200 OK", "X-A: b", " c", "\t d", "Content-Length:",
                " 2", "",
                "ok",
            ]
            let receiver = try Receiver(raw: lines.joined(separator: end))
            let result = try Command.shell(
                "timeout 60 \"$F\" send http://127.0.0.1:\(receiver.port) -F a=1 -q -w '[%header{x-a}]'")
            #expect(result.status == 0 && result.text == "ok[b  c \t d]" && result.errors == "", "\(result)")
        }
        // Blanks before the first field aren't a fold of the status line.
        let receiver = try Receiver(raw: "HTTP/1.1 200 OK\r\n X-A: b\r\nContent-Length: 2\r\n\r\nok")
        let result = try Command.shell("timeout 60 \"$F\" send http://127.0.0.1:\(receiver.port) -F a=1 -q")
        #expect(result.status == 56 && result.text == "", "\(result)")
    }

    @Test("An answer whose head is too long, or has two lengths, is named so")
    func heads() throws {
        let field = "X-A: \(String(repeating: "a", count: 100_000))\r\n"
        let long = try Receiver(raw: "HTTP/1.1 200 OK\r\n\(field)Content-Length: 0\r\n\r\n")
        let first = try Command.shell("timeout 60 \"$F\" send http://127.0.0.1:\(long.port) -F a=1 --boundary b -q")
        #expect(first.status == 56)
        #expect(
            first.errors
                == "formwork: the head of the server's answer is too long, or has too many fields [59 bytes sent]\n")
        let two = try Receiver(raw: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok")
        let second = try Command.shell("timeout 60 \"$F\" send http://127.0.0.1:\(two.port) -F a=1 --boundary b -q")
        #expect(second.status == 56)
        #expect(
            second.errors
                == "formwork: the server's answer has an invalid Content-Length, or several [59 bytes sent]\n")
    }

    @Test("Blanks without end in an answer's head or trailer section are refused, and not kept")
    func blanks() throws {
        let blanks = String(repeating: " ", count: 1_000_000)
        let long = try Receiver(raw: "HTTP/1.1 200 OK\r\nX-A: \(blanks)")
        let first = try Command.shell("timeout 60 \"$F\" send http://127.0.0.1:\(long.port) -F a=1 --boundary b -q")
        #expect(first.status == 56)
        #expect(
            first.errors
                == "formwork: the head of the server's answer is too long, or has too many fields [59 bytes sent]\n")
        let trailers = try Receiver(raw: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-A: \(blanks)")
        let second = try Command.shell(
            "timeout 60 \"$F\" send http://127.0.0.1:\(trailers.port) -F a=1 --boundary b -q")
        #expect(second.status == 56)
        #expect(second.errors == "formwork: the server's answer isn't HTTP: its body is malformed\n")
    }

    @Test(
        "A fault of HTTP/2 is named in its words",
        arguments: [
            // DATA on stream 0, and RST_STREAM with codes 7 and 99.
            ("\0\0\u{1}\0\0\0\0\0\0a", "the server's answer isn't valid HTTP/2, or its head is too long ["),
            (
                "\0\0\u{4}\u{3}\0\0\0\0\u{1}\0\0\0\u{7}",
                "the server reset the stream before it answered (REFUSED_STREAM) ["
            ),
            (
                "\0\0\u{4}\u{3}\0\0\0\0\u{1}\0\0\0\u{63}",
                "the server reset the stream before it answered (HTTP/2 error 99) ["
            ),
        ])
    func faults(frame: String, message: String) throws {
        let server = try Receiver(raw: "\0\0\0\u{4}\0\0\0\0\0\(frame)", after: 100)
        let result = try Command.shell(
            "timeout 60 \"$F\" send http://127.0.0.1:\(server.port) -F a=1 --http2-prior-knowledge -q")
        #expect(result.status == 56)
        #expect(result.errors.hasPrefix("formwork: \(message)"), "\(result)")
    }

    @Test("A name in a PUT's path that isn't UTF-8 is named so")
    func putName() throws {
        let folder = Folder()
        let outcome = try Command.shell(
            """
            "$F" receive in --port 0 > url 2> log & P=$!
            for i in $(seq 200); do [ -s url ] && break; sleep 0.05; done; U=$(cat url)
            echo x | curl -s -T - "${U}a%ff.txt"; kill $P; wait $P
            """, in: folder.path)
        #expect(
            outcome.text.contains("The file's name in the path isn't percent-encoded UTF-8."), "\(outcome.text)")
    }
    #endif
}
#endif
