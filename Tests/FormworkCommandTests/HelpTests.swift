import Foundation
import TestSupport
import Testing

@testable import FormworkCommand

@Suite("Help and manual", .timeLimit(.minutes(10)))
struct HelpTests {
    static let verbs = [
        "", "body", "headers", "send", "curl", "plan", "type", "receive", "link", "inspect", "extract", "query",
        "query encode", "query decode", "completion",
    ]

    @Test("A page begins with the abstract and examples, and fits 80 columns", arguments: verbs)
    func pages(verb: String) throws {
        let page = try Command.shell("COLUMNS=80 \"$F\" \(verb) --help")
        #expect(page.status == 0 && page.errors == "")
        let lines = page.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        let titles = lines.filter { !$0.isEmpty && $0.allSatisfy { $0.isUppercase || $0 == " " } }
        #expect(titles.first == "EXAMPLES", "\(titles)")
        // ArgumentParser breaks texts at 80 columns, but not the names of options.
        let long = lines.filter { DisplayText.width(of: String($0)) > 80 && !$0.hasPrefix("  -") }
        #expect(long == [], "\(long)")
    }

    @Test func `Topics list the exit statuses and what a part may be`() throws {
        let text = try Command.run("help", "statuses").text
        let statuses = text.matches(of: #/\n  (\d[\d, ]*)  /#).flatMap { row in
            row.1.split { ", ".contains($0) }.compactMap { Int($0) }
        }
        #expect(
            statuses == [
                0, 1, 2, 3, 6, 7, 22, 23, 26, 28, 35, 43, 47, 55, 56, 58, 60, 63, 65, 70, 71, 77, 127, 129, 130, 143,
            ])
        let parts = try Command.run("help", "parts").text
        #expect(parts.contains("\n  'name=('") && parts.contains(";encoder=") && parts.contains("--recursive"))
        for columns in [40, 60, 80, 200] {
            let lines = try Command.shell("COLUMNS=\(columns) \"$F\" help statuses").text.split(separator: "\n")
            #expect(lines.allSatisfy { $0.utf8.count <= max(columns, 80) }, "\(columns)")
        }
    }

    @Test func `The first 40 lines of send's help have what most transfers need`() throws {
        let lines = try Command.shell("COLUMNS=80 \"$F\" help send").text.split(
            separator: "\n", omittingEmptySubsequences: false)
        let screen = lines.prefix(40).joined(separator: "\n")
        for option in [
            "-F, --form ", "-H, --header ", "--files-from ", "-T, --upload-file ", "-d, --data ", "-o, --output ",
            "--json ",
            "--state ", "--retry ", "--max-time ",
        ] { #expect(screen.contains(option), "\(option): \(screen)") }
    }

    @Test func `The manual's pages have their own names and pass mandoc`() throws {
        let folder = Folder()
        guard try Command.shell("command -v python3").status == 0 else { return }
        let made = try Command.shell(
            "python3 \(Checkout.url("scripts/lib/manual.py").path.shellQuoted) \"$(dirname \"$F\")/formwork-transfer\" .",
            in: folder.path)
        #expect(made.status == 0, "\(made.errors)")
        #expect(
            folder.names == [
                "formwork-body.1", "formwork-completion.1", "formwork-curl.1", "formwork-extract.1",
                "formwork-headers.1", "formwork-inspect.1", "formwork-link.1", "formwork-plan.1",
                "formwork-query-decode.1", "formwork-query-encode.1", "formwork-query.1", "formwork-receive.1",
                "formwork-send.1",
                "formwork-type.1", "formwork.1",
            ])
        let send = try String(contentsOfFile: folder.path + "/formwork-send.1", encoding: .utf8)
        #expect(send.contains(".Dt FORMWORK-SEND 1\n"))
        let all = try String(contentsOfFile: folder.path + "/formwork.1", encoding: .utf8)
        #expect(all.contains(".Sh EXIT STATUS\n") && all.contains(".It 55\n"))
        let receive = try String(contentsOfFile: folder.path + "/formwork-receive.1", encoding: .utf8)
        #expect(receive.contains("FORMWORK_TOKEN=..."), "terminals without UTF-8 have no ellipsis")
        guard try Command.shell("command -v mandoc").status == 0 else { return }
        let lint = try Command.shell("mandoc -T lint *.1", in: folder.path)
        #expect(lint.status == 0 && lint.text == "", "\(lint.text)")
        let shown = try Command.shell("mandoc -T utf8 formwork-send.1 | col -b", in: folder.path)
        #expect(shown.text.contains("--max-time 600"))
    }

    @Test(
        "Help says what a user would otherwise have to try",
        arguments: [
            ("receive --help", "Bearer (FORMWORK_TOKEN=… formwork send …, or curl -H 'Authorization: Bearer TOKEN')"),
            ("receive --help", "as the password of Basic with any user (curl -u me:TOKEN)"),
            ("receive --help", "Leading dots of names are removed: .env is stored as env."),
            ("receive --help", "the second becomes 'name (1)', even with --overwrite."),
            ("help receive", "--no-resume Nothing is kept of a cut upload, and none continues."),
            ("help send", "%{json} is the object of --json"),
            ("help statuses", "3 a redirect leads to an invalid URL, or 307 or 308 has no Location"),
            ("body --help", "exactly curl's bytes, including its quirks, if arguments and names of files are UTF-8."),
            ("send --help", "Give up after this time, such as 90s or 15m."),
        ])
    func says(words: String, text: String) throws {
        let page = try Command.shell("\"$F\" \(words)").text.split { $0 == " " || $0.isNewline }.joined(separator: " ")
        #expect(page.contains(text), "\(page)")
    }
}
