import FormworkFoundation
import FormworkMigration
import Foundation
import Testing

@Suite("TextDecoding: Foundation's charsets", .timeLimit(.minutes(10)))
struct TextDecodingTests {
    struct Answer: Decodable { var text: String }

    private func decoded(_ bytes: [UInt8], _ charset: String, _ decoding: TextDecoding) async throws -> String {
        var form = FormData()
        form.append(name: "_charset_", value: charset)
        form.append(name: "text", source: .bytes(bytes), contentType: nil)
        let plan = try await form.plan()
        let received = try await ReceivedForm(
            collecting: ReceivedParts(plan.chunks(of: 100), contentType: plan.contentType))
        var decoder = FormDataDecoder()
        decoder.textDecoding = decoding
        return try decoder.decode(Answer.self, from: received).text
    }

    @Test(
        "A field's text is read in its charset",
        arguments: [
            ("shift_jis", [0x83, 0x65, 0x83, 0x58, 0x83, 0x67], "テスト"), ("SJIS", [0x83, 0x65], "テ"),
            ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x25, 0x46, 0x1B, 0x28, 0x42], "テ"), ("koi8-r", [0xF0, 0xD2], "Пр"),
            ("windows-1251", [0xCF, 0xF0], "Пр"),
            ("iso-8859-2", [0xB3, 0xF3], "łó"), ("gb18030", [0xC4, 0xE3], "你"), ("utf-16le", [0x61, 0x00], "a"),
            ("iso-8859-1", [0x80], "€"), ("utf-8", [0xC3, 0xA9], "é"),
        ] as [(String, [UInt8], String)])
    func read(charset: String, bytes: [UInt8], text: String) async throws {
        #expect(try await self.decoded(bytes, charset, .foundation) == text)
    }

    @Test(
        "Bytes that aren't valid are an error, and so are UTF-7 and names that nothing has",
        arguments: [
            ("shift_jis", [0x83, 0xFF]), ("utf-16", [0x00, 0x61, 0x00]), ("utf-16be", [0x61]),
            ("utf-16le", [0x61, 0x00, 0x62]), ("utf-32", [0x00, 0x00, 0x00, 0x61, 0x00, 0x00]), ("utf-32be", [0x61]),
            ("utf-32le", [0x61, 0x00, 0x00]), ("utf-7", [0x2B, 0x41, 0x47, 0x45, 0x2D]), ("x-unknown", [0x61]),
        ] as [(String, [UInt8])])
    func refused(charset: String, bytes: [UInt8]) async throws {
        await #expect(throws: DecodingError.self) { try await self.decoded(bytes, charset, .foundation) }
    }
}
