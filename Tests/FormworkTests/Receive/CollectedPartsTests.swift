import TestSupport
import Testing

@testable import Formwork

/// Collected fields share one array. What entries show of them is what the body has.
@Suite("Collected parts", .timeLimit(.minutes(10)))
struct CollectedPartsTests {
    private static let type = "multipart/form-data; boundary=b"
    private static let head = "Content-Disposition: form-data; name=\""

    private static func body(_ fields: [(name: String, content: String)]) -> [UInt8] {
        Array((fields.map { "--b\r\n\(self.head)\($0.name)\"\r\n\r\n\($0.content)\r\n" }.joined() + "--b--\r\n").utf8)
    }

    /// The form, read from one chunk, and from chunks of some sizes.
    private func forms(_ body: [UInt8], _ profile: ParsingProfile = .default) async throws -> [ReceivedForm] {
        var forms = [try ReceivedForm(body, contentType: Self.type, profile: profile)]
        for size in [1, 7, 64, 100_000] {
            let parts = try ReceivedParts(ChunkSource(body, every: size), contentType: Self.type, profile: profile)
            forms.append(try await ReceivedForm(collecting: parts))
        }
        return forms
    }

    @Test("An entry shows a field's name, section and content, however the body was cut")
    func entries() async throws {
        let body = Self.body([("one", "first"), ("two", ""), ("three", "\r\n--a")])
        for form in try await self.forms(body) {
            #expect(form.count == 3)
            #expect(form.map(\.name) == ["one", "two", "three"])
            #expect(form.map(\.text) == ["first", "", "\r\n--a"])
            #expect(form.map(\.content.count) == [5, 0, 5])
            #expect(form[0].content.inMemory == Array("first".utf8))
            #expect(try await form[2].content.source.bytes(upTo: 9) == Array("\r\n--a".utf8))
            #expect(try await form[0].content.bytes(upTo: 5) == Array("first".utf8))
            #expect(form[1].header.bytes == Array("\(Self.head)two\"\r\n".utf8))
            #expect(form[1].header.disposition == "form-data")
            #expect(form[1].filename == nil && form[1].contentType == nil && form[1].charset == nil && !form[1].isFile)
            #expect(form["three"] == "\r\n--a" && form["four"] == nil)
            #expect(form.entries(named: "two").count == 1)
        }
    }

    @Test("Names with escapes, and with bytes that aren't UTF-8, are found by their text")
    func names() async throws {
        let body = Self.body([("a\\\"b", "1"), ("a%22b", "2"), ("\u{E9}", "3"), ("x", "4")])
        for form in try await self.forms(body) {
            #expect(form.map(\.name) == ["a\"b", "a%22b", "\u{E9}", "x"])
            #expect(form["a\"b"] == "1" && form["a%22b"] == "2" && form["\u{E9}"] == "3" && form["x"] == "4")
            #expect(form["a\\\"b"] == nil && form["e\u{301}"] == nil)
        }
        var profile = ParsingProfile.default
        profile.decodesPercentEscapes = true
        for form in try await self.forms(body, profile) {
            #expect(form.map(\.name) == ["a\"b", "a\"b", "\u{E9}", "x"])
            #expect(form.texts(named: "a\"b") == ["1", "2"])
        }
        let latin1 =
            Array("--b\r\n\(Self.head)".utf8) + [0xE9] + Array("\"\r\n\r\n5\r\n".utf8) + Self.body([("x", "6")])
        for form in try await self.forms(latin1) {
            #expect(form.map(\.name) == ["\u{FFFD}", "x"])
            #expect(form["\u{FFFD}"] == "5")
            #expect(form[0].header.nameBytes == [0xE9])
        }
    }

    @Test("Contents of any size are whole, and a large one has its own array", arguments: [4095, 4096, 4097, 70_000])
    func sizes(count: Int) async throws {
        let text = String(repeating: "x", count: count)
        for form in try await self.forms(Self.body([("a", "1"), ("long", text), ("z", "2")])) {
            #expect(form.map(\.name) == ["a", "long", "z"])
            #expect(form["a"] == "1" && form["long"] == text && form["z"] == "2")
            #expect(form[1].content.count == Int64(count))
            #expect(form[1].header.bytes == Array("\(Self.head)long\"\r\n".utf8))
        }
    }

    @Test("Many fields, which need several arrays, are whole and in their order")
    func blocks() async throws {
        let fields = (0..<300).map { (name: "field\($0)", content: String(repeating: "x", count: $0 * 13)) }
        for form in try await self.forms(Self.body(fields + [("_charset_", "utf-8")])) {
            #expect(form.count == 301)
            for (entry, field) in zip(form, fields) {
                #expect(entry.name == field.name && entry.text == field.content)
                #expect(entry.content.inMemory == Array(field.content.utf8))
            }
            #expect(form[0].charset == "utf-8" && form["field299"]?.utf8.count == 3887 && form["_charset_"] == "utf-8")
        }
    }

    @Test("A field _charset_ holds for the fields before and after it")
    func charset() async throws {
        let latin1: [UInt8] = [0xE9]
        let head = "--b\r\n\(Self.head)"
        let body =
            Array("\(head)a\"\r\n\r\n".utf8) + latin1
            + Array("\r\n\(head)_charset_\"\r\n\r\n ISO-8859-1\r\n\(head)b\"\r\n\r\n".utf8)
            + latin1 + Array("\r\n--b--\r\n".utf8)
        for form in try await self.forms(body) {
            #expect(form["a"] == "\u{E9}" && form["b"] == "\u{E9}")
            #expect(form[0].charset == "iso-8859-1")
            #expect(try form[2].text(in: .standard) == "\u{E9}")
        }
    }

    private struct Numbers: Decodable, Equatable {
        var a: Int
        var b: Int8
        var c: UInt64
        var d: Int128
    }

    @Test("Whole numbers are those of the standard library")
    func numbers() throws {
        func numbers(_ a: String, _ b: String, _ c: String, _ d: String) throws -> Numbers {
            try FormDataDecoder().decode(
                Numbers.self, from: Self.body([("a", a), ("b", b), ("c", c), ("d", d)]), contentType: Self.type)
        }
        #expect(try numbers("+7", "-128", "007", "-0") == Numbers(a: 7, b: -128, c: 7, d: 0))
        #expect(
            try numbers("-999999999999999999", "127", "18446744073709551615", "170141183460469231731687303715884105727")
                == Numbers(
                    a: -999_999_999_999_999_999, b: 127, c: .max, d: .max))
        #expect(try numbers("9223372036854775807", "0", "0", "1").a == .max)
        for wrong in ["", "+", "-", " 1", "1 ", "1a", "0x1", "128", "\u{661}"] {
            #expect(throws: DecodingError.self, "\(wrong)") { try numbers("1", wrong, "1", "1") }
        }
        #expect(throws: DecodingError.self) { try numbers("9223372036854775808", "1", "1", "1") }
        #expect(throws: DecodingError.self) { try numbers("1", "1", "-1", "1") }
    }

    @Test("Fields that together need all the memory are collected, and one byte more isn't", arguments: [7, 100_000])
    func memory(chunk: Int) async throws {
        let body = Self.body([("one", "first"), ("two", "12")])
        // Two sections of 44 bytes, contents of 7, and what each part needs besides.
        var limits = CollectingLimits()
        limits.memoryBytes = 2 * 44 + 7 + 2 * CollectingLimits.partOverhead
        let form = try await ReceivedForm(
            collecting: ReceivedParts(ChunkSource(body, every: chunk), contentType: Self.type), limits: limits)
        #expect(form["two"] == "12")
        limits.memoryBytes -= 1
        let error = await #expect(throws: FormworkError.self) {
            _ = try await ReceivedForm(
                collecting: ReceivedParts(ChunkSource(body, every: chunk), contentType: Self.type), limits: limits)
        }
        #expect(error?.parsingFailure?.kind == .memoryBytesLimit)
        #expect(error?.part?.name == "two" && error?.part?.index == 1)
    }
}
