import Formwork
import Testing

@testable import FormworkCommand
@testable import FormworkTransfer

@Suite("Numbers of options and captures", .timeLimit(.minutes(10)))
struct NumberTests {
    @Test(
        "A count of bytes has a suffix or none, and fits in 2^63 - 1",
        arguments: [
            ("0", 0), ("17", 17), ("2k", 2048), ("2K", 2048), ("3m", 3_145_728), ("1G", 1_073_741_824),
            ("9223372036854775807", .max), ("8589934591G", 9_223_372_035_781_033_984), ("8589934592G", nil),
            ("9223372036854775808", nil), ("9007199254740992k", nil), ("-1", nil), ("+1", nil), ("", nil), ("k", nil),
            ("1.5k", nil), ("1kk", nil), ("1 k", nil),
        ] as [(String, Int64?)])
    func byteCount(text: String, bytes: Int64?) {
        #expect((try? ByteCount.read(text).bytes) == bytes)
    }

    @Test("A time limit of less than a microsecond isn't none")
    func shortTime() throws {
        #expect(try TimeOption.read("0.0000001").bound("-m") == .microseconds(1))
        #expect(try TimeOption.read("0").bound("-m") == nil)
    }

    @Test("A chunk's size is below 2^63")
    func chunkSizes() {
        var long = ChunkedCoding()
        #expect(long.decode(Array("0000000000000a3\r\nabc".utf8)) == Array("abc".utf8) && long.fault == nil)
        for (size, place) in [("8000000000000000", 15), ("10000000000000003", 16), ("100000000000000000000", 16)] {
            var coding = ChunkedCoding()
            #expect(coding.decode(Array("\(size)\r\nabc\r\n".utf8)) == [])
            #expect(
                coding.fault
                    == "the capture's chunked coding is broken at byte \(place): expected a chunk's size below 2^63")
        }
    }

    @Test("Chunks are whole when the last one, which is empty, was there")
    func wholeness() {
        let body = "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nA: b\r\n\r\n"
        for count in 0...body.utf8.count {
            var coding = ChunkedCoding()
            _ = coding.decode(Array(body.utf8.prefix(count)))
            #expect(coding.isWhole == (count == body.utf8.count), "\(count) bytes")
        }
    }

    @Test(
        "What receivers read differently in a chunked coding is known, however it is cut",
        arguments: [
            ("3\r\nabc\r\n0\r\nA: b\r\n\r\n", nil), ("3;x=y\r\nabc\r\n0\r\n\r\n", "a chunk's extension"),
            ("3 \r\nabc\r\n0\r\n\r\n", "a blank after a chunk's size"), ("3\nabc\r\n0\r\n\r\n", "LF without CR"),
            ("3\r\nabc\n0\r\n\r\n", "LF without CR"), ("3\r\nabc\r\n0\r\n\n", "LF without CR"),
            ("3\r\nabc\r\r\n0\r\n\r\n", "CR without LF"), ("3\rx\r\nabc\r\n0\r\n\r\n", "CR without LF"),
        ] as [(String, String?)])
    func slips(text: String, slip: String?) {
        for size in [1, 2, 100] {
            var (coding, content) = (ChunkedCoding(), [UInt8]())
            let bytes = Array(text.utf8)
            for start in stride(from: 0, to: bytes.count, by: size) {
                content += coding.decode(Array(bytes[start..<min(bytes.count, start + size)]))
            }
            #expect(content == Array("abc".utf8) && coding.isWhole && coding.slip == slip)
        }
    }

    @Test("A time is in seconds, 0 or more with a fraction, or has a unit")
    func times() throws {
        let times: KeyValuePairs = [
            "1.5": 1500, "0": 0, "90s": 90_000, "0.5m": 30_000, "2h": 7_200_000, "1d": 86_400_000, "10": 10_000,
        ]
        for (text, milliseconds) in times {
            #expect(try TimeOption.read(text).duration("--pause") == .milliseconds(milliseconds), "\(text)")
        }
        for text in ["1e10", "1e3", "nan", "inf", "x", "", "s", "5y", "+5", "0x10", "1 s", "1e9d", "20000d"] {
            #expect(throws: (any Error).self, "\(text)") { try TimeOption.read(text) }
        }
        let error = #expect(throws: ExitStatus.self) { try TimeOption.read("-1").duration("--pause") }
        #expect(error?.code == 2 && error?.message == "--pause -1: give 0 or more seconds")
    }

    @Test(
        "Every option that reads a time reads both forms",
        arguments: [
            "send http://127.0.0.1:1/ -F a=1 --dry-run --connect-timeout T --stall-timeout T "
                + "--retry-delay T --max-time T",
            "link --to http://h --key-file key --expires T",
            "receive --dir /nonexistent/x --idle-timeout T --grace T --drain-delay T --resume-lifetime T",
            "receive --to s3://b/p --s3 abandon-after=T --s3 timeout=T --host 256.0.0.1",
            "receive --dir /nonexistent/x --hook http://h/ --hook-timeout T",
        ])
    func everyOption(line: String) throws {
        let folder = Folder()
        try folder.file("key", String(repeating: "k", count: 32))
        for text in ["10", "10s", "2m"] {
            let result = try Command.shell(
                "timeout 60 \"$F\" \(line.replacing(#/\bT\b/#, with: text))", in: folder.path)
            #expect(!result.errors.contains("invalid") && !result.errors.contains("give 0"), "\(result.errors)")
            #expect(result.status == (line.hasPrefix("receive") ? result.status : 0), "\(result.errors)")
        }
        let result = try Command.shell("timeout 60 \"$F\" \(line.replacing(#/\bT\b/#, with: "5y"))", in: folder.path)
        #expect(
            result.status == 2
                && result.errors.contains(
                    "write a time in seconds, such as 10 or 0.5, or with its unit, such as 90s, 15m, 24h or 7d"),
            "\(result.errors)")
    }
}
