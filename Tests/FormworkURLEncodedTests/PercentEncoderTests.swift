@testable import FormworkURLEncoded
import Testing

@Suite("Percent encoding", .timeLimit(.minutes(10)))
struct PercentEncoderTests {
    @Test("Another rule for the space keeps a set without letters")
    func spaceOfOwnSet() {
        let encoder = PercentEncoder(space: .percent) { $0 == UInt8(ascii: "x") }.space(.plus)
        #expect(encoder.encode("abcdefgh x 123456789") == "%61%62%63%64%65%66%67%68+x+%31%32%33%34%35%36%37%38%39")
    }

    struct Table: Sendable, CustomTestStringConvertible {
        var name: String
        var encoder: PercentEncoder
        /// What stands between U+0020 and U+007E besides letters and digits, in order.
        var stands: String
        var space = "%20"
        /// Control characters stand as well.
        var isRaw = false
        var testDescription: String { self.name }
    }

    static let tables = [
        Table(name: "rfc3986", encoder: .rfc3986, stands: "-._~"),
        Table(name: "form", encoder: .form, stands: "*-._", space: "+"),
        Table(
            name: "raw", encoder: .raw, stands: "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", space: " ", isRaw: true),
        Table(name: "alamofire", encoder: .alamofire, stands: "-./?_~"),
        Table(name: "facebook", encoder: .facebook, stands: "-._~"),
        Table(name: "recipes", encoder: .recipes, stands: "!$'()*,-./:;?@_~"),
        Table(name: "php", encoder: .php, stands: "-._", space: "+"),
        Table(name: "ruby", encoder: .ruby, stands: "-._~", space: "+"),
        Table(name: "key 0.6", encoder: .afnetworkingKey("0.6"), stands: "-._"),
        Table(name: "key 1.0", encoder: .afnetworkingKey("1.0"), stands: "'*,-[]_"),
        Table(name: "key 1.0.1", encoder: .afnetworkingKey("1.0.1"), stands: "'*,-.[]_"),
        Table(name: "key 1.2", encoder: .afnetworkingKey("1.2"), stands: "-.[]_"),
        Table(name: "key 1.3", encoder: .afnetworkingKey("1.3"), stands: "-.[]_~"),
        Table(name: "key 1.3.3", encoder: .afnetworkingKey("1.3.3"), stands: "-.[]_~"),
        Table(name: "key 2.2", encoder: .afnetworkingKey("2.2"), stands: "-.[]_~"),
        Table(name: "key 2.6", encoder: .afnetworkingKey("2.6"), stands: "-./?_~"),
        Table(name: "value 1.3", encoder: .afnetworkingValue("1.3"), stands: "-.[]_~"),
        Table(name: "value 1.3.3", encoder: .afnetworkingValue("1.3.3"), stands: "-._~"),
        Table(name: "value 2.2", encoder: .afnetworkingValue("2.2"), stands: "-._~"),
        Table(name: "value 2.6", encoder: .afnetworkingValue("2.6"), stands: "-./?_~"),
        Table(name: "space as it is", encoder: .form.space(.raw), stands: "*-._", space: " "),
        Table(name: "non-ASCII asked for", encoder: PercentEncoder(leaving: "ü %"), stands: "%"),
    ]

    static let letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

    @Test("All 256 bytes", arguments: tables)
    func bytes(table: Table) {
        let standing = Set((table.stands + Self.letters).utf8)
        for byte in UInt8.min...UInt8.max {
            let digits = (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            let stands = standing.contains(byte) || table.isRaw && (byte < 0x20 || byte == 0x7F)
            let expected = byte == 0x20 ? table.space : stands ? String(Unicode.Scalar(byte)) : "%" + digits
            #expect(String(decoding: table.encoder.encode([byte]), as: UTF8.self) == expected)
        }
        let space = table.space == " " ? " " : ""
        if !table.isRaw { #expect(table.encoder.unescaped == space + table.stands) }
    }

    @Test("Text of any length and place is escaped like its bytes")
    func text() {
        let sample = "Grüße aus 東京 👩‍👧, 100% & more=~\n\0abcdefghijklmnop"
        let expected =
            "Gr%C3%BC%C3%9Fe+aus+%E6%9D%B1%E4%BA%AC+%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7%2C+100%25+%26+more%3D%7E%0A%00"
            + "abcdefghijklmnop"
        #expect(PercentEncoder.form.encode(sample) == expected)
        let bytes = Array(sample.utf8)
        for start in bytes.indices {
            for end in start...bytes.count {
                let whole = bytes[start..<end].flatMap { PercentEncoder.form.encode([$0]) }
                #expect(PercentEncoder.form.encode(Array(bytes[start..<end])) == whole)
            }
        }
    }

    @Test("A plus is escaped where it would be read as a space")
    func plus() {
        #expect(PercentEncoder(leaving: "+", space: .plus).encode("1+1 =2") == "1%2B1+%3D2")
        #expect(PercentEncoder(leaving: "+").encode("1+1 2") == "1+1%202")
    }
}
