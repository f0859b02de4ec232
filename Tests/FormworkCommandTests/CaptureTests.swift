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
        #expect(
            cut.errors.contains(
                ": probably the capture is cut: its last chunk is missing, or the empty line after it ("),
            "\(cut.errors)")
        let broken = try Self.inspect(Self.request(Self.type, "Transfer-Encoding: chunked", body: "5\r\n--XX\rx"))
        #expect(broken.status == 70)
        #expect(
            broken.errors
                == "formwork: standard input: the capture's chunked coding is broken at byte 8: expected a line "
                + "end after a chunk\n")
        let undecoded = try Self.inspect(coded, "--boundary XX")
        #expect(undecoded.errors.contains("its first line, \"b;x=\"y\"\", is a chunk's size"), "\(undecoded.errors)")
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
}
