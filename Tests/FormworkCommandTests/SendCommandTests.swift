#if Transfer
import Foundation
import Testing

@Suite("formwork send", .timeLimit(.minutes(10)))
struct SendCommandTests {
    private func json(_ outcome: Outcome) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(outcome.output)) as? [String: Any])
    }

    @Test("A file with a size of 0 and content is never sent as an empty body")
    func contentOfAnEmptyFile() throws {
        let folder = Folder()
        let receiver = try Receiver()
        let outcome = try Command.shell(
            """
            for try in 1 2 3 4 5; do
                for words in "" --spool "--resume auto" "--resume ietf" "--resume tus" --dry-run; do
                    "$F" send http://127.0.0.1:\(receiver.port)/up -T - -q $words < /proc/cpuinfo; echo $?
                done
                "$F" send http://127.0.0.1:\(receiver.port)/up -T /proc/cpuinfo -q --state s; echo $?
            done
            """, in: folder.path)
        #expect(outcome.text == String(repeating: "26\n", count: 35))
        #expect(
            outcome.errors.split(separator: "\n").allSatisfy {
                $0.contains("has a size of 0 bytes but has content, as files of /proc do")
            }, "\(outcome.errors)")
    }

    @Test("The form arrives, and the answer's body is on standard output")
    func sends() throws {
        let receiver = try Receiver()
        let result = try Command.run(
            "send", "127.0.0.1:\(receiver.port)/up?x=1", "-F", "a=1", "-F", "b=two", "--boundary", "b1", "-X",
            "PUT",
            "-u", "me:secret", "-H", "X-One: 1", "-H", "X-Two: \tb \t", "-H", "Accept:")
        #expect(result.status == 0 && result.text == "ok" && result.errors == "")
        let (head, body) = receiver.request()
        let lines = head.components(separatedBy: "\r\n")
        #expect(lines[0] == "PUT /up?x=1 HTTP/1.1")
        #expect(lines.contains("Authorization: Basic bWU6c2VjcmV0") && lines.contains("X-One: 1"))
        #expect(lines.contains("X-Two: b"))
        #expect(lines.contains("Content-Type: multipart/form-data; boundary=b1"))
        #expect(!head.contains("Accept"))
        #expect(
            String(decoding: body, as: UTF8.self) == """
                --b1\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b1\r\nContent-Disposition: form-data; \
                name="b"\r\n\r\ntwo\r\n--b1--\r\n
                """)
    }

    @Test("A failure is 22, with the answer's body, without it, or not at all")
    func failures() throws {
        for (option, status, text) in [("--fail-with-body", 22, "ok"), ("--fail", 22, ""), ("--no-fail", 0, "ok")] {
            let receiver = try Receiver(answering: "404 Not Found")
            let result = try Command.run("send", "http://127.0.0.1:\(receiver.port)", "-F", "a=1", option)
            #expect(result.status == Int32(status) && result.text == text, "\(option)")
            #expect(result.errors == (status == 0 ? "" : "formwork: the server answered 404 Not Found\n"))
        }
    }

    @Test("A 413 in between is kept, and says how far it came")
    func tooLarge() throws {
        let folder = Folder()
        try folder.sparse("large", 64 << 20)
        let receiver = try Receiver(answering: "413 Content Too Large", after: 1000)
        let result = try Command.run(
            "send", "http://127.0.0.1:\(receiver.port)", "-F", "f=@large", "--boundary", "b", "-H", "Expect:",
            in: folder.path)
        #expect(result.status == 22 && result.text == "ok")
        #expect(result.errors.hasPrefix("formwork: the server answered 413 Payload Too Large after "))
        #expect(result.errors.contains("its limit seems to be below the 6710"))
    }

    @Test("--json is one object, for an answer and for an error")
    func report() throws {
        let receiver = try Receiver(answering: "201 Created")
        let sent = try Command.run(
            "send", "http://127.0.0.1:\(receiver.port)/", "-F", "a=1", "--boundary", "b", "--json")
        let object = try self.json(sent)
        #expect(object["status"] as? Int == 201 && object["body"] as? String == "ok")
        #expect(object["bytesSent"] as? Int == 59 && object["bytesTotal"] as? Int == 59)
        #expect(object["tries"] as? Int == 1 && object["url"] as? String == "http://127.0.0.1:\(receiver.port)/")
        let failed = try Command.run("send", "http://127.0.0.1:1", "-F", "a=1", "--boundary", "b", "--json")
        #expect(failed.status == 7)
        let error = try self.json(failed)
        #expect(error["exitStatus"] as? Int == 7 && error["bytesSent"] as? Int == 0)
    }

    @Test("On a terminal the answer begins a line of its own, and CRLF ends a line, in the head and in the body")
    func terminal() throws {
        let receiver = try Receiver(text: "one\r\ntwo\u{7}")
        let result = try Command.shell(
            "script -qec \"$F send http://127.0.0.1:\(receiver.port)/ -F a=1 --boundary b -i --progress bar\" /dev/null"
        )
        #expect(result.status == 0)
        // The terminal makes CRLF of each LF.
        let lines = result.text.components(separatedBy: "\r\n")
        #expect(lines.first?.contains("59 B of 59 B") == true)
        #expect(
            Array(lines.dropFirst()) == [
                "HTTP/1.1 200 OK", "Content-Length: 9", "Connection: close", "", "one", "two\\u{07}", "",
            ])
    }

    @Test("The redrawn line fits the terminal, whatever the file is called", arguments: [40, 80, 200])
    func width(columns: Int) throws {
        let folder = Folder()
        let name = String(repeating: "東京", count: 20) + ".txt"
        try folder.sparse(name, 1 << 20)
        let receiver = try Receiver()
        let result = try Command.shell(
            """
            script -qec "stty cols \(columns); $F send http://127.0.0.1:\(receiver.port)/ \
            -F f=@\(name) --progress bar" /dev/null
            """, in: folder.path)
        #expect(result.status == 0)
        let drawn = result.text.components(separatedBy: "\u{1B}[K").dropLast().map {
            $0.split(separator: "\r").last ?? ""
        }
        #expect(!drawn.isEmpty)
        for line in drawn {
            let width = line.unicodeScalars.reduce(0) { $0 + ($1.value >= 0x3000 ? 2 : 1) }
            #expect(width < columns, "\(line)")
        }
        #expect(columns == 40 || result.text.contains("東京"))
    }

    @Test("Progress as objects tells what was sent and what was taken")
    func progress() throws {
        let folder = Folder()
        try folder.sparse("large", 20 << 20)
        let receiver = try Receiver()
        let result = try Command.run(
            "send", "http://127.0.0.1:\(receiver.port)", "-F", "f=@large", "--boundary", "b", "--progress", "json",
            in: folder.path)
        #expect(result.status == 0)
        let lines = try result.errors.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(lines.allSatisfy { $0["event"] as? String == "progress" && $0["attempt"] as? Int == 1 })
        #expect(lines.last?["sent"] as? Int == 20_971_636 && lines.last?["acked"] as? Int == 20_971_636)
        let silent = try Receiver()
        #expect(
            try Command.run("send", "http://127.0.0.1:\(silent.port)", "-F", "a=1", "--progress", "none").errors
                == "")
    }

    @Test("The answer into a file, head included")
    func output() throws {
        let folder = Folder()
        let receiver = try Receiver()
        let result = try Command.run(
            "send", "http://127.0.0.1:\(receiver.port)", "-F", "a=1", "-o", "answer", "-i", in: folder.path)
        #expect(result.status == 0 && result.output.isEmpty)
        let text = try String(contentsOfFile: folder.path + "/answer", encoding: .utf8)
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n") && text.hasSuffix("\r\n\r\nok"))
    }

    @Test("An S3 POST policy: its fields first, the file last, and named so")
    func presigned() throws {
        let folder = Folder()
        try folder.file("a.txt", "content")
        let receiver = try Receiver(answering: "204 No Content")
        try folder.file(
            "post.json",
            "{\"url\":\"http://127.0.0.1:\(receiver.port)/bucket\",\"fields\":{\"key\":\"k\",\"policy\":\"p\"}}")
        let words = ["send", "--presigned", "post.json", "--boundary", "b"]
        func run(_ more: String...) throws -> Outcome {
            try Command.shell((["$F"] + (words + more).map(\.shellQuoted)).joined(separator: " "), in: folder.path)
        }
        for (arguments, message) in [
            (["-F", "a=1"], "the form has no file: give one with -F file=@path, or -F 'file=@-;filename=name'"),
            (
                ["-F", "f=@a.txt", "-F", "g=@a.txt"],
                "the form has 2 files, and S3 accepts one at a time: send the others separately"
            ),
            (["-F", "f=@a.txt", "-F", "a=1"], "S3 reads no field after the file: put \"f\" last"),
            (["-F", "key=1", "-F", "f=@a.txt"], "the field \"key\" is signed already: leave it out"),
            (["-F", "f=@a.txt", "http://other"], nil),
        ] as [([String], String?)] {
            let line = (["$F"] + (words + arguments).map(\.shellQuoted)).joined(separator: " ")
            let refused = try Command.shell(line, in: folder.path)
            #expect(refused.status == 2)
            if let message { #expect(refused.errors == "formwork: --presigned: \(message)\n") }
        }
        #expect(try run("-F", "extra=1", "-F", "up=@a.txt").status == 0)
        let body = String(decoding: receiver.request().body, as: UTF8.self)
        let names = body.components(separatedBy: "name=\"").dropFirst().map { $0.prefix { $0 != "\"" } }
        #expect(names == ["key", "policy", "extra", "file", "a.txt"])
    }

    @Test("A part's value may look like an option, an option's value like a part")
    func words() throws {
        let receiver = try Receiver()
        let result = try Command.run(
            "send", "http://127.0.0.1:\(receiver.port)", "-H", "X-F: -F", "-F", "a=1", "--max-time", "60",
            "--retry",
            "1", "--retry-delay", "0.1", "--connect-timeout", "5", "--limit-rate", "10M", "--noproxy", "*")
        #expect(result.status == 0, "\(result.errors)")
        #expect(receiver.request().head.contains("X-F: -F"))
    }

    @Test(
        "What is wrong is said in one line",
        arguments: [
            (["-F", "a=1"], 2, "no URL: write formwork send URL -F …"),
            (
                ["http://h", "-F", "a=1", "-u", "me"], 2,
                "-u: the password is missing, and there is no terminal to ask for it: write user:password"
            ),
            (
                ["http://h", "-F", "a=1", "-H", "Content-Length: 1"], 2,
                "-H 'Content-Length: …': it is set from the body's length: leave it out"
            ),
            (["http://h", "-F", "a=1", "-X", "a b"], 2, "-X 'a b': is not a method, such as POST"),
            (["http://h", "-F", "a=1", "--key", "k"], 2, "--key: give --cert too"),
            (["ftp://h", "-F", "a=1"], 2, "ftp://h: forms are sent with http or https, not ftp"),
            (
                ["http://nowhere.invalid", "-F", "a=1", "-x", "socks5://h"], 2,
                "a proxy must use http or https, not socks5"
            ),
            (["https://127.0.0.1:1", "-F", "a=1", "--cacert", "/nope"], 77, nil),
        ] as [([String], Int32, String?)])
    func errors(arguments: [String], status: Int32, message: String?) throws {
        let result = try Command.shell(
            (["$F", "send"] + arguments.map(\.shellQuoted)).joined(separator: " ").replacing("'$F'", with: "$F"))
        #expect(result.status == status, "\(result.errors)")
        if let message { #expect(result.errors == "formwork: \(message)\n") }
        #expect(result.errors.split(separator: "\n").count == 1)
    }

    @Test("Being told to end is 143")
    func interruption() throws {
        let folder = Folder()
        let receiver = try Receiver()
        let result = try Command.shell(
            """
            mkfifo in; sleep 5 > in & sleeper=$!
            "$F" send http://127.0.0.1:\(receiver.port) -F 'f=@-;filename=x' < in & pid=$!
            sleep 1; kill -TERM $pid; wait $pid; status=$?; kill $sleeper; echo $status
            """, in: folder.path)
        #expect(result.text == "143\n")
    }
}
#endif
