#if Transfer
import Foundation
import Testing

/// Standard input has one reader, and what follows on an answer doesn't depend on how much of it was sent.
@Suite("Standard input", .timeLimit(.minutes(10)))
struct StandardInputTests {
    private static let send = "send http://127.0.0.1:9/"
    private static let once = "standard input, which can be read only once: give one of them a file\n"

    @Test(
        "Two options that read it are refused",
        arguments: [
            ("\(send) -F a=@- -w @-", "-w @- and -F a=@- both read "),
            ("\(send) -T - -w @-", "-w @- and -T - both read "),
            ("\(send) -F a=@- -H @-", "-H @- and -F a=@- both read "),
            ("\(send) -F a=@- --url-query q@-", "--url-query q@- and -F a=@- both read "),
            ("\(send) -F 'a=<-' --url-query q@-", "--url-query q@- and -F 'a=<-' both read "),
            ("\(send) -d @- --data-binary @-", "-d @- and --data-binary @- both read "),
            ("\(send) -d @- -d @-", "-d @- is given twice, and each reads "),
            ("\(send) --data-urlencode n@- --url-query q@-", "--data-urlencode n@- and --url-query q@- both read "),
            ("\(send) --data-json @- -H @-", "-H @- and --data-json @- both read "),
            ("\(send) -H @- -H @-", "-H @- is given twice, and each reads "),
            ("\(send) --from - -w @-", "-w @- and --from - both read "),
            ("body --from - -H @- --as request", "-H @- and --from - both read "),
            ("body -F a=@- -H @- --as request", "-H @- and -F a=@- both read "),
            ("curl http://127.0.0.1:9/ -F a=@- -H @-", "-H @- and -F a=@- both read "),
            (
                "receive --dir . --token-file - --link-key-file -",
                "--token-file - and --link-key-file - both read "
            ),
        ])
    func refused(words: String, message: String) throws {
        let folder = Folder()
        let outcome = try Command.shell(
            "printf 'X-A:%032d\\n' 1 | timeout 60 \"$F\" \(words)", in: folder.path)
        #expect(outcome.status == 2, "\(outcome)")
        #expect(outcome.errors == "formwork: \(message)\(Self.once)")
    }

    @Test("Two parts and two inputs of 'type' are refused, too, and curl's second part is empty")
    func parts() throws {
        let twice = try Command.run("body", "-F", "f=@-", "-F", "g=<-", input: [0x78])
        #expect(twice.status == 2)
        #expect(twice.errors == "formwork: -F 'g=<-': standard input is already the content of another part\n")
        let type = try Command.run("type", "-", "-", input: [0x78])
        #expect(type.status == 2 && type.text == "")
        #expect(
            type.errors.hasPrefix(
                "formwork: -: is given twice, and standard input can be read only once: leave one out"), "\(type)")
        let curl = try Command.run(
            "body", "--compat", "curl", "-F", "f=<-", "-F", "g=<-", "--boundary", "b", input: [0x78])
        #expect(
            curl.text == "--b\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\nx\r\n"
                + "--b\r\nContent-Disposition: form-data; name=\"g\"\r\n\r\n\r\n--b--\r\n", "\(curl)")
    }

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
        let folder = Folder()
        let outcome = try Command.shell(
            """
            mkfifo p; (printf 'X-A: b\\n' > p) > log 2>&1 & W=$!
            printf 'X: y\\n' | timeout 20 "$F" body \(words); E=$?; kill -KILL $W 2> log; exit $E
            """, in: folder.path)
        #expect(outcome.status == 2 && outcome.text == "", "\(outcome)")
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
    }

    @Test("--spool stores FIFOs, and standard input under any name")
    func spooled() throws {
        let outcome = try Command.shell(
            """
            mkfifo p; printf abc > p & "$F" headers -F a=@p --spool | grep Length
            printf abc | "$F" headers -F a=@/dev/stdin --spool | grep Length
            """)
        #expect(outcome.text == "Content-Length: 181\nContent-Length: 185\n", "\(outcome)")
    }

    @Test("One reader is enough", arguments: ["-T - -w x", "-F a=@- -w x", "-d @- -w x", "-F a=1 -w @-"])
    func one(words: String) throws {
        let receiver = try Receiver(text: "")
        let outcome = try Command.shell(
            "printf x | timeout 60 \"$F\" send http://127.0.0.1:\(receiver.port) \(words) -q")
        #expect(outcome.status == 0 && outcome.text == "x" && outcome.errors == "", "\(outcome)")
    }

    /// Nothing of the input is sent, as nothing is in it yet, but it can't be read again.
    @Test("An answer before any of it was sent is the result, if it was read", arguments: ["off", "auto"])
    func earlyAnswer(resume: String) throws {
        let folder = Folder()
        let receiver = try Receiver(answering: "503 Service Unavailable", after: 1, text: "busy")
        let outcome = try Command.shell(
            """
            mkfifo input; exec 3<>input
            timeout 60 "$F" send http://127.0.0.1:\(receiver.port) -T - -H Expect: --retry 1 --retry-delay 0.01 -q \
                --resume \(resume) < input
            """, in: folder.path)
        #expect(outcome.status == 22 && outcome.text == "busy", "\(outcome)")
        let first =
            "formwork: the server answered 503 Service Unavailable after 0 bytes, and the rest was not sent"
        let more = "; not tried again, as standard input can be read only once: --spool stores it first"
        #expect(outcome.errors == first + (resume == "off" ? more : "") + "\n")
    }
}
#endif
