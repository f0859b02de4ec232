import Foundation
import TestSupport
import Testing

/// What users of curl and of other shell tools expect of `send`.
@Suite("send, as users of a shell expect it", .timeLimit(.minutes(10)))
struct ShellUserTests {
    @Test("--json and -w are about the upload, not about the page after it", arguments: ["302 Found", "303 See Other"])
    func pageAfterUpload(status: String) throws {
        for options in ["-F a=1", "-F a=1 --resume auto"] {
            let page = try Receiver(after: 1, text: "thanks")
            let first = try Receiver(
                raw: "HTTP/1.1 \(status)\r\nLocation: http://127.0.0.1:\(page.port)/\r\nContent-Length: 0\r\n\r\n")
            let result = try Command.shell(
                "\"$F\" send http://127.0.0.1:\(first.port)/ \(options) --boundary b -w '%{json}%{size_upload}' -o /dev/null"
            )
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.text.contains("\"bytesSent\": 59,"), "\(result.text)")
            #expect(result.text.contains("\"isBodyComplete\": true,"), "\(result.text)")
            #expect(result.text.hasSuffix("}\n59"), "\(result.text)")
        }
    }

    @Test("A status above 599 is an error of the server, whose text is shown", arguments: ["600 Odd", "999 Denied"])
    func unknownStatus(status: String) throws {
        let receiver = try Receiver(answering: status, text: "why")
        let result = try Command.run("send", "http://127.0.0.1:\(receiver.port)/", "-F", "a=1")
        #expect(result.status == 22 && result.text == "why", "\(result.errors)")
        #expect(result.errors == "formwork: the server answered \(status.prefix(3))\n")
    }

    @Test("netrc has the password of the URL's user")
    func netrcOfUser() throws {
        let folder = Folder()
        let receiver = try Receiver()
        let result = try Command.shell(
            """
            printf 'machine 127.0.0.1 login aa password a\\nmachine 127.0.0.1 login bb password pw\\n' > netrc
            "$F" send http://bb@127.0.0.1:\(receiver.port)/ -F a=1 --netrc-file netrc -q
            """, in: folder.path)
        #expect(result.status == 0, "\(result.errors)")
        // printf bb:pw | base64
        #expect(receiver.request().head.contains("\r\nAuthorization: Basic YmI6cHc=\r\n"))
    }

    @Test("A URL's own password, and a user without an entry, are sent as they are")
    func netrcOfOthers() throws {
        let folder = Folder()
        // printf bb:own, printf cc: | base64
        for (user, field) in [("bb:own", "YmI6b3du"), ("cc", "Y2M6")] {
            let receiver = try Receiver()
            let result = try Command.shell(
                """
                printf 'machine 127.0.0.1 login bb password pw\\n' > netrc
                "$F" send http://\(user)@127.0.0.1:\(receiver.port)/ -F a=1 --netrc-file netrc -q
                """, in: folder.path)
            #expect(result.status == 0, "\(result.errors)")
            #expect(receiver.request().head.contains("\r\nAuthorization: Basic \(field)\r\n"))
        }
    }

    @Test("A 401 that asks only for Digest says so")
    func digest() throws {
        let asks =
            "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Digest realm=\"r\", nonce=\"n\"\r\nContent-Length: 0\r\n\r\n"
        let receiver = try Receiver(raw: asks)
        let result = try Command.run("send", "http://127.0.0.1:\(receiver.port)/", "-F", "a=1")
        #expect(
            result.errors
                == "formwork: the server answered 401 Unauthorized: it asks for Digest, which isn't supported: use Basic (-u) or a token\n"
        )
        let both = try Receiver(
            raw:
                "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Digest realm=\"r\", Basic realm=\"r\"\r\nContent-Length: 0\r\n\r\n"
        )
        let other = try Command.run("send", "http://127.0.0.1:\(both.port)/", "-F", "a=1")
        #expect(other.errors == "formwork: the server answered 401 Unauthorized\n")
    }

    @Test("Folders that a pattern matches are named, and not lost")
    func patternWithFolders() throws {
        let folder = Folder()
        let result = try Command.shell(
            "mkdir -p rec/sub; echo a > rec/a; \"$F\" plan -F 'f=@rec/*' > /dev/null", in: folder.path)
        #expect(result.status == 0)
        #expect(
            result.errors
                == "formwork: warning: rec/sub is a folder, and isn't sent: --recursive sends the files in it\n")
    }

    @Test("-H @FILE skips comments, and warns of other lines without a colon")
    func headerFile() throws {
        let folder = Folder()
        let result = try Command.shell(
            """
            printf '# mine\\nX-A: 1\\n\\nsecret\\n#X-B: 2\\n' > fields
            "$F" send http://h/ -F a=1 -H @fields --dry-run | grep -c '^X-'
            """, in: folder.path)
        #expect(result.text == "1\n")
        #expect(result.errors == "formwork: warning: -H @fields: line 4 isn't 'Name: value', and isn't sent\n")
    }

    @Test("--files-from sends each file of a list, which has lines, or ends each path with NUL")
    func filesFrom() throws {
        let folder = Folder()
        let result = try Command.shell(
            """
            mkdir d; echo a > d/a; echo b > 'd/b c'; printf 'd/a\\r\\nd/b c\\n\\n' > lines; printf 'd/a\\0d/b c\\0' > nuls
            for list in logs=lines nuls; do
              "$F" body -F t=1 --files-from $list --boundary b | grep -ao 'name=.*' | tr -d '\\r'
            done
            "$F" body -0 --files-from - --boundary b < nuls | grep -ac filename
            : > none; "$F" body --files-from none; echo $?; echo nope | "$F" body --files-from -; echo $?
            """, in: folder.path)
        #expect(
            result.text == """
                name="t"
                name="logs"; filename="a"
                name="logs"; filename="b c"
                name="t"
                name="file"; filename="a"
                name="file"; filename="b c"
                2
                26
                26

                """, "\(result.errors)")
        #expect(result.errors.contains("formwork: --files-from none: the list has no path\n"), "\(result.errors)")
        #expect(result.errors.contains("formwork: --files-from -: nope can't be read"), "\(result.errors)")
    }

    @Test("A FIFO or device may have ;length=, a file may not")
    func declaredLength() throws {
        let folder = Folder()
        let result = try Command.shell(
            """
            "$F" headers -F 'f=@/dev/zero;length=5;type=a/b' --boundary b | grep Length
            "$F" body -F 'f=@/dev/zero;length=5;type=a/b;filename=z' --boundary b | tr -d '\\0' | wc -c
            "$F" body -F f=@<(printf hello)';length=5;filename=z' --boundary b | grep -c hello
            "$F" body -F f=@<(printf hello)';length=4;filename=z' --boundary b > /dev/null; echo $?
            echo x > file; "$F" headers -F 'f=@file;length=1'; echo $?
            """, in: folder.path)
        #expect(result.text == "Content-Length: 99\n91\n1\n26\n2\n", "\(result.errors)")
        #expect(
            result.errors.contains(
                "-F 'f=@file;length=1': length= is for standard input, FIFOs and devices: a file has a length"),
            "\(result.errors)")
    }

    @Test("localhost is reached at ::1, and a zone of the loopback is resolved")
    func loopbackOfVersion6() throws {
        let folder = Folder()
        let result = try Command.shell(
            """
            python3 -c 'import socket
            server = socket.socket(socket.AF_INET6); server.bind(("::1", 0)); server.listen()
            print(server.getsockname()[1], flush=True)
            for _ in range(3):
                client = server.accept()[0]; client.recv(9999)
                client.sendall(b"HTTP/1.1 204 None\\r\\n\\r\\n"); client.close()' > port & S=$!
            until [ -s port ]; do sleep 0.05; done; P=$(cat port)
            for host in localhost a.localhost '[::1%25lo]'; do "$F" send http://$host:$P/ -F a=1 -q; echo $?; done
            kill $S
            """, in: folder.path)
        #expect(result.text == "0\n0\n0\n", "\(result.errors)")
    }

    @Test("--presigned - is standard input")
    func presignedInput() throws {
        let receiver = try Receiver(answering: "204 No Content")
        let policy = "{\"url\": \"http://127.0.0.1:\(receiver.port)/\", \"fields\": {\"key\": \"k\"}}"
        let folder = Folder()
        try folder.file("f", "x")
        let result = try Command.run(
            "send", "--presigned", "-", "-F", "file=@f", "-q", input: Array(policy.utf8), in: folder.path)
        #expect(result.status == 0, "\(result.errors)")
        #expect(String(decoding: receiver.request().body, as: UTF8.self).contains("name=\"key\"\r\n\r\nk\r\n"))
    }

    @Test("A part is written to a device, or into an existing file with --overwrite")
    func extractToDevice() throws {
        let folder = Folder()
        let result = try Command.shell(
            """
            "$F" body -F a=1 -F b=two --boundary x > body
            "$F" extract body --part '#2' --to /dev/null; echo $?
            mkfifo fifo; cat fifo > copy & "$F" extract body --part b --to fifo; wait; cat copy; echo
            "$F" extract body --to /dev/null; echo $?
            echo old > file; "$F" extract body --part b --to file; echo $?
            "$F" extract body --part b --to file --overwrite; cat file; echo
            """, in: folder.path)
        #expect(result.text == "0\ntwo\n2\n23\nfile\ntwo\n", "\(result.errors)")
    }

    @Test("A cut HAR file is called that")
    func cutArchive() throws {
        let result = try Command.run(
            "inspect", input: Array("{\"log\": {\"entries\": [{\"request\": {\"url\": \"h".utf8))
        #expect(result.status == 70)
        #expect(
            result.errors.hasPrefix("formwork: standard input: the HAR file is cut, so save it again: "),
            "\(result.errors)")
    }

    @Test(
        "Words of curl's and HTTPie's habits are answered with what to write",
        arguments: [
            (
                "https://example.com/ -F a=b",
                "no verb before https://example.com/: write formwork send https://example.com/ -F …"
            ),
            ("-X POST https://h/", "no verb before '-X': write formwork send URL -F …"),
            ("send h X-Token:secret", "'X-Token:…' isn't an option: write -H 'X-Token: …'"),
            ("send h q==v", "'q==…' isn't an option: write --url-query q=v"),
            ("send h a:=1", "'a:=…' isn't an option: write --data-json '{\"a\": 1}'"),
            ("send h a=b", "'a=…' isn't an option: write -F a=b"),
            ("send h f@x.txt", "'f@…' isn't an option: write -F f=@x.txt"),
            ("send POST h", "the method is an option: -X POST"),
            ("send :8080/path -F a=b", ":8080/path: the host is missing: write localhost:8080/path"),
            (
                "send h -F f=@my,file",
                "-F f=@my,file: my can't be read (No such file or directory): if ',' belongs to the path, write 'f=@\"my,file\"'"
            ),
            ("send h -Y 1 -F a=b", "unknown option '-Y': --stall-timeout TIME ends a transfer that makes no progress"),
        ])
    func hints(words: String, message: String) throws {
        let folder = Folder()
        let result = try Command.shell("\"$F\" \(words)", in: folder.path)
        #expect(result.status == 2 || result.status == 26)
        #expect(result.errors.split(separator: "\n").first.map(String.init) == "formwork: \(message)")
    }
}
