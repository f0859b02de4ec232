import Foundation
import Testing

@Suite("A boundary that the user gives", .timeLimit(.minutes(10)))
struct GivenBoundaryTests {
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
}
