import Foundation
import Testing

@Suite("A file that changes while the command sends it", .timeLimit(.minutes(10)))
struct ChangedFileTests {
    private let folder = Folder()
    static let meddlings = [
        ("truncate -s 5000000 big", "shrank from 8000000 to 5000000 bytes"),
        ("truncate -s 9000000 big", "grew from 8000000 to 9000000 bytes"),
        ("printf x | dd of=big conv=notrunc status=none", "was rewritten"),
        ("cp big new; mv new big", "was replaced by another file"),
        ("rm big", "was removed"),
    ]

    @Test("Into a pipe: 65, and the body isn't completed", arguments: meddlings)
    func pipe(script: String, words: String) throws {
        try self.folder.sparse("big", 8_000_000)
        // The reader takes a little, waits for the change, and takes the rest.
        let result = try Command.shell(
            """
            $F body --boundary b -F f=@big -F last=1 2> errors | { head -c 100000 > got; \(script); cat >> got; }
            echo ${PIPESTATUS[0]}; tail -c 5 got | grep -c -- '--b--'; cat errors >&2
            """, in: self.folder.path)
        #expect(result.text == "65\n0\n")
        #expect(result.errors.contains("part 1 \"f\": big: the file \(words)"), "\(result.errors)")
        #expect(result.errors.split(separator: "\n").count == 1)
    }

    @Test("Into a pipe that has all but the end already: 65 too, unless it has copies, by --read-files")
    func queued() throws {
        try self.folder.sparse("big", 1_100_000)
        let result = try Command.shell(
            """
            $F body --boundary b -F f=@big 2> errors | {
                head -c 100000 > got; sleep 0.3; printf x | dd of=big conv=notrunc status=none; cat >> got; }
            echo ${PIPESTATUS[0]}; tail -c 5 got | grep -c -- '--b--'; cat errors >&2
            $F body --boundary b -F f=@big > before
            $F body --boundary b -F f=@big --read-files | {
                head -c 100000 > got; sleep 0.3; printf y | dd of=big conv=notrunc status=none; cat >> got; }
            cmp before got && echo same
            """, in: self.folder.path)
        #expect(result.text == "65\n0\nsame\n")
        #expect(result.errors.contains("part 1 \"f\": big: the file was rewritten"), "\(result.errors)")
    }

    @Test("With --snapshot the body has the file as it was, whatever is done to it", arguments: meddlings)
    func snapshot(script: String, words: String) throws {
        try self.folder.sparse("big", 8_000_000)
        let result = try Command.shell(
            """
            $F body --boundary b -F f=@big > before
            $F body --boundary b -F f=@big --snapshot 2> errors | { head -c 100000 > got; \(script); cat >> got; }
            echo ${PIPESTATUS[0]}; cmp before got && echo same; cat errors >&2
            """, in: self.folder.path)
        #expect(result.text == "0\nsame\n" && result.errors.isEmpty, "\(result.errors)")
    }

    @Test("Into curl: 65, and the server knows that the body isn't whole", arguments: meddlings, ["", "-F s=@-"])
    func curl(meddling: (script: String, words: String), stream: String) throws {
        try self.folder.sparse("big", 8_000_000)
        let receiver = try Receiver()
        // A slow pipe as the first part lets us meddle before the file's turn comes.
        let result = try Command.shell(
            """
            mkfifo gate
            { sleep 0.3; \(meddling.script); echo go; } > gate &
            $F curl http://127.0.0.1:\(receiver.port)/ -F g=@gate -F f=@big \(stream) -- -sS < /dev/null; echo $?
            """, in: self.folder.path)
        #expect(result.text == "65\n", "\(result.errors)")
        #expect(result.errors.contains(meddling.words), "\(result.errors)")
        let body = receiver.request().body
        #expect(!body.suffix(30).elementsEqual("0\r\n\r\n".utf8) && !body.contains(sequence: "--\r\n0\r\n\r\n"))
    }

    @Test("A description whose file changed is refused before anything is sent", arguments: meddlings)
    func description(script: String, words: String) throws {
        try self.folder.sparse("big", 8_000_000)
        let result = try Command.shell(
            "$F plan -F f=@big --save plan.json; \(script); $F body --from plan.json; echo $?", in: self.folder.path)
        #expect(result.text == "65\n" || (words == "was removed" && result.text == "26\n"))
    }
}

extension [UInt8] {
    func contains(sequence text: String) -> Bool { self.firstRange(of: Array(text.utf8)) != nil }
}
