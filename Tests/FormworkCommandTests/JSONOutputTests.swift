import Foundation
import FormworkURLEncoded
import TestSupport
import Testing

@testable import FormworkCommand

/// The objects of `--json`: Fixtures/schemas describes them.
@Suite("JSON of all verbs", .timeLimit(.minutes(10)))
struct JSONOutputTests {
    private let folder = Folder()

    private static func run(_ arguments: String, in folder: Folder, input: String = "") throws -> Outcome {
        try Command.shell("\"$F\" \(arguments)", input: Array(input.utf8), in: folder.path)
    }

    private static let body =
        "--b\r\nContent-Disposition: form-data; name=\"a\"; filename=\"f\"\r\nX: y\r\n\r\n1\r\n--b--\r\n"

    @Test(
        "Results and errors follow the schema of the verb",
        arguments: [
            ("headers", "headers -F a=1 -F f=@f --json", 0), ("headers", "headers -F s=@- --json", 0),
            ("headers", "headers -F a=@nope --json", 26), ("headers", "headers --json", 2),
            ("headers", "headers --json --nope", 2), ("headers", "headers --escape odd --json", 2),
            ("plan", "plan -F a=1 -F f=@f --json", 0), ("plan", "plan -F s=@- --json", 0),
            ("plan", "plan -F a=@nope --json", 26), ("plan", "plan --json extra", 2),
            ("type", "type f --json", 0), ("type", "type f nope --json", 26), ("type", "type --json", 2),
            ("inspect", "inspect --json", 0), ("inspect", "inspect --json --limit parts=0", 63),
            ("inspect", "inspect nope --json", 26), ("inspect", "inspect --json --boundary x", 70),
            ("lint", "inspect --lint --json", 70), ("lint", "inspect --lint --json --boundary x", 70),
            ("lint", "inspect nope --lint --json", 26), ("inspect", "inspect --json --profile odd", 2),
            ("inspect", "inspect --json --entry x", 2),
            ("send", "send http://127.0.0.1:1 -F a=1 --json", 7), ("send", "send --json", 2),
            ("send", "send http://127.0.0.1:1 -F a=@nope --json", 26), ("send", "send --json --retry x http://a", 2),
        ] as [(String, String, Int)])
    func schemas(schema: String, arguments: String, status: Int) throws {
        let folder = Folder()
        try folder.file("f", "hello\n")
        let result = try Self.run(arguments, in: folder, input: Self.body)
        #expect(Int(result.status) == status, "\(result.errors)")
        #expect(try SchemaCheck(schema).violations(result.text) == [], "\(result.text)")
        let object = try result.object()
        #expect(object["exitStatus"] as? Int == status)
        #expect((object["error"] as? String == nil) == (status == 0))
        #expect(result.text.hasPrefix("{\n  \"") && result.text.hasSuffix("\n}\n"))
    }

    @Test(
        "Arguments that aren't text, or that --json doesn't take, are objects too",
        arguments: [
            (
                "plan", "plan --json -F f=@$'bad\\xff'",
                "argument 4 is not UTF-8: rename a file, or give its content on standard input ('@-' or '-'); a value comes from a file with -F 'NAME=<FILE'"
            ),
            (
                "type", "type --json $'bad\\xff'",
                "argument 3 is not UTF-8: rename a file, or give its content on standard input ('@-' or '-'); a value comes from a file with -F 'NAME=<FILE'"
            ),
            (
                "send", "send --json http://h $'bad\\xff'",
                "argument 4 is not UTF-8: rename a file, or give its content on standard input ('@-' or '-'); a value comes from a file with -F 'NAME=<FILE'"
            ),
            ("plan", "plan --json=x", "The option '--json' does not take any value, but 'x' was specified."),
        ])
    func usage(schema: String, arguments: String, message: String) throws {
        let result = try Self.run(arguments, in: Folder())
        #expect(result.status == 2)
        #expect(try SchemaCheck(schema).violations(result.text) == [], "\(result.text)")
        let object = try result.object()
        #expect(object["error"] as? String == message)
    }

    /// The events of standard error. Each line has to follow the schema.
    private static func events(_ errors: String) throws -> [[String: Any]] {
        try errors.split(separator: "\n").map { line in
            #expect(try SchemaCheck("progress").violations(String(line)) == [], "\(line)")
            return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    @Test func `With -v and --progress json heads are objects`() throws {
        let receiver = try Receiver()
        let result = try Self.run(
            "send http://127.0.0.1:\(receiver.port)/ -F a=1 -v --progress json -H 'Authorization: Bearer hidden'",
            in: Folder())
        #expect(result.status == 0 && !result.errors.contains("hidden"), "\(result.errors)")
        let heads = try Self.events(result.errors).filter { $0["event"] as? String == "head" }
        #expect(heads.map { $0["direction"] as? String } == ["request", "answer"])
        #expect(heads.map { $0["line"] as? String } == ["POST / HTTP/1.1", "HTTP/1.1 200 OK"])
        let fields = heads.first?["headers"] as? [[String: String]]
        #expect(fields?.contains(["name": "Authorization", "value": "Bearer ***"]) == true)
    }

    @Test(
        "A signal that stops send leaves objects, and the signal's status",
        arguments: [("INT", 130), ("TERM", 143), ("HUP", 129)])
    func stopped(signal: String, status: Int) throws {
        // Nobody answers there, so that the command waits.
        let silent = try Receiver(answering: "200 OK", after: 1_000_000)
        // With job control the shell doesn't have its background jobs ignore SIGINT.
        let result = try Command.shell(
            """
            set -m
            "$F" send http://127.0.0.1:\(silent.port)/ -F a=1 --json --progress json > out 2> log & P=$!
            until [ -s log ]; do sleep 0.05; done; kill -\(signal) $P; wait $P; echo $? > errors
            cat log >> errors; cat out
            """, in: self.folder.path)
        let errors = try String(contentsOfFile: self.folder.path + "/errors", encoding: .utf8)
        #expect(errors.hasPrefix("\(status)\n"), "\(errors)")
        let object = try result.object(as: "send")
        #expect(object["exitStatus"] as? Int == status && object["error"] as? String == "stopped by SIG\(signal)")
        #expect(object.keys.contains("bytesSent"))
        let last = try Self.events(String(errors.drop { $0 != "\n" })).last
        #expect(last?["event"] as? String == "error" && last?["exitStatus"] as? Int == status)
    }

    @Test(
        "formwork curl with --progress json ends with an error event",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")))
    func curl() throws {
        let result = try Self.run("curl http://127.0.0.1:1/ -F a=b --progress json -- -s", in: Folder())
        #expect(result.status == 7)
        let last = try Self.events(result.errors).last
        #expect(last?["error"] as? String == "curl exited with status 7" && last?["exitStatus"] as? Int == 7)
    }

    @Test(
        "send has one object for every answer",
        arguments: [
            ("200 OK\r\nContent-Type: application/json", "{\"a\":[1]}", "", 0),
            ("500 Oops", "no\u{E9}", "", 22), ("404 Not Found", "x", "--no-fail", 0), ("200 OK", "x", "-o out", 0),
        ] as [(String, String, String, Int)])
    func answers(answer: String, text: String, options: String, status: Int) throws {
        let receiver = try Receiver(answering: answer, text: text)
        let result = try Self.run(
            "send http://127.0.0.1:\(receiver.port)/ -F a=1 --boundary b --json \(options)", in: self.folder)
        #expect(Int(result.status) == status)
        let object = try result.object(as: "send")
        #expect(object["exitStatus"] as? Int == status)
        let error = object["error"] as? String
        #expect(error == (status == 22 ? "the server answered 500 Internal Server Error" : nil))
        if text.hasPrefix("{") { #expect((object["bodyJSON"] as? [String: [Int]]) == ["a": [1]]) }
    }

    @Test(arguments: [("INT", 130), ("TERM", 143)])
    func `A body that a signal stops ends with an object`(signal: String, status: Int) throws {
        let (folder, check) = (Folder(), try SchemaCheck("progress"))
        let result = try Command.shell(
            """
            set -m; mkfifo pipe; "$F" body -F 'f=@pipe;filename=x' --progress json -o out & exec 3> pipe
            kill -\(signal) $!; wait $!; echo $?; ls
            """, in: folder.path)
        #expect(result.text == "\(status)\npipe\n", "\(result.errors)")
        let lines = result.errors.split(separator: "\n").map(String.init).filter { $0.hasPrefix("{") }
        #expect(try lines.flatMap { try check.violations($0) } == [])
        // No moment of progress follows, although the body is written by another thread.
        let last = try #require(lines.last)
        #expect(
            last.contains(#""error":"stopped by SIG\#(signal)""#)
                && last.contains(#""exitStatus":\#(status)"#), "\(lines)")
        #expect(lines.count { $0.contains(#""event":"error""#) } == 1)
    }

    @Test(arguments: [("INT", 130), ("TERM", 143)])
    func `The object of an inspection that a signal stops is complete`(signal: String, status: Int) throws {
        let (folder, check) = (Folder(), try SchemaCheck("inspect"))
        let result = try Command.shell(
            """
            set -m; mkfifo pipe; "$F" inspect pipe --json > out & exec 3> pipe
            printf -- '--b\\r\\nContent-Disposition: form-data; name=\"a\"\\r\\n\\r\\n1\\r\\n--b\\r\\n' >&3
            kill -\(signal) $!; wait $!; echo $? >&2; cat out
            """, in: folder.path)
        #expect(result.errors.hasSuffix("\(status)\n"), "\(result.errors)")
        #expect(try check.violations(result.text) == [])
        let object = try JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any]
        #expect(object?["exitStatus"] as? Int == status, "\(result.text)")
        #expect(object?["error"] as? String == "stopped by SIG\(signal)", "\(result.text)")
    }

    @Test(arguments: ["", "x\r\n", "POST / HTTP/1.1\r\nContent-Type: multipart/form-data\r\n\r\nx"])
    func `A body without a boundary has the object of any malformed body`(text: String) throws {
        let result = try Self.run("inspect --json", in: Folder(), input: text)
        #expect(result.status == 70)
        #expect(try SchemaCheck("inspect").violations(result.text) == [])
        #expect(
            result.text.hasPrefix("{\n  \"parts\": [],\n  \"warnings\": [],\n  \"exitStatus\": 70,\n  \"error\": \""),
            "\(result.text)")
    }

    @Test func `Parts count from 0, headers are objects, and a failed inspection says why it ends`() throws {
        let folder = Folder()
        let two = Self.body.replacing("--b--", with: "--b\r\nContent-Disposition: form-data; name=\"c\"\r\n\r\n")
        let result = try Self.run("inspect --json", in: folder, input: two)
        #expect(result.status == 70)
        #expect(
            result.text == """
                {
                  "parts": [
                    {
                      "index": 0,
                      "name": "a",
                      "filename": "f",
                      "isFile": true,
                      "contentType": null,
                      "headers": [
                        {
                          "name": "Content-Disposition",
                          "value": "form-data; name=\\"a\\"; filename=\\"f\\""
                        },
                        {
                          "name": "X",
                          "value": "y"
                        }
                      ],
                      "offset": 69,
                      "length": 1,
                      "sha256": "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b"
                    }
                  ],
                  "warnings": [],
                  "exitStatus": 70,
                  "error": "standard input: probably it was cut off, or its sender wrote no close delimiter \
                (unexpectedEnd at offset 123: The body ended after 123 bytes, in the content of part 2, before a close \
                delimiter)"
                }

                """)
        let plan = try Self.run("plan -F a=1 -F b=2 --boundary x --json", in: folder)
        let parts = try OrderedJSON.read(plan.output)["pieces"]
        guard case .array(let pieces)? = parts else { throw POSIXError(.EINVAL) }
        #expect(pieces.map { $0["part"] } == [.integer(0), .integer(0), .integer(1), .integer(1), .null])
    }

    @Test func `The receiver's answers, list and log`() throws {
        let result = try Command.shell(
            """
            receive in --log json
            printf x > a; curl -s -F f=@a -F t=1 $U > form; curl -s -F t=1 $U > fields; curl -s -T a ${U}b > put
            curl -s ${U}files.json > files; kill -TERM $P; wait $P
            """, in: self.folder.path)
        #expect(result.status == 0, "\(result.errors)")
        func text(_ name: String) throws -> String {
            try String(contentsOfFile: self.folder.path + "/" + name, encoding: .utf8)
        }
        for (name, schema) in [
            ("form", "receive-answer"), ("fields", "receive-answer"), ("put", "receive-answer"),
            ("files", "receive-files"),
        ] {
            let answer = try text(name)
            #expect(try SchemaCheck(schema).violations(answer) == [], "\(answer)")
        }
        let lines = try text("log").split(separator: "\n").map(String.init)
        #expect(lines.count >= 3)
        for line in lines { #expect(try SchemaCheck("receive-log").violations(line) == [], "\(line)") }
    }

    @Test func `The state of an upload has times of RFC 3339`() throws {
        try self.folder.sparse("large", 60 << 20)
        let result = try Command.shell(
            """
            receive in
            "$F" send $U -F f=@large --state state --limit-rate 20M --progress none > /dev/null & S=$!
            until [ -s state ]; do sleep 0.05; done; kill -KILL $S; cat state; kill -TERM $P; wait $P
            """, in: self.folder.path)
        #expect(result.text.contains(#/"created" : "\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"/#), "\(result.text)")
        #expect(result.text.contains(#/"expires" : "\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"/#), "\(result.text)")
    }

    @Test func `The check of the schemas finds what departs from them`() throws {
        let check = try SchemaCheck("headers")
        let good = """
            {"contentType":"a","contentLength":1,"unknownLength":null,"isReplayable":true,"notReplayable":null,
            "exitStatus":0,"error":null}
            """
        #expect(try check.violations(good) == [])
        for (old, new) in [
            ("\"contentLength\":1", "\"contentLength\":\"1\""), ("\"error\":null", "\"other\":null"),
            (":true", ":1"), ("\"contentLength\":1", "\"contentLength\":-1"),
        ] {
            #expect(try check.violations(good.replacing(old, with: new)) != [], "\(new)")
        }
        #expect(
            try SchemaCheck("progress").violations("{\"event\":\"warning\",\"time\":\"today\",\"message\":\"\"}") != [])
    }

    @Test("isBodyComplete says whether bytesSent is bytesTotal, whatever the exit status")
    func unread() throws {
        // Answers after the first byte of the head. How much of the body is sent by then is chance.
        let receiver = try Receiver(after: 1)
        let result = try Command.shell(
            "\"$F\" send http://127.0.0.1:\(receiver.port)/ -F a=1 -F 'f=@-;length=3000000' --json < /dev/zero")
        let object = try result.object()
        let sent = try #require(object["bytesSent"] as? Int)
        #expect(result.status == 0 && object["bytesTotal"] as? Int == 3_000_284)
        #expect(object["isBodyComplete"] as? Bool == (sent == 3_000_284), "\(result.text)")
    }

    @Test(
        "A form of unknown length before a redirect to a page is complete",
        arguments: ["301 Moved", "302 Found", "303 See Other"])
    func leftOutStream(status: String) throws {
        for more in ["", " --resume auto"] {
            let place = try Receiver(after: 1)
            let receiver = try Receiver(answering: "\(status)\r\nLocation: http://127.0.0.1:\(place.port)/")
            let result = try Command.shell(
                "echo hello | \"$F\" send http://127.0.0.1:\(receiver.port)/ -F a=@- --json -q\(more)")
            let object = try result.object()
            let sent = try #require(object["bytesSent"] as? Int)
            #expect(result.status == 0 && sent > 100 && object["bytesTotal"] is NSNull, "\(result.text)")
            #expect(object["isBodyComplete"] as? Bool == true && object["requests"] as? Int == 2, "\(result.text)")
        }
        let receiver = try Receiver()
        let result = try Command.shell(
            "echo hello | \"$F\" send http://127.0.0.1:\(receiver.port)/ -F a=@- --boundary b --json -q")
        let object = try result.object()
        #expect(object["bytesSent"] as? Int == 104 && object["isBodyComplete"] as? Bool == true, "\(result.text)")
    }

    @Test("One that a server answers unread isn't, which is a success")
    func unreadStream() throws {
        let listener = try LoopbackListener()
        // The client asks before it sends a body of unknown length. How much it sends after the answer is chance.
        listener.acceptOne { connection in
            _ = connection.read()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
        let result = try Command.shell(
            "echo hello | \"$F\" send http://127.0.0.1:\(listener.port) -F a=@- --boundary b --json -q")
        let object = try result.object()
        #expect(object["exitStatus"] as? Int == 0 && object["status"] as? Int == 200)
        #expect(object["isBodyComplete"] as? Bool == (object["bytesSent"] as? Int == 104), "\(result.text)")
    }

    @Test(
        "After a redirect to where no connection can be made, the bytes of the last request with a body count",
        arguments: ["301 Moved", "302 Found", "303 See Other", "307 Temporary Redirect", "308 Permanent Redirect"])
    func refusedPlace(status: String) throws {
        let receiver = try Receiver(answering: "\(status)\r\nLocation: http://127.0.0.1:1/x")
        let result = try Command.run(
            "send", "http://127.0.0.1:\(receiver.port)/", "-F", "a=1", "--boundary", "b", "--json", "-q")
        let object = try result.object()
        #expect(result.status == 7 && object["status"] is NSNull && object["isBodyComplete"] is NSNull)
        #expect(object["url"] as? String == "http://127.0.0.1:1/x" && object["requests"] as? Int == 2)
        let isRepeated = status.hasPrefix("307") || status.hasPrefix("308")
        #expect(
            object["bytesSent"] as? Int == (isRepeated ? 0 : 59) && object["bytesTotal"] as? Int == 59, "\(result.text)"
        )
    }
}
