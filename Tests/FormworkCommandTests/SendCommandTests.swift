import Foundation
import Testing

@Suite("formwork send", .timeLimit(.minutes(10)))
struct SendCommandTests {
    @Test("A file with a size of 0 and content is never sent as an empty body")
    func contentOfAnEmptyFile() throws {
        let folder = Folder()
        let receiver = try Receiver()
        let outcome = try Command.shell(
            """
            for try in 1 2 3 4 5; do
                for words in "" --spool "--resume auto" "--resume ietf" "--resume tus" --dry-run; do
                    "$F" send http://127.0.0.1:\(receiver.port)/up -T - -q $words < /proc/cpuinfo; echo $?
                done
                "$F" send http://127.0.0.1:\(receiver.port)/up -T /proc/cpuinfo -q --state s; echo $?
            done
            """, in: folder.path)
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

    @Test("On a terminal the answer begins a line of its own, and CRLF ends a line, in the head and in the body")
    func terminal() throws {
        let receiver = try Receiver(text: "one\r\ntwo\u{7}")
        let result = try Command.shell(
            "script -qec \"$F send http://127.0.0.1:\(receiver.port)/ -F a=1 --boundary b -i --progress bar\" /dev/null"
        )
        #expect(result.status == 0)
        // The terminal makes CRLF of each LF.
        let lines = result.text.components(separatedBy: "\r\n")
        #expect(lines.first?.contains("59 B of 59 B") == true)
        #expect(
            Array(lines.dropFirst()) == [
                "HTTP/1.1 200 OK", "Content-Length: 9", "Connection: close", "", "one", "two\\u{07}", "",
            ])
    }

    @Test("The redrawn line fits the terminal, whatever the file is called", arguments: [40, 80, 200])
    func width(columns: Int) throws {
        let folder = Folder()
        let name = String(repeating: "東京", count: 20) + ".txt"
        try folder.sparse(name, 1 << 20)
        let receiver = try Receiver()
        let result = try Command.shell(
            """
            script -qec "stty cols \(columns); $F send http://127.0.0.1:\(receiver.port)/ \
            -F f=@\(name) --progress bar" /dev/null
            """, in: folder.path)
        #expect(result.status == 0)
        let drawn = result.text.components(separatedBy: "\u{1B}[K").dropLast().map {
            $0.split(separator: "\r").last ?? ""
        }
        #expect(!drawn.isEmpty)
        for line in drawn {
            let width = line.unicodeScalars.reduce(0) { $0 + ($1.value >= 0x3000 ? 2 : 1) }
            #expect(width < columns, "\(line)")
        }
        #expect(columns == 40 || result.text.contains("東京"))
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

    @Test("Being told to end is 143")
    func interruption() throws {
        let folder = Folder()
        let receiver = try Receiver()
        let result = try Command.shell(
            """
            mkfifo in; sleep 5 > in & sleeper=$!
            "$F" send http://127.0.0.1:\(receiver.port) -F 'f=@-;filename=x' < in & pid=$!
            sleep 1; kill -TERM $pid; wait $pid; status=$?; kill $sleeper; echo $status
            """, in: folder.path)
        #expect(result.text == "143\n")
    }
}
