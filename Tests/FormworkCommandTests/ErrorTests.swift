import Foundation
import Testing

@Suite("What is wrong is said in one line, with the argument and the fix", .timeLimit(.minutes(10)))
struct ErrorTests {
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
