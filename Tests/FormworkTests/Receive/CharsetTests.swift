import Formwork
import Testing

@Suite("Charsets of received fields", .timeLimit(.minutes(10)))
struct CharsetTests {
    /// A form of one field called `text`.
    private func form(_ bytes: [UInt8], type: String? = nil, charset: String? = nil) async throws -> ReceivedForm {
        var form = FormData()
        if let charset { form.append(name: "_charset_", value: charset) }
        form.append(name: "text", source: .bytes(bytes), contentType: type)
        return try await FormCodingTests.sent(form)
    }

    struct Answer: Decodable { var text: String }

    struct Row: Sendable, CustomTestStringConvertible {
        var bytes: [UInt8]
        var type: String?
        var charset: String?
        var text: String
        var testDescription: String { "\(self.bytes) \(self.type ?? "-") \(self.charset ?? "-")" }
    }

    @Test(
        "A field's text is read in its own charset, else in the form's, else as UTF-8",
        arguments: [
            Row(bytes: [0xC3, 0xA9], text: "é"),
            Row(bytes: [0xC3, 0xA9], type: "text/plain", text: "é"),
            Row(bytes: [0xC3, 0xA9], type: "text/plain; charset=UTF-8", charset: "iso-8859-1", text: "é"),
            Row(bytes: [0xE9, 0x80], type: "text/plain; charset=iso-8859-1", text: "é€"),
            Row(bytes: [0xE9, 0x80], type: "text/plain;format=flowed; CHARSET=\"Windows-1252\"", text: "é€"),
            Row(bytes: [0xE9, 0x81, 0x9F, 0xA0], charset: "ISO-8859-1", text: "é\u{81}Ÿ\u{A0}"),
            Row(bytes: [0xE9, 0x93, 0x94], type: "text/plain", charset: " latin1 ", text: "é“”"),
            Row(bytes: [0x61, 0x7A], charset: "US-ASCII", text: "az"),
        ])
    func known(row: Row) async throws {
        let form = try await self.form(row.bytes, type: row.type, charset: row.charset)
        #expect(form["text"] == row.text)
        #expect(form.texts(named: "text") == [row.text])
        #expect(try form.entries(named: "text")[0].text(in: .standard) == row.text)
        #expect(try FormDataDecoder().decode(Answer.self, from: form).text == row.text)
    }

    @Test(
        "Text that isn't valid in its charset is an error with its place; as plain text it is repaired",
        arguments: [
            (Row(bytes: [0x61, 0xE9], text: "a\u{FFFD}"), "The text is not valid UTF-8"),
            (Row(bytes: [0x61, 0xE9], charset: "us-ascii", text: "a\u{FFFD}"), "The text is not valid us-ascii"),
            (
                Row(bytes: [0x83, 0x65], charset: "Shift_JIS", text: "\u{FFFD}e"),
                "The charset \"shift_jis\" of the text isn't known: send UTF-8, or use a TextDecoding that includes it"
            ),
            (
                Row(bytes: [0x61], charset: "x\u{1B}[1m", text: "a"),
                "The charset \"x\\u{1B}[1m\" of the text isn't known: send UTF-8, or use a TextDecoding that includes "
                    + "it"
            ),
        ])
    func invalid(row: Row, message: String) async throws {
        let form = try await self.form(row.bytes, type: row.type, charset: row.charset)
        #expect(form["text"] == row.text)
        let error = #expect(throws: FormworkError.self) { try form.entries(named: "text")[0].text(in: .standard) }
        #expect(error?.code == .malformedBody && error?.message == message)
        let decoding = try #require(throws: DecodingError.self) {
            try FormDataDecoder().decode(Answer.self, from: form)
        }
        guard case .dataCorrupted(let context) = decoding else { throw decoding }
        #expect(context.codingPath.map(\.stringValue) == ["text"])
        #expect(context.debugDescription == message)
    }

    @Test("A TextDecoding adds charsets to the standard ones")
    func added() async throws {
        let reversing = TextDecoding { charset in
            guard charset == "x-reversed" else { return nil }
            return { String(validating: $0.reversed(), as: UTF8.self) }
        }
        var decoder = FormDataDecoder()
        decoder.textDecoding = reversing
        let reversed = try await self.form([0x62, 0x61], charset: "X-Reversed")
        #expect(try decoder.decode(Answer.self, from: reversed).text == "ab")
        #expect(try decoder.decode(Answer.self, from: try await self.form([0xE9], charset: "latin1")).text == "é")
        let broken = try await self.form([0xA9, 0xC3, 0xE9], charset: "x-reversed")
        #expect(throws: DecodingError.self) { try decoder.decode(Answer.self, from: broken) }
    }

    @Test("A file isn't text, and the form's charset isn't its own")
    func files() async throws {
        var form = FormData()
        form.append(name: "_charset_", value: "latin1")
        form.append(name: "file", source: .text("x"), filename: "x.txt", contentType: "text/plain")
        let entry = try await FormCodingTests.sent(form).entries(named: "file")[0]
        #expect(entry.text == nil)
        let error = #expect(throws: FormworkError.self) { try entry.text(in: .standard) }
        #expect(error?.code == .invalidArgument)
    }

    @Test("An arriving part is read in the charset that it declares")
    func arriving() async throws {
        var form = FormData()
        form.append(name: "a", source: .bytes([0xE9]), contentType: "text/plain; charset=iso-8859-1")
        form.append(name: "b", source: .bytes([0xE9]), contentType: nil)
        let plan = try await form.plan()
        var texts: [String] = []
        for try await part in try ReceivedParts(plan.chunks(of: 100), contentType: plan.contentType) {
            texts.append(try await part.text(upTo: 10))
        }
        #expect(texts == ["é", "\u{FFFD}"])
    }
}
