@testable import FormworkTransfer
import Foundation
import Testing

@Suite("Outputs that are open descriptors, and '-'", .timeLimit(.minutes(10)))
struct OutputDestinationTests {
    private static let form = "-F a=1 --boundary b"

    @Test("A file that the user may not write isn't replaced")
    func protected() throws {
        let result = try Command.shell(
            """
            # Root writes everything, so another user is needed then; the binary must be where that user reaches it.
            if [ "$(id -u)" = 0 ]; then as="setpriv --reuid=65534 --clear-groups"; chmod 777 .; fi
            printf old > f; chmod 444 f; cp "$F" copy
            $as ./copy body \(Self.form) -o f; echo $?; cat f
            """)
        #expect(result.text == "23\nold")
        #expect(result.errors == "formwork: f: can't be written (Permission denied)\n")
    }

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

}
