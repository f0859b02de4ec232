#if Command
import Foundation
import Testing

@Suite("Options that have room for one value", .timeLimit(.minutes(10)))
struct SingleValueOptionTests {
    @Test(
        "A second value is refused, instead of dropping the first",
        arguments: [
            (
                "extract b --part '#1' --part '#3' --to out",
                "--part is given more than once: extract one part after the other, or leave out --part to extract all"
            ),
            ("extract b --to=x --to y", "--to is given more than once: extract into one folder"),
            ("body -F a=1 -o x --output y", "-o is given more than once: write to one file"),
            ("plan -F a=1 --save x --save y", "--save is given more than once: save to one file"),
            ("body --from x --from y", "--from is given more than once: read one description"),
            ("query encode --into http://a --into http://b", "--into is given more than once: give one URL"),
        ])
    func refused(line: String, message: String) throws {
        let folder = Folder()
        let result = try Command.shell("\"$F\" \(line)", in: folder.path)
        #expect(result.status == 2 && result.errors == "formwork: \(message)\n", "\(result.errors)")
        #expect(folder.names == [])
    }

    #if Transfer
    @Test(
        "A second body, state or place is refused before anything is sent",
        arguments: [
            (
                "send http://h -T a -T b",
                "-T is given more than once: send the files one after the other, or all in one form with -F NAME=@FILE"
            ),
            ("send http://h -Ta --upload-file b", "-T is given more than once: send the files one after the other"),
            ("send http://h --data-json 1 --data-json 2", "--data-json is given more than once: send one JSON text"),
            ("send http://h -F a=1 -b a=1 -b b=2", "-b is given more than once: join the cookies, as in -b 'a=1; b=2'"),
            ("send http://h -F a=1 --state a --state b", "--state is given more than once: give one file"),
            ("receive --dir ra --dir rb --port 0", "--dir is given more than once: give one folder"),
            ("receive ra --token a --token b --port 0", "--token is given more than once: give one token"),
        ])
    func transfers(line: String, message: String) throws {
        let folder = Folder()
        let result = try Command.shell("timeout 20 \"$F\" \(line)", in: folder.path)
        #expect(result.status == 2 && result.errors.hasPrefix("formwork: \(message)"), "\(result.errors)")
        #expect(folder.names == [])
    }

    @Test("The last one of curl's options counts, and values aren't options")
    func last() throws {
        let result = try Command.shell(
            "\"$F\" send http://h.example/ -F a=b --dry-run -X PUT -X PATCH -A one -A two -d -T 2>&1; "
                + "\"$F\" send http://h.example/ -d -T -d -T --dry-run -X PUT -X PATCH -A one -A two")
        let lines = result.text.components(separatedBy: "\n")
        #expect(lines.contains("PATCH / HTTP/1.1") && lines.contains("User-Agent: two"), "\(result)")
        #expect(lines.contains("Content-Length: 5"), "\(result)")
    }
    #endif
}
#endif
