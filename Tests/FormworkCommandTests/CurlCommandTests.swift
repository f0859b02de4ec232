#if Command
import Foundation
import Testing

@Suite(
    "formwork curl, headers and plan", .timeLimit(.minutes(10)),
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")))
struct CurlCommandTests {
    @Test("Real curl sends the body with its exact length, and nothing chunked")
    func exactLength() throws {
        let folder = Folder()
        try folder.file("f.txt", String(repeating: "0123456789", count: 50_000))
        let receiver = try Receiver()
        let result = try Command.run(
            "curl", "http://127.0.0.1:\(receiver.port)/up?x=1", "-F", "a=1", "-F", "f=@f.txt", "--boundary", "b", "--",
            "-sS", "-H", "X-Trace: 7", in: folder.path)
        #expect(result.text == "ok")
        #expect(result.status == 0 && result.errors == "")
        let (head, body) = receiver.request()
        let expected = try Command.run("body", "-F", "a=1", "-F", "f=@f.txt", "--boundary", "b", in: folder.path).output
        #expect(body == expected)
        #expect(body.count == 500_154)
        #expect(head.hasPrefix("POST /up?x=1 HTTP/1.1\r\n"))
        #expect(head.contains("\r\nContent-Length: 500154"))
        #expect(head.contains("\r\nContent-Type: multipart/form-data; boundary=b"))
        #expect(head.contains("\r\nX-Trace: 7"))
        #expect(!head.lowercased().contains("transfer-encoding") && !head.lowercased().contains("expect:"))
    }

    @Test(
        "However formwork is ended, curl doesn't take the cut body for a whole one", arguments: ["TERM", "HUP", "KILL"])
    func ended(signal: String) throws {
        let folder = Folder()
        let receiver = try Receiver()
        let result = try Command.shell(
            """
            mkfifo in && exec 9<>in
            $F curl http://127.0.0.1:\(receiver.port)/ -F 'a=@-;filename=rows' -- -sS < in &
            head -c 1000000 /dev/zero >&9
            kill -\(signal) $!; wait $!; echo $?
            """, in: folder.path)
        #expect(result.text == ["TERM": "143\n", "HUP": "129\n", "KILL": "137\n"][signal])
        let (head, body) = receiver.request()
        #expect(head.lowercased().contains("transfer-encoding: chunked") || body.isEmpty)
        #expect(!body.suffix(7).elementsEqual("\r\n0\r\n\r\n".utf8), "\(body.count) bytes, and their end")
    }

    @Test(
        "What has curl send the body twice is refused",
        arguments: [
            ("--retry 1", "--retry"), ("-sSL", "-L"), ("-o out -L", "-L"), ("--location-trusted", "--location-trusted"),
            ("-u a:b --digest", "--digest"), ("--anya", "--anya"),
        ])
    func twice(options: String, named: String) throws {
        let result = try Command.shell("$F curl http://127.0.0.1:1/ -F a=1 -- \(options)")
        #expect(result.status == 2)
        #expect(
            result.errors == """
                formwork: \(named): curl would send the body twice, but can read it only once from a pipe: use 'formwork send', \
                which repeats and redirects, or 'formwork curl --print'

                """)
    }

    @Test(
        "What has curl make a second request is refused",
        arguments: [
            ("-sS http://127.0.0.1:1/b", "http://127.0.0.1:1/b"), ("-o out --next", "--next"), ("-:", "-:"),
            ("--url http://127.0.0.1:1/b", "--url"), ("--max-time 5 b", "b"), ("-m 5 -s b", "b"),
            ("--silent b", "b"),
        ])
    func second(options: String, named: String) throws {
        let result = try Command.shell("$F curl http://127.0.0.1:1/ -F a=1 -- \(options)")
        #expect(result.status == 2)
        #expect(
            result.errors == """
                formwork: \(named): curl would make a second request, but can read the body only once from a pipe: give one URL, \
                before '--'

                """)
    }

    @Test("A pattern in the URL isn't two URLs, and a header has one line")
    func pattern() throws {
        let receiver = try Receiver()
        let result = try Command.shell(
            "$F curl 'http://127.0.0.1:\(receiver.port)/{a,b}' -F a=1 -- -sS -w '%{num_connects}' -o /dev/null")
        #expect(result.status == 0 && result.text == "1", "\(result.errors)")
        #expect(receiver.request().head.hasPrefix("POST /{a,b} HTTP/1.1\r\n"))
        let header = try Command.run("curl", "http://127.0.0.1:1/", "-F", "a=1", "-H", "X: y\nZ: w")
        let reason = "has a line break: give each header with an -H of its own"
        #expect(header.status == 2 && header.errors == "formwork: -H 'X: …': \(reason)\n", "\(header.errors)")
    }

    @Test("A configuration file of curl's doesn't have it send the body twice")
    func configuredTwice() throws {
        let folder = Folder()
        try folder.file(".curlrc", "retry = 2\nretry-delay = 1\nlocation\n")
        // Accepts one connection.
        let receiver = try Receiver(raw: "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        let result = try Command.shell(
            "CURL_HOME=$PWD $F curl http://127.0.0.1:\(receiver.port)/ -F a=1 -- -sS; echo $?", in: folder.path)
        #expect(result.text == "0\n", "\(result.errors)")
    }

    @Test("The printed command has real curl send the same form")
    func printed() throws {
        let folder = Folder()
        try folder.file("it's; a,\"b\".txt", "text")
        let receiver = try Receiver()
        let result = try Command.shell(
            """
            set -- -F $'a= "q\\\\"; \'x\' \\n";headers=X-a: 1' -F 'f=@"it'"'"'s; a,\\"b\\".txt";encoder=base64' \\
              -F 'm=(;type=multipart/related; a=b' -F '=<Ünï' -F '=)' -F 'z=@Ünï;filename='
            echo plain > Ünï
            "$F" body "$@" --boundary \(String(repeating: "x", count: 40)) > expected
            line=$("$F" curl http://127.0.0.1:\(receiver.port)/ "$@" --print -- -sS -H Expect:) && eval "$line"
            """, in: folder.path)
        #expect(result.text == "ok" && result.status == 0, "\(result.errors)")
        let expected = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/expected"))
        func numbered(_ body: some Sequence<UInt8>) -> String {
            var text = String(decoding: Array(body), as: UTF8.self)
            let outer = text.prefix { $0 != "\r\n" }.dropFirst(2)
            let inner = text.firstMatch(of: /boundary=([-0-9a-z]+)/)?.1 ?? "none"
            text = text.replacing(inner, with: "inner").replacing(outer, with: "outer")
            return text
        }
        #expect(numbered(receiver.request().body) == numbered(expected))
        #expect(numbered(expected).contains("X-a: 1"))
    }

    @Test("A printed command has the type of standard input, or isn't printed", arguments: ["extension", "auto"])
    func printedStandardInput(types: String) throws {
        for argument in ["backup=@-;filename=backup.tar", "file=@-", "f=<-", "f=@-;type=a/b", "f=@-;encoder=base64"] {
            let folder = Folder()
            let receiver = try Receiver()
            let line = try Command.run(
                "curl", "http://127.0.0.1:\(receiver.port)/", "-F", argument, "--type-from", types, "--print", "--",
                "-sS",
                "-H", "Expect:")
            let isDeferred = types == "auto" && argument.contains("@-") && !argument.contains("type=")
            #expect((line.status == 0) != isDeferred, "\(argument)")
            guard !isDeferred else {
                #expect(line.errors.hasSuffix("which curl's command line can't express: give the type\n"))
                continue
            }
            try folder.file("line", line.text)
            let sent = try Command.shell("printf %s %PDF-1.4 | bash line", in: folder.path)
            #expect(sent.text == "ok", "\(sent.errors)")
            let (head, body) = receiver.request()
            let boundary = try #require(head.firstMatch(of: /boundary=([-0-9a-zA-Z]+)/)?.1)
            let ours = try Command.run(
                "body", "-F", argument, "--type-from", types, "--boundary=\(boundary)", input: Array("%PDF-1.4".utf8)
            )
            #expect(Array(body) == ours.output, "\(argument)")
        }
    }

    @Test("A header line that is no text isn't printed as another one")
    func printedBytes() throws {
        let folder = Folder()
        let result = try Command.shell(
            "printf 'X-h: \\xff\\n' > h; \"$F\" curl http://h/ --compat curl -F 'a=b;headers=@h' --print",
            in: folder.path)
        #expect(result.status == 2 && result.text.isEmpty)
        #expect(result.errors.contains("a header that is not UTF-8 can't be expressed on curl's command line"))
    }

    @Test("A plan shows control characters escaped")
    func controlCharacters() throws {
        let folder = Folder()
        try folder.file("a\u{1B}[31mb", "x")
        let result = try Command.shell(
            "\"$F\" plan -F $'f=@a\\e[31mb' -F $'g=@a\\e[31mb;filename=g' --boundary b", in: folder.path)
        #expect(result.status == 0 && !result.text.contains("\u{1B}"))
        #expect(result.text.components(separatedBy: "a\\u{1B}[31mb").count == 3)
    }

    @Test("A body of unknown length goes chunked")
    func chunked() throws {
        let receiver = try Receiver()
        let result = try Command.run(
            "curl", "http://127.0.0.1:\(receiver.port)/", "-F", "s=@-", "--boundary", "b", "--", "-sS",
            input: Array("streamed".utf8))
        #expect(result.text == "ok", "\(result.errors)")
        let (head, body) = receiver.request()
        #expect(head.contains("\r\nTransfer-Encoding: chunked") && !head.contains("Content-Length"))
        #expect(body.contains(sequence: "streamed"))
    }

    @Test("curl's exit status is ours; a server that answers early is heard")
    func statuses() throws {
        let refused = try Command.run("curl", "http://127.0.0.1:9/", "-F", "a=1", "--", "-sS")
        #expect(refused.status == 7)
        #expect(refused.errors.contains("curl: (7)"))
        let receiver = try Receiver(answering: "413 Content Too Large", after: 10_000)
        let folder = Folder()
        try folder.sparse("big", 50 << 20)
        let early = try Command.run(
            "curl", "http://127.0.0.1:\(receiver.port)/", "-F", "f=@big", "--", "-sS", "-w", "%{http_code}",
            in: folder.path)
        #expect(early.text.contains("413") && early.status == 0, "\(early)")
        #expect(early.errors.hasPrefix("formwork: the server answered before it had the whole body: curl read"))
        #expect(receiver.request().body.count < 50 << 20)
        let failing = try Receiver(answering: "500 Oops")
        let failed = try Command.run("curl", "http://127.0.0.1:\(failing.port)/", "-F", "a=1", "--", "-sS", "--fail")
        #expect(failed.status == 22)
        let missing = try Command.shell("PATH=/nonexistent \"$F\" curl http://127.0.0.1:9/ -F a=1")
        #expect(missing.status == 127)
        #expect(missing.errors == "formwork: curl is not installed, or not in PATH\n")
    }

    @Test("The list of processes shows neither the URL's credentials nor headers")
    func processList() throws {
        // Nobody answers there, so that curl waits.
        let silent = try Receiver(answering: "200 OK", after: 1_000_000)
        let result = try Command.shell(
            """
            FORMWORK_TOKEN= "$F" curl 'http://u:hidden1@127.0.0.1:\(silent.port)/?token=hidden2' -F a=1 \
              -H 'Authorization: Bearer hidden3' -H 'X-One: hidden4' -- -sS & P=$!
            until C=$(tr -d " " < /proc/$P/task/$P/children) && grep -qz -e -sS /proc/${C:-0}/cmdline; do sleep 0.05; done
            tr '\\0' ' ' < /proc/$C/cmdline; kill $P; wait $P
            """)
        #expect(result.text.hasPrefix("curl --no-progress-meter ") && !result.text.contains("hidden"), "\(result)")
    }

    @Test(
        "Headers with any characters arrive, and the environment's credentials unless others are given",
        arguments: [
            ("FORMWORK_TOKEN=t0ken", "", "", "Bearer t0ken"), ("FORMWORK_USER=me:p\"w", "", "", "Basic bWU6cCJ3"),
            ("FORMWORK_TOKEN=", "", "", nil), ("FORMWORK_TOKEN=t", "u:p@", "", "Basic dTpw"),
            ("FORMWORK_TOKEN=t", "", "-H 'authorization: mine'", "mine"),
            ("FORMWORK_TOKEN=t", "", "-H @h", "Bearer file"),
            ("FORMWORK_TOKEN=t", "", "-- -sSu u:p", "Basic dTpw"), ("FORMWORK_TOKEN=t", "", "-- -H @h", "Bearer file"),
            ("FORMWORK_TOKEN=t", "", "-- -o n -A u", "Bearer t"), ("FORMWORK_TOKEN=t", "", "-- -K k", "Basic dTpw"),
        ] as [(String, String, String, String?)])
    func environment(variable: String, url user: String, words: String, value: String?) throws {
        let (folder, receiver) = (Folder(), try Receiver())
        try folder.file("h", "Authorization: Bearer file\n")
        try folder.file("k", "user = u:p\n")
        let result = try Command.shell(
            """
            export '\(variable)'
            "$F" curl http://\(user)127.0.0.1:\(receiver.port)/ -F a=1 -H $'X-One: "a\\\\b"\\tü' \(words)
            """, in: folder.path)
        #expect(result.status == 0, "\(result.errors)")
        let lines = receiver.request().head.components(separatedBy: "\r\n")
        #expect(lines.contains("X-One: \"a\\b\"\tü"), "\(lines)")
        let found = lines.first { $0.lowercased().hasPrefix("authorization: ") }
        #expect(found.map { String($0.dropFirst("authorization: ".count)) } == value)
    }

    @Test("Headers are two lines that curl's -H @file reads")
    func headers() throws {
        let known = try Command.run("headers", "-F", "a=1", "--boundary", "b c")
        #expect(known.text == "Content-Type: multipart/form-data; boundary=\"b c\"\nContent-Length: 63\n")
        let unknown = try Command.run("headers", "-F", "s=@-", "--boundary", "b")
        #expect(unknown.text == "Content-Type: multipart/form-data; boundary=b\n")
        #expect(
            unknown.errors == "formwork: no Content-Length: part 1 \"s\": standard input without a declared length\n")
        #expect(unknown.status == 0)
        let json = try Command.run("headers", "-F", "a=1", "--boundary", "b", "--json")
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json.output)) as? [String: Any])
        #expect(object["contentLength"] as? Int == 59)
        #expect(object["contentType"] as? String == "multipart/form-data; boundary=b")
        #expect(object["isReplayable"] as? Bool == true)
    }

    @Test("The plan tells every piece, for people and as JSON")
    func plan() throws {
        let folder = Folder()
        try folder.file("photo.jpg", "0123456789")
        let arguments = ["plan", "--type-from", "extension", "-F", "t=x", "-F", "p=@photo.jpg", "--boundary", "b"]
        let table = try Command.shell("$F \(arguments.joined(separator: " "))", in: folder.path)
        #expect(
            table.text == """
                offset  length  part        source     type        why
                     0      49  part 1 "t"  framing
                    49       1  part 1 "t"  memory                 a field has none
                    50      99  part 2 "p"  framing
                   149      10  part 2 "p"  photo.jpg  image/jpeg  extension .jpg
                   159       9              framing

                Content-Type: multipart/form-data; boundary=b
                Content-Length: 168
                Can be sent again: yes

                """)
        let json = try Command.shell("$F \(arguments.joined(separator: " ")) --json", in: folder.path)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json.output)) as? [String: Any])
        let pieces = try #require(object["pieces"] as? [[String: Any]])
        #expect(pieces.map { $0["offset"] as? Int } == [0, 49, 50, 149, 159])
        #expect(pieces[3]["source"] as? String == "photo.jpg")
        #expect(pieces[3]["type"] as? String == "image/jpeg")
    }

    @Test("A saved description makes the same bytes in another process")
    func description() throws {
        let folder = Folder()
        try folder.file("f", "content")
        let result = try Command.shell(
            """
            $F plan -F a=1 -F f=@f --save plan.json
            $F body --from plan.json > one; $F body --from plan.json -o two; cmp one two && $F headers --from plan.json
            """, in: folder.path)
        #expect(result.status == 0)
        #expect(result.text.contains("Content-Length: 277\n"), "\(result.text)")
        let both = try Command.shell("$F body --from plan.json -F a=1", in: folder.path)
        #expect(both.status == 2)
    }
}
#endif
