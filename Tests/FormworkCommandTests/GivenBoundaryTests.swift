#if Transfer
import Foundation
import Testing

@Suite("A boundary that the user gives", .timeLimit(.minutes(10)))
struct GivenBoundaryTests {
    private func folder() throws -> Folder {
        let folder = Folder()
        try folder.file("bad", "text\r\n--b1\r\n")
        try folder.file("good", "text--b1\r\n")
        return folder
    }

    @Test(
        "Nothing is sent if content contains it",
        arguments: [
            "send URL -F a=1 -F f=@bad --boundary b1",
            "send URL -F a=1 -F f=@bad -H 'Content-Type: multipart/form-data; boundary=b1'",
            "send URL -F a=1 -F f=@bad --boundary b1 --resume ietf",
            "send URL -F a=1 -F f=@bad --boundary b1 --state state",
            "send URL -F a=1 -F f=@- --boundary b1 --spool < bad",
            "curl URL -F a=1 -F f=@bad --boundary b1",
        ])
    func refused(words: String) throws {
        // Nothing listens there, so a connection would be another error.
        let line = words.replacing("URL", with: "http://127.0.0.1:1/")
        let folder = try self.folder()
        let result = try Command.shell("\"$F\" \(line)", in: folder.path)
        #expect(result.status == 2 && result.text == "")
        #expect(
            result.errors.hasPrefix(
                "formwork: part 2 \"f\": the content contains the body's own delimiter at offset 14"),
            "\(result.errors)")
        #expect(
            result.errors.hasSuffix("; a random boundary, without --boundary, occurs in no content\n"),
            "\(result.errors)")
    }

    @Test(
        "Standard input is checked while it is sent, and the body isn't ended",
        arguments: ["send", "curl", "send --from plan.json"])
    func whileSending(verb: String) throws {
        let folder = Folder()
        // More than is read before a connection is made.
        try folder.file("bad", String(repeating: "x", count: 3_000_000) + "\r\n--b1\r\n")
        if verb.hasSuffix("json") {
            let saved = try Command.run(
                "plan", "-F", "a=1", "-F", "f=@bad;filename=-", "--boundary", "b1", "--save", "plan.json",
                in: folder.path)
            #expect(saved.status == 0, "\(saved.errors)")
        }
        let form = verb.hasSuffix("json") ? "" : "-F a=1 -F 'f=@-;filename=-' --boundary b1"
        let receiver = try Receiver()
        let result = try Command.shell(
            "cat bad | \"$F\" \(verb) http://127.0.0.1:\(receiver.port)/ \(form)", in: folder.path)
        #expect(result.status == 2 && result.text == "", "\(result.errors)")
        #expect(
            result.errors.contains("part 2 \"f\": the content contains the body's own delimiter at offset 300014"),
            "\(result.errors)")
        let (_, body) = receiver.request()
        #expect(!String(decoding: body, as: UTF8.self).contains("--b1--"))
        #expect(!body.suffix(5).elementsEqual("0\r\n\r\n".utf8))
    }

    @Test("Standard input of a resumed upload can't be checked, and is refused")
    func resumed() throws {
        let result = try Command.run(
            "send", "http://127.0.0.1:1/", "-F", "f=@-", "--boundary", "b1", "--resume", "ietf", input: Array("x".utf8))
        #expect(result.status == 2)
        #expect(
            result.errors == """
                formwork: --boundary: a body that is resumed can't be checked for it, as it can be read only once (part 1 \
                "f": standard input can be read only once): leave out --boundary, or add --spool

                """)
    }

    @Test("A body without it in content is sent")
    func sent() throws {
        let (folder, receiver) = (try self.folder(), try Receiver())
        let result = try Command.run(
            "send", "http://127.0.0.1:\(receiver.port)/", "-F", "f=@good", "--boundary", "b1", in: folder.path)
        #expect(result.status == 0, "\(result.errors)")
        #expect(String(decoding: receiver.request().body, as: UTF8.self).hasSuffix("text--b1\r\n\r\n--b1--\r\n"))
    }

    @Test(
        "curl chooses its own, so a printed command can't have it",
        arguments: [
            (
                "curl http://h/ -F a=1 --print --boundary b1",
                "--print: curl chooses its boundary itself: leave out --boundary"
            ),
            (
                "body -F a=1 --as curl --boundary b1",
                "--as curl: curl chooses its boundary itself: leave out --boundary"
            ),
            (
                "body -F a=1 --as curl -H 'Content-Type: multipart/mixed; boundary=b1'",
                "--as curl: curl chooses its boundary itself: leave out the boundary of -H 'Content-Type: …'"
            ),
        ])
    func printed(words: String, message: String) throws {
        let result = try Command.shell("\"$F\" \(words)")
        #expect(result.status == 2 && result.text == "" && result.errors == "formwork: \(message)\n")
    }
}
#endif
