import Testing

/// `receive` as a service: messages to the service manager, its socket, and draining.
@Suite(.timeLimit(.minutes(10)))
struct ServiceManagerTests {
    /// Starts the rest of its words as a service, and prints what happens. `steps` are: `+TEXT` waits for a message with
    /// that text, a signal's name sends it, `/PATH` prints the status of a request to the passed socket, `?` waits for the end.
    private static let manager = """
        import os, signal, socket, sys, urllib.error, urllib.request
        name, host, kind, count, steps = sys.argv[1:6]
        notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        notices.bind("\\0" + name[1:] if name[0] == "@" else name)
        notices.settimeout(60)
        passed = None
        if host != "none":
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            passed = socket.socket(family, socket.SOCK_DGRAM if kind == "datagram" else socket.SOCK_STREAM)
            passed.bind((host, 0))
            if kind == "listening": passed.listen()
        process = os.fork()
        if process == 0:
            os.environ["NOTIFY_SOCKET"] = name
            if passed:
                os.environ["LISTEN_FDS"] = count
                os.environ["LISTEN_PID"] = str(os.getpid() + (1 if kind == "other" else 0))
                os.dup2(passed.fileno(), 3)
            os.execv(sys.argv[6], sys.argv[6:])
        for step in steps.split():
            if step == "?":
                print("exit", os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
            elif step[0] == "/":
                place = f"[{host}]" if ":" in host else host
                try: print(urllib.request.urlopen(f"http://{place}:{passed.getsockname()[1]}{step}", timeout=60).status)
                except urllib.error.HTTPError as error: print(error.code)
            elif step[0] == "+":
                message = ""
                while step[1:] not in message: message = notices.recv(4096).decode()
                name, _, time = message.partition("MONOTONIC_USEC=")
                print(name.strip() + (" at a time" if time.isdigit() and int(time) > 0 else ""))
            else:
                os.kill(process, getattr(signal, step))
        """

    private static func run(_ script: String) throws -> Outcome {
        return try Command.shell(
            """
            cat > manager.py <<'END'
            \(Self.manager)
            END
            serve() { timeout 120 python3 manager.py "$1" "$2" "$3" "$4" "$5" "$F" receive --dir in --port 0 "${@:6}"; }
            \(script)
            """)
    }

    @Test func `The manager is notified of start, reload and stop`() throws {
        let outcome = try Self.run(
            """
            serve "$PWD/notices" none - - '+READY SIGHUP +RELOADING +READY SIGTERM +STOPPING ?' 2> log | grep -v http
            serve "@formwork-test-$$" none - - '+READY SIGTERM +STOPPING ?' 2> log | grep -v http
            """)
        #expect(
            outcome.text == """
                READY=1
                RELOADING=1 at a time
                READY=1
                STOPPING=1
                exit 0
                READY=1
                STOPPING=1
                exit 0

                """)
    }

    @Test func `The watchdog hears of the process while it works`() throws {
        let outcome = try Self.run(
            """
            export WATCHDOG_USEC=300000
            serve "$PWD/n" none - - '+WATCHDOG +WATCHDOG +WATCHDOG SIGTERM ?' 2> log | grep -v http
            """)
        #expect(outcome.text == "WATCHDOG=1\nWATCHDOG=1\nWATCHDOG=1\nexit 0\n")
    }

    @Test func `A passed socket is used instead of host and port`() throws {
        let outcome = try Self.run(
            """
            serve "$PWD/a" 127.0.0.1 listening 1 '+READY /healthz /readyz / SIGTERM ?' 2> log | grep -v http
            serve "$PWD/b" ::1 listening 1 '+READY /healthz SIGTERM ?' --host 127.0.0.1 2> log | sed 's/:[0-9]*\\/$/:N/'
            """)
        #expect(outcome.text == "READY=1\n200\n200\n200\nexit 0\nhttp://[::1]:N\nREADY=1\n200\nexit 0\n")
    }

    @Test(arguments: [
        ("0.0.0.0 listening 1", "the passed socket, 0.0.0.0: other machines may reach this address: add --public"),
        ("127.0.0.1 listening 2", "LISTEN_FDS is 2: one socket can be passed"),
        ("127.0.0.1 silent 1", "the passed socket can't be used: give one that listens on TCP"),
        ("127.0.0.1 datagram 1", "the passed socket can't be used: give one that listens on TCP"),
    ])
    func `A socket that can't be used is an error`(socket: String, named: String) throws {
        let outcome = try Self.run(#"serve "$PWD/n" \#(socket) '?'"#)
        #expect(outcome.text == "exit 2\n")
        #expect(outcome.errors.contains("formwork: \(named)"), "\(outcome.errors)")
    }

    @Test func `A socket for another process is left alone`() throws {
        let outcome = try Self.run(
            #"serve "$PWD/n" 127.0.0.1 other 1 '+READY SIGTERM ?' 2> log | grep -v http"#)
        #expect(outcome.text == "READY=1\nexit 0\n")
    }

    private static let receiver = """
        begin() { receive in "$@"; }

        """

    @Test func `While it drains, readyz answers 503 and uploads are accepted`() throws {
        let outcome = try Self.run(
            Self.receiver + """
                begin --drain-delay 600
                ask ${U}readyz; kill -TERM $P
                until grep -q draining log; do sleep 0.05; done
                ask ${U}readyz; ask ${U}healthz; printf hi | ask -T - ${U}a
                kill -TERM $P; wait $P; echo "exit $?"; cat in/a
                """)
        #expect(outcome.text == "200\n503\n200\n201\nexit 143\nhi")
    }

    @Test func `After the drain it stops by itself`() throws {
        let outcome = try Self.run(
            Self.receiver + """
                begin --drain-delay 0.5; kill -TERM $P; wait $P; echo "exit $?"; grep -c draining log; rm url
                "$F" receive --dir in --drain-delay -1; echo "exit $?"
                """)
        #expect(outcome.text == "exit 0\n1\nexit 2\n")
        #expect(outcome.errors == "formwork: --drain-delay -1: give 0 to 86400 seconds\n")
    }
}
