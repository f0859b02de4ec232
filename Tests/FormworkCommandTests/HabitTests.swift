#if Transfer
import Foundation
import TestSupport
import Testing

/// Options that users of curl and HTTPie type.
@Suite("send with curl's habits", .timeLimit(.minutes(10)))
struct HabitTests {
    /// What arrives of a send with these words after the URL.
    private func request(
        _ words: String, path: String = "/", in folder: Folder = Folder()
    ) throws -> (lines: [String], body: String) {
        let receiver = try Receiver()
        let result = try Command.shell(
            "\"$F\" send 'http://127.0.0.1:\(receiver.port)\(path)' -q -o /dev/null \(words)", in: folder.path)
        #expect(result.status == 0 && result.errors == "", "\(result.errors)")
        let (head, body) = receiver.request()
        return (head.components(separatedBy: "\r\n"), String(decoding: body, as: UTF8.self))
    }

    @Test("-T sends a file as it is, with PUT, its type, and its name after a slash")
    func upload() throws {
        let folder = Folder()
        try folder.file("ä b.txt", "hello")
        let (lines, body) = try self.request("-T 'ä b.txt'", path: "/dir/?x=1", in: folder)
        #expect(lines[0] == "PUT /dir/%C3%A4%20b.txt?x=1 HTTP/1.1" && body == "hello")
        #expect(lines.contains("Content-Type: text/plain") && lines.contains("Content-Length: 5"))
        let named = try self.request("-T 'ä b.txt' -X POST -H 'Content-Type: image/x'", path: "/up", in: folder)
        #expect(named.lines[0] == "POST /up HTTP/1.1" && named.lines.contains("Content-Type: image/x"))
        let piped = try self.request("-T - < <(echo piped)", path: "/up", in: folder)
        #expect(
            piped.lines.contains { $0.lowercased() == "transfer-encoding: chunked" }
                && piped.body == "6\r\npiped\n\r\n0\r\n\r\n")
        let spooled = try self.request("-T - --spool < <(echo piped)", path: "/up", in: folder)
        #expect(spooled.lines.contains("Content-Length: 6") && spooled.body == "piped\n")
    }

    @Test("Parameters have the order of the command line, over all four options")
    func order() throws {
        let body = try self.request("--data-binary x=1 --data-raw y=2 --data-urlencode 'w= ' -d z=3 -d y=4").body
        #expect(body == "x=1&y=2&w=+&z=3&y=4")
    }

    @Test("-H 'X:' leaves out a field of ours, and not another -H, in any order, as in curl")
    func removal() throws {
        let words = "-H 'X: 1' -H 'X:' -H 'User-Agent:' -H 'User-Agent: me' -H 'Accept:'"
        let result = try Command.shell(
            "\"$F\" send http://h --dry-run -F a=1 --boundary b \(words) | sed -n '2,/^$/p'")
        #expect(
            result.text == """
                Host: h
                X: 1
                User-Agent: me
                Content-Type: multipart/form-data; boundary=b
                Content-Length: 59


                """, "\(result)")
    }

    @Test("-H Accept twice is sent twice, and replaces the usual one once")
    func accept() throws {
        let lines = try self.request("-d a=1 -A one -H 'Accept: a' -H 'Accept: b' -H 'User-Agent: two'").lines
        #expect(lines.filter { $0.hasPrefix("Accept:") } == ["Accept: a", "Accept: b"])
        #expect(lines.filter { $0.hasPrefix("User-Agent:") } == ["User-Agent: two"])
    }

    @Test("--data-urlencode looks for '=' before '@'")
    func equalsBeforeAt() throws {
        #expect(try self.request("--data-urlencode 'a@b=c'").body == "a%40b=c")
    }

    @Test("A combining mark after a sign doesn't hide the sign")
    func marks() throws {
        let format = try Command.shell(
            "\"$F\" send http://127.0.0.1:1 -F a=1 -s -w '%{http_code}\u{301} %{num_redirects}'")
        #expect(format.text == "000\u{301} 0", "\(format.text)")
        let cookie = try Command.shell("\"$F\" send http://127.0.0.1:1 -F a=1 -b 'a=\u{301}'")
        #expect(!cookie.errors.contains("cookie files"), "\(cookie.errors)")
    }

    @Test("-w reads @FILE, and a % without a variable is a text")
    func writeOutFile() throws {
        let folder = Folder()
        try folder.file("format", "[%{http_code}]\\n")
        let receiver = try Receiver()
        let read = try Command.shell(
            "\"$F\" send http://127.0.0.1:\(receiver.port) -F a=1 -q -o /dev/null -w @format", in: folder.path)
        #expect(read.text == "[200]\n" && read.errors == "")
        let other = try Receiver()
        let text = try Command.shell(
            "\"$F\" send http://127.0.0.1:\(other.port) -F a=1 -q -o /dev/null -w '%|%{http_code}|%{http_code'")
        #expect(text.text == "%|200|%{http_code" && text.errors == "", "\(text)")
        let missing = try Command.shell("\"$F\" send http://127.0.0.1:1 -F a=1 -q -w @nope", in: folder.path)
        #expect(missing.status == 26)
        #expect(missing.errors == "formwork: -w: nope: can't be read (No such file or directory)\n")
    }

    @Test("The segments . and .. of a path are left out, as in curl")
    func dotSegments() throws {
        for (path, sent) in [
            ("/a/../b", "/b"), ("/a/%2e%2e/b", "/a/%2e%2e/b"), ("/a/./b/..", "/a/"), ("/..", "/"), ("/a/b/.", "/a/b/"),
            ("/a?x=/../b", "/a?x=/../b"), ("/a/..;/b", "/a/..;/b"), ("", "/"), ("/a//../b", "/a/b"),
            ("/../a/../../b/../c/d/..#/x/../y", "/c/"),
        ] {
            let outcome = try Command.shell("\"$F\" send 'http://h\(path)' -F a=1 --dry-run | head -n 1")
            #expect(outcome.text == "POST \(sent) HTTP/1.1\n", "\(path) \(outcome)")
        }
    }

    @Test("Escapes of a URL aren't escaped again when another character has to be")
    func escapes() throws {
        for (words, path, line) in [
            ("-F a=1", "/o%20k?sig=a%2Bb&name=a b", "POST /o%20k?sig=a%2Bb&name=a%20b HTTP/1.1"),
            ("-F a=1 --url-query 'q=a b' --url-query '+r=%zz'", "/ok", "POST /ok?q=a%20b&r=%25zz HTTP/1.1"),
            ("-F a=1 --url-query '+\u{301}a=b'", "/ok", "POST /ok?%CC%81a=b HTTP/1.1"),
            ("-d a=1", "/100%", "POST /100%25 HTTP/1.1"),
        ] {
            #expect(try self.request(words, path: path).lines[0] == line)
        }
        let folder = Folder()
        try folder.file("post.json", #"{"url": "http://h/b%20é?s=%2B", "fields": {}}"#)
        try folder.file("a.txt", "hi")
        let outcome = try Command.shell(
            "\"$F\" send --presigned post.json -F file=@a.txt --dry-run | head -n 1", in: folder.path)
        #expect(outcome.text == "POST /b%20%C3%A9?s=%2B HTTP/1.1\n", "\(outcome.text)")
    }

    @Test("-T goes on in a later process, and to a tus server as the file")
    func uploadResumed() throws {
        let (folder, store) = (Folder(), try TusStore())
        try folder.sparse("large", 4 << 20)
        let send = "\"$F\" send \(store.url) -T large --resume tus --piece-size 1M --state state -q"
        let outcome = try Command.shell(
            """
            \(send) --limit-rate 1M & S=$!
            for i in $(seq 200); do [ -s state ] && break; sleep 0.05; done; sleep 2; kill -KILL $S; wait $S
            timeout 60 \(send) --json > report; echo "exit $?"; grep -c '"resumptions": 1' report; ls state 2> /dev/null
            """, in: folder.path)
        #expect(outcome.text == "exit 0\n1\n", "\(outcome.errors)")
        #expect(store.uploads.count == 1 && store.uploads.first?.bytes.count == 4 << 20)
        #expect(
            store.uploads.first?.metadata == ["filename": "large", "filetype": "application/octet-stream"])
        let other = try Command.shell(
            """
            rm -f url; "$F" receive in --port 0 > url 2> log & P=$!
            for i in $(seq 200); do [ -s url ] && break; sleep 0.05; done; U=$(cat url)
            timeout 60 "$F" send $U -T large > /dev/null 2> notes; echo "exit $?"; cmp in/large large && echo same
            rm in/large; timeout 60 "$F" send $U -T large --resume tus > /dev/null 2>> notes; echo "exit $?"
            cmp in/large large && echo same; cat notes; kill $P; wait $P
            """, in: folder.path)
        #expect(other.text == "exit 0\nsame\nexit 0\nsame\n", "\(other.errors)")
    }

    @Test(
        "-T resumes an upload to our receiver that is cut, or whose sender is killed",
        arguments: ["ietf", "auto", "tus"])
    func uploadCut(way: String) throws {
        let folder = Folder()
        let port = try LoopbackListener.freePort()
        let relay = try CuttingRelay(to: Int(port), cuts: [3_000_000])
        let outcome = try Command.shell(
            """
            head -c 8000000 /dev/urandom > big.iso; cp big.iso second.iso
            "$F" receive in --port \(port) > url 2> log & P=$!
            until [ -s url ]; do sleep 0.05; done
            "$F" send http://127.0.0.1:\(relay.port)/sub/ -T big.iso --resume \(way) --retry-delay 0.1 --json -q > report
            echo "exit $?"; grep -c '"resumptions": 1' report; grep -Ec '"resumedFrom": [1-9]' report
            send="send http://127.0.0.1:\(port)/sub/ -T second.iso --resume \(way) --state state -q"
            "$F" $send --limit-rate 1M > /dev/null & S=$!; until [ -s state ]; do sleep 0.05; done
            sleep 1; kill -KILL $S; wait $S 2> /dev/null
            "$F" $send --json > report; echo "exit $?"; grep -Ec '"resumedFrom": [1-9]' report
            cmp in/big.iso big.iso && cmp in/second.iso second.iso && echo same; ls in; kill $P; wait $P
            """, in: folder.path)
        #expect(outcome.text == "exit 0\n1\n1\nexit 0\n1\nsame\nbig.iso\nsecond.iso\n", "\(outcome.errors)")
        #expect(relay.brokenCount == 1)
    }

    @Test("A link to a saved upload has the same lock")
    func linkedState() throws {
        let folder = Folder()
        let port = try LoopbackListener.freePort()
        let outcome = try Command.shell(
            """
            head -c 8000000 /dev/urandom > big.iso; mkdir st; ln -s s st/link
            "$F" receive in --port \(port) > url 2> log & P=$!
            until [ -s url ]; do sleep 0.05; done
            send="send http://127.0.0.1:\(port)/ -T big.iso --resume ietf -q"
            "$F" $send --state st/s --limit-rate 1M > /dev/null & S=$!; until [ -s st/s ]; do sleep 0.05; done
            "$F" $send --state st/link > /dev/null; echo "exit $?"; kill -KILL $S $P
            """, in: folder.path)
        #expect(outcome.text == "exit 65\n", "\(outcome.errors)")
        #expect(outcome.errors.contains("another process continues this upload"), "\(outcome.errors)")
    }

    @Test("-d and its relatives send url-encoded parameters")
    func data() throws {
        let folder = Folder()
        try folder.file("p", "a=1\r\n&b=2\n")
        try folder.file("q", "x & y\n")
        let (lines, body) = try self.request(
            "-d c=3 -d @p --data-raw @p --data-urlencode 'ä b=c&d' --data-urlencode n@q --data-urlencode '=1 2'",
            in: folder)
        #expect(lines[0] == "POST / HTTP/1.1" && lines.contains("Content-Type: application/x-www-form-urlencoded"))
        #expect(body == "c=3&a=1&b=2&@p&%C3%A4+b=c%26d&n=x+%26+y%0A&1+2")
        #expect(try self.request("--data-binary @p", in: folder).body == "a=1\r\n&b=2\n")
    }

    @Test("A file that is too large for memory is one for -T")
    func largeData() throws {
        let folder = Folder()
        let result = try Command.shell(
            "truncate -s 257M large; \"$F\" send http://127.0.0.1:1 --data-binary @large", in: folder.path)
        let text = "large has more than 256 MiB, and this option reads into memory: send a larger body with -T"
        #expect(result.status == 63 && result.errors == "formwork: --data-binary: \(text)\n", "\(result.errors)")
    }

    @Test("--data-json sends JSON, after checking it")
    func dataJSON() throws {
        let json = "{\"a\": [1, 2.50, 1e400, 170141183460469231731687303715884105728]}"
        let (lines, body) = try self.request("--data-json '\(json)'")
        #expect(body == json)
        #expect(lines.contains("Content-Type: application/json") && lines.contains("Accept: application/json"))
        let wrong = try Command.run("send", "http://127.0.0.1:1", "--data-json", "{a}")
        #expect(wrong.status == 2 && wrong.errors.hasPrefix("formwork: --data-json: "), "\(wrong.errors)")
    }

    @Test("Parameters in the URL, a User-Agent, cookies")
    func headers() throws {
        let (lines, _) = try self.request(
            "-F a=1 --url-query 'q=ä b' --url-query +r=%20 -A me/1 -b 'x=1; y=2'", path: "/up?p=0#part")
        #expect(lines[0] == "POST /up?p=0&q=%C3%A4%20b&r=%20 HTTP/1.1")
        #expect(lines.contains("User-Agent: me/1") && lines.contains("Cookie: x=1; y=2"))
        #expect(lines.filter { $0.hasPrefix("User-Agent") }.count == 1)
        let file = try Command.run("send", "http://127.0.0.1:1", "-F", "a=1", "-b", "jar.txt")
        #expect(
            file.status == 2
                && file.errors == "formwork: -b: cookie files aren't read: write -b 'name=value; other=value'\n")
    }

    @Test("Two whole bodies are refused")
    func conflicts() throws {
        let result = try Command.run("send", "http://127.0.0.1:1", "-F", "a=1", "-T", "x", "-d", "y")
        #expect(
            result.status == 2
                && result.errors == "formwork: -F and -T and -d each make a whole body: use only one\n")
    }

    @Test("--resolve connects to an address, and the name stays")
    func resolve() throws {
        let receiver = try Receiver()
        let result = try Command.run(
            "send", "http://nowhere.invalid:\(receiver.port)/", "-F", "a=1", "--resolve",
            "Nowhere.invalid:\(receiver.port):127.0.0.1")
        #expect(result.status == 0, "\(result.errors)")
        #expect(receiver.request().head.contains("\r\nHost: nowhere.invalid:\(receiver.port)"))
        let wrong = try Command.run("send", "http://127.0.0.1:1", "-F", "a=1", "--resolve", "x:y")
        #expect(wrong.status == 2 && wrong.errors == "formwork: --resolve x:y: write host:port:address\n")
        let address = try Command.run("send", "http://x:1", "-F", "a=1", "--resolve", "x:1:999.9.9.9")
        #expect(
            address.status == 2
                && address.errors
                    == "formwork: --resolve x:1:999.9.9.9: the address is not one: write an IP address such as 127.0.0.1 or ::1\n"
        )
    }

    @Test("-s, -S, -L and -#")
    func silence() throws {
        let refused = ["send", "http://127.0.0.1:1", "-F", "a=1"]
        let quiet = try Command.shell("\"$F\" \(refused.joined(separator: " ")) -s")
        #expect(quiet.status == 7 && quiet.errors == "")
        let shown = try Command.shell("\"$F\" \(refused.joined(separator: " ")) -sS -L")
        #expect(shown.status == 7 && shown.errors == "formwork: 127.0.0.1:1: no connection (Connection refused)\n")
        let receiver = try Receiver()
        let bar = try Command.run("send", "http://127.0.0.1:\(receiver.port)", "-F", "a=1", "--boundary", "b", "-#")
        #expect(bar.status == 0 && bar.errors.contains("59 B of 59 B"))
    }

    @Test("-w writes variables after the answer, and after a failure")
    func writeOut() throws {
        let receiver = try Receiver(answering: "201 Created\r\nETag: x")
        let result = try Command.run(
            "send", "http://127.0.0.1:\(receiver.port)", "-F", "a=1", "--boundary", "b", "-w",
            "\\n%{http_code} %{size_upload} %{method} %{url_effective} %header{etag} 5%%\\n")
        #expect(result.text == "ok\n201 59 POST http://127.0.0.1:\(receiver.port)/ x 5%\n", "\(result.errors)")
        let failed = try Command.run(
            "send", "http://127.0.0.1:1", "-F", "a=1", "-w", "%{http_code} %{exitcode} %{errormsg}")
        #expect(failed.status == 7 && failed.text == "000 7 127.0.0.1:1: no connection (Connection refused)")
        let second = try Receiver()
        let json = try Command.run(
            "send", "http://127.0.0.1:\(second.port)", "-F", "a=1", "-o", "/dev/null", "-w", "%{json}")
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json.output)) as? [String: Any])
        #expect(object["status"] as? Int == 200)
        let unknown = try Command.run(
            "send", "http://127.0.0.1:1", "-F", "a=1", "-w", "<%{time_namelookup}%{exitcode}>")
        #expect(unknown.status == 7 && unknown.text == "<7>")
        #expect(
            unknown.errors.hasPrefix(
                "formwork: warning: -w: '%{time_namelookup}' isn't known and stays empty: the variables are content_type, "
            ))
        let third = try Receiver(answering: "200 OK\r\nContent-Type: text/plain", text: "hello")
        let sizes = try Command.run(
            "send", "http://127.0.0.1:\(third.port)", "-F", "a=1", "-o", "/dev/null", "-w",
            "%{size_download} %{num_redirects} %{num_retries} %{num_headers} %{content_type} %{scheme}")
        #expect(sizes.text == "5 0 0 3 text/plain http" && sizes.errors == "", "\(sizes)")
    }

    @Test("-w after a redirect: the method and url_effective are the last request's, and url is the first one's")
    func writeOutRedirected() throws {
        let last = try Receiver(after: 1)
        let first = try Receiver(answering: "302 Found\r\nLocation: http://127.0.0.1:\(last.port)/new")
        let result = try Command.run(
            "send", "http://127.0.0.1:\(first.port)/up", "-F", "a=1", "-o", "/dev/null", "-w",
            "%{method} %{url} %{url_effective}")
        #expect(
            result.text == "GET http://127.0.0.1:\(first.port)/up http://127.0.0.1:\(last.port)/new",
            "\(result.errors)")
    }

    @Test("-v shows both heads, without secrets")
    func verbose() throws {
        let receiver = try Receiver(answering: "201 Created\r\nSet-Cookie: s=hidden")
        let result = try Command.run(
            "send", "http://127.0.0.1:\(receiver.port)/up", "-F", "a=1", "--boundary", "b", "-v", "-u", "me:hidden",
            "-H", "X-Api-Key: hidden")
        #expect(result.status == 0 && result.text == "ok")
        #expect(
            result.errors == """
                > POST /up HTTP/1.1
                > Host: 127.0.0.1:\(receiver.port)
                > User-Agent: formwork/0.1.0
                > Accept: */*
                > X-Api-Key: ***
                > Authorization: Basic ***
                > Content-Type: multipart/form-data; boundary=b
                > Content-Length: 59
                >
                < HTTP/1.1 201 Created
                < Set-Cookie: ***
                < Content-Length: 2
                < Connection: close
                <

                """, "\(result.errors)")
    }

    @Test("--dry-run prints the request and the plan, and sends nothing", arguments: ["--dry-run", "--offline"])
    func dryRun(option: String) throws {
        let result = try Command.run(
            "send", "http://127.0.0.1:1/up", "-F", "a=1", "--boundary", "b", option, "-u", "me:hidden")
        #expect(result.status == 0 && result.errors == "")
        #expect(
            result.text.hasPrefix(
                """
                POST /up HTTP/1.1
                Host: 127.0.0.1:1
                User-Agent: formwork/0.1.0
                Accept: */*
                Authorization: Basic ***
                Content-Type: multipart/form-data; boundary=b
                Content-Length: 59

                offset  length
                """), "\(result.text)")
        #expect(result.text.contains("Content-Length: 59\nCan be sent again: yes\n") && !result.text.contains("hidden"))
        let tus = try Command.run("send", "http://127.0.0.1:1/up", "-F", "a=1", "--resume", "tus", option)
        #expect(tus.status == 0 && tus.text.hasPrefix("OPTIONS /up HTTP/1.1\n"), "\(tus.text)")
    }
}
#endif
