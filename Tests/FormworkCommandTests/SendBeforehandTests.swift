#if Transfer
import Foundation
import TestSupport
import Testing

/// What `formwork send` finds before it connects, and what a redirect makes of the exit status.
@Suite("formwork send, before anything is sent", .timeLimit(.minutes(10)))
struct SendBeforehandTests {
    private func json(_ outcome: Outcome) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(outcome.output)) as? [String: Any])
    }

    @Test(
        "A redirect that can't be followed is a failure",
        arguments: [
            ("ftp://x/", 1, "ftp://x/, which can't be followed; the body was not delivered (forms are sent with"),
            ("foo://x/", 1, "foo://x/, which can't be followed; the body was not delivered (forms are sent with"),
            (
                "ftp://u:SECRET@x/?token=SECRET", 1,
                "ftp://***@x/?token=***, which can't be followed; the body was not delivered (forms are sent with"
            ),
            (
                "http://127.0.0.1:99999/", 3,
                "http://127.0.0.1:99999/, which can't be followed; the body was not delivered"
            ),
            (
                "http://[bad", 3,
                "http://[bad, which can't be followed; the body was not delivered (it isn't a valid URL)"
            ),
            ("http://[::", 3, "http://[::, which can't be followed; the body was not delivered (it isn't a valid URL)"),
        ])
    func redirects(location: String, status: Int, message: String) throws {
        for more in [[], ["--resume", "auto"]] {
            let receiver = try Receiver(answering: "307 Temporary Redirect\r\nLocation: \(location)")
            let words = ["$F", "send", "http://127.0.0.1:\(receiver.port)", "-F", "a=1"] + more
            let result = try Command.shell(words.joined(separator: " "))
            #expect(result.status == Int32(status) && result.text == "", "\(result.errors)")
            #expect(
                result.errors.hasPrefix("formwork: the server redirects (307) to \(message)"), "\(result.errors)")
        }
    }

    @Test("A redirect that isn't followed is shown without its secrets")
    func redirectSecrets() throws {
        let receiver = try Receiver(answering: "307 Temporary Redirect\r\nLocation: /?token=SECRET&a=1")
        let place = "http://127.0.0.1:\(receiver.port)"
        let result = try Command.shell("echo x | \"$F\" send \(place) -F a=@- -w '%{http_code}'")
        #expect(result.status == 65 && result.text == "307", "\(result.text) \(result.errors)")
        #expect(
            result.errors.hasPrefix(
                "formwork: part 1 \"a\": the server redirects to \(place)/?token=***&a=1, but standard input can be read only once"
            ),
            "\(result.errors)")
    }

    @Test("307 and 308 without Location didn't take the body")
    func withoutLocation() throws {
        for (status, field, fault) in [
            ("307 Temporary Redirect", "", "the answer has no Location"),
            ("308 Permanent Redirect", "", "the answer has no Location"),
            ("307 Temporary Redirect", "\r\nLocation:", "its Location is empty"),
        ] {
            let receiver = try Receiver(answering: status + field)
            let place = "http://127.0.0.1:\(receiver.port)"
            let result = try Command.run("send", place, "-F", "a=1", "-w", "%{http_code} %{num_headers}")
            #expect(result.status == 3 && result.text == "\(status.prefix(3)) \(field.isEmpty ? 2 : 3)")
            #expect(
                result.errors == """
                    formwork: the server redirects (\(status.prefix(3))), which can't be followed; the body was not \
                    delivered (\(fault))

                    """)
        }
    }

    @Test("A status of a redirect that can't be followed is in the report")
    func reportedStatus() throws {
        let receiver = try Receiver(answering: "308 Permanent Redirect\r\nLocation: ftp://x/")
        let result = try Command.run("send", "http://127.0.0.1:\(receiver.port)", "-F", "a=1", "--json")
        #expect(result.status == 1)
        let object = try self.json(result)
        #expect(object["status"] as? Int == 308 && object["http"] as? String == "1.1", "\(result.text)")
        let fields = try #require(object["headers"] as? [[String: String]])
        #expect(fields.first == ["name": "Location", "value": "ftp://x/"] && fields.count == 3)
        #expect(object["isBodyComplete"] is NSNull && object["bytesSent"] as? Int == 139)
    }

    @Test("An answer of HTTP/1.0 has that version")
    func oldVersion() throws {
        let answer = "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok"
        let receivers = try (0..<2).map { _ in try Receiver(raw: answer) }
        let shown = try Command.run(
            "send", "http://127.0.0.1:\(receivers[0].port)", "-F", "a=1", "-i", "-v", "-w", " %{http_version}")
        #expect(shown.text == "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok 1.0", "\(shown.text)")
        #expect(shown.errors.contains("\n< HTTP/1.0 200 OK\n"), "\(shown.errors)")
        let object = try Command.run("send", "http://127.0.0.1:\(receivers[1].port)", "-F", "a=1", "--json")
        #expect(try self.json(object)["http"] as? String == "1.0")
        #expect(try SchemaCheck("send").violations(object.text) == [])
    }

    @Test("A 2xx before the whole body is in the report of the failure")
    func earlySuccess() throws {
        let folder = Folder()
        try folder.sparse("file", 32 << 20)
        let listener = try LoopbackListener()
        defer { listener.stop() }
        Thread.detachNewThread {
            guard let connection = listener.accept() else { return }
            var buffer = [UInt8](repeating: 0, count: 100)
            _ = recv(connection, &buffer, buffer.count, 0)
            let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8)
            _ = send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
            sleep(1)
            close(connection)
        }
        let result = try Command.run(
            "send", "http://127.0.0.1:\(listener.port)", "-F", "f=@file", "-H", "Expect:", "--json", in: folder.path)
        #expect(result.status == 55)
        let object = try self.json(result)
        #expect((object["error"] as? String)?.hasPrefix("the server answered 200 before it had all") == true)
        #expect(object["status"] as? Int == 200 && object["http"] as? String == "1.1", "\(result.text)")
        #expect(object["headers"] as? [[String: String]] == [["name": "Content-Length", "value": "2"]])
        #expect(try SchemaCheck("send").violations(result.text) == [])
    }

    @Test("After too many redirects, the report has the URL that redirects, and the answer's Location")
    func tooMany() throws {
        let second = try Receiver(answering: "307 X\r\nLocation: /c?token=SECRET")
        let place = "http://127.0.0.1:\(second.port)"
        let receiver = try Receiver(answering: "307 X\r\nLocation: \(place)/b")
        let result = try Command.run(
            "send", "http://127.0.0.1:\(receiver.port)/a", "-F", "a=1", "--max-redirs", "1", "-w",
            "%{url_effective} %{num_redirects} %{http_code} %{http_version} %header{location}")
        #expect(result.status == 47 && result.text == "\(place)/b 1 307 1.1 /c?token=SECRET", "\(result.text)")
        #expect(
            result.errors == "formwork: more than 1 redirect: \(place)/b redirects to \(place)/c?token=***\n",
            "\(result.errors)")
    }

    @Test("A proxy that requires credentials is named as such, and a server never is")
    func proxyCredentials() throws {
        let said = "answered 407 Proxy Authentication Required"
        let advice =
            ": it requires credentials that it accepts: give them in its URL, as in http://user:password@host:port"
        for (name, options, more) in [("proxy", "", advice), ("server", " --noproxy '*'", "")] {
            let receiver = try Receiver(answering: "407 Proxy Authentication Required")
            let place = "http://127.0.0.1:\(receiver.port)"
            let url = options.isEmpty ? "http://example.test/" : place
            let result = try Command.shell("\"$F\" send -F a=1 \(url) --proxy \(place)\(options)")
            #expect(result.status == 22)
            #expect(result.errors == "formwork: the \(name) \(said)\(more)\n")
        }
    }

    @Test("A redirect by 301, after which the form isn't sent on, is a warning")
    func moved() throws {
        let place = try Receiver(after: 1)
        let receiver = try Receiver(
            answering: "301 Moved Permanently\r\nLocation: http://127.0.0.1:\(place.port)/new")
        let result = try Command.run("send", "http://127.0.0.1:\(receiver.port)", "-F", "a=1")
        #expect(result.status == 0)
        #expect(
            result.errors.contains(
                """
                formwork: warning: the server redirects to http://127.0.0.1:\(place.port)/new (301); after that \
                status the form isn't sent again: send it to that URL

                """), "\(result.errors)")
    }

    @Test("A redirect before the whole body says how much was sent")
    func earlyRedirect() throws {
        let folder = Folder()
        try folder.sparse("file", 8 << 20)
        // The client asks before it sends so much: nothing was sent.
        let receiver = try Receiver(answering: "302 Found\r\nLocation: /login", after: 1)
        let place = "http://127.0.0.1:\(receiver.port)"
        let result = try Command.run("send", place, "-F", "f=@file", "-q", in: folder.path)
        #expect(result.status == 55 && result.text == "")
        #expect(
            result.errors == """
                formwork: the server answered 302 before it had all of the body, and redirects to \(place)/login \
                [0 bytes sent]

                """)
        let other = try Receiver(answering: "307 Temporary Redirect\r\nLocation: /there", after: 1)
        let answer = try Command.run(
            "send", "http://127.0.0.1:\(other.port)", "-F", "f=@file", "-q", "--max-redirs", "0", in: folder.path)
        #expect(answer.status == 55)
        #expect(
            answer.errors == """
                formwork: the server answered 307 Temporary Redirect after 0 bytes of 8388803, and the rest was not \
                sent

                """, "\(answer.errors)")
    }

    @Test("A status outside 100 to 599 is an error", arguments: ["600 X", "999 X", "099 X"])
    func outsideStatuses(status: String) throws {
        let receiver = try Receiver(answering: status)
        let result = try Command.run("send", "http://127.0.0.1:\(receiver.port)", "-F", "a=1")
        #expect(result.status == 56 && result.text == "", "\(result.errors)")
    }

    @Test("--max-retry-after limits what a server asks for")
    func retryAfter() throws {
        let receiver = try Receiver(answering: "503 Service Unavailable\r\nRetry-After: 86400")
        let result = try Command.run(
            "send", "http://127.0.0.1:\(receiver.port)", "-F", "a=1", "--retry", "1", "--max-retry-after", "0.2")
        // The server is gone by then.
        #expect(result.status == 7, "\(result.errors)")
        #expect(result.errors.contains("the server answered 503; try 2 in 0.2 s\n"), "\(result.errors)")
    }

    @Test("A 303 without Location is the answer, and so is a redirect that nobody wants followed")
    func unfollowed() throws {
        for (fields, more) in [("303 See Other", []), ("307 X\r\nLocation: ftp://x/", ["--max-redirs", "0"])] {
            let receiver = try Receiver(answering: fields)
            let words = ["$F", "send", "http://127.0.0.1:\(receiver.port)", "-F", "a=1"] + more
            let result = try Command.shell(words.joined(separator: " "))
            #expect(result.status == 0 && result.text == "ok", "\(result.errors)")
        }
    }

    @Test(
        "--json tells of what is wrong before connecting, too",
        arguments: [
            (
                ["http://h", "-F", "a=@nonexist"], 26,
                "-F a=@nonexist: nonexist can't be read (No such file or directory)"
            ),
            (["ftp://x", "-F", "a=1"], 2, "ftp://x: forms are sent with http or https, not ftp"),
            (["-F", "a=1"], 2, "no URL: write formwork send URL -F …"),
            (["http://h", "-F", "a=1", "--retry", "-1"], 2, "--retry -1: give 0 or more"),
        ])
    func jsonErrors(arguments: [String], status: Int, message: String) throws {
        let folder = Folder()
        let words = ["$F", "send", "--json"] + arguments.map(\.shellQuoted)
        let result = try Command.shell(words.joined(separator: " "), in: folder.path)
        #expect(result.status == Int32(status) && result.errors == "formwork: \(message)\n")
        let object = try self.json(result)
        #expect(object["error"] as? String == message && object["exitStatus"] as? Int == status)
        #expect(object["bytesSent"] as? Int == 0)
    }

    @Test("Where the state or the answer can't be kept, nothing is sent")
    func unwritable() throws {
        let folder = Folder()
        // Nobody takes a connection there: that would be 7.
        let outcome = try Command.shell(
            """
            mkdir folder; mkfifo fifo; send() { "$F" send http://127.0.0.1:1 -F a=1 "$@"; echo $?; }
            send --state /nonexistent/x; send --state folder; send --state fifo
            send -o /nonexistent/x; send -o folder; ls -A
            """, in: folder.path)
        #expect(outcome.text == "23\n23\n23\n23\n23\nfifo\nfolder\n")
        #expect(
            outcome.errors == """
                formwork: --state /nonexistent/x: the upload's state can't be written (No such file or directory)
                formwork: --state folder: is a folder: name a file in it
                formwork: --state fifo: is a device, FIFO or socket: name a file
                formwork: /nonexistent/x: the answer can't be written to this file (No such file or directory)
                formwork: folder: the answer can't be written to this file (Is a directory)

                """)
    }

    @Test("A state is kept where there is none yet, and leaves nothing else")
    func writable() throws {
        let folder = Folder()
        let receiver = try Receiver()
        let result = try Command.run(
            "send", "http://127.0.0.1:\(receiver.port)", "-F", "a=1", "--state", "state", in: folder.path)
        #expect(result.status == 0 && folder.names == [], "\(result.errors)")
    }

    @Test(
        "0 is no limit",
        arguments: ["-m", "--connect-timeout", "--limit-rate", "--stall-timeout", "--expect100-timeout"])
    func zero(option: String) throws {
        let receiver = try Receiver()
        let result = try Command.run("send", "http://127.0.0.1:\(receiver.port)", "-F", "a=1", option, "0")
        #expect(result.status == 0 && result.text == "ok" && result.errors == "", "\(result.errors)")
    }

    @Test(
        "What is below 0 is refused in one line",
        arguments: [
            ("-m", "--max-time -1: give 0 or more seconds"),
            ("--connect-timeout", "--connect-timeout -1: give 0 or more seconds"),
            ("--stall-timeout", "--stall-timeout -1: give 0 or more seconds"),
            ("--expect100-timeout", "--expect100-timeout -1: give 0 or more seconds"),
            ("--retry-delay", "--retry-delay -1: give 0 or more seconds"),
            ("--progress-interval", "--progress-interval -1: give 0 or more seconds"),
            ("--limit-rate", "--limit-rate -1: give 0 or more bytes a second"),
            ("--retry", "--retry -1: give 0 or more"), ("--max-redirs", "--max-redirs -1: give 0 or more"),
        ])
    func negative(option: String, message: String) throws {
        let result = try Command.run("send", "http://127.0.0.1:1", "-F", "a=1", option, "-1")
        #expect(result.status == 2 && result.errors == "formwork: \(message)\n", "\(result.errors)")
    }

    @Test("receive refuses what is below 0, too", arguments: ["--port", "--max-size", "--idle-timeout", "--grace"])
    func negativeOfReceive(option: String) throws {
        let folder = Folder()
        let result = try Command.shell("timeout 60 \"$F\" receive --dir in \(option) -1", in: folder.path)
        #expect(result.status == 2 && !result.errors.contains("Missing"), "\(result.errors)")
        #expect(result.errors.contains(option))
    }
}
#endif
