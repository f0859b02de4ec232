import Foundation
import TestSupport
import Testing

/// What `formwork send` says at its end, when it ends early.
@Suite("formwork send, at its end", .timeLimit(.minutes(10)))
struct SendEndTests {
    @Test(
        "A signal says how much was sent, and with a state that the same command continues",
        arguments: [("INT", "", 130, ""), ("TERM", "--state state", 143, "; the same command continues it")])
    func stopped(signal: String, options: String, status: Int, next: String) throws {
        let folder = Folder()
        try folder.sparse("big", 3_000_000)
        let result = try Command.shell(
            """
            set -m
            receive .; R=$P
            "$F" send $(cat url) -F f=@big --limit-rate 100k \(options) --progress json 2> events & P=$!
            until grep -q '"acked":[1-9]' events; do sleep 0.05; done; kill -\(signal) $P; wait $P; echo $?
            rm -rf state*
            "$F" send $(cat url) -F f=@big --limit-rate 100k \(options) --progress log 2> errors & P=$!
            until grep -q '[1-9][0-9]* KiB of' errors; do sleep 0.05; done; kill -\(signal) $P; wait $P; echo $?
            kill $R
            """, in: folder.path)
        #expect(result.text == "\(status)\n\(status)\n")
        let errors = try String(contentsOfFile: folder.path + "/errors", encoding: .utf8)
        let last = errors.split(separator: "\n").last ?? ""
        let isWhole =
            last.firstMatch(
                of: try Regex("formwork: stopped by SIG\(signal) after [0-9.]+ KiB of 2.9 MiB\(next)$")) != nil
        #expect(isWhole, "\(errors)")
        // Objects have the error, and say it once.
        let events = try String(contentsOfFile: folder.path + "/events", encoding: .utf8)
        #expect(
            events.split(separator: "\n").last?.contains("\"error\":\"stopped by SIG\(signal)\"") == true, "\(events)")
    }

    @Test("A signal leaves no lock of a state", arguments: ["INT", "TERM", "HUP"])
    func lock(signal: String) throws {
        let listener = try LoopbackListener()
        let outcome = try Command.shell(
            """
            set -m
            "$F" send http://127.0.0.1:\(listener.port) -F a=1 --state up -q & P=$!
            until [ -e up.lock ]; do sleep 0.05; done; kill -\(signal) $P; wait $P; echo $?; ls
            """)
        listener.stop()
        #expect(outcome.text == "\(["INT": 130, "TERM": 143, "HUP": 129][signal] ?? 0)\n")
    }

    /// As a parent's thread of Dispatch passes it on.
    @Test("A signal that was blocked, and is pending when send begins, isn't lost")
    func pending() throws {
        let silent = try Receiver(answering: "200 OK", after: 1_000_000)
        let result = try Command.shell(
            """
            timeout -s KILL 20 python3 -c '
            import os, signal, sys
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
            os.kill(os.getpid(), signal.SIGTERM)
            os.execv(sys.argv[1], sys.argv[1:])' "$F" send http://127.0.0.1:\(silent.port) -F a=1; echo $?
            """)
        #expect(result.text == "143\n", "\(result.errors)")
    }

    @Test("A retry for which --max-time leaves no time is named")
    func noTime() throws {
        let receiver = try Receiver(answering: "503 Busy\r\nRetry-After: 20")
        let result = try Command.run(
            "send", "http://127.0.0.1:\(receiver.port)", "-F", "a=1", "--retry", "5", "-m", "10", "-o", "/dev/null")
        #expect(result.status == 22)
        #expect(
            result.errors.hasSuffix(
                "; not tried again, as the wait that it asks for (Retry-After: 20) is longer than --max-time leaves\n"),
            "\(result.errors)")
    }

    @Test("A server that closes the connection without a word may expect TLS")
    func closed() throws {
        let listener = try LoopbackListener()
        defer { listener.stop() }
        listener.acceptAll { _ in }
        let result = try Command.run("send", "http://127.0.0.1:\(listener.port)/", "-F", "a=1")
        #expect(result.status == 56)
        #expect(result.errors.hasSuffix(": if the server expects TLS, write https://\n"), "\(result.errors)")
    }

    @Test("A server that spoke HTTP, or had more than a little of the body, doesn't expect TLS")
    func closedLater() throws {
        let folder = Folder()
        try folder.sparse("small", 100)
        try folder.sparse("file", 500_000)
        try folder.sparse("large", 2 << 20)
        // The server reads so many bytes, answers, and reads so many more before it closes.
        for (words, first, answer, rest, isAdvised) in [
            ("f=@small", 300, "", 0, true),
            ("f=@file", 300, "", 300_000, false),
            ("f=@small", 300, "HTTP/1.1 103 Early Hints\r\n\r\n", 0, false),
            ("f=@large", 100, "", 0, true),
            ("f=@large", 100, "HTTP/1.1 100 Continue\r\n\r\n", 1000, false),
        ] {
            let listener = try LoopbackListener()
            defer { listener.stop() }
            listener.acceptOne { connection in
                connection.skip(first)
                connection.write(answer)
                connection.skip(rest)
            }
            let result = try Command.run(
                "send", "http://127.0.0.1:\(listener.port)/", "-F", words, in: folder.path)
            #expect(result.status == 56, "\(result.errors)")
            #expect(
                result.errors.contains("if the server expects TLS") == isAdvised,
                "\(words), \(answer): \(result.errors)")
        }
    }
}

extension LoopbackConnection {
    /// Reads so many bytes, or up to 999 more, and leaves the rest to the kernel.
    fileprivate func skip(_ count: Int) {
        var left = count
        while left > 0, case let got = self.read(upTo: 1000).count, got > 0 { left -= got }
    }
}
