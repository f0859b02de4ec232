#if Command
@testable import FormworkTransfer
import Foundation
import Testing

@Suite("Outputs that are open descriptors, and '-'", .timeLimit(.minutes(10)))
struct OutputPlaceTests {
    private static let body = "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b--\r\n"
    private static let form = "-F a=1 --boundary b"

    @Test(
        "The file of standard output isn't replaced",
        arguments: ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"])
    func log(path: String) throws {
        let folder = Folder()
        let result = try Command.shell(
            """
            ln -s /dev/stdout link; echo zero > log
            (echo one; "$F" body \(Self.form) -o \(path); echo two) >> log; cat log
            """, in: folder.path)
        #expect(result.text == "zero\none\n\(Self.body)two\n", "\(result.errors)")
        let other = Folder()
        let truncated = try Command.shell(
            "ln -s /dev/stdout link; (echo one; \"$F\" body \(Self.form) -o \(path); echo two) > log; cat log",
            in: other.path)
        #expect(truncated.text == "one\n\(Self.body)two\n", "\(truncated.errors)")
    }

    @Test("A file that the user may not write isn't replaced")
    func protected() throws {
        let folder = Folder()
        let result = try Command.shell(
            """
            # Root writes everything, so another user is needed then; the binary must be where that user reaches it.
            if [ "$(id -u)" = 0 ]; then as="setpriv --reuid=65534 --clear-groups"; chmod 777 .; fi
            printf old > f; chmod 444 f; cp "$F" copy
            $as ./copy body \(Self.form) -o f; echo $?; cat f
            """, in: folder.path)
        #expect(result.text == "23\nold")
        #expect(result.errors == "formwork: f: can't be written (Permission denied)\n")
    }

    @Test("Pipes are written, by any number")
    func pipes() throws {
        let result = try Command.shell(
            """
            "$F" body \(Self.form) -o /dev/stdout | cat
            "$F" body \(Self.form) -o /dev/fd/3 3>&1 | cat
            "$F" body \(Self.form) -o /dev/stderr 2>&1 | cat
            exec 4> >(wc -c); "$F" body \(Self.form) -o /dev/fd/4; exec 4>&-; sleep 0.5
            """)
        #expect(result.text == Self.body + Self.body + Self.body + "59\n" && result.errors == "", "\(result)")
        let saved = try Command.shell("\"$F\" plan \(Self.form) --save /dev/stdout | \"$F\" body --from -")
        #expect(saved.text == Self.body && saved.errors == "", "\(saved.errors)")
    }

    @Test("A descriptor that isn't open is an error")
    func closed() throws {
        let result = try Command.shell("\"$F\" body \(Self.form) -o /dev/fd/77")
        #expect(result.status == 23)
        #expect(result.errors == "formwork: /dev/fd/77: can't be written (Bad file descriptor)\n")
    }

    @Test("'-' is standard output and input, and never a file's name")
    func dash() throws {
        let folder = Folder()
        let result = try Command.shell(
            "\"$F\" plan \(Self.form) --save - | \"$F\" body --from - -o -", in: folder.path)
        #expect(result.text == Self.body && result.errors == "", "\(result.errors)")
        let extracted = try Command.shell("\"$F\" extract --to -", input: Array(Self.body.utf8), in: folder.path)
        #expect(
            extracted.errors
                == "formwork: --to -: standard output has room for one part: write --part NAME without --to\n")
        #expect(extracted.status == 2 && folder.names == [])
    }

    @Test("A failed write names what was written")
    func full() throws {
        let saved = try Command.shell("\"$F\" plan \(Self.form) --save /dev/full")
        #expect(saved.status == 23)
        #expect(saved.errors == "formwork: /dev/full: can't be written (No space left on device)\n")
        let part = try Command.shell("\"$F\" extract --part a > /dev/full", input: Array(Self.body.utf8))
        #expect(part.status == 23)
        #expect(part.errors == "formwork: standard output can't be written (No space left on device)\n")
    }

    @Test(
        "A description that can't be used says what is missing",
        arguments: [
            ("{}", "is not a description written by 'formwork plan --save': its member \"framing\" is missing"),
            ("[]", "is not a description written by 'formwork plan --save': it is not a JSON object"),
            ("x", "is not a description written by 'formwork plan --save': it is not JSON"),
        ])
    func description(text: String, message: String) throws {
        let folder = Folder()
        try folder.file("d.json", text)
        let result = try Command.shell("\"$F\" body --from d.json", in: folder.path)
        #expect(result.status == 2 && result.errors == "formwork: d.json: \(message)\n", "\(result.errors)")
        let piped = try Command.shell("\"$F\" body --from - < d.json", in: folder.path)
        #expect(piped.errors == "formwork: standard input: \(message)\n", "\(piped.errors)")
    }

    #if Transfer
    @Test("An answer doesn't replace a file that may not be written")
    func writeProtected() throws {
        let (folder, receiver) = (Folder(), try Receiver(text: "answer"))
        // root may write any file.
        let result = try Command.shell(
            """
            echo kept > file; chmod 444 file; chmod 777 .; umask 022
            AS=; [ $(id -u) != 0 ] || { chown 65534:65534 file; AS='setpriv --reuid 65534 --regid 65534 --clear-groups'; }
            $AS "$F" send http://127.0.0.1:\(receiver.port) \(Self.form) -q -o file; echo $?; cat file
            """, in: folder.path)
        #expect(result.text == "23\nkept\n")
        #expect(
            result.errors == "formwork: file: the answer can't be written to this file (Permission denied)\n",
            "\(result.errors)")
    }

    @Test("A terminal shows all of a long answer, also of JSON", arguments: ["text/plain", "application/json"])
    func longAnswer(type: String) throws {
        let text = String(repeating: "0123456789abcdé\r\n", count: 70_000) + "\u{1B}end"
        let receiver = try Receiver(
            raw: "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
        let run = try PseudoTerminal.run(
            "\"$F\" send http://127.0.0.1:\(receiver.port) \(Self.form) -q; echo $?", columns: 80)
        // The terminal itself writes CR before each LF.
        let shown = String(repeating: "0123456789abcdé\r\n", count: 70_000) + "\\u{1B}end\r\n0\r\n"
        #expect(run.text == shown, "\(run.text.suffix(300))")
    }

    @Test("A text in pieces is shown as in one", arguments: 1...5)
    func pieces(size: Int) {
        let bytes = Array("a\r\nb\rc\té€😀\u{7}\r\n\u{301}d\r".utf8) + [0xE2, 0x82]
        var text = TerminalText()
        var shown = ""
        for start in stride(from: 0, to: bytes.count, by: size) {
            shown += text.next(Array(bytes[start..<min(start + size, bytes.count)]))
        }
        shown += text.end()
        #expect(Array(shown.utf8) == Array("a\nb\\rc\té€😀\\u{07}\n\u{301}d\\r\u{FFFD}\n".utf8))
    }

    @Test("An answer is appended to the log that standard output leads to")
    func answer() throws {
        let (folder, receiver) = (Folder(), try Receiver(text: "answer\n"))
        let result = try Command.shell(
            """
            (echo one; "$F" send http://127.0.0.1:\(receiver.port) \(Self.form) -q -o /dev/stdout; echo two) > log
            cat log
            """, in: folder.path)
        #expect(result.text == "one\nanswer\ntwo\n", "\(result.errors)")
    }
    #endif
}
#endif
