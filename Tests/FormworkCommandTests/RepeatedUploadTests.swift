import Foundation
import TestSupport
import Testing

@Suite("send repeats an upload whose answer was lost", .timeLimit(.minutes(10)))
struct RepeatedUploadTests {
    @Test("Our receiver stores it once, and answers with what it stored", arguments: ["", "--state s"])
    func lostAnswers(words: String) throws {
        let port = try LoopbackListener.freePort()
        let relay = try CuttingRelay(to: Int(port), lostAnswers: 2)
        let outcome = try Command.shell(
            """
            PORT=\(port) receive in
            echo hello > a.txt; head -c 300000 /dev/zero > b.bin
            "$F" send http://127.0.0.1:\(relay.port)/ -F f=@a.txt -F g=@b.bin \(words) --retry 3 --retry-delay 0 -q > answer
            echo "exit $?"; grep -o '"name":"[^"]*"' answer; ls in; kill $P; wait $P
            # With --state, what is lost is the 104 that comes before the answer.
            [ -n "\(words)" ] || [ $(grep -c repeated log) = 2 ] && echo done
            """)
        #expect(relay.brokenCount == 2)
        #expect(
            outcome.text == """
                exit 0
                "name":"a.txt"
                "name":"b.bin"
                a.txt
                b.bin
                done

                """, "\(outcome.errors)")
    }

    @Test func `With a saved state, the same command gets an answer that was cut`() throws {
        let port = try LoopbackListener.freePort()
        let relay = try CuttingRelay(to: Int(port), cutAnswers: 1)
        let outcome = try Command.shell(
            """
            PORT=\(port) receive in
            head -c 300000 /dev/zero > b.bin
            upload() { "$F" send http://127.0.0.1:\(relay.port)/ -F g=@b.bin --state s -q; }
            upload > answer; echo "exit $?"; ls s
            upload > answer; echo "exit $?"; grep -o '"name":"[^"]*"' answer; ls s in; kill $P; wait $P
            """)
        #expect(
            outcome.errors.hasPrefix(
                "formwork: the connection ended inside the answer; the same command asks for it again\n"),
            "\(outcome.errors)")
        #expect(outcome.text == "exit 56\ns\nexit 0\n\"name\":\"b.bin\"\nin:\nb.bin\n")
    }

    @Test(
        "A POST or PUT that may be repeated has a key, unless -H says otherwise",
        arguments: [
            ("--retry 1", 1), ("", 0), ("--retry 0", 0), ("--retry 1 -H Idempotency-Key:", 0), ("--retry 1 -X PUT", 1),
            ("--retry 1 -X PATCH", 0),
            ("--retry 1 --resume auto", 1), ("--retry 1 --resume tus", 0),
        ])
    func key(words: String, count: Int) throws {
        let outcome = try Command.shell(
            #""$F" send http://127.0.0.1:1/ -F a=1 --dry-run \#(words) | grep -Ec '^Idempotency-Key: "[0-9a-z]{20,26}"'"#
        )
        #expect(outcome.text == "\(count)\n", "\(outcome.errors)")
    }

    @Test("A key of one's own is kept")
    func ownKey() throws {
        let outcome = try Command.shell(
            #""$F" send http://127.0.0.1:1/ -F a=1 --dry-run --retry 1 -H 'Idempotency-Key: "mine"' | grep -i idempotency"#
        )
        #expect(outcome.text == "Idempotency-Key: \"mine\"\n", "\(outcome.errors)")
    }
}
