#if Command
import Foundation
import Testing

@testable import FormworkCommand

/// A form of two parts: 118 bytes.
private let twoParts =
    "--XX\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nx\r\n--XX\r\nContent-Disposition: form-data; "
    + "name=\"a\"\r\n\r\n1\r\n--XX--\r\n"

@Suite("formwork inspect", .timeLimit(.minutes(10)))
struct InspectCommandTests {
    /// What `inspect` prints for ``twoParts``.
    static let twoPartsTable = """
        #  name   filename  type  length  offset  value
        1  title  -         -          1      54  x
        2  a      -         -          1     107  1

        """

    private static func inspect(_ body: String, _ arguments: String...) throws -> Outcome {
        try Command.shell(
            "\"$F\" inspect " + arguments.joined(separator: " "), input: Array(body.utf8))
    }

    @Test("A lint: a line for each finding, 70 when a standard forbids it")
    func lint() throws {
        let clean = try Self.inspect(twoParts, "--lint")
        #expect(clean.text == "" && clean.status == 0 && clean.errors == "")
        let body =
            "--XX\r\nContent-Disposition: form-data; name=\"a\"; filename*=utf-8''a.txt\r\n"
            + "Content-Type: text/plain\r\n\r\n1\r\n--XX--\r\n"
        let found = try Self.inspect(body, "--lint")
        #expect(found.text.hasPrefix("departure extendedFilename (RFC 7578 §4.2): part 1 \"a\": "), "\(found.text)")
        #expect(found.status == 70)
        #expect(found.errors == "formwork: standard input: 1 departure from RFC 7578\n")
        let both = try Self.inspect(twoParts, "--lint", "--sha256")
        #expect(both.status == 2)
        #expect(both.errors == "formwork: --lint prints no parts: leave --sha256 out\n")

        let json = try Self.inspect(body, "--lint", "--json")
        #expect(json.status == 70 && json.errors == found.errors)
        #expect(
            json.text.hasPrefix(
                """
                {
                  "findings": [
                    {
                      "severity": "departure",
                      "rule": "extendedFilename",
                      "section": "RFC 7578 §4.2",
                      "part": {
                        "index": 0,
                        "enclosing": [],
                        "name": "a"
                      },

                """), "\(json.text)")
    }

    @Test("A table: aligned by what a terminal shows, nulls as dashes, values of fields, digests on request")
    func table() throws {
        let folder = Folder()
        try folder.file("a.txt", "hello\n")
        try folder.file("文書.bin", "\u{0}")
        let body =
            "\"$F\" body --type-from extension --boundary XX -F 'title=Harbour 東京' -F 'e=' -F p=@文書.bin -F q=@a.txt"
        let plain = try Command.shell("\(body) | \"$F\" inspect", in: folder.path)
        #expect(
            plain.text == """
                #  name   filename  type                      length  offset  value
                1  title  -         -                             14      54  Harbour 東京
                2  e      -         -                              0     120
                3  p      文書.bin  application/octet-stream       1     235
                4  q      a.txt     text/plain                     6     332

                """)
        #expect(plain.status == 0 && plain.errors == "")
        let digests = try Command.shell("\(body) -o - | \"$F\" inspect - --sha256", in: folder.path)
        #expect(
            digests.text.hasSuffix("   332  5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03\n"),
            "\(digests.text)")
    }

    @Test("Names that are hostile or no UTF-8: JSON stays JSON, and a table line stays one line")
    func hostileNames() throws {
        let body =
            Array("--XX\r\nContent-Disposition: form-data; name=\"\u{1B}[2J\u{202E}\u{85}\"; filename=\"".utf8) + [
                0xFF, 0x01,
            ]
            + Array("\"\r\n\r\n\r\n--XX--\r\n".utf8)
        let json = try Command.run("inspect", "--json", input: body)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json.output)) as? [String: Any])
        let part = try #require((object["parts"] as? [[String: Any]])?.first)
        #expect(part["name"] as? String == "\u{1B}[2J\u{202E}\u{85}")
        #expect(part["filename"] as? String == "\u{FFFD}\u{1}")
        #expect(part["sha256"] as? String == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        let table = try Command.run("inspect", input: body)
        #expect(table.text.contains("1  \\u{1B}[2J\\u{202E}\\u{0085}  \u{FFFD}\\u{01}"), "\(table.text)")
        let value = try Self.inspect(twoParts.replacing("\r\n\r\nx", with: "\r\n\r\na\nb\u{1B}[0m\tc"))
        #expect(value.text.contains("  a\\nb\\u{1B}[0m\\tc\n"), "\(value.text)")
    }

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

    @Test("The boundary: given, in a type, or from the first line behind a preamble")
    func boundaries() throws {
        for arguments in [
            "", "-", "--boundary XX", "--boundary=XX", "--content-type 'multipart/form-data; boundary=\"XX\"'",
            "--content-type 'Multipart/Form-Data; charset=x; boundary=XX' -", "--profile strict", "--profile whatwg",
            "--profile lenient", "--profile generic",
        ] {
            let result = try Self.inspect(twoParts, arguments)
            #expect(result.text == Self.twoPartsTable, "\(arguments)")
            #expect(result.status == 0 && result.errors == "", "\(result.errors)")
        }
        let dashes = try Self.inspect(twoParts.replacing("XX", with: "----WebKit"), "--boundary ----WebKit --json")
        #expect(dashes.status == 0)
        let preamble = try Self.inspect("prose\r\n-- more\r\n--\r\n" + twoParts)
        #expect(
            preamble.text.contains("1  title  -         -          1      74  x"), "\(preamble.text)\(preamble.errors)")
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
        #expect(answer == boundary.map { .found($0) } ?? BoundarySniffer.Answer.none)
        // Fewer bytes never give another answer.
        for count in 0..<body.utf8.count {
            let early = BoundarySniffer.sniff(Array(body.utf8.prefix(count)), isWhole: false)
            #expect(early == .undecided || early == answer, "\(count)")
        }
    }

    @Test("Limits: none that get in the way, each can be set, and the library's on request")
    func limits() throws {
        let file = twoParts.replacing("name=\"a\"", with: "name=\"a\"; filename=\"f\"")
        for (limit, status, error) in [
            ("parts=2", 0, ""), ("parts=1", 63, "limit.parts at offset 63: The body has more than 1 part"),
            ("fields=0", 63, "limit.fields at offset 6: The body has more than 0 fields"),
            ("files=0", 63, "limit.files at offset 63: The body has more than 0 files"),
            ("fieldBytes=0", 63, "limit.fieldBytes at offset 54: The field in part 1 has more than 0 bytes"),
            ("fileBytes=0", 63, "limit.fileBytes at offset 121: The file in part 2 has more than 0 bytes"),
            ("totalBytes=100", 63, "limit.totalBytes at offset 100: The body has more than 100 bytes"),
            ("totalBytes=1k", 0, ""),
            ("headerBytes=20", 63, "limit.headerBytes at offset 26: A part's header section has more than 20 bytes"),
            (
                "totalHeaderBytes=60", 63,
                "limit.totalHeaderBytes at offset 75: The total of all header sections has more than 60 bytes"
            ),
            ("headerCount=0", 63, "limit.headerCount at offset 6: A part has more than 0 header fields"),
            ("nameBytes=4", 63, "limit.nameBytes at offset 6: A field's name has 5 bytes: the limit is 4"),
            ("boundaryLength=1", 63, "limit.boundaryLength: The boundary has 2 bytes: the limit is 1"),
            ("fieldBytes=0 --limit fieldBytes=none", 0, ""), ("fieldBytes=0 --limit defaults", 0, ""),
        ] as [(String, Int32, String)] {
            let result = try Self.inspect(file, "--limit \(limit)")
            #expect(result.status == status, "\(limit)")
            #expect(result.errors == (error.isEmpty ? "" : "formwork: standard input: \(error)\n"), "\(limit)")
        }
        let preamble = try Self.inspect("12345\r\n" + twoParts, "--limit preambleBytes=3")
        #expect(
            preamble.status == 63 && preamble.errors.contains("limit.preambleBytes at offset 3"), "\(preamble.errors)")
        let long = twoParts.replacing("\r\n\r\nx", with: "\r\n\r\n" + String(repeating: "x", count: 1 << 20 | 1))
        #expect(try Self.inspect(long).status == 0)
        let defaults = try Self.inspect(long, "--limit defaults")
        #expect(defaults.status == 63)
        #expect(defaults.errors.contains("limit.fieldBytes at offset 1048630"), "\(defaults.errors)")
    }

    @Test("Wrong arguments are 2, in one line")
    func usage() throws {
        for (arguments, error) in [
            ("--profile odd", "--profile odd: choose one of default, whatwg, generic, lenient, strict"),
            ("--limit parts", "--limit parts: write NAME=VALUE with one of boundaryLength, totalBytes, "),
            ("--limit odd=1", "--limit odd=1: write NAME=VALUE with one of boundaryLength, totalBytes, "),
            (
                "--limit parts=-1",
                "--limit parts=-1: give a whole number, with k, M or G for powers of 1024, or 'none'"
            ),
            ("--limit parts=9999999999G", "--limit parts=9999999999G: give a whole number"),
            ("--boundary a --content-type b", "--boundary and --content-type both give the boundary: leave one out"),
            ("--boundary 'a '", "--boundary 'a ': The boundary is empty, ends with a space"),
            (
                "--content-type text/plain",
                "--content-type text/plain: The Content-Type is \"text/plain\", not multipart/form-data: "
            ),
            (
                "--entry 1",
                "--entry: standard input is not a HAR file, packet capture, curl trace or mitmproxy flow file"
            ),
            ("-F a=1", "-F: this command has no parts of a form: leave it out"),
        ] {
            let result = try Self.inspect(twoParts, arguments)
            #expect(result.status == 2, "\(arguments)")
            #expect(result.errors.hasPrefix("formwork: \(error)"), "\(result.errors)")
            #expect(result.errors.count { $0 == "\n" } == 1 && result.output.isEmpty)
        }
        let missing = try Command.run("inspect", "nowhere.bin")
        #expect(missing.status == 26)
        #expect(missing.errors == "formwork: nowhere.bin: can't be read (No such file or directory)\n")
        let closed = try Command.shell("\"$F\" inspect > /dev/full", input: Array(twoParts.utf8))
        #expect(closed.status == 23)
        for verb in ["inspect", "extract"] {
            let text = try Command.run(verb, "--help").text
            #expect(text.split(separator: "\n").prefix(4).contains("EXAMPLES"), "\(verb)")
        }
    }

    @Test("Malformed bodies: one line with class, offset, what was expected and what probably happened, and 70")
    func malformed() throws {
        let lf = twoParts.replacing("\r\n", with: "\n")
        for (body, arguments, error) in [
            (
                String(decoding: twoParts.utf8.prefix(60), as: UTF8.self), "",
                "probably it was cut off, or its sender wrote no close delimiter (unexpectedEnd at "
                    + "offset 60: The body ended after 60 bytes, in the content of part 1, before a close "
                    + "delimiter)"
            ),
            (
                twoParts, "--boundary YY",
                "probably its first line is \"--XX\", but the boundary is given as \"YY\" (unexpectedEnd "
                    + "at offset 118: The body ended after 118 bytes, without a line --YY: is this the body's "
                    + "boundary?)"
            ),
            (
                lf, "",
                "probably its lines end with LF instead of CRLF: it went through a conversion of line "
                    + "ends: --profile lenient reads it (unexpectedEnd at offset 109: The body ended after 109 "
                    + "bytes, without a line --XX: is this the body's boundary?)"
            ),
            (
                "", "",
                "probably the body has no bytes: something has read it before, or it was never sent "
                    + "(missingBoundaryParameter: No line --BOUNDARY was found: give --boundary or "
                    + "--content-type)"
            ),
            (
                "{\"a\":1}", "",
                "probably it is JSON, not multipart (missingBoundaryParameter: No line --BOUNDARY was "
                    + "found: give --boundary or --content-type)"
            ),
            (
                "a=1&b=2\n", "",
                "probably it is url-encoded, not multipart (missingBoundaryParameter: No line --BOUNDARY "
                    + "was found: give --boundary or --content-type)"
            ),
            (
                twoParts.replacing("name=\"a\"", with: "x=1"), "",
                "missingName at offset 63: A part's Content-Disposition has no name"
            ),
        ] {
            let result = try Self.inspect(body, arguments)
            #expect(result.errors == "formwork: standard input: \(error)\n")
            #expect(result.status == 70)
        }
        #expect(try Self.inspect(lf, "--profile lenient").status == 0)
        let gzip = try Command.shell("gzip | \"$F\" inspect --boundary XX", input: Array(twoParts.utf8))
        #expect(
            gzip.status == 70 && gzip.errors.contains(": probably it is compressed with gzip: decompress it first ("))
    }

    @Test("A delimiter that isn't one, before the first part, is a warning, and keeps extract from losing a part")
    func preamble() throws {
        let found = try Self.inspect("\n" + twoParts, "--boundary XX")
        #expect(found.status == 0)
        #expect(found.text.contains("a  ") && !found.text.contains("title"))
        #expect(
            found.errors
                == "formwork: warning: a line at offset 1, before the first part, begins like a delimiter but isn't "
                + "one, so a part may be lost: a delimiter needs CRLF before and after it (--profile lenient accepts "
                + "LF too)\n")
        let lenient = try Self.inspect("\n" + twoParts, "--boundary XX --profile lenient")
        #expect(lenient.text.contains("title") && lenient.errors == "")
        let extracted = try Command.shell(
            "\"$F\" extract --boundary XX --part title", input: Array(("\n" + twoParts).utf8))
        #expect(extracted.status == 70)
        #expect(extracted.errors.hasPrefix("formwork: standard input: delimiterInPreamble at offset 1: "))
    }

    @Test("A byte order mark, parts after the close delimiter and encoded parts are warnings")
    func otherDoubts() throws {
        let mark = try Self.inspect("\u{FEFF}" + twoParts, "--boundary XX")
        #expect(mark.status == 0)
        #expect(
            mark.errors
                == "formwork: warning: the body begins with a byte order mark, so its first part may be lost: remove it\n"
        )
        #expect(try Self.inspect("\u{FEFF}" + twoParts, "--boundary XX --profile strict").status == 70)
        let after = try Self.inspect(twoParts + twoParts, "--boundary XX")
        #expect(after.status == 0)
        #expect(
            after.errors
                == "formwork: warning: the close delimiter is followed by \"--XX\" at offset \(twoParts.utf8.count), so a "
                + "part is lost: write \"--XX--\" only at the end\n")
        #expect(try Self.inspect(twoParts + twoParts, "--boundary XX --profile strict").status == 70)
        #expect(try Self.inspect(twoParts + "--XX--\r\n", "--boundary XX").errors == "")
        #expect(try Self.inspect(twoParts + "foo" + twoParts, "--boundary XX").errors.contains("at offset ") == true)
        #expect(try Self.inspect(twoParts + "foo--XX\r\n", "--boundary XX").errors == "")
        let encodedPart =
            "--XX\r\nContent-Disposition: form-data; name=\"a\"\r\nContent-Transfer-Encoding: BASE64\r\n\r\naGkK\r\n--XX--\r\n"
        // Every receiver finds the same part, so it isn't an error in strict mode.
        for profile in ["default", "strict"] {
            let encoded = try Self.inspect(encodedPart, "--boundary XX --profile \(profile)")
            #expect(encoded.status == 0)
            #expect(
                encoded.errors
                    == "formwork: warning: the content of part 1 is encoded (Content-Transfer-Encoding: base64), and is listed and "
                    + "extracted as it was sent: RFC 7578 deprecates that in forms\n")
        }
        let extracted = try Command.run(
            "extract", "--boundary", "XX", "--profile", "strict", "--part", "a", input: Array(encodedPart.utf8))
        #expect(extracted.status == 0 && extracted.text == "aGkK", "\(extracted)")
    }

    @Test("A stray line end before a form with one part is named as the cause")
    func strayLineEnd() throws {
        let body = "\n--XX\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--XX--\r\n"
        let result = try Self.inspect(body, "--boundary XX")
        #expect(result.status == 70)
        #expect(
            result.errors.hasPrefix(
                "formwork: standard input: delimiterInPreamble at offset 1: A line before the first part begins like a "
                    + "delimiter but isn't one, so its part would be lost: a delimiter needs CRLF before and after it"),
            "\(result.errors)")
        let other = try Self.inspect("text\r\n--XX--\r\n", "--boundary XX")
        #expect(other.errors.hasPrefix("formwork: standard input: noPartsAfterPreamble at offset "), "\(other.errors)")
    }

    @Test("Bytes that were decoded as text are a warning, as the body can be read")
    func warning() throws {
        let body = twoParts.replacing("name=\"a\"", with: "name=\"a\"; filename=\"f\"\r\nContent-Type: image/png")
            .replacing("\r\n\r\n1", with: "\r\n\r\n\u{FFFD}PNG")
        let result = try Self.inspect(body)
        #expect(result.status == 0)
        #expect(
            result.errors
                == "formwork: warning: part 2 (image/png) was decoded as text on its way: its bytes were "
                + "replaced by U+FFFD and are lost\n")
    }

    @Test("Bytes that were decoded as text are the cause, and not the Content-Length of the original ones")
    func decodedLength() throws {
        let body =
            "--b\r\nContent-Disposition: form-data; name=\"a\"; filename=\"f\"\r\n"
            + "Content-Type: image/png\r\n\r\n\u{FFFD}PNG\u{FFFD}\u{FFFD}\r\n--b--\r\n"
        let result = try Self.inspect(
            "POST / HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 103\r\n\r\n" + body)
        #expect(result.status == 70)
        #expect(
            result.errors.hasPrefix(
                "formwork: standard input: probably part 1 (image/png) was decoded as text on its way: its bytes were "
                    + "replaced by U+FFFD and are lost (unexpectedEnd at offset 103: "),
            "\(result.errors)")
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
#endif
