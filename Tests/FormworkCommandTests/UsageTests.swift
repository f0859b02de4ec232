import Foundation
import Testing

/// What the command answers to options and words that other programs have.
@Suite("Usage errors", .timeLimit(.minutes(10)))
struct UsageTests {
    @Test("An object has the reason alone", arguments: ["--json", "--progress json"])
    func object(option: String) throws {
        let result = try Command.shell("\"$F\" send http://h 'b' \(option)")
        let text = option == "--json" ? result.text : result.errors
        #expect(result.status == 2)
        #expect(text.contains(#"Unexpected argument 'b'""#), "\(text)")
        #expect(!text.contains("See "))
    }

    @Test(
        "Help has one length",
        arguments: ["send", "query", "query encode", "inspect", "receive"])
    func help(verb: String) throws {
        let after = try Command.shell("\"$F\" \(verb) --help")
        #expect(after.status == 0 && after.errors == "", "\(after)")
        for words in ["help \(verb)", "\(verb) -h"] {
            #expect(try Command.shell("\"$F\" \(words)").text == after.text, "\(words)")
        }
    }
}
