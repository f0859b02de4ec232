import TestSupport
import Testing

/// `receive` as a process: its arguments, its signals, and a kernel that refuses bytes.
@Suite(.timeLimit(.minutes(10)))
struct ReceiveCommandTests {
    /// Starts a receiver of the folder `in`; `$U` is its address, `$P` its process.
    private static let start = """
        begin() { receive in "$@"; }
        bearer() { ask -H "Authorization: Bearer $1" $U; }
        uploading() { begin "$@"; mkfifo pipe; curl -s -T - ${U}a < pipe > answer & C=$!
          exec 3> pipe; printf hel >&3; receiving; }
        receiving() { until curl -s ${U}files.json | grep -q receiving; do sleep 0.05; done; }

        """

    private static func run(_ script: String) throws -> Outcome {
        return try Command.shell(Self.start + script)
    }

    @Test func `An upload under way at SIGTERM is finished`() throws {
        let outcome = try Self.run(
            """
            uploading; kill -TERM $P
            while curl -s -o /dev/null $U; do sleep 0.05; done
            printf lo >&3; exec 3>&-
            wait $C; wait $P; echo "exit $?"; cat in/a; ls -A in
            """)
        #expect(outcome.text == "exit 0\nhelloa\n")
    }

    @Test("SIGQUIT ends it, also where Swift's runtime catches that signal to print where the program is")
    func quit() throws {
        let outcome = try Self.run(
            """
            set -m; ulimit -c 0; export SWIFT_BACKTRACE=enable=yes
            receive .
            kill -QUIT $P; (sleep 60; kill -KILL $P) > killed 2>&1 & wait $P; echo $?; kill -KILL %2; cat log
            """)
        #expect(outcome.text == "131\n", "\(outcome)")
    }

    @Test("A folder that was removed isn't made again for unfinished uploads")
    func removedFolder() throws {
        let outcome = try Self.run(
            """
            begin; rm -r in; echo hello > a
            "$F" send $U -F f=@a --resume auto --retry 0 -q 2> errors; echo " $?"; ls -d in; kill -TERM $P; wait $P
            """)
        #expect(outcome.text.hasSuffix(" 22\n"), "\(outcome)")
        #expect(outcome.errors == "ls: cannot access 'in': No such file or directory\n")
    }

    @Test func `A second signal drops what is under way`() throws {
        let outcome = try Self.run(
            """
            uploading --grace 60; kill -TERM $P
            while curl -s -o /dev/null $U; do sleep 0.05; done
            kill -TERM $P; wait $P; echo "exit $?"; ls -A in
            """)
        #expect(outcome.text == "exit 143\n")
    }

    @Test func `SIGKILL leaves nothing in the folder`() throws {
        let outcome = try Self.run(
            """
            uploading; kill -KILL $P; wait $P 2>/dev/null; echo "exit $?"
            begin; curl -s -o /dev/null $U; kill -TERM $P; wait $P; ls -A in
            """)
        #expect(outcome.text == "exit 137\n")
    }

    @Test func `A file that the kernel refuses is answered 507`() throws {
        let outcome = try Self.run(
            """
            ulimit -f 64; begin
            head -c 3000000 /dev/zero | curl -s -T - -w '%{http_code}\\n' -o answer ${U}a
            grep -c in/ answer; kill -TERM $P; wait $P; ls -A in
            """)
        #expect(outcome.text == "507\n0\n")
    }

    @Test func `An upload of which the kernel refuses bytes doesn't stay`() throws {
        let outcome = try Self.run(
            """
            ulimit -f 64; begin
            tus() { curl -s -o /dev/null -w '%{http_code}\n' -H 'Tus-Resumable: 1.0.0' "$@"; }
            tus -X POST -H 'Upload-Length: 3000000' -H 'Content-Length: 0' -D head $U
            L=${U%/}$(sed -n 's/^[Ll]ocation: //p' head | tr -d '\r')
            head -c 3000000 /dev/zero | tus -X PATCH -H 'Upload-Offset: 0' --data-binary @- \
              -H 'Content-Type: application/offset+octet-stream' $L
            tus -I $L; ls -A in/.formwork-resumable; kill -TERM $P; wait $P; ls in
            """)
        #expect(outcome.text == "201\n507\n404\n")
    }

    @Test func `Unfinished uploads together have a limit`() throws {
        let outcome = try Self.run(
            """
            begin --resume-total 1k
            tus() { curl -s -o /dev/null -w '%{http_code}\n' -X POST -H 'Tus-Resumable: 1.0.0' -H 'Content-Length: 0' \
              -H "Upload-Length: $1" $U; }
            tus 1025; tus 1000; tus 25; tus 24; kill -TERM $P; wait $P
            """)
        #expect(outcome.text == "413\n201\n503\n201\n")
    }

    @Test func `Without room, a sender is told once`() throws {
        let outcome = try Self.run(
            """
            begin --free-space 8000000000G; printf hi > x
            "$F" send $U -F f=@x --resume tus -q -o /dev/null; echo "exit $?"
            kill -TERM $P; wait $P; grep -c 507 log; ls -A in
            """)
        #expect(outcome.text == "exit 22\n1\n")
        let told = "formwork: the server answered 507 Insufficient Storage after 0 bytes of "
        #expect(outcome.errors.hasPrefix(told) && outcome.errors.count { $0 == "\n" } == 1, "\(outcome.errors)")
    }

    @Test func `Others need the token, which is printed`() throws {
        let outcome = try Self.run(
            """
            begin --public; grep -c -e 0.0.0.0 -e localhost url; U=${U%%$'\n'*}
            until T=$(sed -n 's/^formwork: the token is //p' log) && [ -n "$T" ]; do sleep 0.05; done
            echo hi | curl -s -T - -o /dev/null -w '%{http_code}\\n' ${U}a
            echo hi | curl -s -T - -o /dev/null -w '%{http_code}\\n' -H "Authorization: Bearer $T" ${U}a
            kill -INT $P; wait $P; cat in/a
            """)
        #expect(outcome.text == "0\n401\n201\nhi\n")
    }

    @Test func `The token can come by the environment, and the option wins`() throws {
        let outcome = try Self.run(
            """
            export FORMWORK_TOKEN=one
            begin; bearer one; bearer two; grep -c one log; kill -TERM $P; wait $P; rm url
            begin --token two; bearer one; bearer two; kill -TERM $P; wait $P
            """)
        #expect(outcome.text == "200\n401\n0\n401\n200\n")
    }

    @Test func `A signal at the moment of the address is the receiver's own`() throws {
        let outcome = try Self.run(
            """
            set -m
            for i in $(seq 15); do for signal in HUP INT TERM; do
              mkfifo address; "$F" receive --dir in --port 0 > address 2> log & P=$!
              read -r U < address; kill -$signal $P; [ $signal != HUP ] || kill -TERM $P; wait $P; echo "$signal $?"; rm address
            done; done | sort | uniq -c | sed 's/^ *//'
            """)
        #expect(outcome.text == "15 HUP 0\n15 INT 0\n15 TERM 0\n", "\(outcome.errors)")
    }

    @Test func `A folder that is gone is named, with what to do`() throws {
        let outcome = try Self.run(
            """
            begin; rm -r in; mkdir in
            echo hi | ask -T - ${U}a; ask ${U}readyz
            kill -TERM $P; wait $P; ls in
            grep -o "in: was moved, removed or replaced: move it back, or restart the receiver" log | head -n 1
            """)
        #expect(
            outcome.text == "503\n503\nin: was moved, removed or replaced: move it back, or restart the receiver\n")
    }

    @Test func `SIGHUP reads the token's file again`() throws {
        let outcome = try Self.run(
            """
            echo one > token; begin --token-file token; bearer one; bearer two
            echo two > token; kill -HUP $P
            until grep -q 'read again' log; do sleep 0.05; done
            bearer one; bearer two
            rm token; kill -HUP $P
            until grep -q 'not read again' log; do sleep 0.05; done
            bearer two; kill -TERM $P; wait $P; echo $?
            """)
        #expect(outcome.text == "200\n401\n401\n200\n200\n0\n")
    }

    @Test func `Unfinished uploads aren't kept where clients write`() throws {
        let outcome = try Self.run(
            """
            mkdir rd rd/tmp; ln -s rd link
            for dir in rd rd/tmp ./rd/x/y link "$PWD/rd"; do "$F" receive --dir rd --keep-paths --resume-dir "$dir" --port 0; echo $?; done
            "$F" receive --dir rd --no-resume --resume-total 5 2> /dev/null; echo $?
            begin --resume-dir in/.unfinished; kill -TERM $P; wait $P; echo $?
            """)
        #expect(outcome.text == "2\n2\n2\n2\n2\n2\n0\n", "\(outcome)")
        #expect(
            outcome.errors.contains(
                "formwork: --resume-dir rd is inside the folder, where clients can write: choose one elsewhere, or one directly in "
                    + "it whose name begins with a dot\n"))
    }

    @Test func `Of --resume-dir only the last component is made`() throws {
        let outcome = try Self.run(
            """
            timeout 20 "$F" receive --dir in --port 0 --resume-dir a/b; echo "exit $?"; ls
            mkdir a; begin --resume-dir a/b; ls a; kill -TERM $P; wait $P
            """)
        #expect(outcome.text == "exit 23\nin\nb\n")
        let reason = "can't be created, because its parent folder a doesn't exist: create a first"
        #expect(outcome.errors.contains("a/b: \(reason)"), "\(outcome.errors)")
    }

    @Test func `A token's file that blocks keeps no signal from stopping the receiver`() throws {
        let outcome = try Self.run(
            """
            mkfifo token; echo one > token & begin --token-file token; bearer one
            kill -HUP $P; echo two > token
            until grep -q 'read again' log; do sleep 0.05; done; bearer one; bearer two
            kill -HUP $P; until grep -q 'not read again yet' log; do sleep 0.1; done; kill -TERM $P
            for try in {1..200}; do kill -0 $P 2> gone || break; sleep 0.1; done; kill -KILL $P 2> gone; wait $P; echo $?
            """)
        #expect(outcome.text == "200\n401\n200\n0\n", "\(outcome.errors)")
    }

    @Test func `The operator's texts are on the page`() throws {
        let outcome = try Self.run(
            """
            begin --title 'Ann & Bob' --message "$(printf 'Photos, please.\\n<i>Thanks</i>')" --no-resume
            curl -s $U | grep -o -e '<h1>.*</h1>' -e '<p class="message">.*</p>' -e 'data-resumes'
            kill -TERM $P; wait $P; rm url
            begin; curl -s $U | grep -o -e '<h1>.*</h1>' -e 'data-resumes'; kill -TERM $P; wait $P
            """)
        let text = """
            <h1>Ann &amp; Bob</h1>
            <p class="message">Photos, please.</p><p class="message">&lt;i&gt;Thanks&lt;/i&gt;</p>
            <h1>Send files</h1>
            data-resumes

            """
        #expect(outcome.text == text)
    }

    @Test func `A terminal that is closed ends it gracefully`() throws {
        // A terminal of its own, which goes while an upload is under way.
        let outcome = try Self.run(
            """
            cat > term.py <<'END'
            import os, pty, re, socket, sys, time
            pid, terminal = pty.fork()
            if pid == 0:
                os.execv(sys.argv[1], [sys.argv[1], "receive", "--dir", "in", "--port", "0"])
            text = b""
            while b"/\\r\\n" not in text: text += os.read(terminal, 1000)
            port = int(re.search(rb":(\\d+)/", text).group(1))
            peer = socket.create_connection(("127.0.0.1", port))
            peer.sendall(b"PUT /a HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length: 2\\r\\n\\r\\n1")
            time.sleep(1)
            os.close(terminal)
            time.sleep(1)
            peer.sendall(b"2")
            print(peer.recv(12).decode())
            print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
            END
            timeout 60 python3 term.py "$F"; cat in/a; echo
            """)
        #expect(outcome.text == "HTTP/1.1 201\n0\n12\n")
    }

    @Test func `For others without TLS there is a warning`() throws {
        let outcome = try Self.run(
            """
            begin --public; kill -TERM $P; wait $P; grep -c 'warning: without --tls-cert' log; rm url
            begin --public --trusted-proxy 127.0.0.1; kill -TERM $P; wait $P; grep -c 'warning: ' log
            """)
        #expect(outcome.text == "1\n0\n")
    }

    @Test func `With a log in JSON, each line at the start is an object, and numbers are numbers`() throws {
        let outcome = try Self.run(
            """
            begin --log json --public --grace 0.2; P1=${U##*:}; exec 3<>"/dev/tcp/127.0.0.1/${P1%/}"
            until TOKEN=$(sed -n 's/.*"token":"\\([^"]*\\)".*/\\1/p' log) && [ -n "$TOKEN" ]; do sleep 0.05; done
            printf 'PUT /a HTTP/1.1\\r\\nHost: a\\r\\nAuthorization: Bearer %s\\r\\nContent-Length: 5\\r\\n\\r\\nab' "$TOKEN" >&3
            until curl -s -H "Authorization: Bearer $TOKEN" "http://127.0.0.1:${P1}files.json" | grep -q receiving; do sleep 0.05; done
            kill -TERM $P; wait $P
            grep -vc '^{' log; grep -c '"level":"warning","message":"without --tls-cert' log; grep -o '"grace":[^}]*"uploads":[0-9]*' log | sed 's/,"level.*,/ /'
            """)
        #expect(outcome.text == "0\n1\n\"grace\":0.2 \"uploads\":1\n", "\(outcome)")
    }

    @Test func `A new token that is too short leaves the old one in use`() throws {
        let outcome = try Self.run(
            """
            echo 0123456789abcdef > token; begin --public --token-file token; P1=${U##*:}
            echo short > token; kill -HUP $P
            until grep -q 'not read again' log; do sleep 0.05; done
            curl -s -o /dev/null -w '%{http_code}\\n' -H 'Authorization: Bearer 0123456789abcdef' "http://127.0.0.1:$P1"
            kill -TERM $P; wait $P
            grep -c 'token: the token is too short: --public needs 16 characters or more; the old token stays in use' log
            """)
        #expect(outcome.text == "200\n1\n", "\(outcome)")
    }

    @Test(
        arguments: [
            (
                "--to s3://bucket/a --resume-dir /proc/nope", 200, "<ListMultipartUploadsResult/>", [2, 23],
                "/proc/nope"
            ),
            (
                "--to s3://bucket/a", 403, "<Error><Code>InvalidAccessKeyId</Code></Error>", [2],
                "the store doesn't know AWS_ACCESS_KEY_ID"
            ),
        ] as [(String, Int, String, [Int32], String)])
    func `An object store that refuses, or that is closed after a later error, is reported`(
        arguments: String, answer: Int, body: String, statuses: [Int32], words: String
    ) throws {
        let store = try LoopbackListener()
        defer { store.stop() }
        store.acceptAll { connection in
            while connection.nextHead() != nil {
                connection.write("HTTP/1.1 \(answer) X\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            }
        }
        let outcome = try Self.run(
            """
            export AWS_ACCESS_KEY_ID=id AWS_SECRET_ACCESS_KEY=secret AWS_ENDPOINT_URL_S3=http://127.0.0.1:\(store.port)
            timeout 20 "$F" receive --port 0 \(arguments)
            """)
        #expect(statuses.contains(outcome.status), "\(outcome.status)")
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
    }
}
