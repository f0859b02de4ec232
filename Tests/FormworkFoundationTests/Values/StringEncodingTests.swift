import Foundation
@testable import FormworkFoundation
import FormworkMigration
import Testing

@Suite("Other encodings than UTF-8", .timeLimit(.minutes(10)))
struct StringEncodingTests {
    @Test("A name and a value in GB 18030")
    func gb18030() throws {
        var dialect = URLEncodedDialect.afnetworking("2.5.4")
        dialect.transcoding = .init(.gb18030)
        #expect(try dialect.encode(["汉": "字 ä"]) == "%BA%BA=%D7%D6%20%810%8A1")
    }

    @Test("A byte-order mark begins each text in UTF-16 and UTF-32 without an order")
    func byteOrderMarks() throws {
        func text(_ encoding: String.Encoding) throws -> String {
            var dialect = URLEncodedDialect.whatwg
            dialect.transcoding = .init(encoding)
            return try dialect.encode(["k": "é", "l": ""])
        }
        #expect(try text(.utf16) == "%FF%FEk%00=%FF%FE%E9%00&%FF%FEl%00=%FF%FE")
        #expect(try text(.utf16LittleEndian) == "k%00=%E9%00&l%00=")
        #expect(try text(.utf16BigEndian) == "%00k=%00%E9&%00l=")
        #expect(try text(.utf32).hasPrefix("%FF%FE%00%00k%00%00%00=%FF%FE%00%00%E9%00%00%00&"))
    }

    @Test("A serializer escapes in its encoding before version 2.6.0, and in UTF-8 since")
    func serializer() throws {
        var serializer = HTTPRequestSerializer(settings: RequestSettings(version: "2.5.4", headers: [:]))
        serializer.stringEncoding = .gb18030
        let old = try serializer.request(method: "GET", url: "http://a.b/", parameters: ["k": "汉"])
        #expect(old.url?.absoluteString == "http://a.b/?k=%BA%BA")
        serializer.version = .latest
        let new = try serializer.request(method: "GET", url: "http://a.b/", parameters: ["k": "汉"])
        #expect(new.url?.absoluteString == "http://a.b/?k=%E6%B1%89")
    }

    @Test("Text that an encoding doesn't have is refused by name")
    func refused() throws {
        var dialect = URLEncodedDialect.whatwg
        dialect.transcoding = .init(.isoLatin1)
        #expect(try dialect.encode(["k": "ä"]) == "k=%E4")
        let error = #expect(throws: FormworkError.self) { try dialect.encode(["k": "汉"]) }
        #expect(error?.code == .contentNotEncodable)
        #expect(error?.message.contains("iso-8859-1") == true)
    }

    @Test(
        "Text from which an encoding would lose a character is refused",
        arguments: [
            (String.Encoding.koi8R, "a\u{200D}b"), (.windowsCP1251, "a\u{FE0F}"), (.shiftJIS, "\u{AD}"),
            (.shiftJIS, "\u{7F}"), (.gbk, "\u{200B}"), (.isoLatin2, "\u{202E}b"), (.isoLatin1, "a\u{200D}b"),
        ])
    func lost(encoding: String.Encoding, text: String) throws {
        #expect(URLEncodedDialect.Transcoding(encoding).encode(text) == nil)
        var serializer = HTTPRequestSerializer()
        serializer.stringEncoding = encoding
        let error = #expect(throws: FormworkError.self) {
            try serializer.multipartFormRequest(method: "POST", url: "http://a.b/", parameters: ["k": .text(text)])
        }
        #expect(error?.code == .contentNotEncodable)
    }

    @Test("Mac OS Roman has 128 characters above ASCII, and no other ends the process")
    func macRoman() {
        let transcoding = URLEncodedDialect.Transcoding(.macOSRoman)
        let scalars = (0x80...0xFFFF).compactMap { Unicode.Scalar($0 as Int).map { String($0) } }
        #expect(scalars.count { transcoding.encode($0) != nil } == 128)
        #expect(transcoding.encode("a\u{1F4BE}") == nil)
        #expect(transcoding.encode("aÄﬁ") == [0x61, 0x80, 0xDE])
    }

    @Test(
        "A letter of each encoding that has a name here",
        arguments: [
            (String.Encoding.gbk, "汉", [0xBA, 0xBA] as [UInt8]), (.gb2312, "汉", [0xBA, 0xBA]),
            (.big5, "漢", [0xBA, 0x7E]), (.eucKR, "한", [0xC7, 0xD1]), (.koi8R, "ж", [0xD6]),
            (.shiftJIS, "漢", [0x8A, 0xBF]), (.windowsCP1251, "ж", [0xE6]), (.isoLatin2, "č", [0xE8]),
            (.utf16BigEndian, "ж", [0x04, 0x36]),
        ])
    func letters(encoding: String.Encoding, letter: String, bytes: [UInt8]) {
        #expect(URLEncodedDialect.Transcoding(encoding).encode(letter) == bytes)
    }

    @Test(
        "IANA's names",
        arguments: [
            (String.Encoding.utf8, "utf-8"), (.ascii, "us-ascii"), (.gb18030, "gb18030"),
            (.windowsCP1252, "windows-1252"),
            (.shiftJIS, "shift_jis"), (String.Encoding(coreFoundation: 0x0630), nil),
        ])
    func names(encoding: String.Encoding, name: String?) { #expect(encoding.ianaCharset == name) }
}
