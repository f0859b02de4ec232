#if Command
import Formwork
import Testing

@testable import FormworkCommand
#if Transfer
@testable import FormworkTransfer
#endif

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
        #expect(ByteCount(argument: text)?.bytes == bytes)
    }

    @Test("A chunk's size has up to 15 digits")
    func chunkSizes() throws {
        var long = ChunkedCoding()
        #expect(try long.decode(Array("0000000000000a3\r\nabc".utf8)) == Array("abc".utf8))
        for size in ["0000000000000003", "10000000000000003", "100000000000000000000"] {
            var coding = ChunkedCoding()
            let error = #expect(throws: FormworkError.self) { _ = try coding.decode(Array("\(size)\r\nabc\r\n".utf8)) }
            #expect(error?.code == .malformedBody)
        }
    }

    @Test("Chunks are whole when the last one, which is empty, was there")
    func wholeness() throws {
        let body = "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nA: b\r\n\r\n"
        let end = body.utf8.count - "A: b\r\n\r\n".utf8.count
        for count in 0...body.utf8.count {
            var coding = ChunkedCoding()
            _ = try coding.decode(Array(body.utf8.prefix(count)))
            #expect(coding.isWhole == (count >= end), "\(count) bytes")
        }
    }

    @Test("A capture's Content-Length is digits, and anything else is told", arguments: ["-1", "+9", "9x", ""])
    func contentLength(text: String) throws {
        let head = "POST / HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: \(text)\r\n\r\n"
        let outcome = try Command.run("inspect", input: Array((head + "--b--\r\n").utf8))
        #expect(outcome.status == 70 && outcome.output.isEmpty)
        #expect(outcome.errors == "formwork: standard input: the captured Content-Length isn't a number: \"\(text)\"\n")
    }

    #if Transfer
    @Test("Seconds are 0 or more, with a fraction")
    func seconds() throws {
        #expect(try SecondsOption(argument: "1.5")?.duration("--pause") == .milliseconds(1500))
        #expect(try SecondsOption(argument: "0")?.duration("--pause") == .zero)
        for text in ["1e10", "nan", "inf", "x", ""] { #expect(SecondsOption(argument: text) == nil) }
        let error = #expect(throws: ExitStatus.self) { try SecondsOption(argument: "-1")?.duration("--pause") }
        #expect(error?.code == 2 && error?.message == "formwork: --pause -1: give 0 or more seconds")
    }
    #endif
}
#endif
