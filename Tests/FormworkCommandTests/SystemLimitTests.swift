import Foundation
import TestSupport
import Testing

/// Limits of the shell's `ulimit`, and a system without `/proc`.
@Suite("What the system doesn't allow", .timeLimit(.minutes(10)))
struct SystemLimitTests {
    @Test(
        "Too few files, threads or addresses are an error, whatever the verb",
        arguments: [
            ("-n 3", "body -F a=1", "this process may have 3 files open (ulimit -n): it needs 16 or more"),
            (
                "-n 6", "curl http://127.0.0.1:1/ -F a=1",
                "this process may have 6 files open (ulimit -n): it needs 16 or more"
            ),
            ("-n 5", "extract none", "this process may have 5 files open (ulimit -n): it needs 16 or more"),
            (
                "-v 65000", "inspect none",
                "this process may use 63 MiB of address space (ulimit -v): it needs 64 or more"
            ),
            (
                "-v 65000", "link --key-file none",
                "this process may use 63 MiB of address space (ulimit -v): it needs 64 or more"
            ),
        ])
    func few(limit: String, words: String, message: String) throws {
        let result = try Command.shell("ulimit \(limit); exec \"$F\" \(words)")
        // The shared libraries of a debug build need more files than this to be loaded.
        guard result.status != 127 else { return }
        #expect(result.status == 71 && result.errors == "formwork: \(message)\n", "\(result.status) \(result.errors)")
        #expect(result.output.isEmpty)
    }

    @Test(
        "send and receive need addresses for their threads",
        arguments: ["send http://127.0.0.1:1 -F a=1", "receive in"])
    func addresses(words: String) throws {
        let result = try Command.shell("ulimit -v 400000; exec \"$F\" \(words)")
        #expect(result.status == 71, "\(result.status) \(result.errors)")
        #expect(
            result.errors.wholeMatch(
                of: #/formwork: this process may use 390 MiB of address space \(ulimit -v\): it needs [0-9]+ or more\n/#
            )
                != nil,
            "\(result.errors)")
    }

    /// Runs a command that may not start a thread.
    private func withoutThreads(_ words: String) throws -> Outcome {
        // The limit doesn't hold for root.
        let user = "$([ \"$(id -u)\" != 0 ] || echo setpriv --reuid=65534 --regid=65534 --clear-groups)"
        return try Command.shell(
            "chmod 755 . 2> /dev/null; timeout -s KILL 60 \(user) bash -c 'ulimit -u 1; exec \"$F\" \(words)'; echo $?")
    }

    @Test("send and receive don't wait for threads that can't be started")
    func threads() throws {
        let result = try self.withoutThreads("send http://127.0.0.1:1 -F a=1")
        #expect(result.text == "71\n", "\(result.errors)")
        #expect(result.errors.contains("threads (Resource temporarily unavailable): allow more (ulimit -u)"))
    }

    @Test("The other verbs need no thread, whatever they report")
    func withoutThread() throws {
        let progress = try self.withoutThreads("body -F a=b --boundary XX --progress log -o /dev/null")
        #expect(progress.text == "0\n" && progress.errors.contains(" 100%"), "\(progress)")
        let error = try self.withoutThreads("inspect /nonexistent")
        #expect(error.text == "26\n" && error.errors.hasPrefix("formwork: /nonexistent: "), "\(error)")
        let json = try self.withoutThreads("type --json /dev/null")
        #expect(json.text.hasSuffix("}\n0\n"), "\(json)")
    }
}
