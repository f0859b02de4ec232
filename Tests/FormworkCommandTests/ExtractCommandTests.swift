import Foundation
import Testing

@Suite("formwork extract", .timeLimit(.minutes(10)))
struct ExtractCommandTests {
    private let folder = Folder()

    private static func part(_ parameters: String, _ content: String) -> String {
        "--XX\r\nContent-Disposition: form-data; \(parameters)\r\n\r\n\(content)\r\n"
    }

    private static func form(_ parts: String...) -> [UInt8] { Array((parts.joined() + "--XX--\r\n").utf8) }

    private static let simple = form(
        part("name=\"title\"", "Harbour"), part("name=\"photo\"; filename=\"a.jpg\"", "\u{0}jpeg"))

    @Test("What body wrote comes back equal, bytes and all")
    func roundTrip() throws {
        let script = """
            head -c 3000000 /dev/urandom > random.bin; mkdir out
            "$F" body -F title=x -F f=@random.bin | "$F" extract --to out > /dev/null && cmp random.bin out/random.bin
            "$F" body -F title=x -F f=@random.bin | "$F" extract --part f | cmp random.bin -
            """
        let result = try Command.shell(script)
        #expect(result.status == 0 && result.text == "" && result.errors == "")
    }

    @Test("A file that is there is told at once; one that appears meanwhile isn't replaced, and nothing else is left")
    func race() throws {
        try self.folder.file("body", String(decoding: Self.simple, as: UTF8.self))
        let script = """
            mkfifo pipe; mkdir out; printf old > out/title
            "$F" extract pipe --to out & id=$!; exec 3> pipe; head -c 80 body >&3
            for i in $(seq 100); do kill -0 $id 2> /dev/null || break; sleep 0.1; done
            exec 3>&-; wait $id; echo $?; ls -A out; rm -r out

            "$F" extract pipe --to out & id=$!; exec 3> pipe; head -c 140 body >&3
            for i in $(seq 100); do ls out/.formwork.*/a.jpg > /dev/null 2>&1 && break; sleep 0.1; done
            printf new > out/a.jpg; tail -c +141 body >&3; exec 3>&-; wait $id; echo $?; ls -A out; cat out/a.jpg
            """
        let result = try Command.shell("timeout 60 bash -c '\(script)'", in: self.folder.path)
        // The first run ends while its input goes on.
        #expect(result.text == "23\ntitle\n23\na.jpg\nnew", "\(result.text)")
        #expect(
            result.errors == """
                formwork: out/title: already exists: --overwrite replaces it
                formwork: out/a.jpg: already exists: --overwrite replaces it

                """)
    }

    @Test("Interrupted, it leaves nothing and ends with the signal's status", arguments: [("INT", 130), ("TERM", 143)])
    func interrupted(_ signal: String, _ status: Int) throws {
        // A background job of a shell ignores SIGINT, unless the shell has job control.
        let script = """
            set -m; mkfifo pipe; "$F" extract pipe --to out & exec 3> pipe; head -c 140 body >&3
            for i in $(seq 100); do ls out/.formwork.*/a.jpg > /dev/null 2>&1 && break; sleep 0.1; done
            ls -A out/.formwork.*; kill -\(signal) $!; wait $!; echo $?; ls -A
            """
        try self.folder.file("body", String(decoding: Self.simple, as: UTF8.self))
        let result = try Command.shell(script, in: self.folder.path)
        #expect(result.text == "a.jpg\ntitle\n\(status)\nbody\npipe\n", "\(result.errors)")
    }

    @Test("A terminal gets text, but no binary data")
    func terminal() throws {
        guard try Command.shell("command -v script").status == 0 else { return }
        try self.folder.file("body", String(decoding: Self.simple, as: UTF8.self))
        let text = try Command.shell("script -qec '\"$F\" extract body --part title' /dev/null", in: self.folder.path)
        #expect(text.text == "Harbour" && text.status == 0)
        let binary = try Command.shell("script -qec '\"$F\" extract body --part photo' /dev/null", in: self.folder.path)
        #expect(binary.status == 2)
        #expect(binary.text.contains("standard output is a terminal: use --to DIR or a pipe"))
    }
}
