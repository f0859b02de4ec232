import Testing

/// Commands that a signal stops.
@Suite("A signal ends the process", .timeLimit(.minutes(10)))
struct StoppedTests {
    /// Starts a command, sends it a signal when its handlers are set, and prints the signal that ended it, negative as in Python.
    private static let script = """
        import os, signal, socket, subprocess, sys, time
        number = getattr(signal, "SIG" + sys.argv[1])
        server = socket.create_server(("127.0.0.1", 0))
        words = [word.replace("PORT", str(server.getsockname()[1])) for word in sys.argv[2:]]
        process = subprocess.Popen([os.environ["F"], *words], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        def catches():
            for line in open(f"/proc/{process.pid}/status"):
                if line.startswith("SigCgt:"): return int(line.split()[1], 16) >> (number - 1) & 1
        while not catches(): time.sleep(0.05)
        time.sleep(0.3)
        process.send_signal(number)
        print(process.wait(30))
        """

    @Test(
        "A loop in a shell ends with it: the signal is the end, not a status with its number",
        arguments: [
            "send http://127.0.0.1:PORT/ -T - -q", "send http://127.0.0.1:PORT/ -T - --json",
            "curl http://127.0.0.1:PORT/ -F f=@-", "body -F f=@- --progress json",
            "inspect --json", "plan -F f=@- --spool --json",
        ], [("INT", -2), ("TERM", -15), ("HUP", -1)])
    func endsBySignal(words: String, signal: (name: String, code: Int)) throws {
        let outcome = try Command.shell(
            "python3 -c '\(Self.script.replacing("'", with: "'\\''"))' \(signal.name) \(words)")
        #expect(outcome.text == "\(signal.code)\n", "\(outcome.errors)")
    }

    @Test("After Ctrl-C a loop in bash doesn't start the next upload")
    func loop() throws {
        let silent = try Receiver(answering: "200 OK", after: 1_000_000)
        let loop = """
            for i in 1 2 3; do
              echo begun $i
              { sleep 1; echo ready; } &
              "$F" send http://127.0.0.1:\(silent.port)/ -F a=1 -q
            done
            """
        // With the terminal as the one that sends signals, which the process that runs the tests may ignore or block.
        let start = """
            import os, signal
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_SETMASK, [])
            os.execvp("setsid", ["setsid", "--ctty", "--wait", "bash", "-c", os.environ["LOOP"]])
            """
        let result = try PseudoTerminal.run(
            "python3 -c '\(start.replacing("'", with: "'\\''"))'", columns: 80, environment: ["LOOP": loop],
            typing: ("ready", [0x03]))
        #expect(result.text.contains("begun 1"))
        #expect(!result.text.contains("begun 2"), "\(result.text)")
    }
}
