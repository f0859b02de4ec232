import Foundation
import Testing

/// Standard input has one reader, and what follows on an answer doesn't depend on how much of it was sent.
@Suite("Standard input", .timeLimit(.minutes(10)))
struct StandardInputTests {
    private static let once = "standard input, which can be read only once: give one of them a file\n"

    @Test(
        "A pipe has one reader, too, whatever its name is",
        arguments: [
            ("-F a=@- -F b=@/dev/stdin", "-F b=@/dev/stdin: standard input is already the content of another part\n"),
            ("-F a=@/dev/fd/0 -F 'b=<-'", "-F 'b=<-': standard input is already the content of another part\n"),
            ("-F a=@/dev/stdin -H @- --as request", "-H @- and -F a=@/dev/stdin both read \(once)"),
            ("-F a=@- -F 'b=1;headers=@/dev/stdin'", "-F a=@- and -F 'b=1;headers=@/dev/stdin' both read \(once)"),
            (
                "-F a=@/dev/fd/3 -F b=@/proc/self/fd/3 3< p",
                "/proc/self/fd/3 is the content of another part, too, and can be read only once: store it in a file first\n"
            ),
            (
                "-F a=@p -F b=@p",
                "p is the content of another part, too, and can be read only once: store it in a file first\n"
            ),
            (
                "-F a=@p -H @p --as request",
                "-H @p and -F a=@p both read one pipe, which can be read only once: give one of them a file\n"
            ),
        ])
    func pipes(words: String, message: String) throws {
        let outcome = try Command.shell(
            """
            mkfifo p; (printf 'X-A: b\\n' > p) > log 2>&1 & W=$!
            printf 'X: y\\n' | timeout 20 "$F" body \(words); E=$?; kill -KILL $W 2> log; exit $E
            """)
        #expect(outcome.status == 2 && outcome.text == "", "\(outcome)")
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
    }

    /// Nothing of the input is sent, as nothing is in it yet, but it can't be read again.
    @Test("An answer before any of it was sent is the result, if it was read", arguments: ["off", "auto"])
    func earlyAnswer(resume: String) throws {
        let receiver = try Receiver(answering: "503 Service Unavailable", after: 1, text: "busy")
        let outcome = try Command.shell(
            """
            mkfifo input; exec 3<>input
            timeout 60 "$F" send http://127.0.0.1:\(receiver.port) -T - -H Expect: --retry 1 --retry-delay 0.01 -q \
                --resume \(resume) < input
            """)
        #expect(outcome.status == 22 && outcome.text == "busy", "\(outcome)")
        let first =
            "formwork: the server answered 503 Service Unavailable after 0 bytes, and the rest was not sent"
        let more = "; not tried again, as standard input can be read only once: --spool stores it first"
        #expect(outcome.errors == first + (resume == "off" ? more : "") + "\n")
    }
}
