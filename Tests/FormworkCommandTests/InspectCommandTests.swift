import Foundation
import Testing

@testable import FormworkCommand

/// A form of two parts: 118 bytes.
private let twoParts =
    "--XX\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nx\r\n--XX\r\nContent-Disposition: form-data; "
    + "name=\"a\"\r\n\r\n1\r\n--XX--\r\n"

@Suite("formwork inspect", .timeLimit(.minutes(10)))
struct InspectCommandTests {
    @Test("A terminal's width cuts lines")
    func terminal() throws {
        guard try Command.shell("command -v script").status == 0 else { return }
        let folder = Folder()
        try folder.file("body", twoParts.replacing("title", with: String(repeating: "長", count: 50)))
        let result = try Command.shell(
            "script -qec 'stty cols 40; \"$F\" inspect body' /dev/null | tr -d '\\r'", in: folder.path)
        #expect(
            result.text == """
                #  name       filename  length  offset
                1  長長長長…  -              1     199
                2  a          -              1     252
                (no room for: type, value)

                """, "\(result.text)")
    }

    @Test("Widths: wide characters take two columns, marks none, joined emoji as most terminals draw them")
    func widths() {
        for (text, width) in [
            ("a", 1), ("東京", 4), ("e\u{301}", 1), ("👩‍🚀", 4), ("ｱ", 1), ("\u{FF01}", 2), ("é", 1), ("❤️", 2), ("", 0),
        ] {
            #expect(DisplayText(text).width == width, "\(text)")
        }
        #expect(DisplayText("東京タワー", limit: 6).text == "東京…")
        #expect(DisplayText("東京", limit: 4).text == "東京")
    }

    @Test(
        "A boundary is taken from a line that a header follows, or from the first one",
        arguments: [
            ("--a\r\nX: y\r\n", "a"), ("--a \t\r\n\r\n", "a"), ("--a\nX: y\n", "a"), ("--a\r\nnonsense\r\n", "a"),
            ("--a--\r\n", "a"), ("--a--", "a"), ("--a--\r\nX: y\r\n\r\n", "a--"), ("hi\r\n--a\r\nX: y\r\n", "a"),
            ("hi\r\n--dear reader\r\nprose here\r\n--a\r\nX: y\r\n", "a"),
            ("--a'()+_,-./:=? z\r\nX: y\r\n", "a'()+_,-./:=? z"),
            ("--\r\nX: y\r\n", nil), ("", nil), ("--a", nil), ("x=1", nil), ("--\u{7}\r\nX: y\r\n", nil),
        ] as [(String, String?)])
    func sniffing(_ body: String, _ boundary: String?) {
        let answer = BoundarySniffer.sniff(Array(body.utf8), isWhole: true)
        #expect(answer == boundary.map { .found($0) } ?? BoundarySniffer.Guess.none)
        // Fewer bytes never give another answer.
        for count in 0..<body.utf8.count {
            let early = BoundarySniffer.sniff(Array(body.utf8.prefix(count)), isWhole: false)
            #expect(early == .undecided || early == answer, "\(count)")
        }
    }

    @Test("Memory stays flat: 1 MiB and 256 MiB within 4 MiB, below 48 MiB")
    func memory() throws {
        let folder = Folder()
        try folder.sparse("small", 1 << 20)
        try folder.sparse("large", 256 << 20)
        var peaks: [Int] = []
        for name in ["small", "large"] {
            // The file is through, and the command waits for the last delimiter: the kernel tells its peak.
            let script = """
                "$F" body --type-from extension --boundary XX -F f=@\(name) | head -c -8 > \(name).cut; mkfifo \(name).fifo
                "$F" inspect --sha256 \(name).fifo > \(name).out 2>&1 & id=$!
                exec 3> \(name).fifo; cat \(name).cut >&3; sleep 0.5
                grep VmHWM /proc/$id/status; printf -- '--XX--\\r\\n' >&3; exec 3>&-; wait; cat \(name).out
                """
            let result = try Command.shell(script, in: folder.path)
            #expect(result.text.contains("1  f     \(name)"), "\(result.text)\(result.errors)")
            let line = result.text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
            peaks.append(Int(line.filter(\.isNumber)) ?? .max)
        }
        #expect(abs(peaks[0] - peaks[1]) <= 4096, "\(peaks) KiB")
        // A debug build's own pages are most of it, as many as the kernel had at hand.
        #expect(peaks[1] <= 48 * 1024, "\(peaks) KiB")
    }
}
