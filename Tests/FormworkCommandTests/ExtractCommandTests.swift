#if Command
import Foundation
import Testing

@Suite("formwork extract", .timeLimit(.minutes(10)))
struct ExtractCommandTests {
    private static func part(_ parameters: String, _ content: String) -> String {
        "--XX\r\nContent-Disposition: form-data; \(parameters)\r\n\r\n\(content)\r\n"
    }

    private static func form(_ parts: String...) -> [UInt8] { Array((parts.joined() + "--XX--\r\n").utf8) }

    private static let simple = form(
        part("name=\"title\"", "Harbour"), part("name=\"photo\"; filename=\"a.jpg\"", "\u{0}jpeg"))

    private static func read(_ folder: Folder, _ name: String) -> String? {
        (try? Data(contentsOf: URL(fileURLWithPath: folder.path + "/" + name))).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    @Test("Files by their filename, fields by their name, one line each")
    func files() throws {
        let folder = Folder()
        let result = try Command.run("extract", "--to", "out", input: Self.simple, in: folder.path)
        #expect(result.text == "out/title\nout/a.jpg\n")
        #expect(result.status == 0 && result.errors == "")
        #expect(Self.read(folder, "out/title") == "Harbour")
        #expect(Self.read(folder, "out/a.jpg") == "\u{0}jpeg")
        #expect(try Command.shell("ls -A out | wc -l", in: folder.path).text == "2\n")
        let files = try Command.run("extract", "--to", "f", "--files-only", input: Self.simple, in: folder.path)
        #expect(files.text == "f/a.jpg\n")
        let fields = try Command.run("extract", "--to", "g/", "--fields-only", input: Self.simple, in: folder.path)
        #expect(fields.text == "g/title\n")
        let one = try Command.run("extract", "--to", "h", "--part", "photo", input: Self.simple, in: folder.path)
        #expect(one.text == "h/a.jpg\n")
    }

    @Test("What body wrote comes back equal, bytes and all")
    func roundTrip() throws {
        let folder = Folder()
        let script = """
            head -c 3000000 /dev/urandom > random.bin; mkdir out
            "$F" body -F title=x -F f=@random.bin | "$F" extract --to out > /dev/null && cmp random.bin out/random.bin
            "$F" body -F title=x -F f=@random.bin | "$F" extract --part f | cmp random.bin -
            """
        let result = try Command.shell(script, in: folder.path)
        #expect(result.status == 0 && result.text == "" && result.errors == "")
    }

    @Test("No name leads out of the folder, hides, or is lost")
    func names() throws {
        let folder = Folder()
        let names = [
            "../../x", "/etc/passwd", "C:\\\\dir\\\\y", ".bashrc", "..", "", "a.txt", "a.txt", "a-2.txt", "a.txt",
            "CON",
            "a/b/c", "\u{1B}[31m", "two\twords", "..\\\\..\\\\z", ".formwork.x",
        ]
        let parts = names.map { Self.part("name=\"n\"; filename=\"\($0)\"", $0) }
        let result = try Command.run(
            "extract", "--to", "out", input: Array((parts.joined() + "--XX--\r\n").utf8), in: folder.path)
        #expect(
            result.text.split(separator: "\n") == [
                "out/x", "out/passwd", "out/y", "out/bashrc", "out/part-5", "out/part-6", "out/a.txt", "out/a-2.txt",
                "out/a-2-2.txt", "out/a-3.txt", "out/_CON", "out/c", "out/[31m", "out/twowords", "out/z",
                "out/formwork.x",
            ], "\(result.text)\(result.errors)")
        #expect(folder.names == ["out"])
        #expect(Self.read(folder, "out/a-2-2.txt") == "a-2.txt")
        #expect(try Command.shell("find out -type f | wc -l; find out | wc -l", in: folder.path).text == "16\n17\n")
        let long = String(repeating: "n", count: 300) + ".jpeg"
        let cut = try Command.run(
            "extract", "--to", "long",
            input: Self.form(
                Self.part("name=\"n\"; filename=\"\(long)\"", "1"), Self.part("name=\"n\"; filename=\"\(long)\"", "2")),
            in: folder.path)
        #expect(
            cut.text
                == "long/\(String(repeating: "n", count: 235)).jpeg\nlong/\(String(repeating: "n", count: 235))-2.jpeg\n"
        )
    }

    @Test("Nothing that is there is replaced without --overwrite, and no link is followed")
    func existing() throws {
        let folder = Folder()
        try folder.file("victim", "old")
        _ = try Command.shell("mkdir out; ln -s ../victim out/a.jpg; ln -s ../nowhere out/title", in: folder.path)
        let refused = try Command.run("extract", "--to", "out", input: Self.simple, in: folder.path)
        #expect(refused.status == 23 && refused.output.isEmpty)
        #expect(refused.errors == "formwork: out/title: already exists: --overwrite replaces it\n")
        #expect(try Command.shell("ls -A out", in: folder.path).text == "a.jpg\ntitle\n")
        let replaced = try Command.run("extract", "--to", "out", "--overwrite", input: Self.simple, in: folder.path)
        #expect(replaced.status == 0, "\(replaced.errors)")
        #expect(Self.read(folder, "out/a.jpg") == "\u{0}jpeg")
        #expect(Self.read(folder, "victim") == "old")
        #expect(folder.names == ["out", "victim"])
        #expect(try Command.shell("find out -type l; ls -A out | wc -l", in: folder.path).text == "2\n")
        _ = try Command.shell("rm out/a.jpg; mkdir out/a.jpg", in: folder.path)
        let directory = try Command.run("extract", "--to", "out", "--overwrite", input: Self.simple, in: folder.path)
        #expect(directory.status == 23)
        #expect(directory.errors == "formwork: out/a.jpg: can't be written (Is a directory)\n", "\(directory.errors)")
    }

    @Test("A file that is there is told at once; one that appears meanwhile isn't replaced, and nothing else is left")
    func race() throws {
        let folder = Folder()
        try folder.file("body", String(decoding: Self.simple, as: UTF8.self))
        let script = """
            mkfifo pipe; mkdir out; printf old > out/title
            "$F" extract pipe --to out & id=$!; exec 3> pipe; head -c 80 body >&3
            for i in $(seq 100); do kill -0 $id 2> /dev/null || break; sleep 0.1; done
            exec 3>&-; wait $id; echo $?; ls -A out; rm -r out

            "$F" extract pipe --to out & id=$!; exec 3> pipe; head -c 140 body >&3
            for i in $(seq 100); do ls out/.formwork.*/a.jpg > /dev/null 2>&1 && break; sleep 0.1; done
            printf new > out/a.jpg; tail -c +141 body >&3; exec 3>&-; wait $id; echo $?; ls -A out; cat out/a.jpg
            """
        let result = try Command.shell("timeout 60 bash -c '\(script)'", in: folder.path)
        // The first run ends while its input goes on.
        #expect(result.text == "23\ntitle\n23\na.jpg\nnew", "\(result.text)")
        #expect(
            result.errors == """
                formwork: out/title: already exists: --overwrite replaces it
                formwork: out/a.jpg: already exists: --overwrite replaces it

                """)
    }

    @Test("A body that is malformed, cut or over a limit leaves nothing, and no folder that wasn't there")
    func nothingLeft() throws {
        let folder = Folder()
        _ = try Command.shell("mkdir there", in: folder.path)
        let cut = Array(Self.simple.dropLast(12))
        for (input, options, status) in [(cut, [], 70), (Self.simple, ["--limit", "fileBytes=2"], 63)]
            as [([UInt8], [String], Int32)]
        {
            for to in ["there", "new"] {
                let words = ["--to", to] + options
                let result = try Command.shell(
                    "\"$F\" extract \(words.joined(separator: " "))", input: input, in: folder.path)
                #expect(result.status == status && result.output.isEmpty)
            }
        }
        #expect(folder.names == ["there"])
        #expect(try Command.shell("ls -A there", in: folder.path).text == "")
        let missing = try Command.run("extract", "--to", "no/such", input: Self.simple, in: folder.path)
        #expect(missing.status == 23)
        #expect(
            missing.errors
                == "formwork: no/such: can't be created, because its parent folder no doesn't exist: create no first (No such file or "
                + "directory)\n")
        let limited = try Command.shell(
            "ulimit -f 1; \"$F\" body -F f=@/bin/bash | \"$F\" extract --to there; ls -A there", in: folder.path)
        #expect(limited.text == "")
        #expect(limited.errors == "formwork: there/bash: can't be written (File too large)\n", "\(limited.errors)")
    }

    @Test("Interrupted, it leaves nothing and ends with the signal's status", arguments: [("INT", 130), ("TERM", 143)])
    func interrupted(_ signal: String, _ status: Int) throws {
        let folder = Folder()
        // A background job of a shell ignores SIGINT, unless the shell has job control.
        let script = """
            set -m; mkfifo pipe; "$F" extract pipe --to out & exec 3> pipe; head -c 140 body >&3
            for i in $(seq 100); do ls out/.formwork.*/a.jpg > /dev/null 2>&1 && break; sleep 0.1; done
            ls -A out/.formwork.*; kill -\(signal) $!; wait $!; echo $?; ls -A
            """
        try folder.file("body", String(decoding: Self.simple, as: UTF8.self))
        let result = try Command.shell(script, in: folder.path)
        #expect(result.text == "a.jpg\ntitle\n\(status)\nbody\npipe\n", "\(result.errors)")
    }

    @Test("One part to standard output, by name or number; a missing one lists what there is")
    func parts() throws {
        #expect(try Command.run("extract", "--part", "title", input: Self.simple).text == "Harbour")
        #expect(try Command.run("extract", "--part", "#2", input: Self.simple).text == "\u{0}jpeg")
        let missing = try Command.run("extract", "--part", "x\u{1B}", input: Self.simple)
        #expect(missing.status == 2 && missing.output.isEmpty)
        #expect(
            missing.errors
                == "formwork: --part 'x\\u{1B}': no such part: the body has #1 title, #2 photo (file)\n")
        let third = try Command.run("extract", "--part", "#3", "--to", "/tmp", input: Self.simple)
        #expect(third.status == 2 && third.errors.hasPrefix("formwork: --part '#3': no such part"))
        let none = try Command.run("extract", "--part", "a", input: Array("--XX--\r\n".utf8))
        #expect(none.errors == "formwork: --part a: no such part: the body has no parts\n")
        let twice = try Command.run(
            "extract", "--part", "a", input: Self.form(Self.part("name=\"a\"", "1"), Self.part("name=\"a\"", "2")))
        #expect(twice.status == 2 && twice.text == "1")
        #expect(
            twice.errors == "formwork: --part a: parts #1 and #2 have this name, and only the first was written: "
                + "choose by number, such as --part '#2'\n")
        let nowhere = try Command.run("extract", input: Self.simple)
        #expect(nowhere.status == 2)
        #expect(
            nowhere.errors == "formwork: no destination: give --to DIR, or --part NAME for standard output\n")
        let both = try Command.run("extract", "--to", "x", "--files-only", "--fields-only", input: Self.simple)
        #expect(both.status == 2)
    }

    @Test("A terminal gets text, but no binary data")
    func terminal() throws {
        guard try Command.shell("command -v script").status == 0 else { return }
        let folder = Folder()
        try folder.file("body", String(decoding: Self.simple, as: UTF8.self))
        let text = try Command.shell("script -qec '\"$F\" extract body --part title' /dev/null", in: folder.path)
        #expect(text.text == "Harbour" && text.status == 0)
        let binary = try Command.shell("script -qec '\"$F\" extract body --part photo' /dev/null", in: folder.path)
        #expect(binary.status == 2)
        #expect(binary.text.contains("standard output is a terminal: use --to DIR or a pipe"))
    }
}
#endif
