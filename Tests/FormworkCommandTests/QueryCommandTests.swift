import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("formwork query", .timeLimit(.minutes(10)))
struct QueryCommandTests {
    @Test("A line end follows on a terminal, and nowhere else")
    func terminal() throws {
        let folder = TemporaryFolder()
        // `script` gives the command a terminal, which turns a line end into CR LF.
        let shown = try Command.shell(
            "echo '{\"a\":1}' > p; script -qec '\"$F\" query encode p' /dev/null", in: folder.path.string)
        #expect(shown.text == "a=1\r\n")
        #expect(try Command.shell("echo '{\"a\":1}' | \"$F\" query encode | od -An -c").text == "   a   =   1\n")
    }

    @Test("An input that can't be read, an output that can't be written")
    func endsOfPipes() throws {
        let folder = try Command.shell("\"$F\" query encode < /")
        #expect(folder.status == 26)
        #expect(folder.errors == "formwork: standard input can't be read (Is a directory) [body offset 0]\n")
        let closed = try Command.shell(
            "{ echo '{\"a\":1}' | { sleep 0.3; \"$F\" query encode; echo $? >&2; } } | true")
        #expect(closed.errors == "23\n")
        let full = try Command.shell("\"$F\" query decode > /dev/full", input: Array("a=1".utf8))
        #expect(full.status == 23)
        #expect(full.errors == "formwork: standard output can't be written (No space left on device)\n")
    }

    @Test("Ten megabytes go through, as one text and as many pairs")
    func large() throws {
        let json = "{\"a\":\"" + String(repeating: "xé\\n", count: 2_000_000) + "\"}"
        let text = try Command.shell("\"$F\" query encode", input: Array(json.utf8))
        #expect(text.output.count == 2 + 10 * 2_000_000)
        #expect(text.output.suffix(10) == Array("x%C3%A9%0A".utf8)[...])
        let pairs = (1...500_000).map { "name\($0)=value+\($0)" }.joined(separator: "&")
        let back = try Command.shell("\"$F\" query decode | \"$F\" query encode", input: Array(pairs.utf8))
        let isSame = back.output == Array(pairs.utf8)
        #expect(isSame, "a literal of ten megabytes is no help in a log")
    }
}
