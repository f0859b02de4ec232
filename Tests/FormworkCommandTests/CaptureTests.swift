#if Command
import Foundation
import FormworkURLEncoded
import Testing

@testable import FormworkCommand

@Suite("Bodies in captures: HTTP messages and HAR files", .timeLimit(.minutes(10)))
struct CaptureTests {
    private static let body =
        "--XX\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nx\r\n--XX\r\nContent-Disposition: form-data; "
        + "name=\"a\"\r\n\r\n1\r\n--XX--\r\n"

    private static func inspect(_ capture: String, _ arguments: String = "") throws -> Outcome {
        try Command.shell("\"$F\" inspect \(arguments)", input: Array(capture.utf8))
    }

    private static func request(_ fields: String..., body: String = body) -> String {
        "POST /up HTTP/1.1\r\nHost: x\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n" + body
    }

    private static let type = "content-type: multipart/form-data; boundary=XX"

    @Test("Requests and responses, with a length, without one, and with LF alone in the head")
    func messages() throws {
        for capture in [
            Self.request(Self.type, "Content-Length: 118"),
            Self.request(Self.type, "Content-Length: 118", body: Self.body + "GET / HTTP/1.1\r\n\r\n"),
            Self.request(Self.type), Self.request("X: y"),
            "HTTP/1.1 200 OK\r\n\(Self.type)\r\n\r\n\(Self.body)",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\(Self.type)\r\n\r\n\(Self.body)",
            "PUT /a HTTP/1.0\n\(Self.type)\n\n\(Self.body)",
        ] {
            let result = try Self.inspect(capture)
            #expect(result.text == InspectCommandTests.twoPartsTable, "\(capture) \(result.errors)")
            #expect(result.status == 0)
        }
        let surplus = try Self.inspect(Self.request(Self.type, "Content-Length: 118", body: Self.body + "GET"))
        #expect(
            surplus.errors
                == "formwork: warning: the capture continues after the 118 bytes of its Content-Length\n"
        )
    }

    @Test("A chunked body is decoded, in chunks of any size, extensions and trailers left out")
    func chunked() throws {
        let chunks = [
            "--XX\r\nConte", String(Self.body.utf8.dropFirst(11).prefix(80))!, String(Self.body.utf8.dropFirst(91))!,
        ]
        #expect(chunks.joined() == Self.body)
        let sizes = ["b;x=\"y\"", "0050", "1b"]
        let coded = zip(sizes, chunks).map { "\($0)\r\n\($1)\r\n" }.joined() + "0\r\nX-Trailer: 1\r\n\r\nbehind"
        let result = try Self.inspect(Self.request(Self.type, "Transfer-Encoding: chunked", body: coded))
        #expect(result.text == InspectCommandTests.twoPartsTable, "\(result.errors)")
        for count in [1, 2, 3, 100] {
            var coding = ChunkedCoding()
            var content: [UInt8] = []
            let bytes = Array(coded.utf8)
            for start in stride(from: 0, to: bytes.count, by: count) {
                content += try coding.decode(Array(bytes[start..<min(bytes.count, start + count)]))
            }
            #expect(content == Array(Self.body.utf8) && coding.isWhole)
        }
        let cut = try Self.inspect(
            Self.request(Self.type, "Transfer-Encoding: gzip, chunked", body: String(coded.utf8.prefix(60))!))
        #expect(cut.status == 70)
        #expect(cut.errors.contains(": probably the capture is cut: its last chunk is missing ("), "\(cut.errors)")
        let broken = try Self.inspect(Self.request(Self.type, "Transfer-Encoding: chunked", body: "5\r\n--XX\rx"))
        #expect(broken.status == 70)
        #expect(
            broken.errors
                == "formwork: standard input: the capture's chunked coding is broken at byte 8: expected a line "
                + "end after a chunk\n")
        let undecoded = try Self.inspect(coded, "--boundary XX")
        #expect(undecoded.errors.contains("its first line, \"b;x=\"y\"\", is a chunk's size"), "\(undecoded.errors)")
    }

    @Test("A cut capture says what was promised and what is there")
    func cut() throws {
        let head = Self.request(Self.type, "Content-Length: 118", body: "")
        let result = try Self.inspect(head + String(Self.body.utf8.prefix(90))!)
        #expect(result.status == 70)
        #expect(
            result.errors
                == "formwork: standard input: probably the capture is cut: Content-Length promises 118 "
                + "bytes, but it has 90 (unexpectedEnd at offset 90: The body ended after 90 bytes, in the "
                + "header section of part 2)\n"
        )
        let noHead = try Self.inspect("POST / HTTP/1.1\r\nHost: x\r\n")
        #expect(noHead.status == 70)
        #expect(
            noHead.errors
                == "formwork: standard input: the capture ends inside its header section, after 26 bytes\n")
        let short = try Self.inspect(Self.request(Self.type, "Content-Length: 100"))
        #expect(short.status == 70)
        #expect(
            short.errors.contains(
                ": probably the capture continues after the 100 bytes of its Content-Length ("),
            "\(short.errors)")
        let odd = try Self.inspect(Self.request(Self.type, "Content-Length: x"))
        #expect(
            odd.errors == "formwork: standard input: the captured Content-Length isn't a number: \"x\"\n"
                && odd.status == 70)
    }

    @Test("Types that are none: what it is, and the profile that reads it")
    func types() throws {
        let json = try Self.inspect(Self.request("Content-Type: application/json", body: "{}"))
        #expect(
            json.errors
                == "formwork: standard input: probably it is JSON, not multipart (invalidContentType: The "
                + "Content-Type is \"application/json\", not multipart/form-data: forms are sent as that, or "
                + "url-encoded)\n")
        #expect(json.status == 70)
        let mixed = Self.request("Content-Type: multipart/mixed; boundary=XX")
        let refused = try Self.inspect(mixed)
        #expect(refused.status == 70)
        #expect(
            refused.errors.hasSuffix(
                "is \"multipart/mixed\", not multipart/form-data: the profile generic reads it\n"))
        #expect(try Self.inspect(mixed, "--profile generic").text == InspectCommandTests.twoPartsTable)
        let encoded = try Self.inspect(Self.request(Self.type, "Content-Encoding: br", body: "xyz"))
        #expect(
            encoded.errors.contains(": probably its Content-Encoding is br: decode it first ("), "\(encoded.errors)")
    }

    // MARK: HAR

    private static func archive(_ entries: [[String: Any]]) throws -> String {
        let json = try JSONSerialization.data(withJSONObject: ["log": ["version": "1.2", "entries": entries]])
        return String(decoding: json, as: UTF8.self)
    }

    private static func entry(
        _ text: String?, type: String = "multipart/form-data; boundary=XX", size: Int? = nil, extra: [String: Any] = [:]
    ) -> [String: Any] {
        var post: [String: Any] = ["mimeType": type]
        if let text { post["text"] = text }
        post.merge(extra) { $1 }
        var request: [String: Any] = ["method": "POST", "url": "https://x.example/up", "headers": [], "postData": post]
        if let size { request["bodySize"] = size }
        return ["request": request]
    }

    private static var get: [String: Any] {
        ["request": ["method": "GET", "url": "https://x.example/", "headers": []]]
    }

    @Test("The only multipart entry is read, text or base64")
    func archives() throws {
        for entry in [
            Self.entry(Self.body), Self.entry(Self.body, type: "multipart/form-data"),
            Self.entry(Data(Self.body.utf8).base64EncodedString(), extra: ["encoding": "base64"]),
        ] {
            for text in [try Self.archive([Self.get, entry]), try "\u{FEFF} \n" + Self.archive([entry])] {
                let result = try Self.inspect(text)
                #expect(result.text == InspectCommandTests.twoPartsTable, "\(result.errors)")
                #expect(result.status == 0)
            }
        }
    }

    @Test("Text stands for bytes where its length or its characters say so")
    func latin1() throws {
        func length(_ value: String, size: Int?) throws -> String {
            let body = Self.body.replacing("\r\n\r\nx", with: "\r\n\r\n" + value)
            let json = try Self.inspect(Self.archive([Self.entry(body, size: size)]), "--json")
            return json.text.firstMatch(of: /"offset": 54,\s+"length": (\d+)/).map { String($0.1) } ?? json.errors
        }
        #expect(try length("é", size: nil) == "2")
        #expect(try length("é", size: 118) == "1")
        #expect(try length("é", size: 119) == "2")
        #expect(try length("\u{89}PNG", size: nil) == "4")
        #expect(try length("東", size: 118) == "3")
    }

    @Test("Several entries need a choice, and what can't be read is said")
    func choices() throws {
        let two = try Self.archive([
            Self.entry("--YY--\r\n", type: "multipart/form-data; boundary=YY"), Self.get, Self.entry(Self.body),
        ])
        let unchosen = try Self.inspect(two)
        #expect(unchosen.status == 2)
        #expect(
            unchosen.errors
                == "formwork: 2 entries of this HAR file have a multipart body: choose one with --entry N; entries "
                + "with one: 1 (POST https://x.example/up), 3 (POST https://x.example/up)\n")
        #expect(try Self.inspect(two, "--entry 3").text == InspectCommandTests.twoPartsTable)
        let wrong = try Self.inspect(two, "--entry 2")
        #expect(
            wrong.status == 2
                && wrong.errors.hasPrefix("formwork: --entry 2: this entry of the HAR file has no multipart body"))
        let none = try Self.inspect(Self.archive([Self.get]))
        #expect(
            none.errors
                == "formwork: standard input: no entry of this HAR file has a multipart body\n")
        #expect(none.status == 70)
        let params = try Self.inspect(
            Self.archive([Self.entry(nil, extra: ["params": [["name": "a", "value": "1"]]])]))
        #expect(
            params.errors
                == "formwork: standard input: entry 1 has params but no text: the browser saved the form "
                + "without its files; capture it with a proxy instead\n")
        let cut = try Self.inspect(String(two.dropLast(5)))
        #expect(cut.status == 70 && cut.errors.hasPrefix("formwork: standard input: line 1, column "), "\(cut.errors)")
    }
}
#endif
