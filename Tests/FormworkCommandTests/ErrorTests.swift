#if Command
import Foundation
import Testing

@Suite("What is wrong is said in one line, with the argument and the fix", .timeLimit(.minutes(10)))
struct ErrorTests {
    struct Row: CustomTestStringConvertible {
        var arguments: [String]
        var status: Int32
        var message: String
        var testDescription: String { self.arguments.joined(separator: " ") }

        init(_ arguments: String..., status: Int32, _ message: String) {
            self.arguments = arguments
            self.status = status
            self.message = message
        }
    }

    private static let lengthOfEnabled =
        (try? String(contentsOfFile: "/sys/kernel/mm/transparent_hugepage/enabled", encoding: .utf8))?.utf8.count ?? 0

    static let rows = [
        Row("-F", "name", status: 2, "-F name: there is no '=': write name=value or name=@file"),
        Row(
            "-F", "f=@nope.jpg", status: 26,
            "-F f=@nope.jpg: nope.jpg can't be read (No such file or directory)"),
        Row("-F", "f=@a.txt/", status: 26, "-F f=@a.txt/: a.txt/ can't be read (Not a directory)"),
        Row("-F", "f=<a.txt/", status: 26, "-F 'f=<a.txt/': a.txt/ can't be read (Not a directory)"),
        Row(
            "-F", "f=x;headers=@a.txt/", status: 26,
            "-F 'f=x;headers=@a.txt/': a.txt/ can't be read (Not a directory)"),
        Row(
            "-F", "a=b;type=text/plain charset=utf-8", status: 2,
            "-F 'a=b;type=text/plain charset=utf-8': column 21: \"charset=utf-8\" follows the type without a ';' "
                + "before it: a parameter is written text/plain;charset=utf-8"),
        Row(
            "-F", "f=@/proc/version", status: 26,
            "-F f=@/proc/version: /proc/version has a size of 0 bytes but has content, as files of /proc do: write "
                + "cat /proc/version | formwork … -F 'f=@-;filename=version'"),
        Row(
            "-F", "f=@/sys/kernel/mm/transparent_hugepage/enabled", status: 26,
            "-F f=@/sys/kernel/mm/transparent_hugepage/enabled: /sys/kernel/mm/transparent_hugepage/enabled has a "
                + "size of 4096 bytes but ended at file offset \(lengthOfEnabled), as files of /sys do: write "
                + "cat /sys/kernel/mm/transparent_hugepage/enabled | formwork … -F 'f=@-;filename=enabled'"),
        Row(
            "-F", "f=@/tmp", status: 26,
            "-F f=@/tmp: /tmp is a directory: name a file in it, or add --recursive for all of its files"),
        Row(
            "-F", "a={\"x\":\"y;z\"}", status: 2,
            "-F 'a={\"x\":\"y;z\"}': column 11: \"z\"}\" is not one of type=, filename=, headers=, encoder=, length=: "
                + "a value with ';' needs --form-string or double quotes: a=\"…;…\""),
        Row(
            "-F", "f=@a;b.txt", status: 2,
            "-F 'f=@a;b.txt': column 6: \"b.txt\" is not one of type=, filename=, headers=, encoder=, length=: a path "
                + "with ';' needs double quotes: f=@\"…;…\""),
        Row(
            "-F", "a=\"x\"y", status: 2,
            "-F 'a=\"x\"y': column 6: text after a closing quote would be lost: write \\\" for a quote inside quotes"),
        Row(
            "-F", "a=b;type=text", status: 2,
            "-F 'a=b;type=text': column 10: type= needs a media type such as text/plain"),
        Row(
            "-F", "a=b;length=3", status: 2,
            "-F 'a=b;length=3': column 5: length= is for standard input (@- or <-) only"),
        Row(
            "-F", "f=@-;length=x", status: 2, "-F 'f=@-;length=x': column 6: length= needs a number of bytes, not \"x\""
        ),
        Row(
            "-F", "a=1", "--boundary", "ä", status: 2,
            "The boundary contains \"ä\": use only letters, digits and '()+_,-./:=?."),
        Row(
            "-F", "a\nb=1", "--escape", "refuse", status: 2,
            "-F 'a\nb=1': The name \"a\\nb\" contains a line end, which the escaping rule \"refuse\" refuses: rename "
                + "it or use the rule \"whatwg\"."),
        Row("-F", "f=@dangling", status: 26, "-F f=@dangling: dangling can't be read (No such file or directory)"),
        Row("--from", "nope.json", status: 26, "nope.json: can't be read (No such file or directory)"),
    ]

    @Test("One row, one line", arguments: rows)
    func row(row: Row) throws {
        let folder = Folder()
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/dangling", withDestinationPath: "nowhere")
        try folder.file("a.txt", "A")
        let result = try Command.shell(
            "\"$F\" body "
                + row.arguments.map {
                    "$'" + $0.replacing("\\", with: "\\\\").replacing("'", with: "\\'").replacing("\n", with: "\\n")
                        + "'"
                }
                .joined(separator: " "), in: folder.path)
        let message = row.message.replacing("\n", with: "\\n")
        #expect(result.errors == "formwork: \(message)\n")
        #expect(result.status == row.status)
        #expect(result.output.isEmpty)
    }

    @Test(
        "A slash after a file's name is an error, whichever argument has it",
        arguments: [
            ("type a.txt/", "a.txt/: can't be read"), ("inspect a.txt/", "a.txt/: can't be read"),
            ("extract a.txt/ --part a", "a.txt/: can't be read"),
            ("query decode a.txt/", "a.txt/: can't be read"), ("query encode a.txt/", "a.txt/: can't be read"),
            ("body --from a.txt/", "--from a.txt/: can't be read"),
            ("send http://h/ -T a.txt/", "-T a.txt/: can't be read"),
            ("send http://h/ -d @a.txt/", "-d @a.txt/: can't be read"),
            ("receive . --token-file a.txt/", "--token-file a.txt/: can't be read"),
            ("send http://h/ -F a=1 --netrc-file a.txt/", "--netrc-file: a.txt/: can't be read"),
        ])
    func slash(words: String, message: String) throws {
        let folder = Folder()
        try folder.file("a.txt", "{}")
        let result = try Command.shell("\"$F\" \(words)", in: folder.path)
        #expect(result.status == 26 && result.text == "")
        #expect(result.errors == "formwork: \(message) (Not a directory)\n")
    }

    @Test("A file as standard input that is longer than it says is to come through a pipe")
    func standardInputOfProc() throws {
        let result = try Command.shell(
            "\"$F\" body -F 'f=<-' < /proc/version; cat /proc/version | \"$F\" body -F 'f=<-'")
        #expect(result.errors.contains("of 0 bytes but has content, as files of /proc do: pass it through a pipe"))
        #expect(result.text.contains("Linux") && result.status == 0)
    }

    @Test("With --compat curl, what curl can't open comes before what it doesn't know")
    func orderOfStatuses() throws {
        let folder = Folder()
        try folder.file("a.txt", "A")
        for arguments in [
            "-F 'f=@nope,a.txt;encoder=zz'", "-F 'm=(' -F f=@nope -F 'a=b;encoder=zz'",
            "-F f=@a.txt/ -F 'a=b;encoder=zz'",
        ] {
            let result = try Command.shell("\"$F\" body --compat curl \(arguments)", in: folder.path)
            #expect(result.status == 26 && result.output.isEmpty, "\(arguments)")
        }
        #expect(try Command.shell("\"$F\" body --compat curl -F 'm=(' -F 'a=b;encoder=zz'").status == 43)
    }

    @Test("A warning that nobody reads doesn't end the command")
    func closedStandardError() throws {
        let folder = Folder()
        let script = """
            import os, signal, subprocess, sys
            read, write = os.pipe()
            os.close(read)
            result = subprocess.run([sys.argv[1], "body", "-F", "=x", "--boundary", "b"], stderr=write, stdout=subprocess.PIPE)
            print(result.returncode, len(result.stdout))
            """
        try folder.file("run.py", script)
        let result = try Command.shell("python3 run.py \"$F\"", in: folder.path)
        #expect(result.text == "0 49\n", "\(result.errors)")
    }

    @Test("A folder in which content can't be collected is named")
    func fullTemporaryFolder() throws {
        let folder = Folder()
        let result = try Command.shell(
            "ulimit -f 8; head -c 100000 /dev/zero | TMPDIR=$PWD \"$F\" body --spool -F f=@-", in: folder.path)
        #expect(result.status == 23 && folder.names.isEmpty)
        #expect(
            result.errors
                == "formwork: -F f=@-: \(folder.path) can't hold a temporary file (File too large)\n")
        // A copy of a sparse file is as large as the file here.
        try folder.sparse("big", 100_000)
        let copy = try Command.shell(
            "ulimit -f 8; mkdir t; TMPDIR=$PWD/t \"$F\" body --snapshot -F f=@big", in: folder.path)
        #expect(copy.status == 23, "\(copy.errors)")
        #expect(copy.errors == "formwork: -F f=@big: \(folder.path)/t can't hold a temporary file (File too large)\n")
        for option in ["--spool -F f=@-", "--snapshot -F f=@big"] {
            let none = try Command.shell("TMPDIR=$PWD/none \"$F\" body \(option)", in: folder.path)
            let shown = "\(folder.path)/none can't hold a temporary file (No such file or directory)\n"
            #expect(none.errors.hasSuffix(": \(shown)"), "\(none.errors)")
        }
    }

    @Test(
        "A full standard output is named as itself",
        arguments: [
            "--help", "help send", "plan -F a=b", "plan -F a=b --json", "type big", "completion bash", "headers -F a=b",
            "curl http://h -F a=b --print", "query encode --help",
        ])
    func fullOutput(words: String) throws {
        let folder = Folder()
        try folder.file("big", "x")
        let result = try Command.shell("\"$F\" \(words) > /dev/full", in: folder.path)
        #expect(result.status == 23)
        #expect(result.errors == "formwork: standard output can't be written (No space left on device)\n")
    }

    @Test(
        "A negative offset and an empty boundary are named as such",
        arguments: [
            ("--offset -1", "--offset -1: give 0 or more"), ("--length -1", "--length -1: give 0 or more"),
            ("--boundary ''", "The boundary has 0 bytes: RFC 2046 allows 1 to 70."),
            ("--boundary=", "The boundary has 0 bytes: RFC 2046 allows 1 to 70."),
        ])
    func values(words: String, message: String) throws {
        let result = try Command.shell("\"$F\" body -F a=b \(words)")
        #expect(result.status == 2 && result.errors == "formwork: \(message)\n", "\(result.errors)")
    }

    @Test("Arguments that are not UTF-8 are refused, not repaired")
    func notUTF8() throws {
        let result = try Command.shell("\"$F\" body -F $'a=\\xff'")
        #expect(result.status == 2 && result.output.isEmpty)
        #expect(
            result.errors
                == "formwork: argument 3 is not UTF-8: rename a file, or give its content on standard input ('@-' or '-'); a value comes from a file with -F 'NAME=<FILE'\n"
        )
    }

    @Test("A file that this user may not read")
    func unreadable() throws {
        let folder = Folder()
        try folder.file("secret", "x")
        // Root reads everything, so another user is needed then; the binary must be where that user reaches it.
        let script = """
            chmod 000 secret; chmod 755 .; cp "$F" copy; cd "$PWD"
            if [ "$(id -u)" = 0 ]; then as="setpriv --reuid=65534 --clear-groups"; fi
            $as ./copy body -F f=@secret; echo $?
            """
        let result = try Command.shell(script, in: folder.path)
        #expect(result.text == "26\n")
        #expect(result.errors == "formwork: -F f=@secret: secret can't be read (Permission denied)\n")
    }

    @Test("Wrong usage is 2, as curl has it; help and version are 0")
    func usage() throws {
        #expect(try Command.run("body", "--no-such-option").status == 2)
        #expect(try Command.run("no-such-verb").status == 2)
        #expect(try Command.run("body", "-F", "a=1", "--escape", "raw").status == 2, "raw isn't for the command line")
        let none = try Command.run("body")
        #expect(none.status == 2)
        #expect(none.errors.contains("give at least one -F"))
        let help = try Command.run("--help")
        #expect(help.status == 0)
        #expect(help.text.split(separator: "\n").prefix(4).contains("EXAMPLES"))
        for verb in ["body", "headers", "curl", "plan"] {
            let text = try Command.run(verb, "--help").text
            #expect(text.split(separator: "\n").prefix(4).contains("EXAMPLES"), "\(verb)")
        }
        #expect(try Command.run("--version").text == "0.1.0\n")
        for shell in ["bash", "zsh", "fish"] {
            let script = try Command.run("--generate-completion-script", shell)
            #expect(script.status == 0 && script.text.contains("formwork"), "\(shell)")
        }
    }

    @Test("A terminal gets text, but no binary data unless it is asked for")
    func terminal() throws {
        func onTerminal(_ arguments: String) throws -> Outcome {
            try Command.shell("script -qec '\"$F\" body \(arguments)' /dev/null")
        }
        guard try Command.shell("command -v script").status == 0 else { return }
        #expect(try onTerminal("-F a=1 --boundary b").text.contains("name=\"a\""))
        let refused = try onTerminal("-F a=@/bin/true")
        #expect(refused.status == 2)
        #expect(refused.text.contains("standard output is a terminal"))
        #expect(try onTerminal("-F a=@/etc/hostname -o -").status == 0)
    }
}
#endif
