import Foundation
import Testing

@Suite("formwork send", .timeLimit(.minutes(10)))
struct SendCommandTests {
    @Test("A file with a size of 0 and content is never sent as an empty body")
    func contentOfAnEmptyFile() throws {
        let receiver = try Receiver()
        let outcome = try Command.shell(
            """
            for try in 1 2 3 4 5; do
                for words in "" --spool "--resume auto" "--resume ietf" "--resume tus" --dry-run; do
                    "$F" send http://127.0.0.1:\(receiver.port)/up -T - -q $words < /proc/cpuinfo; echo $?
                done
                "$F" send http://127.0.0.1:\(receiver.port)/up -T /proc/cpuinfo -q --state s; echo $?
            done
            """)
        #expect(outcome.text == String(repeating: "26\n", count: 35))
        #expect(
            outcome.errors.split(separator: "\n").allSatisfy {
                $0.contains("has a size of 0 bytes but has content, as files of /proc do")
            }, "\(outcome.errors)")
    }

    @Test("A 413 in between is kept, and says how far it came")
    func tooLarge() throws {
        let folder = Folder()
        try folder.sparse("large", 64 << 20)
        let receiver = try Receiver(answering: "413 Content Too Large", after: 1000)
        let result = try Command.run(
            "send", "http://127.0.0.1:\(receiver.port)", "-F", "f=@large", "--boundary", "b", "-H", "Expect:",
            in: folder.path)
        #expect(result.status == 22 && result.text == "ok")
        #expect(result.errors.hasPrefix("formwork: the server answered 413 Payload Too Large after "))
        #expect(result.errors.contains("its limit seems to be below the 6710"))
    }

    @Test("Progress as objects tells what was sent and what was taken")
    func progress() throws {
        let folder = Folder()
        try folder.sparse("large", 20 << 20)
        let receiver = try Receiver()
        let result = try Command.run(
            "send", "http://127.0.0.1:\(receiver.port)", "-F", "f=@large", "--boundary", "b", "--progress", "json",
            in: folder.path)
        #expect(result.status == 0)
        let lines = try result.errors.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(lines.allSatisfy { $0["event"] as? String == "progress" && $0["attempt"] as? Int == 1 })
        #expect(lines.last?["sent"] as? Int == 20_971_636 && lines.last?["acked"] as? Int == 20_971_636)
        let silent = try Receiver()
        #expect(
            try Command.run("send", "http://127.0.0.1:\(silent.port)", "-F", "a=1", "--progress", "none").errors
                == "")
    }
}
