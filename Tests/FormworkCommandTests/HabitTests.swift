import Foundation
import TestSupport
import Testing

/// Options that users of curl and HTTPie type.
@Suite("send with curl's habits", .timeLimit(.minutes(10)))
struct HabitTests {
    @Test("-T goes on in a later process, and to a tus server as the file")
    func uploadResumed() throws {
        let (folder, store) = (Folder(), try TusStore())
        try folder.sparse("large", 4 << 20)
        let send = "\"$F\" send \(store.url) -T large --resume tus --piece-size 1M --state state -q"
        let outcome = try Command.shell(
            """
            \(send) --limit-rate 1M & S=$!
            for i in $(seq 200); do [ -s state ] && break; sleep 0.05; done; sleep 2; kill -KILL $S; wait $S
            timeout 60 \(send) --json > report; echo "exit $?"; grep -c '"resumptions": 1' report; ls state 2> /dev/null
            """, in: folder.path)
        #expect(outcome.text == "exit 0\n1\n", "\(outcome.errors)")
        #expect(store.uploads.count == 1 && store.uploads.first?.bytes.count == 4 << 20)
        #expect(
            store.uploads.first?.metadata == ["filename": "large", "filetype": "application/octet-stream"])
        let other = try Command.shell(
            """
            receive in
            timeout 60 "$F" send $U -T large > /dev/null 2> notes; echo "exit $?"; cmp in/large large && echo same
            rm in/large; timeout 60 "$F" send $U -T large --resume tus > /dev/null 2>> notes; echo "exit $?"
            cmp in/large large && echo same; cat notes; kill $P; wait $P
            """, in: folder.path)
        #expect(other.text == "exit 0\nsame\nexit 0\nsame\n", "\(other.errors)")
    }

    @Test(
        "-T resumes an upload to our receiver that is cut, or whose sender is killed",
        arguments: ["ietf", "auto", "tus"])
    func uploadCut(way: String) throws {
        let port = try LoopbackListener.freePort()
        let relay = try CuttingRelay(to: Int(port), cuts: [3_000_000])
        let outcome = try Command.shell(
            """
            head -c 8000000 /dev/urandom > big.iso; cp big.iso second.iso
            PORT=\(port) receive in
            "$F" send http://127.0.0.1:\(relay.port)/sub/ -T big.iso --resume \(way) --retry-delay 0.1 --json -q > report
            echo "exit $?"; grep -c '"resumptions": 1' report; grep -Ec '"resumedFrom": [1-9]' report
            send="send http://127.0.0.1:\(port)/sub/ -T second.iso --resume \(way) --state state -q"
            "$F" $send --limit-rate 1M > /dev/null & S=$!; until [ -s state ]; do sleep 0.05; done
            sleep 1; kill -KILL $S; wait $S 2> /dev/null
            "$F" $send --json > report; echo "exit $?"; grep -Ec '"resumedFrom": [1-9]' report
            cmp in/big.iso big.iso && cmp in/second.iso second.iso && echo same; ls in; kill $P; wait $P
            """)
        #expect(outcome.text == "exit 0\n1\n1\nexit 0\n1\nsame\nbig.iso\nsecond.iso\n", "\(outcome.errors)")
        #expect(relay.brokenCount == 1)
    }

    @Test("A link to a saved upload has the same lock")
    func linkedState() throws {
        let port = try LoopbackListener.freePort()
        let outcome = try Command.shell(
            """
            head -c 8000000 /dev/urandom > big.iso; mkdir st; ln -s s st/link
            PORT=\(port) receive in
            send="send http://127.0.0.1:\(port)/ -T big.iso --resume ietf -q"
            "$F" $send --state st/s --limit-rate 1M > /dev/null & S=$!; until [ -s st/s ]; do sleep 0.05; done
            "$F" $send --state st/link > /dev/null; echo "exit $?"; kill -KILL $S $P
            """)
        #expect(outcome.text == "exit 65\n", "\(outcome.errors)")
        #expect(outcome.errors.contains("another process continues this upload"), "\(outcome.errors)")
    }
}
