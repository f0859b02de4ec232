#if Transfer
import Foundation
import Testing

@Suite("Nothing but errors", .timeLimit(.minutes(10)))
struct QuietTests {
    @Test(
        "Warnings, retries and progress are left out",
        arguments: ["-q", "--quiet", "-s", "-sS", "--progress none", "--progress=none", "-q --progress json"])
    func silence(words: String) throws {
        let folder = Folder()
        let receiver = try Receiver()
        let outcome = try Command.shell(
            """
            echo 1 > 1.txt; echo 2 > 2.txt; mkdir -p d; echo 3 > d/3.txt; mkfifo d/fifo
            "$F" send http://127.0.0.1:\(receiver.port) -F a=@1.txt,2.txt -F d=@d/ --recursive \(words); echo $?
            "$F" send http://127.0.0.1:1 -F a=b --retry 1 --retry-delay 0 --retry-all-errors \(words) 2> errors; echo $?
            wc -l < errors
            """, in: folder.path)
        let errors = words == "-s" ? 0 : 1
        #expect(outcome.text == "ok0\n7\n\(errors)\n")
        #expect(outcome.errors == "")
    }

    @Test("body --progress none leaves out warnings, too")
    func body() throws {
        let folder = Folder()
        try folder.file("1.txt", "1")
        try folder.file("2.txt", "2")
        let loud = try Command.run("body", "-F", "a=@1.txt,2.txt", in: folder.path)
        #expect(loud.status == 0 && loud.errors.contains("formwork: warning: "))
        let quiet = try Command.run("body", "-F", "a=@1.txt,2.txt", "--progress", "none", in: folder.path)
        #expect(quiet.status == 0 && quiet.errors == "")
    }
}
#endif
