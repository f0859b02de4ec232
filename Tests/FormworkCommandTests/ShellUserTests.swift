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
        let receiver = try Receiver()
        let result = try Command.shell(
            """
            printf 'machine 127.0.0.1 login aa password a\\nmachine 127.0.0.1 login bb password pw\\n' > netrc
            "$F" send http://bb@127.0.0.1:\(receiver.port)/ -F a=1 --netrc-file netrc -q
            """)
        #expect(result.status == 0, "\(result.errors)")
        // printf bb:pw | base64
        #expect(receiver.request().head.contains("\r\nAuthorization: Basic YmI6cHc=\r\n"))
    }

    @Test("A URL's own password, and a user without an entry, are sent as they are")
    func netrcOfOthers() throws {
        // printf bb:own, printf cc: | base64
        for (user, field) in [("bb:own", "YmI6b3du"), ("cc", "Y2M6")] {
            let receiver = try Receiver()
            let result = try Command.shell(
                """
                printf 'machine 127.0.0.1 login bb password pw\\n' > netrc
                "$F" send http://\(user)@127.0.0.1:\(receiver.port)/ -F a=1 --netrc-file netrc -q
                """)
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
        #expect(
            other.errors
                == "formwork: the server answered 401 Unauthorized: give a login that it accepts, with -u USER:PASSWORD or FORMWORK_TOKEN in the environment\n"
        )
    }

    @Test("localhost is reached at ::1, and a zone of the loopback is resolved")
    func loopbackOfVersion6() throws {
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
            """)
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
}
