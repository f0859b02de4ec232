import Foundation
import Testing

@testable import FormworkCommand

/// Captures of several requests, made by curl: Fixtures/captures.
@Suite("Traces, encoded bodies and doubts", .timeLimit(.minutes(10)))
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

    @Test("curl --trace")
    func trace() throws {
        let result = try Self.inspect(Self.file("curl.trace"))
        #expect(result.text == Self.table && result.status == 0 && result.errors == "", "\(result)")
        let ascii = try Self.inspect(Self.file("curl-ascii.trace"))
        #expect(ascii.status == 70)
        #expect(
            ascii.errors
                == "formwork: standard input: this curl trace has text instead of bytes, as --trace-ascii writes it: "
                + "repeat it with --trace\n")
        let wrong = try Self.inspect(Self.file("curl.trace"), "--entry 2")
        #expect(
            wrong.errors.hasPrefix("formwork: --entry 2: this entry of the curl trace is missing: there are 1; "),
            "\(wrong.errors)")
    }

    @Test(
        "A file that another program has to convert is named, with the command",
        arguments: [
            ([0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0], "a packet capture: tshark -q -r FILE --export-objects http,"),
            ([0xA1, 0xB2, 0x3C, 0x4D, 0, 2, 0, 4], "a packet capture: tshark "),
            ([0x0A, 0x0D, 0x0D, 0x0A, 0xBC, 0, 0, 0], "a packet capture: tshark "),
            (
                Array("4294:9:websocket;0:~8:response;".utf8),
                "a mitmproxy flow file: mitmdump -nr FILE --set hardump=FILE.har "
            ),
        ] as [([UInt8], String)])
    func foreign(start: [UInt8], reason: String) throws {
        for options in ["", "--entry 1"] {
            let result = try Self.inspect(start, options)
            #expect(
                result.status == 70 && result.errors.hasPrefix("formwork: standard input: is \(reason)"), "\(result)")
        }
    }
}
