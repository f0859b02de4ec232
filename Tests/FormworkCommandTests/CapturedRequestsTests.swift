#if Command
import Foundation
import FormworkCore
import Testing

@testable import FormworkCommand

/// Captures of several requests, made by the real tools: Fixtures/captures.
@Suite("Packet captures, traces, flows and encoded bodies", .timeLimit(.minutes(10)))
struct CapturedRequestsTests {
    private static let captures = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
    }.appendingPathComponent("Fixtures/captures").path

    private static let table = """
        #  name   filename  type        length  offset  value
        1  title  -         -                7      92  Harbour
        2  notes  a.txt     text/plain       6     237

        """

    private static let body =
        "--XX\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nx\r\n--XX\r\nContent-Disposition: form-data; "
        + "name=\"a\"\r\n\r\n1\r\n--XX--\r\n"

    private static func file(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: self.captures + "/" + name)))
    }

    private static func inspect(_ bytes: [UInt8], _ options: String = "") throws -> Outcome {
        try Command.shell("\"$F\" inspect \(options)", input: bytes)
    }

    @Test("curl --trace, a packet capture and mitmproxy's flows")
    func tools() throws {
        for (name, options) in [("curl.trace", ""), ("curl.pcap", "--entry 2"), ("mitmproxy.flow", "")] {
            let result = try Self.inspect(Self.file(name), options)
            #expect(result.text == Self.table, "\(name): \(result.errors)")
            #expect(result.status == 0 && result.errors == "", "\(name): \(result.errors)")
        }
        let unchosen = try Self.inspect(Self.file("curl.pcap"))
        #expect(unchosen.status == 2)
        #expect(
            unchosen.errors
                == "formwork: 2 entries of this packet capture have a multipart body: choose one with --entry N; entries "
                + "with one: 1 (POST 127.0.0.1:18555/), 2 (POST 127.0.0.1:18555/up)\n")
        let ascii = try Self.inspect(Self.file("curl-ascii.trace"))
        #expect(ascii.status == 70)
        #expect(
            ascii.errors
                == "formwork: standard input: this curl trace has text instead of bytes, as --trace-ascii writes it: "
                + "repeat it with --trace\n")
        let wrong = try Self.inspect(Self.file("mitmproxy.flow"), "--entry 1")
        #expect(
            wrong.errors
                == "formwork: --entry 1: this entry of the mitmproxy flow file has no multipart body; entries with "
                + "one: 2 (POST 127.0.0.1/up)\n")
        let cut = try Self.inspect(Array(Self.file("mitmproxy.flow").dropLast(40)))
        #expect(cut.status == 70 && cut.errors.contains("is cut or damaged at byte"), "\(cut.errors)")
    }

    /// Ethernet, IPv4 and TCP around some content; checksums are left out.
    private static func frame(_ sequence: UInt32, _ content: [UInt8], flags: UInt8 = 0x18, port: UInt16 = 80) -> [UInt8]
    {
        func two(_ number: Int) -> [UInt8] { [UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)] }
        var tcp = [40_000, Int(port), Int(sequence >> 16), Int(sequence & 0xFFFF)].flatMap(two)
        tcp += [0, 0, 0, 0, 0x50, flags, 1, 0, 0, 0, 0, 0]
        tcp += content
        let ip: [UInt8] = [0x45, 0] + two(20 + tcp.count) + [0, 0, 0x40, 0, 64, 6, 0, 0, 127, 0, 0, 1, 127, 0, 0, 1]
        return [UInt8](repeating: 0, count: 12) + [8, 0] + ip + tcp
    }

    private static func four(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(number >> (8 * $0) & 0xFF) } }

    private static func pcap(_ frames: [[UInt8]]) -> [UInt8] {
        let header = self.four(0xA1B2_C3D4) + [2, 0, 4, 0] + [0, 0, 65_535, 1].flatMap(self.four)
        return frames.reduce(header) { $0 + [0, 0, $1.count, $1.count].flatMap(self.four) + $1 }
    }

    private static func pcapng(_ frames: [[UInt8]]) -> [UInt8] {
        func block(_ type: Int, _ body: [UInt8]) -> [UInt8] {
            let padded = body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
            return self.four(type) + self.four(padded.count + 12) + padded + self.four(padded.count + 12)
        }
        let section = self.four(0x1A2B_3C4D) + [1, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 8)
        let start = block(0x0A0D_0D0A, section) + block(1, [1, 0, 0, 0] + self.four(0))
        return frames.reduce(start) { $0 + block(6, [0, 0, 0, $1.count, $1.count].flatMap(self.four) + $1) }
    }

    @Test("Packets in any order, twice, in both formats; other protocols are named")
    func packets() throws {
        let request = Array(
            ("POST /up HTTP/1.1\r\nHost: h\r\nContent-Type: multipart/form-data; boundary=XX\r\nContent-Length: 118\r\n\r\n"
                + Self.body + "GET / HTTP/1.1\r\n\r\n").utf8)
        // The numbers begin again after 2^32.
        let first: UInt32 = .max - 20
        var frames = [Self.frame(first, [], flags: 2)]
        for start in stride(from: 0, to: request.count, by: 50) {
            let piece = Array(request[start..<min(request.count, start + 50)])
            frames.append(Self.frame(first &+ 1 &+ UInt32(start), piece))
        }
        let shuffled = [frames[0]] + frames.dropFirst().reversed() + [frames[2], frames[1]]
        for file in [Self.pcap(frames), Self.pcap(shuffled), Self.pcapng(frames), Self.pcapng(shuffled)] {
            let result = try Self.inspect(file)
            #expect(result.text == InspectCommandTests.twoPartsTable, "\(result.errors)")
            #expect(result.errors == "")
        }
        let lost = try Self.inspect(Self.pcap(Array(frames[..<3] + frames[4...])))
        #expect(lost.status == 70)
        #expect(
            lost.errors.contains(
                ": probably packets are missing from the capture: capture whole ones, with tcpdump -s 0 ("),
            "\(lost.errors)")
        let secure = try Self.inspect(Self.pcap([Self.frame(1, [0x16, 0x03, 0x01, 0, 5], port: 443)]))
        #expect(secure.status == 70)
        #expect(
            secure.errors
                == "formwork: standard input: this packet capture has no plain HTTP/1.1 request: it has TLS to port 443, "
                + "which 'tshark -r 'standard input' -o tls.keylog_file:KEYS -z follow,http,raw,0' decrypts with the keys "
                + "of SSLKEYLOGFILE\n")
        let http2 = try Self.inspect(Self.pcap([Self.frame(1, Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8))]))
        #expect(http2.errors.contains("it has HTTP/2, which 'tshark -r "), "\(http2.errors)")
        // Nothing in a damaged file ends the process.
        let whole = Self.pcapng(frames)
        for count in stride(from: 12, to: whole.count, by: 7) {
            _ = try? PacketCapture(Array(whole[..<count]), name: "x")
            var damaged = whole
            damaged[count] ^= 0xFF
            _ = try? PacketCapture(damaged, name: "x")
        }
    }

    @Test("A body in base64, bare, in a message and in an event of API Gateway")
    func base64() throws {
        let text = Data(Self.body.utf8).base64EncodedString(options: .lineLength76Characters)
        let type = "multipart/form-data; boundary=XX"
        for capture in [
            text, text + "\n",
            "POST / HTTP/1.1\r\nContent-Type: \(type)\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)",
        ] {
            let result = try Self.inspect(Array(capture.utf8))
            #expect(result.text == InspectCommandTests.twoPartsTable, "\(result.errors)")
            #expect(
                result.errors
                    == "formwork: warning: the body is encoded with base64; offsets count its decoded bytes\n")
        }
        let head = "POST / HTTP/1.1\r\nContent-Type: \(type)\r\nContent-Length: \(text.utf8.count)\r\n\r\n"
        let surplus = try Self.inspect(Array((head + text + "GET").utf8))
        #expect(surplus.text == InspectCommandTests.twoPartsTable)
        #expect(
            surplus.errors
                == "formwork: warning: the capture continues after the \(text.utf8.count) bytes of its Content-Length\n"
                + "formwork: warning: the body is encoded with base64; offsets count its decoded bytes\n")
        func event(_ body: String, _ isEncoded: Bool) throws -> [UInt8] {
            let event: [String: Any] = [
                "version": "2.0", "headers": ["content-type": type], "body": body, "isBase64Encoded": isEncoded,
            ]
            return Array(try JSONSerialization.data(withJSONObject: event))
        }
        let plain = Data(Self.body.utf8).base64EncodedString()
        for bytes in [try event(plain, true), try event(Self.body, false)] {
            #expect(try Self.inspect(bytes).text == InspectCommandTests.twoPartsTable)
        }
        let mislabelled = try Self.inspect(event(plain, false))
        #expect(mislabelled.text == InspectCommandTests.twoPartsTable, "\(mislabelled.errors)")
        #expect(
            mislabelled.errors
                == "formwork: warning: the body is encoded with base64, although isBase64Encoded is false; offsets count its "
                + "decoded bytes\n")
        let broken = try Self.inspect(event("LS0tX", true))
        #expect(broken.status == 70)
        #expect(broken.errors == "formwork: standard input: the event's body is declared as base64, but isn't\n")
    }

    @Test("Delimiters without CRLF before them are warnings, in strict mode and in a lint errors")
    func strayDelimiters() throws {
        let glued = Self.body.replacing("x\r\n--XX\r\n", with: "x--XX\r\n")
        let result = try Self.inspect(Array(glued.utf8))
        let reason =
            "the content of part 1 holds the delimiter \"--XX\" at offset 55 without CRLF before it, so a part may be lost: "
        #expect(result.status == 0 && result.errors == "formwork: warning: \(reason)write CRLF before it\n")
        let strict = try Self.inspect(Array(glued.utf8), "--profile strict")
        #expect(strict.status == 70 && strict.errors == "formwork: standard input: \(reason)write CRLF before it\n")
        let lint = try Self.inspect(Array(glued.utf8), "--lint")
        #expect(lint.status == 70)
        #expect(lint.text.hasPrefix("departure strayDelimiter (RFC 2046 §5.1.1): part 1 \"title\": "), "\(lint.text)")
        let lf = try Self.inspect(Array(Self.body.replacing("x\r\n--XX", with: "x\n--XX").utf8))
        #expect(lf.errors.hasSuffix("LF alone is before it (--profile lenient accepts it)\n"), "\(lf.errors)")
        let after = try Self.inspect(Array(Self.body.replacing("x\r\n--XX\r\n", with: "x\r\n--XX\n").utf8))
        #expect(
            after.errors
                == "formwork: warning: the content of part 1 holds the delimiter \"--XX\" at offset 57 without CRLF after "
                + "it, so a part may be lost: LF alone is after it (--profile lenient accepts it)\n")
        // A longer boundary that begins in the same way is content.
        let nested = Self.body.replacing("\r\n\r\nx", with: "\r\n\r\n--XXinner\r\n\r\n--XXinner--")
        #expect(try Self.inspect(Array(nested.utf8)).errors == "")
        let ahead = "junk--XX\r\nContent-Disposition: form-data; name=\"lost\"\r\n\r\n1\r\n" + Self.body
        let skipped = try Self.inspect(Array(ahead.utf8), "--boundary XX")
        #expect(
            skipped.errors
                == "formwork: warning: 58 bytes before the first delimiter were skipped, and they hold \"--XX\" at offset "
                + "4, so a part may be lost: a delimiter needs CRLF before it\n")
        let only = try Self.inspect(Array("junk--XX\r\n\r\n1".utf8), "--boundary XX")
        #expect(only.errors.contains(": probably it holds \"--XX\" at offset 4, but not at the start of a line ("))
        let last = try Self.inspect(Array(Self.body.replacing("1\r\n--XX--", with: "1--XX--").utf8))
        #expect(last.status == 70)
        #expect(last.errors.contains(": probably the content of part 2 holds the delimiter "), "\(last.errors)")
    }

    @Test("A header line that no empty line follows is quoted, and quotes in names are named")
    func headers() throws {
        let missing = Self.body.replacing("\r\n\r\nx", with: "\r\nHarbour at dawn\u{7}")
        let result = try Self.inspect(Array(missing.utf8))
        #expect(result.status == 70)
        #expect(
            result.errors
                == "formwork: standard input: probably the line \"Harbour at dawn\\u{07}\" belongs to the "
                + "content, and the empty line between header and content is missing (malformedHeader at "
                + "offset 52: A header line has no name followed by a colon)\n")
        let unclosed = try Self.inspect(Array(Self.body.replacing("\"title\"", with: "\"title").utf8))
        #expect(
            unclosed.errors
                == "formwork: standard input: malformedHeader at offset 6: Content-Disposition can't be read: a quote "
                + "isn't closed, or text follows it\n")
        let quoted = Self.body.replacing("name=\"a\"", with: "name=\"a\"; filename=\"a\"x\".jpg\"")
        let warned = try Self.inspect(Array(quoted.utf8))
        #expect(warned.status == 0)
        #expect(
            warned.errors
                == "formwork: warning: the filename of part 2, \"a\"x\".jpg\", has a quote that isn't escaped, and other "
                + "receivers end it there: write %22\n")
        #expect(try Self.inspect(Array(quoted.utf8), "--profile strict").status == 70)
        let unreadable = Self.body.replacing("name=\"a\"", with: "name=\"a\"; filename*=UTF-8''%zz")
        #expect(
            try Self.inspect(Array(unreadable.utf8)).errors
                == "formwork: warning: the filename* of part 2, UTF-8''%zz, isn't UTF-8 or ISO-8859-1 in percent-encoding "
                + "(RFC 8187), and isn't used\n")
        let lint = try Self.inspect(Array(quoted.utf8), "--lint")
        #expect(
            lint.status == 70 && lint.text.contains("departure unescapedQuote (RFC 2045 §5.1): part 2"), "\(lint.text)")
    }

    @Test("A stray delimiter is found however the bytes are cut", arguments: [1, 2, 3, 5, 1_000])
    func cuts(size: Int) {
        for (text, wanted, end) in [
            ("xx--XX\r\nyy", 2, ""), ("xx--XXy--XX\nz", 7, ""), ("--XX--", 0, "CRLF"), ("xx--XX", nil, ""),
            ("----XX--", 2, ""), ("a\n--XX\n", 2, "LF"), ("\n--XX\r\n", 1, "LF"), ("a\r\n--XX\n", 3, "CRLF"),
            ("aaaaaaaaaaaa\r\n--XX\nb", 14, "CRLF"),
        ] as [(String, Int64?, String)] {
            var search = StrayDelimiter(boundary: Array("XX".utf8))
            let bytes = Array(text.utf8)
            for start in stride(from: 0, to: bytes.count, by: size) {
                let piece = Array(bytes[start..<min(bytes.count, start + size)])
                piece.withRawSpan { search.take($0, 0..<$0.byteCount, at: Int64(start)) }
            }
            #expect(search.offset == wanted, "\(text)")
            #expect(search.followsLF == (end == "LF") && search.followsCRLF == (end == "CRLF"), "\(text)")
        }
    }

    @Test("extract --to NAME.EXT writes one part to that file")
    func extract() throws {
        let folder = Folder()
        try folder.file("body", Self.body)
        func extract(_ options: String) throws -> Outcome {
            try Command.shell("\"$F\" extract body \(options)", in: folder.path)
        }
        let one = try extract("--part a --to x.txt")
        #expect(one.status == 0 && one.text == "x.txt\n", "\(one.errors)")
        #expect(try String(contentsOfFile: folder.path + "/x.txt", encoding: .utf8) == "1")
        let again = try extract("--part title --to x.txt")
        #expect(again.status == 23 && again.errors.contains("already exists"), "\(again.errors)")
        #expect(try extract("--part title --to x.txt --overwrite").status == 0)
        #expect(try String(contentsOfFile: folder.path + "/x.txt", encoding: .utf8) == "x")
        let two = try extract("--to y.txt")
        #expect(two.status == 2)
        #expect(
            two.errors
                == "formwork: --to y.txt: names one file, but 2 parts are selected: choose one with --part, or name a "
                + "folder, as in --to y.txt/\n")
        #expect(try extract("--to parts.d/").status == 0)
        #expect(try extract("--part a --to parts.d --overwrite").text == "parts.d/a\n")
        #expect(try extract("--part a --to folder").text == "folder/a\n")
        #expect(try extract("--part nope --to z.txt").status == 2)
        #expect(folder.names == ["body", "folder", "parts.d", "x.txt"])
    }
}
#endif
