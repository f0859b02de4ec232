import Foundation
import Testing

@testable import FormworkCommand

/// What Tab offers, in real shells.
@Suite("Completions", .timeLimit(.minutes(10)))
struct CompletionTests {
    /// A word that is typed before Tab, and the line that the shell makes of it.
    static let rows: [(typed: String, completed: String)] = [
        ("formwork insp", "inspect"), ("formwork inspect no", "inspect notes.txt"),
        ("formwork type no", "type notes.txt"), ("formwork help insp", "help inspect"),
        ("formwork receive inb", "receive inbox/"),
        ("formwork send http://a --state no", "send http://a --state notes.txt"),
        ("formwork send http://a --resume iet", "send http://a --resume ietf"),
        ("formwork body --as req", "body --as request"),
        ("formwork inspect --profile len", "inspect --profile lenient"),
        ("formwork send http://a -F x=@no", "send http://a -F x=@notes.txt"),
        ("formwork plan -F x=@no", "plan -F x=@notes.txt"), ("formwork completion fi", "completion fish"),
        ("formwork body --boun", "body --boundary"),
        ("formwork send http://a --data-json @no", "send http://a --data-json @notes.txt"),
        ("formwork send http://a -d @no", "send http://a -d @notes.txt"),
        ("formwork send http://a -H @no", "send http://a -H @notes.txt"),
        ("formwork send http://a -w @no", "send http://a -w @notes.txt"),
    ]

    private static func folder(_ shell: String) throws -> Folder {
        let folder = Folder()
        try folder.file("notes.txt", "x")
        try FileManager.default.createDirectory(atPath: folder.path + "/inbox", withIntermediateDirectories: true)
        let script = try Command.run("completion", shell)
        #expect(script.status == 0 && script.text.utf8.count > 1_000)
        try folder.file("_formwork", script.text)
        return folder
    }

    /// `formwork`, which answers the script's questions and prints all other arguments.
    private static let function =
        #"formwork() { if [ "$1" = ---completion ]; then "$F" "$@"; else printf 'GOT:%s:\n' "$*"; fi; }"#

    private static func isMissing(_ shell: String) throws -> Bool {
        try Command.shell("command -v \(shell) && command -v script").status != 0
    }

    @Test func `bash`() throws {
        guard try !Self.isMissing("bash") else { return }
        let folder = try Self.folder("bash")
        let typed = (Self.rows + [("formwork body -F 'x=@no", "body -F x=@notes.txt")]).map { "\($0.typed)\t\n" }
            .joined()
        let input = """
            PS1='$ '; bind 'set enable-bracketed-paste off'; bind 'set completion-ignore-case off'
            \(Self.function)
            source ./_formwork
            \(typed)exit

            """
        let run = try Command.shell(
            "script -qec 'bash --norc --noprofile -i' /dev/null", input: Array(input.utf8), in: folder.path)
        Self.check(run.text)
        #expect(run.text.contains("GOT:body -F x=@notes.txt:"))
    }

    @Test func `bash goes on after a part of a file's name and into a folder`() throws {
        guard try !Self.isMissing("bash") else { return }
        let folder = try Self.folder("bash")
        for name in ["photo1.jpg", "photo2.jpg", "inbox/a b.txt", "my notes.txt"] { try folder.file(name, "x") }
        let rows = [
            ("formwork send -F x=@pho\t2\t", "GOT:send -F x=@photo2.jpg:"),
            ("formwork send -F x=@inb\ta\t", "GOT:send -F x=@inbox/a b.txt:"),
            ("formwork send -H @pho\t1\t", "GOT:send -H @photo1.jpg:"),
            ("formwork send -T inb\ta\t", "GOT:send -T inbox/a b.txt:"),
            ("formwork send --state in\t", "GOT:send --state inbox/:"),
            ("formwork receive --list ow\t", "GOT:receive --list own:"),
            ("formwork send -F x=@my\\ no\t", "GOT:send -F x=@my notes.txt:"),
            ("formwork send -F x=@my\t", "GOT:send -F x=@my notes.txt:"),
            ("formwork send -F 'x=@my no\t", "GOT:send -F x=@my notes.txt:"),
            ("formwork send -F t='a b' -F x=@my\\ \t", "GOT:send -F t=a b -F x=@my notes.txt:"),
            ("formwork plan --from=my\\ no\t", "GOT:plan --from=my notes.txt:"),
        ]
        let input = """
            PS1='$ '; bind 'set enable-bracketed-paste off'
            \(Self.function)
            source ./_formwork
            \(rows.map { $0.0 + "\n" }.joined())exit

            """
        let run = try Command.shell(
            "script -qec 'bash --norc --noprofile -i' /dev/null", input: Array(input.utf8), in: folder.path)
        for row in rows { #expect(run.text.contains(row.1), "\(row.0): \(run.text)") }
        // The line itself stays as it was typed.
        #expect(!run.text.contains("\\@"))
    }

    @Test func `zsh`() throws {
        guard try !Self.isMissing("zsh") else { return }
        let folder = try Self.folder("zsh")
        let typed = Self.rows.map { "\($0.typed)\t\n" }.joined()
        let input = """
            PS1='$ '; fpath=($PWD $fpath); autoload -U compinit; compinit -u -D
            \(Self.function)
            \(typed)exit

            """
        let run = try Command.shell(
            "TERM=xterm script -qec 'zsh -f -i' /dev/null", input: Array(input.utf8), in: folder.path)
        Self.check(run.text)
    }

    @Test func `fish`() throws {
        guard try !Self.isMissing("fish") else { return }
        let folder = try Self.folder("fish")
        try folder.file("formwork", "#!/bin/sh\nexec \"$F\" \"$@\"\n")
        let asked = Self.rows.map { "complete -C '\($0.typed)' | string split -f 1 \\t | head -n 3; echo END" }
        let script = "source ./_formwork\n" + asked.joined(separator: "\n")
        try folder.file("ask.fish", script)
        // fish says where the cursor is only with a terminal.
        let run = try Command.shell(
            """
            chmod +x formwork
            HOME=$PWD PATH=$PWD:$PATH TERM=dumb script -qec 'fish -N -i' /dev/null > /dev/null
            cat answers
            """, input: Array("source ./ask.fish > answers\nexit\n".utf8), in: folder.path)
        let answers = run.text.components(separatedBy: "END\n")
        for (row, answer) in zip(Self.rows, answers) {
            let word = row.completed.split(separator: " ").last.map(String.init) ?? ""
            #expect(answer == word + "\n", "\(row.typed): \(answer) \(run.errors)")
        }
    }

    private static func check(_ text: String) {
        let lines = text.split { $0.isNewline }.map(String.init)
        for row in Self.rows {
            // Directories end with a slash or a blank, words with a blank; "$*" joins the words.
            // zsh removes the slash when the line is accepted.
            let whole = row.completed.hasSuffix("/") ? String(row.completed.dropLast()) : row.completed
            let isFound = lines.contains("GOT:\(row.completed):") || lines.contains("GOT:\(whole):")
            #expect(isFound, "\(row.typed) -> \(row.completed)\n\(text.suffix(6_000))")
        }
    }
}
