@testable import FormworkCommand
import Foundation
import Testing

/// A mark that combines with a quote makes another Character of it. A shell and curl read bytes.
@Suite("Quotes before a combining mark", .timeLimit(.minutes(10)))
struct QuotingTests {
    @Test(
        "A quote ends no word of a shell",
        arguments: [
            ("it's", "'it'\\''s'"), ("a'\u{301}b", "'a'\\''\u{301}b'"), ("'\u{200D}", "''\\''\u{200D}'"),
            ("a\r\n'b", "'a\r\n'\\''b'"),
        ])
    func word(text: String, quoted: String) {
        #expect(Array(ShellQuote.quote(text).utf8) == Array(quoted.utf8))
    }

    @Test("The name of a file runs no command of a printed line")
    func name() throws {
        let folder = Folder()
        try folder.file("a'\u{301}; touch RUN; '\u{301}.txt", "text")
        let result = try Command.shell(
            """
            mkdir in && mv *.txt in/
            "$F" curl http://127.0.0.1:1 -F 'f=@in/*.txt' --print -- --version > line && sh line | head -c 5
            """, in: folder.path)
        #expect(result.status == 0 && result.text == "curl ", "\(result.errors)")
        #expect(folder.names.sorted() == ["in", "line"])
    }

    @Test(
        "curl's configuration has each value whole",
        arguments: [
            ("a\"\u{301}b", "header = \"a\\\"\u{301}b\"\n"), ("c\\\u{301}d", "header = \"c\\\\\u{301}d\"\n"),
            ("\t\u{301}", "header = \"\\t\u{301}\"\n"), ("a\r\nb", "header = \"a\\r\\nb\"\n"),
        ])
    func configuration(value: String, line: String) {
        var configuration = CurlConfiguration()
        configuration.add("header", value)
        #expect(Array(configuration.text.utf8) == Array(line.utf8))
    }
}
