import Foundation
import Testing

@Suite("Answers that don't arrive whole", .timeLimit(.minutes(10)))
struct CutAnswerTests {
    @Test("A file of -o appears, or is replaced, only by a complete answer")
    func output() throws {
        for (words, status) in [("-o keep", 56), ("-o new", 56), ("-o link", 56), ("-o /dev/null", 56)] {
            let receiver = try Receiver(text: "0123456789", length: 1000)
            let outcome = try Command.shell(
                """
                echo precious > keep; ln -sf keep link
                "$F" send http://127.0.0.1:\(receiver.port) -F a=b \(words); echo $?; cat keep; ls -A; [ -L link ]
                """)
            #expect(outcome.text == "\(status)\nprecious\nkeep\nlink\n" && outcome.status == 0, "\(words)")
            #expect(outcome.errors == "formwork: the connection ended inside the answer\n")
        }
    }

    @Test("A complete answer keeps a file's permissions, a link, and a pipe's name")
    func whole() throws {
        let receivers = try (0..<4).map { _ in try Receiver(text: "new") }
        let send = receivers.map { "\"$F\" send http://127.0.0.1:\($0.port) -F a=b" }
        let outcome = try Command.shell(
            """
            echo old > keep; chmod 640 keep; \(send[0]) -o keep; cat keep; stat -c ' %a' keep
            echo old > target; ln -s target link; \(send[1]) -o link; cat target; readlink link
            mkfifo fifo; cat fifo & \(send[2]) -o fifo; wait; echo
            \(send[3]) -o /dev/stdout | cat; echo; ls -A
            """)
        #expect(outcome.errors == "")
        #expect(outcome.text == "new 640\nnewtarget\nnew\nnew\nfifo\nkeep\nlink\ntarget\n")
    }

    /// Only root may give files away.
    @Test("A file of -o keeps its owner, its group and its permissions", .enabled(if: geteuid() == 0))
    func owner() throws {
        let receiver = try Receiver(text: "new")
        let outcome = try Command.shell(
            """
            echo old > keep; chmod 4640 keep; chown 65534:65533 keep; ln keep other
            "$F" send http://127.0.0.1:\(receiver.port) -F a=b -o keep; cat keep other; stat -c '%u:%g %a' keep
            echo old > body; chmod 604 body; chown 65533:65534 body
            "$F" body -F a=b -o body; stat -c '%u:%g %a' body; ls -A
            """)
        #expect(outcome.errors == "")
        #expect(outcome.text == "newold\n65534:65533 640\n65533:65534 604\nbody\nkeep\nother\n")
    }

    @Test("In a folder where no file can be created, a file of -o is written in place")
    func closedFolder() throws {
        let folder = Folder()
        let receiver = try Receiver(text: "new")
        // Root can create files in every folder, so another user runs the command.
        let outcome = try Command.shell(
            """
            mkdir closed; echo precious > closed/keep; chmod 640 closed/keep
            if [ "$(id -u)" = 0 ]; then
              chmod 755 .; chown -R 65534:65534 closed
              as() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
            else as() { "$@"; }; fi
            chmod 555 closed; before=$(stat -c '%i %a' closed/keep)
            as "$F" send http://127.0.0.1:\(receiver.port) -F a=b -o closed/keep; echo " $?"; cat closed/keep
            [ "$before" = "$(stat -c '%i %a' closed/keep)" ] && echo " same"
            as "$F" send http://127.0.0.1:1 -F a=b -o closed/new; echo $?; ls -A closed; chmod 755 closed
            """, in: folder.path)
        #expect(outcome.text == " 0\nnew same\n23\nkeep\n", "\(outcome.errors)")
        #expect(
            outcome.errors
                == "formwork: closed/new: the answer can't be written to this file (Permission denied)\n")
    }

    @Test("A full disk leaves no part of an answer")
    func fullDisk() throws {
        let receiver = try Receiver(text: String(repeating: "x", count: 100_000))
        // A limit of the shell's own is as good as a full disk.
        let outcome = try Command.shell(
            """
            echo precious > keep
            (ulimit -f 8; "$F" send http://127.0.0.1:\(receiver.port) -F a=b -o keep; echo $?); cat keep; ls -A
            """)
        #expect(outcome.text == "23\nprecious\nkeep\n")
        #expect(outcome.errors == "formwork: keep: the answer can't be written to this file (File too large)\n")
    }

    @Test("--json has all that is known of a cut answer", arguments: [("", "0123456789"), ("-o new", "")])
    func report(words: String, body: String) throws {
        let receiver = try Receiver(text: "0123456789", length: 1000)
        let url = "http://127.0.0.1:\(receiver.port)/half"
        let outcome = try Command.shell("\"$F\" send \(url) -F a=b --boundary b --json \(words)")
        #expect(outcome.status == 56)
        let report = try outcome.object(as: "send")
        #expect(report["status"] as? Int == 200 && report["http"] as? String == "1.1")
        #expect(report["url"] as? String == url && report["isBodyComplete"] as? Bool == true)
        #expect(report["tries"] as? Int == 1 && report["requests"] as? Int == 1)
        #expect((report["headers"] as? [[String: String]])?.first == ["name": "Content-Length", "value": "1000"])
        #expect(report["isBodyTruncated"] as? Bool == true && report["body"] as? String == body)
        #expect(report["bytesSent"] as? Int == 59 && report["bodyFile"] == nil)
        #expect(report["exitStatus"] as? Int == 56)
        #expect(report["error"] as? String == "the connection ended inside the answer")
    }

    @Test("--json notices a cut after the part of the answer that it keeps")
    func longReport() throws {
        let receiver = try Receiver(text: String(repeating: "x", count: 2_000_000), length: 3_000_000)
        let outcome = try Command.run("send", "http://127.0.0.1:\(receiver.port)", "-F", "a=b", "--json")
        #expect(outcome.status == 56)
        let report = try outcome.object(as: "send")
        #expect(report["error"] as? String == "the connection ended inside the answer")
        #expect((report["body"] as? String)?.utf8.count == 1_048_576 && report["isBodyTruncated"] as? Bool == true)
    }

    @Test(
        "A cut answer of 400 or more is a failed transfer with --no-fail, and otherwise what its status says",
        arguments: [
            ("--no-fail", 56, "abc"), ("--no-fail -o new", 56, ""), ("--no-fail --json -o new", 56, nil),
            ("", 22, "abc"), ("-o new", 22, ""), ("-f", 22, ""),
        ])
    func cutFailure(words: String, status: Int32, text: String?) throws {
        let receiver = try Receiver(answering: "500 Internal Server Error", text: "abc", length: 10)
        let folder = Folder()
        let outcome = try Command.shell(
            "\"$F\" send http://127.0.0.1:\(receiver.port) -F a=b \(words)", in: folder.path)
        #expect(outcome.status == status && (text == nil || outcome.text == text), "\(words): \(outcome.text)")
        let answered = "the server answered 500 Internal Server Error"
        let said = status == 56 ? "the connection ended inside the answer" : answered
        #expect(outcome.errors == "formwork: \(said)\n", "\(words)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [], "\(words)")
    }

    @Test("A cut answer that redirects, and isn't followed, is a failed transfer", arguments: ["", "-o new", "--json"])
    func cutRedirect(words: String) throws {
        let receiver = try Receiver(answering: "302 X\r\nLocation: /a", text: "abc", length: 10)
        let outcome = try Command.shell(
            "\"$F\" send http://127.0.0.1:\(receiver.port) -F a=b --max-redirs 0 \(words)")
        #expect(outcome.status == 56, "\(outcome.errors)")
    }

    @Test("--json has the URL and the tries of a refused connection")
    func refused() throws {
        let outcome = try Command.run(
            "send", "http://me:secret@127.0.0.1:1/up", "-F", "a=b", "--json", "--retry", "1", "--retry-delay", "0",
            "--retry-all-errors", "-q")
        #expect(outcome.status == 7)
        let report = try outcome.object(as: "send")
        #expect(report["url"] as? String == "http://127.0.0.1:1/up" && report["status"] is NSNull)
        #expect(report["tries"] as? Int == 2 && report["requests"] as? Int == 2)
        #expect(report["exitStatus"] as? Int == 7)
    }

    @Test("--json has 1 MiB of an answer, as its help says, and -o all of it")
    func limit() throws {
        let text = String(repeating: "x", count: 1_048_577)
        let (first, second) = (try Receiver(text: text), try Receiver(text: text))
        let short = try Command.run("send", "http://127.0.0.1:\(first.port)", "-F", "a=b", "--json")
        let report = try JSONSerialization.jsonObject(with: Data(short.output)) as? [String: Any]
        #expect(short.status == 0 && (report?["body"] as? String)?.utf8.count == 1_048_576)
        #expect(report?["isBodyTruncated"] as? Bool == true)
        let whole = try Command.shell(
            "\"$F\" send http://127.0.0.1:\(second.port) -F a=b -o all; stat -c %s all")
        #expect(whole.text == "1048577\n")
        let help = try Command.shell("COLUMNS=200 \"$F\" help send").text
        #expect(help.contains("It has at most 1 MiB of the"))
    }
}
