@testable import Formwork
@testable import FormworkCore
import Testing

@Suite("Encoded content, piece by piece", .timeLimit(.minutes(10)))
struct EncoderTests {
    private func quotedPrintable(_ text: String, by size: Int? = nil) -> String {
        var encoder = QuotedPrintableEncoder()
        var out: [UInt8] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: size ?? max(1, bytes.count)) {
            encoder.encode(Array(bytes[start...].prefix(size ?? bytes.count)), isEnd: false, into: &out)
        }
        encoder.encode([], isEnd: true, into: &out)
        return String(decoding: out, as: UTF8.self)
    }

    @Test(
        "Quoted-printable: RFC 2045 §6.7, rule by rule",
        arguments: [
            ("a=b", "a=3Db"), ("é", "=C3=A9"), ("a b\tc", "a b\tc"), ("a \r\nb", "a=20\r\nb"),
            ("a\t\r\nb", "a=09\r\nb"),
            ("a ", "a=20"), (" ", "=20"), ("a\r\n", "a\r\n"), ("a\rb", "a=0Db"), ("a\nb", "a=0Ab"), ("\r", "=0D"),
            ("", ""), ("\0~\u{7F}", "=00~=7F"),
            (String(repeating: "a", count: 76), String(repeating: "a", count: 76)),
            (String(repeating: "a", count: 77), String(repeating: "a", count: 75) + "=\r\naa"),
            (String(repeating: "a", count: 74) + "é", String(repeating: "a", count: 74) + "=\r\n=C3=A9"),
        ])
    func quotedPrintable(text: String, encoded: String) {
        #expect(self.quotedPrintable(text) == encoded)
        for size in [1, 2, 3] { #expect(self.quotedPrintable(text, by: size) == encoded, "\(size) bytes at a time") }
    }

    @Test(
        "Base64 goes on at any character of its lines",
        arguments: [(nil, "QUJDREVGR0hJSg=="), (4, "QUJD\r\nREVG\r\nR0hJ\r\nSg=="), (8, "QUJDREVG\r\nR0hJSg==")])
    func base64(columns: Int?, encoded: String) throws {
        let content = Array("ABCDEFGHIJ".utf8)
        #expect(try Base64Encoder.encodedLength(of: 10, columns: columns) == Int64(encoded.utf8.count))
        for offset in 0..<encoded.utf8.count {
            let place = Base64Encoder.place(of: Int64(offset), columns: columns)
            #expect(place.content % 3 == 0 && place.surplus <= Int64((columns ?? 4) + 2))
            // A line end, where one comes before it, belongs to the line before.
            var encoder = Base64Encoder(columns: columns)
            var out: [UInt8] = []
            encoder.encode(Array(content[Int(place.content)...]), isEnd: true, into: &out)
            let rest = String(decoding: out.dropFirst(Int(place.surplus)), as: UTF8.self)
            #expect(rest == String(encoded.dropFirst(0).utf8.dropFirst(offset)), "from \(offset)")
        }
    }
}
