@testable import FormworkCore
import Testing

/// What this package writes, it reads back equal.
@Suite(.timeLimit(.minutes(10))) struct RoundTripTests {
    private static func body(_ headers: [PartHeader], _ contents: [[UInt8]], _ framing: MultipartFraming) throws
        -> [UInt8]
    {
        let framer = PartFramer(framing)
        var bytes: [UInt8] = []
        for (index, header) in headers.enumerated() {
            try framer.appendHead(of: header, isFirst: index == 0, to: &bytes)
            bytes += contents[index]
        }
        framer.appendEnd(afterParts: !headers.isEmpty, to: &bytes)
        return bytes
    }

    static let names = [
        "", "a", "photo", "a;b", "a=b", "a'b", "a\\b", "a\\", "\\\\", "naïve 文書", "%22", " a ", "\t", "a\u{1}", "a\"b",
        "\"", "a;\"b",
        "[]", "x[y]", "C:\\path\\file", "a\"", "\"a", "é\"\\",
    ]

    @Test("Names, filenames, types and fields", arguments: [ParameterEscaping.whatwg, .backslash])
    func headers(_ escaping: ParameterEscaping) throws {
        var profile = ParsingProfile.default
        if escaping == .backslash { profile.backslashes = .escape } else { profile.decodesPercentEscapes = true }
        for name in Self.names {
            // The escape that WHATWG writes for a quote can't be told from a name that holds it.
            if escaping == .whatwg, name.contains("%22") { continue }
            let field = PartHeader(name: name)
            let file = PartHeader(
                name: name, filename: name, contentType: "text/plain; charset=utf-8", transferEncoding: .eightBit,
                fields: [try HeaderField("X-Custom", "a \"b\"; c")])
            let framing = MultipartFraming(boundary: try Boundary("in between 'a'"), escaping: escaping)
            let contents = [Array("v\r\n--in between".utf8), []]
            let bytes = try Self.body([field, file], contents, framing)
            let parsed = try MultipartParser(contentType: framing.contentType, profile: profile).parse(bytes)
            #expect(parsed.failure == nil, "\(name)")
            #expect(parsed.parts.map(\.content) == contents)
            #expect(parsed.parts.map(\.header.name) == [name, name])
            #expect(parsed.parts.map(\.header.filename) == [nil, name])
            #expect(parsed.parts.map(\.header.contentType) == [nil, "text/plain; charset=utf-8"])
            #expect(parsed.parts.last?.header.values(of: "x-custom") == ["a \"b\"; c"])
            #expect(parsed.parts.last?.header.values(of: "content-transfer-encoding") == ["8bit"])
            #expect(parsed.isFinished)
        }
    }

    @Test("A form without parts, and other multipart types")
    func framings() throws {
        let form = MultipartFraming(boundary: .random())
        let empty = try Self.body([], [], form)
        #expect(try MultipartParser(contentType: form.contentType).parse(empty).failure == nil)
        let mixed = MultipartFraming(
            boundary: .random(), subtype: "mixed", parameters: "type=\"text/html\"; start=\"<a>\"")
        let bytes = try Self.body([PartHeader(disposition: nil, contentType: "text/html")], [[0x61]], mixed)
        let parsed = try MultipartParser(contentType: mixed.contentType, profile: .generic).parse(bytes)
        #expect(parsed.failure == nil && parsed.parts.first?.header.contentType == "text/html")
        #expect(parsed.parts.first?.header.disposition == nil)
        let open = MultipartFraming(boundary: .random(), ending: .delimiter)
        let unclosed = try Self.body([PartHeader(name: "a")], [[0x61]], open)
        #expect(MultipartParser(boundary: open.boundary, profile: .lenient).parse(unclosed).failure == nil)
        #expect(MultipartParser(boundary: open.boundary).parse(unclosed).failure?.kind == .unexpectedEnd)
    }
}
