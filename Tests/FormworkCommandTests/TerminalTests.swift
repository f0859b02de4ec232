import Foundation
import Testing

@testable import FormworkCommand

/// What a user sees, on a pseudo-terminal whose screen is compared.
@Suite("On a terminal", .timeLimit(.minutes(10)))
struct TerminalTests {
    /// Wide, right-to-left, combined and joined characters.
    private static let names = [
        "東京タワーの写真と長い説明のファイル名前.txt", "مرحبا بالعالم هذا اسم طويل جدا للملف.txt",
        "cafe\u{301} e\u{301}te\u{301} 👩‍🚀👍🏽🇩🇪❤️ \u{1112}\u{1161}\u{11AB}.txt",
    ]

    private static func folder() throws -> Folder {
        let folder = Folder()
        for name in Self.names { try folder.file(name, "x\n") }
        try folder.sparse("large", 1 << 20)
        try folder.file(
            "bad",
            "--b\r\nContent-Disposition: form-data; name=\"\(Self.names[0])\"; filename*=utf-8''a.txt\r\n\r\n1\r\n--b--\r\n"
        )
        return folder
    }

    @Test("Every verb fits the terminal, whatever the names are", arguments: [40, 60, 80, 120, 200])
    func fits(columns: Int) throws {
        let folder = try Self.folder()
        let parts = Self.names.map { "-F 'f=@\($0)'" }.joined(separator: " ") + " -F 'title=東京 مرحبا' --boundary b"
        let files = Self.names.map(\.shellQuoted).joined(separator: " ")
        for command in [
            "plan \(parts)", "type \(files)", "inspect --lint bad", "body \(parts) -F l=@large -o out --progress bar",
        ] {
            let run = try PseudoTerminal.run("\"$F\" \(command)", columns: columns, in: folder.path)
            #expect(run.screen.wraps == 0, "\(command)\n\(run.screen.text)")
            #expect(run.screen.unknown == [], "\(command)")
            #expect(!run.screen.lines.isEmpty, "\(command)")
        }
        let inspected = try PseudoTerminal.run(
            "\"$F\" body \(parts) -o out --progress none; \"$F\" inspect out --sha256", columns: columns,
            in: folder.path)
        // On a narrow terminal a digest has lines of its own, and a line says what there is no room for.
        let lines = [40: 15, 60: 15, 80: 10][columns] ?? 5
        #expect(inspected.screen.wraps == 0 && inspected.screen.lines.count == lines, "\(inspected.screen.text)")
        #expect(!inspected.screen.text.contains("73cb…"))
    }

    @Test func `A plan's table at 40 and 80 columns`() throws {
        let folder = Folder()
        try folder.file("東京の写真.txt", "hello\n")
        let command = "\"$F\" plan -F 'photo=@東京の写真.txt' --boundary b --type-from extension"
        #expect(
            try PseudoTerminal.run(command, columns: 80, in: folder.path).screen.text == """
                offset  length  part            source          type        why
                     0     111  part 1 "photo"  framing
                   111       6  part 1 "photo"  東京の写真.txt  text/plain  extension .txt
                   117       9                  framing

                Content-Type: multipart/form-data; boundary=b
                Content-Length: 126
                Can be sent again: yes

                """)
        #expect(
            try PseudoTerminal.run(command, columns: 40, in: folder.path).screen.text == """
                offset  length  part         source
                     0     111  part 1 "ph…  framing
                   111       6  part 1 "ph…  東京の写真…
                   117       9               framing
                (no room for: type, why)

                Content-Type: multipart/form-data;
                  boundary=b
                Content-Length: 126
                Can be sent again: yes

                """)
    }

    @Test func `The answer begins a line of its own, after the bar`() throws {
        let receiver = try Receiver(text: "one\r\ntwo\u{7}\r\n")
        let run = try PseudoTerminal.run(
            "\"$F\" send http://127.0.0.1:\(receiver.port)/ -F title=Harbour --boundary b -i", columns: 80)
        #expect(run.status == 0)
        let lines = run.screen.lines
        #expect(lines.first?.hasPrefix("title  [=======") == true, "\(run.screen.text)")
        #expect(lines.first?.contains("]  69 B of 69 B  100%  ") == true, "\(run.screen.text)")
        #expect(
            Array(lines.dropFirst()) == [
                "HTTP/1.1 200 OK", "Content-Length: 11", "Connection: close", "", "one", "two\\u{07}",
            ])
        #expect(run.screen.wraps == 0 && run.screen.unknown == [])
    }

    @Test("A terminal that may not redraw a line gets lines", arguments: ["dumb", ""])
    func noRedrawing(terminal: String) throws {
        let receiver = try Receiver(text: "ok")
        let run = try PseudoTerminal.run(
            "[ \"$TERM\" ] || unset TERM; \"$F\" send http://127.0.0.1:\(receiver.port)/ -F a=1 --boundary b",
            columns: 80,
            environment: ["TERM": terminal])
        #expect(run.status == 0 && run.screen.lines.last == "ok", "\(run.screen.text)")
        #expect(!run.text.contains("[===") && !run.text.contains("\u{1B}"), "\(run.screen.text)")
    }

    @Test("JSON is indented, and coloured unless NO_COLOR is set; a pipe gets it as it is")
    func json() throws {
        let answer = #"{"files":[{"name":"a\u001b","size":1.10}],"ok":true,"none":[],"x":"\#u{85}y\#u{202E}"}"#
        let shown = """
            {
              "files": [
                {
                  "name": "a\\u001b",
                  "size": 1.10
                }
              ],
              "ok": true,
              "none": [],
              "x": "\\u0085y\\u202e"
            }

            """
        let type = "200 OK\r\nContent-Type: application/problem+json; charset=utf-8"
        for (environment, isColoured) in [
            ([:], true), (["NO_COLOR": "1"], false), (["TERM": "dumb"], false), (["TERM": ""], false),
        ] {
            let receiver = try Receiver(answering: type, text: answer)
            let run = try PseudoTerminal.run(
                "\"$F\" send http://127.0.0.1:\(receiver.port)/ -F a=1 -q", columns: 80, environment: environment)
            #expect(run.screen.text == shown)
            #expect(run.screen.isColoured == isColoured)
        }
        let receiver = try Receiver(answering: type, text: answer)
        #expect(try Command.run("send", "http://127.0.0.1:\(receiver.port)/", "-F", "a=1", "-q").text == answer)
        // What isn't JSON is shown as text.
        let other = try Receiver(answering: type, text: "{\"a\":")
        let run = try PseudoTerminal.run("\"$F\" send http://127.0.0.1:\(other.port)/ -F a=1 -q", columns: 80)
        #expect(run.screen.text == "{\"a\":\n")
    }

    @Test("The bar takes the room that the name and the numbers leave")
    func bars() {
        var moment = ProgressMoment(sent: 50 << 20, total: 100 << 20)
        moment.label = "harbour.jpg"
        moment.part = (2, 3)
        func line(_ columns: Int) -> String { moment.line(rate: 1_048_576, elapsed: 50, columns: columns) }
        let numbers = "50.0 MiB of 100 MiB  50%  1.0 MiB/s  ETA 0:50"
        #expect(line(119) == "harbour.jpg  [===============>              ]  \(numbers)  (part 2 of 3)")
        #expect(line(79) == "harbour.jpg  [========>        ]  \(numbers)")
        #expect(line(69) == "harbour…  [=====>    ]  \(numbers)")
        #expect(line(59) == "harbour.jpg  \(numbers)")
        // Whole items give way, and the name and the time left stay.
        #expect(line(55) == "harbour…  \(numbers)")
        #expect(line(47) == "harbour.jpg  50.0 MiB of 100 MiB  50%  ETA 0:50")
        #expect(line(45) == "harbour.…  50.0 MiB of 100 MiB  50%  ETA 0:50")
        #expect(line(39) == "harbour.jpg  50.0 MiB  50%  ETA 0:50")
        #expect(line(30) == "harbour.jpg  50%  ETA 0:50")
        #expect(line(20) == "50%  ETA 0:50")
        #expect(line(9) == "50%  ETA…")
        moment.total = nil
        #expect(line(79) == "harbour.jpg  50.0 MiB  1.0 MiB/s  0:50  (part 2 of 3)")
        moment.note = "next try in 8 s"
        #expect(line(39) == "50.0 MiB  0:50  next try in 8 s")
    }

    @Test func `Without a terminal a log has the time and no countdown`() throws {
        let folder = Folder()
        // Nothing listens on port 1: each try fails at once, and the pauses are 4 s long in all.
        let run = try Command.run(
            "send", "http://127.0.0.1:1/", "-F", "a=1", "--retry", "2", "--retry-delay", "2", "--retry-all-errors",
            "--progress", "log", in: folder.path)
        #expect(run.status == 7)
        let lines = run.errors.split(separator: "\n")
        #expect(lines.count { $0.contains("formwork: warning: ") } == 2, "\(run.errors)")
        // Each try has at most a line for its start and one for its end; 4 s of a countdown would have 40.
        #expect(lines.count <= 9, "\(run.errors)")
        for line in lines.dropLast() {
            #expect(line.prefixMatch(of: #/[0-2]\d:[0-5]\d:[0-6]\d /#) != nil, "\(line)")
        }
        #expect(lines.last?.hasPrefix("formwork: ") == true)
    }

    @Test func `Every event of --progress json is an object`() throws {
        let check = try SchemaCheck("progress")
        let run = try Command.run(
            "send", "http://127.0.0.1:1/", "-F", "a=1", "--retry", "1", "--retry-delay", "0", "--retry-all-errors",
            "--progress", "json")
        #expect(run.status == 7)
        let lines = run.errors.split(separator: "\n").map(String.init)
        for line in lines { #expect(try check.violations(line) == [], "\(line)") }
        #expect(lines.contains { $0.contains("\"event\":\"retry\"") })
        #expect(lines.last?.contains("\"event\":\"error\"") == true && lines.last?.contains("\"exitStatus\":7") == true)
        let usage = try Command.run("send", "--progress", "json", "--no-such-option", "http://127.0.0.1:1/")
        #expect(usage.status == 2)
        #expect(try check.violations(usage.errors) == [], "\(usage.errors)")
    }

    @Test("The model of the screen: wrapping, wide characters, erasing, colours")
    func screen() {
        #expect(Screen("abc\rX\r\nd", columns: 10).lines == ["Xbc", "d"])
        #expect(Screen("abcdef", columns: 4).lines == ["abcd", "ef"] && Screen("abcdef", columns: 4).wraps == 1)
        #expect(Screen("abcd\r\ne", columns: 4).wraps == 0)
        #expect(Screen("ab東京", columns: 5).lines == ["ab東", "京"])
        #expect(Screen("long line\rab\u{1B}[K", columns: 20).lines == ["ab"])
        #expect(Screen("\u{1B}[1;34ma\u{1B}[0m", columns: 9).isColoured)
        #expect(Screen("\u{1B}[2J", columns: 9).unknown == ["CSI 2J"])
        #expect(Screen("e\u{301}x", columns: 2).lines == ["e\u{301}x"])
    }
}
