#if Transfer
@testable import FormworkCommand
import Foundation
import Testing

/// Where `send` takes credentials from, and who sees them.
@Suite("Credentials", .timeLimit(.minutes(10)))
struct CredentialTests {
    /// The `Authorization` that arrives; `words` follow the URL.
    private func authorization(
        _ words: String, environment: String = "", url user: String = "", in folder: Folder = Folder()
    ) throws -> String? {
        let receiver = try Receiver()
        let result = try Command.shell(
            // Not the shell's last command: setsid in the shell's place would wait for the shell's other children too.
            """
            \(environment) setsid -w "$F" send http://\(user)127.0.0.1:\(receiver.port)/ -F a=1 -q -o /dev/null \(words)
            exit $?
            """, in: folder.path)
        #expect(result.status == 0 && result.errors == "", "\(result.errors)")
        return receiver.request().head.components(separatedBy: "\r\n").first { $0.hasPrefix("Authorization: ") }
    }

    @Test("The environment, a netrc file, the URL, -u and -H, each before the ones in front of it")
    func sources() throws {
        let folder = Folder()
        try folder.file(
            "netrc",
            """
            # a comment
            machine other.example login x password y
            macdef init
            machine 127.0.0.1 login wrong password wrong

            machine 127.0.0.1
              login "a b" password "c\\"d"
            default login d password e

            """)
        try folder.file("headers", "X-One: 1\n\nAuthorization: Bearer from-file\r\n")
        let token = "FORMWORK_TOKEN=t0ken"
        #expect(try self.authorization("", environment: token) == "Authorization: Bearer t0ken")
        #expect(try self.authorization("", environment: "FORMWORK_USER=me:pw") == "Authorization: Basic bWU6cHc=")
        #expect(try self.authorization("", environment: "FORMWORK_TOKEN=") == nil)
        // printf 'a b:c"d' | base64
        let netrc = "--netrc-file netrc"
        #expect(
            try self.authorization(netrc, environment: token, in: folder) == "Authorization: Basic YSBiOmMiZA==")
        #expect(
            try self.authorization("-n", environment: "HOME=$PWD/x; mkdir x; cp netrc x/.netrc; HOME=$HOME", in: folder)
                == "Authorization: Basic YSBiOmMiZA==")
        #expect(try self.authorization(netrc, url: "u:p@", in: folder) == "Authorization: Basic dTpw")
        #expect(try self.authorization("-u me:secret", url: "u:p@") == "Authorization: Basic bWU6c2VjcmV0")
        #expect(
            try self.authorization("-u me:secret -H @headers", environment: token, in: folder)
                == "Authorization: Bearer from-file")
    }

    @Test("A netrc entry without user and password gives no credentials", arguments: ["default", "machine 127.0.0.1"])
    func emptyEntry(entry: String) throws {
        let folder = Folder()
        try folder.file("netrc", entry + "\n")
        #expect(try self.authorization("--netrc-file netrc", in: folder) == nil)
    }

    // The expected values: printf 'a:\u0301b' | base64, and so on.
    @Test(
        "A netrc file is read as curl reads it",
        arguments: [
            ("login a password \u{301}b", "YTrMgWI="), ("login a password \"\u{301}b\"", "YTrMgWI="),
            ("login a password \u{FE0F}b", "YTrvuI9i"), ("login a password b\u{A0}c", "YTpiwqBj"),
            ("login a password b # c", "YTpi"), ("LOGIN a Password b", "YTpi"), ("login a\r\npassword b\r\n", "YTpi"),
            ("login a password \"b\\tc\"", "YTpiCWM="),
        ])
    func netrcBytes(entry: String, expected: String) throws {
        let folder = Folder()
        try folder.file("netrc", "machine 127.0.0.1 \(entry)\n")
        #expect(try self.authorization("--netrc-file netrc", in: folder) == "Authorization: Basic \(expected)")
    }

    @Test("--netrc without HOME names --netrc-file")
    func noHome() throws {
        let result = try Command.shell("HOME= \"$F\" send http://127.0.0.1:1 -F a=1 --netrc")
        #expect(result.status == 2)
        #expect(result.errors == "formwork: --netrc: HOME isn't set: name the file with --netrc-file\n")
    }

    @Test("--cacert with an empty file says that it contains no certificate")
    func emptyTrust() throws {
        let result = try Command.shell("\"$F\" send https://127.0.0.1:1 -F a=1 --cacert /dev/null")
        #expect(result.errors.contains("contains no certificate in PEM"), "\(result.errors)")
    }

    @Test("-H @FILE may be a pipe, and a missing file is named")
    func headerFile() throws {
        #expect(
            try self.authorization("-H @<(echo 'Authorization: Bearer piped')") == "Authorization: Bearer piped")
        let missing = try Command.run("send", "http://127.0.0.1:1", "-F", "a=1", "-H", "@nonexist")
        #expect(missing.status == 26)
        #expect(missing.errors == "formwork: -H @nonexist: can't be read (No such file or directory)\n")
    }

    @Test("What can't be used is refused before anything is sent, and not shown")
    func refused() throws {
        let folder = Folder()
        try folder.file("bad", "machine h login")
        try folder.file("bad2", "# mine\r\nmachine h login a password b\r\nmachine i port 21\n")
        _ = try Command.shell("printf 'machine h login a\\npassword \\344' > bad3", in: folder.path)
        for (words, environment, status, message) in [
            (
                "", "FORMWORK_USER=a:b FORMWORK_TOKEN=c", 2,
                "FORMWORK_USER and FORMWORK_TOKEN are both set: set only one of them"
            ),
            ("", "FORMWORK_USER=secret", 2, "FORMWORK_USER: write user:password"),
            (
                "--netrc-file bad", "", 2,
                "--netrc-file: bad: line 1 is wrong: write machine HOST login USER password PASSWORD"
            ),
            (
                "--netrc-file bad2", "", 2,
                "--netrc-file: bad2: line 3 is wrong: write machine HOST login USER password PASSWORD"
            ),
            ("--netrc-file bad3", "", 2, "--netrc-file: bad3: line 2 isn't UTF-8"),
            ("--netrc-file none", "", 26, "--netrc-file: none: can't be read (No such file or directory)"),
            (
                "-H $'Authorization: se\\ncret'", "", 2,
                "-H 'Authorization: …': a value can't contain line ends or other control characters"
            ),
        ] {
            let result = try Command.shell(
                "\(environment) \"$F\" send http://127.0.0.1:1 -F a=1 \(words)", in: folder.path)
            #expect(result.status == Int32(status) && result.errors == "formwork: \(message)\n", "\(result.errors)")
        }
    }

    @Test(
        "At the password's prompt, the end of input and what isn't UTF-8 are refused",
        arguments: [([4], "no password was typed"), ([0xFF, 10], "the password isn't UTF-8")])
    func promptRefusals(typed: [UInt8], message: String) throws {
        let result = try PseudoTerminal.run(
            "setsid --ctty --wait \"$F\" send http://127.0.0.1:1/ -F a=1 -u me -q; echo exit $?", columns: 200,
            typing: ("Password for me: ", typed))
        #expect(result.text.contains("-u: \(message)") && result.text.contains("exit 2"), "\(result.text)")
    }

    @Test("-u without a password asks on the terminal, which doesn't show it")
    func prompt() throws {
        let receiver = try Receiver()
        let result = try PseudoTerminal.run(
            "setsid --ctty --wait \"$F\" send http://127.0.0.1:\(receiver.port)/ -F a=1 -u me -q", columns: 80,
            typing: ("Password for me: ", Array("s3cret\n".utf8)))
        #expect(result.text.contains("Password for me: ") && !result.text.contains("s3cret"), "\(result.text)")
        // printf me:s3cret | base64
        #expect(receiver.request().head.contains("\r\nAuthorization: Basic bWU6czNjcmV0\r\n"))
    }

    @Test(
        "Credentials follow a redirect to another origin only with --location-trusted",
        arguments: [
            ("", [] as [String]),
            ("--location-trusted", ["Authorization: Basic bWU6cHc=", "Cookie: a=b", "X-Api-Key: k"]),
        ])
    func otherOrigin(option: String, followed: [String]) throws {
        let second = try Receiver()
        let target = "http://127.0.0.1:\(second.port)/x"
        let first = try Receiver(answering: "307 Temporary Redirect\r\nLocation: \(target)")
        let result = try Command.shell(
            """
            "$F" send http://127.0.0.1:\(first.port)/ \(option) -F a=1 -u me:pw -b a=b -H 'X-Api-Key: k' -q
            """)
        #expect(result.status == 0 && result.text == "ok", "\(result.errors)")
        let secrets = ["authorization", "cookie", "x-api-key"]
        func credentials(_ head: String) -> [String] {
            head.components(separatedBy: "\r\n")
                .filter { line in secrets.contains { line.lowercased().hasPrefix($0 + ":") } }.sorted()
        }
        let all = ["Authorization: Basic bWU6cHc=", "Cookie: a=b", "X-Api-Key: k"]
        #expect(credentials(first.request().head) == all)
        let head = second.request().head
        #expect(credentials(head) == followed && head.hasPrefix("POST /x "), "\(head)")
        #expect(head.contains("\r\nHost: 127.0.0.1:\(second.port)"))
    }

    @Test("The list of processes doesn't show them")
    func processList() throws {
        // Nobody answers there, so that the command waits.
        let silent = try Receiver(answering: "200 OK", after: 1_000_000)
        let result = try Command.shell(
            """
            "$F" send "http://u:hidden1@127.0.0.1:\(silent.port)/?token=hidden6&n=shown&api_key=hidden7#end" \
              -F a=shown -u me:hidden2 --user=me:hidden3 --url-query sig=hidden8 --url-query=secret=hidden9 \
              -H 'Authorization: hidden4' -H 'X-Api-Key: hidden5' -H 'X-Other: shown' -x '' -q & P=$!
            ready() { readlink /proc/$P/exe | grep -q transfer && ! grep -q hidden /proc/$P/cmdline; }
            until ready || ! kill -0 $P; do sleep 0.05; done
            tr '\\0' ' ' < /proc/$P/cmdline; kill $P; wait $P
            """)
        #expect(!result.text.contains("hidden"), "\(result.text)")
        #expect(result.text.contains("-F a=shown ") && result.text.contains("X-Other: shown"), "\(result.text)")
        #expect(result.text.contains("http://*********@127.0.0.1:"), "\(result.text)")
        #expect(result.text.contains("/?token=*******&n=shown&api_key=*******#end "), "\(result.text)")
        #expect(result.text.contains("--url-query sig=******* --url-query=secret=******* "), "\(result.text)")
    }

    @Test func `-v and --dry-run mask URLs, and --json doesn't`() throws {
        let location = "Location: http://u:hidden1@h.example/?Signature=hidden2&n=shown"
        let receiver = try Receiver(answering: "201 Created\r\n\(location)\r\nLink: <http://a:hidden3@b/>; rel=next")
        let query = "?a=shown&access_token=hidden4&X-Amz-Signature=hidden5&key=&monkey=shown#end"
        let result = try Command.run("send", "http://127.0.0.1:\(receiver.port)/\(query)", "-F", "a=1", "-v", "--json")
        #expect(result.status == 0 && !result.errors.contains("hidden"), "\(result.errors)")
        let path = "/?a=shown&access_token=***&X-Amz-Signature=***&key=&monkey=shown"
        #expect(result.errors.contains("> POST \(path) HTTP/1.1\n"))
        #expect(result.errors.contains("< Location: http://***@h.example/?Signature=***&n=shown\n"))
        #expect(result.errors.contains("< Link: <http://***@b/>; rel=next\n"), "\(result.errors)")
        #expect(result.text.contains("access_token=hidden4") && result.text.contains("u:hidden1@h.example"))
        let dry = try Command.run("send", "http://h.example/\(query)", "-F", "a=1", "--dry-run")
        #expect(dry.text.contains("&access_token=***&") && !dry.text.contains("hidden"), "\(dry.text)")
    }

    @Test("Which bytes of the arguments are secrets")
    func secretRanges() {
        let words = [
            "send", "https://me:pw@h/?a=b@c", "-u", "me:pw", "--user=x", "-uy:z", "-H", "Cookie: a=b",
            "-HX-Auth-Token: 1",
            "--header=Accept: */*", "-H", "X-Author: me", "--proxy", "http://p:q@proxy", "-F", "u=me:pw", "a@b",
            "-sSuv:w", "-qu", "n:o", "-vHCookie: c=d", "-sH", "Authorization: e", "-bk=l", "-XPUT", "-xhttp://r:s@p",
            "h.example/?access_token=t1&a=b", "https://a:b@h/?key=&Signature=t2&jwt=t3", "--url-query", "token=t4",
            "--url-query=session_id=t5", "--url-query", "name=shown", "-F", "note=?monkey=1",
        ]
        let found = SecretArguments.ranges(in: words).map { index, range in
            String(decoding: Array(words[index].utf8)[range], as: UTF8.self)
        }
        #expect(
            found == [
                "me:pw", "me:pw", "x", "y:z", " a=b", " 1", "p:q", "a", "v:w", "n:o", " c=d", " e", "k=l", "r:s", "t1",
                "a:b", "t2", "t3", "t4", "t5",
            ])
    }
}
#endif
