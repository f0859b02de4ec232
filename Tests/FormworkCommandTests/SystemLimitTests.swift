#if Transfer
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

    @Test("send and receive don't wait for threads that can't be started")
    func threads() throws {
        // The limit doesn't hold for root.
        let user = "$([ \"$(id -u)\" != 0 ] || echo setpriv --reuid=65534 --regid=65534 --clear-groups)"
        let result = try Command.shell(
            "chmod 755 . 2> /dev/null; timeout 20 \(user) bash -c 'ulimit -u 1; exec \"$F\" send http://127.0.0.1:1 -F a=1'; echo $?"
        )
        #expect(result.text == "71\n", "\(result.errors)")
        #expect(result.errors.contains("threads (Resource temporarily unavailable): allow more (ulimit -u)"))
    }
}
#endif
