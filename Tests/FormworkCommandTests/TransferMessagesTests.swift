#if Transfer
import Foundation
import TestSupport
import Testing

/// What `send` and `receive` say of what is wrong: the option, the file, and what to do, in no library's words.
@Suite("send and receive say what is wrong", .timeLimit(.minutes(10)))
struct TransferMessagesTests {
    /// - Returns: The lines on standard error, and what is on standard output.
    private func run(_ script: String, _ prepare: (Folder) throws -> Void = { _ in }) throws -> Outcome {
        let folder = Folder()
        try prepare(folder)
        let outcome = try Command.shell(
            """
            unset http_proxy https_proxy HTTPS_PROXY all_proxy ALL_PROXY no_proxy NO_PROXY
            send() { "$F" send "$@"; echo $?; }
            receive() { timeout 60 "$F" receive --dir in --port 0 "$@"; echo $?; }
            \(script)
            """, in: folder.path)
        #expect(!outcome.errors.contains("Domain"), "\(outcome.errors)")
        return outcome
    }

    @Test("A state that can't be used")
    func state() throws {
        let outcome = try self.run(
            """
            echo '{"key":"' > cut; send http://127.0.0.1:1 -F a=1 --state cut
            : > empty; send http://127.0.0.1:1 -F a=1 --state empty --retry 0
            send http://127.0.0.1:1 -F 'f=@-;filename=x' --state state < /dev/null
            """)
        #expect(outcome.text == "26\n7\n65\n")
        #expect(
            outcome.errors == """
                formwork: cut: isn't an upload's state, or is damaged: name another file, or delete it
                formwork: the connection broke before the server answered; 1 try made no progress (127.0.0.1:1: no \
                connection (Connection refused))
                formwork: --state: part 1 "f": a later process can't read this content again: use a file, without \
                --snapshot, or leave out --state

                """)
    }

    @Test("A process that may open too few files says so, instead of crashing")
    func fewFiles() throws {
        let outcome = try self.run(
            """
            ulimit -n 12
            "$F" send http://127.0.0.1:1 -F a=1; echo $?
            timeout 20 "$F" receive . --port 0; echo $?
            """)
        #expect(outcome.text == "71\n71\n")
        let line = "formwork: this process may have 12 files open (ulimit -n): it needs 64 or more\n"
        #expect(outcome.errors == line + line)
    }

    @Test("A path that is too long for a Unix socket is called that")
    func longSocketPath() throws {
        let path = "/" + String(repeating: "s", count: 120)
        let result = try Command.run(
            "send", "http://h/", "-F", "a=1", "--unix-socket", path, "--retry", "0")
        #expect(result.status == 7, "\(result.errors)")
        #expect(result.errors.hasSuffix("the path is too long for a Unix socket\n"), "\(result.errors)")
    }

    @Test("An empty name of a file is refused, with its option")
    func emptyNames() throws {
        let outcome = try self.run(
            """
            U=http://127.0.0.1:1; one() { "$F" "$@" 2>&1 | head -n 1; echo ${PIPESTATUS[0]}; }
            one send $U -F a=1 --state ''
            one send $U -F a=1 --state-dir ''
            one send $U -F a=1 -o ''
            one send $U -T ''
            one send $U -d @
            one send $U --data-json @
            one send $U --data-urlencode a@
            one send --presigned '' -F f=@x
            one body -F a=1 -o ''
            one extract x --to ''
            one receive --dir '' --port 0
            one receive --to ''
            one receive --dir in --resume-dir '' --port 0
            ls -A
            """)
        let options = [
            "--state", "--state-dir", "-o", "-T", "-d", "--data-json", "--data-urlencode", "--presigned", "-o", "--to",
            "--dir", "--to", "--resume-dir",
        ]
        #expect(outcome.text == options.map { "formwork: \($0): the path is empty\n2\n" }.joined())
    }

    @Test("A time-out is named as it was given")
    func timeout() throws {
        let receiver = try Receiver(after: 1_000_000)
        let outcome = try self.run("send http://127.0.0.1:\(receiver.port) -F a=b --boundary b -m 1")
        #expect(outcome.text == "28\n")
        #expect(outcome.errors == "formwork: not finished within the allowed 1 second [59 bytes sent]\n")
    }

    @Test("Options that stand for headers are named in their errors")
    func habits() throws {
        let outcome = try self.run(
            """
            send http://127.0.0.1:1 -F a=b -A $'a\\nb'
            send http://127.0.0.1:1 -F a=b -b $'a=secret\\nb'
            """)
        #expect(outcome.text == "2\n2\n")
        #expect(
            outcome.errors == """
                formwork: -A: a value can't contain line ends or other control characters
                formwork: -b: a value can't contain line ends or other control characters

                """)
    }

    @Test("An answer that isn't HTTP")
    func notHTTP() throws {
        let garbage = try Receiver(raw: "SSH-2.0-OpenSSH_9.2\r\n\r\n")
        // What OpenSSL answers to a plain request: an alert, with the reason "unexpected message" (10).
        let tls = try Receiver(raw: "\u{15}\u{3}\u{3}\0\u{2}\u{2}\u{A}")
        let cut = try Receiver(raw: "HTTP/1.1 200 OK\r\nX-A: b\r\n")
        let chunk = try Receiver(raw: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnope\r\n")
        let outcome = try self.run(
            """
            send http://127.0.0.1:\(garbage.port) -F a=b --boundary b
            send http://127.0.0.1:\(tls.port) -F a=b --boundary b
            send http://127.0.0.1:\(cut.port) -F a=b --boundary b
            send http://127.0.0.1:\(chunk.port) -F a=b --boundary b -q
            """)
        #expect(outcome.text == "56\n56\n56\n56\n")
        #expect(
            outcome.errors == """
                formwork: the server's answer isn't HTTP [59 bytes sent]
                formwork: the server speaks TLS on this port: write https:// and not http:// [59 bytes sent]
                formwork: the connection ended inside the head of the server's answer [59 bytes sent]
                formwork: the server's answer isn't HTTP: its body is malformed

                """)
    }

    @Test("A server that doesn't speak HTTP/2 is named")
    func noHTTP2() throws {
        for _ in 0..<10 {
            let receiver = try Receiver(raw: "HTTP/1.1 400 No\r\n\r\n", after: 10)
            let outcome = try self.run(
                "send http://127.0.0.1:\(receiver.port) -F a=b --http2-prior-knowledge")
            #expect(outcome.text == "56\n")
            #expect(outcome.errors == "formwork: 127.0.0.1: the server doesn't speak HTTP/2\n")
        }
    }

    @Test("-v shows which version of HTTP an informational answer has")
    func informedByHTTP2() throws {
        // SETTINGS, the heads of 103 and of 204.
        let frames =
            "\0\0\0\u{4}\0\0\0\0\0" + "\0\0\u{5}\u{1}\u{4}\0\0\0\u{1}\u{8}\u{3}103"
            + "\0\0\u{5}\u{1}\u{5}\0\0\0\u{1}\u{8}\u{3}204"
        let receiver = try Receiver(raw: frames, after: 150)
        let outcome = try self.run("send http://127.0.0.1:\(receiver.port) -F a=b --http2-prior-knowledge -v")
        #expect(outcome.text == "0\n", "\(outcome.errors)")
        let heads = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("< HTTP") }
        #expect(heads == ["< HTTP/2 103", "< HTTP/2 204"], "\(outcome.errors)")
    }

    @Test("What ends an exchange of HTTP/2 has the code that the server sent")
    func endsOfHTTP2() throws {
        let settings = "\0\0\0\u{4}\0\0\0\0\0"
        let half = "\0\0\u{5}\u{1}\u{4}\0\0\0\u{1}\u{8}\u{3}200" + "\0\0\u{3}\0\0\0\0\0\u{1}abc"
        /// - Parameter last: The last stream that the server answers.
        func goAway(_ last: String, _ code: String) -> String {
            "\0\0\u{8}\u{7}\0\0\0\0\0\0\0\0\(last)\0\0\0\(code)"
        }
        func reset(_ code: String) -> String { "\0\0\u{4}\u{3}\0\0\0\0\u{1}\0\0\0\(code)" }
        for (frames, message) in [
            (goAway("\0", "\u{2}"), "the connection ended before the server answered (GOAWAY: INTERNAL_ERROR)"),
            (goAway("\0", "\0"), "the connection ended before the server answered (GOAWAY: NO_ERROR)"),
            (goAway("\u{1}", "\u{B}"), "the connection ended before the server answered (GOAWAY: ENHANCE_YOUR_CALM)"),
            (reset("\u{B}"), "the server reset the stream before it answered (ENHANCE_YOUR_CALM)"),
            (reset("\u{20}"), "the server reset the stream before it answered (HTTP/2 error 32)"),
            (half + reset("\u{2}"), "the server reset the stream inside the answer (INTERNAL_ERROR)"),
            (half + goAway("\0", "\u{2}"), "the connection ended inside the answer (GOAWAY: INTERNAL_ERROR)"),
        ] {
            let receiver = try Receiver(raw: settings + frames, after: 150)
            let outcome = try self.run(
                "send http://127.0.0.1:\(receiver.port) -F a=b --boundary b --http2-prior-knowledge -o answer")
            #expect(outcome.text == "56\n")
            let said = outcome.errors.split(separator: " [", maxSplits: 1).first.map { $0.split(separator: "\n") }
            #expect(said == ["formwork: \(message)"], "\(outcome.errors)")
        }
    }

    @Test("A tunnel whose first bytes aren't TLS is one error, with the proxy's head or after it")
    func tunnelWithoutTLS() throws {
        for (rest, pause) in [
            ("SSH-2.0-OpenSSH_9.2\r\n", nil), ("SSH-2.0-OpenSSH_9.2\r\n", 300_000),
            ("HTTP/1.1 400 Bad Request\r\n\r\n", nil), ("HTTP/1.1 400 Bad Request\r\n\r\n", 300_000),
        ] as [(String, UInt32?)] {
            let listener = try LoopbackListener()
            defer { listener.stop() }
            Thread.detachNewThread {
                guard let connection = listener.accept() else { return }
                var buffer = [UInt8](repeating: 0, count: 4096)
                _ = recv(connection, &buffer, buffer.count, 0)
                var answer = Array("HTTP/1.1 200 Established\r\n\r\n".utf8)
                if let pause {
                    _ = send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
                    usleep(pause)
                    answer = []
                }
                answer += Array(rest.utf8)
                _ = send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
                shutdown(connection, Int32(SHUT_WR))
                while recv(connection, &buffer, buffer.count, 0) > 0 {}
                close(connection)
            }
            let outcome = try self.run(
                "send https://x.invalid -F a=b -x http://127.0.0.1:\(listener.port)")
            #expect(outcome.text == "35\n", "\(rest)")
            #expect(
                outcome.errors == "formwork: x.invalid: doesn't use TLS (wrong version number)\n", "\(outcome.errors)")
        }
    }

    @Test("The lock of a killed process goes with the next upload of its folder")
    func staleLock() throws {
        let receiver = try Receiver()
        let outcome = try self.run(
            """
            mkdir states; echo x > f; : > states/0123.json.lock; : > states/4567.json.lock
            exec 9< states/4567.json.lock; flock -n 9
            send http://127.0.0.1:\(receiver.port) -F f=@f --state-dir states -q; ls states
            """)
        #expect(outcome.text == "ok0\n4567.json.lock\n")
    }

    @Test("Certificates and keys that can't be used")
    func certificates() throws {
        guard try Command.shell("command -v openssl").status == 0 else { return }
        let outcome = try self.run(
            """
            make() { openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout k$1 -out c$1 -subj /CN=a -days 2 2> /dev/null; }
            make 1; make 2; openssl pkey -in k1 -aes128 -passout pass:x -out locked; echo text > text
            receive --tls-cert nope --tls-key nope
            receive --tls-cert text --tls-key k1
            receive --tls-cert c1 --tls-key nope
            receive --tls-cert c1 --tls-key text
            receive --tls-cert c1 --tls-key locked
            receive --tls-cert c1 --tls-key k2
            U=https://127.0.0.1:1
            send $U -F a=1 --cert nope
            send $U -F a=1 --cert c1
            send $U -F a=1 --cert c1 --key nope
            send $U -F a=1 --cert c1 --key locked
            send $U -F a=1 --cert c1 --key k2
            send $U -F a=1 --cacert nope
            """)
        #expect(outcome.text == "26\n2\n26\n2\n2\n2\n58\n58\n58\n58\n58\n77\n")
        let encrypted = "the private key is encrypted: decrypt it, as with 'openssl pkey -in KEY -out PLAIN'"
        #expect(
            outcome.errors == """
                formwork: --tls-cert nope: can't be read (No such file or directory)
                formwork: --tls-cert text: contains no certificate in PEM (-----BEGIN CERTIFICATE-----)
                formwork: --tls-key nope: can't be read (No such file or directory)
                formwork: --tls-key text: contains no private key in PEM (-----BEGIN PRIVATE KEY-----)
                formwork: --tls-key locked: \(encrypted)
                formwork: --tls-cert, --tls-key: c1 and k2 can't be used together: the key belongs to another \
                certificate, or one of the two is damaged
                formwork: --cert nope: can't be read (No such file or directory)
                formwork: --cert c1: contains no private key in PEM (-----BEGIN PRIVATE KEY-----)
                formwork: --key nope: can't be read (No such file or directory)
                formwork: --key locked: \(encrypted)
                formwork: --cert, --key: the certificate and its private key can't be used: the key belongs to \
                another certificate, or one of the two is damaged
                formwork: --cacert nope: can't be read (No such file or directory)

                """)
    }

    @Test("What receive can't use")
    func receive() throws {
        let outcome = try self.run(
            """
            echo text > text; receive --resume-dir text
            timeout 60 "$F" receive --dir /proc/x --port 0; echo $?
            timeout 60 "$F" receive --dir text/x --port 0; echo $?
            timeout 60 "$F" receive --dir text --port 0; echo $?
            timeout 60 "$F" receive --dir no/such --port 0; echo $?
            mkdir -p closed own/.formwork-resumable; chmod 777 own; chmod 555 closed own/.formwork-resumable; chmod 755 .
            as=; [ "$(id -u)" != 0 ] || as='setpriv --reuid=65534 --regid=65534 --clear-groups'
            timeout -s KILL 60 $as "$F" receive own --resume-dir closed --port 0; echo $?
            timeout -s KILL 60 $as "$F" receive own --port 0; echo $?
            mkdir served outside; ln -s ../outside served/.formwork-resumable; timeout 60 "$F" receive served --port 0; echo $?
            unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_PROFILE; export HOME=$PWD
            timeout 60 "$F" receive --to http://x; echo $?
            """)
        #expect(outcome.text == "23\n23\n23\n23\n23\n23\n23\n23\n2\n")
        #expect(
            outcome.errors == """
                formwork: text: can't be used as a folder for uploads (Not a directory)
                formwork: /proc/x: can't be created: name another folder (No such file or directory)
                formwork: text/x: can't be created: name another folder (Not a directory)
                formwork: text: can't be used as a folder: name another (Not a directory)
                formwork: no/such: can't be created, because its parent folder no doesn't exist: create no first (No such file or \
                directory)
                formwork: closed: can't be written (Permission denied)
                formwork: own/.formwork-resumable: can't be written (Permission denied)
                formwork: served/.formwork-resumable: isn't a folder, but unfinished uploads need one: remove it, or give \
                --resume-dir
                formwork: --to http://x: is not s3://bucket/prefix

                """)
    }

    @Test("A server whose address can't be written stops; one whose reader went away later doesn't")
    func address() throws {
        let outcome = try self.run(
            """
            timeout 60 "$F" receive --dir in --port 0 > /dev/full; echo $?
            timeout 60 "$F" receive --dir in --port 0 >&-; echo $?
            mkfifo fifo; "$F" receive --dir in --port 0 > fifo 2> log & P=$!
            head -n 1 < fifo > url; "$F" send "$(cat url)" -F a=b -o answer; echo $?
            kill -TERM $P; wait $P; echo $?
            """)
        #expect(outcome.text == "23\n23\n0\n0\n")
        #expect(
            outcome.errors == """
                formwork: the address can't be written to standard output (No space left on device)
                formwork: the address can't be written to standard output (Bad file descriptor)

                """)
    }

    @Test("An address in brackets, as URLs have it")
    func brackets() throws {
        guard try Command.shell("grep -q 1 /proc/net/if_inet6").status == 0 else { return }
        let outcome = try self.run(
            """
            "$F" receive --dir in --port 0 --host '[::1]' > url 2> log & P=$!
            until [ -s url ] || ! kill -0 $P 2> /dev/null; do sleep 0.05; done
            grep -c '^http://\\[::1\\]:' url; kill -TERM $P; wait $P
            """)
        #expect(outcome.text == "1\n")
    }

    @Test("An answer that can't be written is told, and a closed descriptor is nobody else's")
    func output() throws {
        for (redirection, words, reason) in [
            (">&-", "", "Bad file descriptor"), ("> /dev/full", "", "No space left on device"),
            ("> /dev/full", "--json", "No space left on device"), ("<&- >&-", "", "Bad file descriptor"),
        ] {
            let receiver = try Receiver()
            let outcome = try self.run(
                "\"$F\" send http://127.0.0.1:\(receiver.port) -F a=1 --boundary b \(words) \(redirection); exit $?"
            )
            #expect(outcome.status == 23)
            #expect(
                outcome.errors == "formwork: the answer can't be written to standard output (\(reason))\n",
                "\(redirection) \(words)")
            #expect(receiver.request().body.count == 59)
        }
        let receiver = try Receiver()
        let silent = try self.run(
            "\"$F\" send http://127.0.0.1:\(receiver.port) -F a=1 --boundary b <&- >&- 2>&-; echo $?")
        #expect(silent.text == "23\n" && receiver.request().body.count == 59)
    }

    @Test("A proxy of the environment's is named by its variable")
    func proxies() throws {
        let outcome = try self.run(
            """
            http_proxy=socks5://h send http://x.invalid -F a=1
            http_proxy=http://127.0.0.1:1 send http://x.invalid -F a=1
            ALL_PROXY=127.0.0.1:1 send https://x.invalid -F a=1
            http_proxy=http://127.0.0.1:1 send http://x.invalid -F a=1 -x http://127.0.0.1:1
            http_proxy=http://127.0.0.1:2 send http://127.0.0.1:1 -F a=1 --noproxy '*'
            send http://127.0.0.1:1 -F a=1 -x http://p.invalid:1
            """)
        #expect(outcome.text == "2\n7\n7\n7\n7\n6\n")
        let way = "names this proxy: --noproxy '*' connects without it"
        #expect(
            outcome.errors == """
                formwork: a proxy must use http or https, not socks5; the environment's http_proxy \(way)
                formwork: 127.0.0.1:1: no connection to the proxy (Connection refused); the environment's http_proxy \(way)
                formwork: 127.0.0.1:1: no connection to the proxy (Connection refused); the environment's ALL_PROXY \(way)
                formwork: 127.0.0.1:1: no connection to the proxy (Connection refused)
                formwork: 127.0.0.1:1: no connection (Connection refused)
                formwork: p.invalid: the proxy's name can't be resolved

                """)
    }

    @Test("A proxy for http that answers nonsense, or closes the connection, is named so")
    func plainProxies() throws {
        for (answer, message) in [
            ("nonsense\r\n\r\n", "the proxy's answer isn't HTTP"),
            // A TLS alert.
            ("\u{15}\u{3}\u{3}\0\u{2}\u{2}\u{A}", "the proxy speaks TLS on this port: write https:// before its name"),
            ("HTTP/1.1 200 OK\r\nX", "the connection ended inside the head of the proxy's answer"),
            ("", "the connection ended before the proxy answered"),
        ] {
            let (given, named) = (try Receiver(raw: answer), try Receiver(raw: answer))
            let outcome = try self.run(
                """
                send http://x.invalid:8080 -F a=b --boundary b -x http://127.0.0.1:\(given.port)
                http_proxy=http://127.0.0.1:\(named.port) send http://x.invalid:8080 -F a=b --boundary b
                """)
            #expect(outcome.text == "56\n56\n")
            #expect(
                outcome.errors == """
                    formwork: 127.0.0.1:\(given.port): \(message) [59 bytes sent]
                    formwork: 127.0.0.1:\(named.port): \(message); the environment's http_proxy names this proxy: \
                    --noproxy '*' connects without it [59 bytes sent]

                    """)
        }
    }

    @Test("A proxy for http that doesn't speak HTTP/2 is named so")
    func plainProxyWithoutHTTP2() throws {
        let receiver = try Receiver(raw: "HTTP/1.1 400 No\r\n\r\n", after: 10)
        let outcome = try self.run(
            "send http://x.invalid -F a=b --http2-prior-knowledge -x http://127.0.0.1:\(receiver.port)")
        #expect(outcome.text == "56\n")
        #expect(outcome.errors == "formwork: 127.0.0.1:\(receiver.port): the proxy doesn't speak HTTP/2\n")
    }

    @Test("A host outside ASCII is asked for in its xn-- form")
    func international() throws {
        for (url, target) in [
            ("http://münchen.invalid/ä", "http://xn--mnchen-3ya.invalid/%C3%A4"),
            ("http://me:x@MÜNCHEN.invalid:80", "http://xn--mnchen-3ya.invalid:80/"),
        ] {
            let proxy = try Receiver()
            let result = try Command.run("send", url, "-F", "a=1", "-x", "http://127.0.0.1:\(proxy.port)")
            #expect(result.status == 0, "\(result.errors)")
            #expect(proxy.request().head.hasPrefix("POST \(target) HTTP/1.1\r\n"))
        }
        let refused = try Command.run("send", "http://x\u{202E}y", "-F", "a=1")
        #expect(refused.status == 2)
        #expect(
            refused.errors
                == "formwork: x\\u{202E}y: not a valid host: write it in ASCII, in its xn-- form (IDNA) if it has one\n"
        )
    }
}
#endif
