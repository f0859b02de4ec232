import Foundation
import Testing

@Suite(
    "formwork curl, headers and plan", .timeLimit(.minutes(10)),
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")))
struct CurlCommandTests {
    @Test(
        "However formwork is ended, curl doesn't take the cut body for a whole one", arguments: ["TERM", "HUP", "KILL"])
    func ended(signal: String) throws {
        let receiver = try Receiver()
        let result = try Command.shell(
            """
            mkfifo in && exec 9<>in
            $F curl http://127.0.0.1:\(receiver.port)/ -F 'a=@-;filename=rows' -- -sS < in &
            head -c 1000000 /dev/zero >&9
            kill -\(signal) $!; wait $!; echo $?
            """)
        #expect(result.text == ["TERM": "143\n", "HUP": "129\n", "KILL": "137\n"][signal])
        let (head, body) = receiver.request()
        #expect(head.lowercased().contains("transfer-encoding: chunked") || body.isEmpty)
        #expect(!body.suffix(7).elementsEqual("\r\n0\r\n\r\n".utf8), "\(body.count) bytes, and their end")
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
}
