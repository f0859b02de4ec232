@testable import FormworkCore
import Testing

/// `Content-Disposition` as senders write it.
@Suite(.timeLimit(.minutes(10))) struct DispositionTests {
    private static func header(
        _ value: String, _ profile: ParsingProfile = .default, line: String = "Content-Disposition: "
    ) throws -> ReceivedHeader {
        let body = "--boundary\r\n\(line)\(value)\r\n\r\n\r\n--boundary--\r\n"
        let parsed = try parser("boundary", profile).parse(body)
        if let failure = parsed.failure { throw failure }
        return try #require(parsed.parts.first?.header)
    }

    @Test(
        "A name and a filename come back as the sender had them",
        arguments: [
            ("Chrome, Safari", #"form-data; name="a%22b"; filename="C:\x\y.png""#, "a%22b", #"C:\x\y.png"#),
            ("Firefox 3.6", #"form-data; name="f"; filename="a " b.txt""#, "f", #"a " b.txt"#),
            (
                "IE", #"form-data; name="f"; filename="C:\Documents and Settings\a;b.txt""#, "f",
                #"C:\Documents and Settings\a;b.txt"#
            ),
            ("a backslash at the end", #"form-data; name="a\"; filename="b.txt""#, #"a\"#, "b.txt"),
            ("curl --form-escape, Go", #"form-data; name="a\"b\\c"; filename="x""#, #"a"b\c"#, "x"),
            (".NET", "form-data; name=field; filename=my file.txt", "field", "my file.txt"),
            (
                ".NET, both", "form-data; name=f; filename=\"=?utf-8?B?eA==?=\"; filename*=utf-8''%c3%a9.txt", "f",
                "é.txt"
            ),
            ("httpx, aiohttp", "form-data; name=\"f\"; filename*=UTF-8''n%C3%A4me.txt", "f", "näme.txt"),
            ("aiohttp", #"form-data; name="a\ \"b\"\\"; filename="x%20y""#, #"a "b"\"#, "x%20y"),
            ("reqwest", "form-data; name*=utf-8''n%C3%A4me%20%22q%22; filename=\"x\"", "näme \"q\"", "x"),
            ("both names", "form-data; name*=UTF-8''b; name=\"a\"; filename=\"x\"", "a", "x"),
            ("Latin-1", "form-data; name=f; filename*=iso-8859-1'en'%A3", "f", "£"),
            ("a broken filename*", "form-data; name=f; filename*=UTF-8''%C3; filename=\"safe\"", "f", "safe"),
            ("NUL in filename*", "form-data; name=f; filename*=UTF-8''a%00b; filename=\"safe\"", "f", "safe"),
            ("no blanks", "form-data;name=\"f\";filename=\"g\"", "f", "g"),
            ("other case", "Form-Data; NAME=f; FileName=g", "f", "g"),
            ("other order", "form-data; filename=g; x=\"y;z\"; name=f", "f", "g"),
        ] as [(String, String, String, String)])
    func senders(_ sender: String, _ value: String, _ name: String, _ filename: String) throws {
        let header = try Self.header(value)
        #expect(header.name == name)
        #expect(header.filename == filename)
        #expect(header.isFile)
    }

    @Test("Raw bytes are kept beside repaired text, and both filenames are there")
    func raw() throws {
        let header = try Self.header("form-data; name=\"a\\\"b\"; filename=\"plain\"; filename*=UTF-8''ext")
        #expect(header.nameBytes.map(Array.init) == Array(#"a\"b"#.utf8))
        #expect(header.plainFilename == "plain" && header.extendedFilename == "ext" && header.filename == "ext")
        #expect(header.extendedFilenameBytes.map(Array.init) == Array("UTF-8''ext".utf8))
        #expect(header.disposition == "form-data")
        #expect(header.bytes.starts(with: "Content-Disposition: form-data".utf8))
        #expect(header.values(of: "content-disposition").count == 1)

        var body = Array("--boundary\r\nContent-Disposition: form-data; name=\"a".utf8) + [0xFF]
        body += Array("\"\r\n\r\n\r\n--boundary--".utf8)
        let repaired = try parser().parse(body)
        #expect(repaired.parts.first?.header.name == "a\u{FFFD}")
        #expect(repaired.parts.first?.header.nameBytes.map(Array.init) == [0x61, 0xFF])
        #expect(try parser("boundary", .strict).parse(body).failure?.kind == .invalidText)
    }

    @Test("WHATWG's three escapes are undone on request only, in one pass")
    func percent() throws {
        var profile = ParsingProfile.default
        #expect(try Self.header("form-data; name=\"%22%0d%0A%25%2522\"", profile).name == "%22%0d%0A%25%2522")
        profile.decodesPercentEscapes = true
        #expect(try Self.header("form-data; name=\"%22%0d%0A%25%2522\"", profile).name == "\"\r\n%25%2522")
    }

    @Test("A filename* alone that can't be read still makes a file, of which no name is known")
    func unreadable() throws {
        let header = try Self.header("form-data; name=f; filename*=UTF-16''x")
        #expect(header.filename == nil && header.isFile && header.safeFilename == nil)
    }

    @Test(
        "What is no Content-Disposition of a form is refused",
        arguments: [
            ("form-data; name=\"a\".html", .malformedHeader), ("form-data; name=\"a", .malformedHeader),
            ("form-data; name=a\"b", .malformedHeader), ("form-data; name", .malformedHeader),
            ("form-data; =a", .malformedHeader), ("form-data; na me=a", .malformedHeader),
            ("form-data; name*=UTF-8''%C3", .missingName), ("form-data; name*=a", .missingName),
            ("form-data; filename=x", .missingName), ("attachment; name=a", .missingContentDisposition),
            ("", .missingContentDisposition), ("form-datax; name=a", .missingContentDisposition),
        ] as [(String, ParsingFailure.Kind)])
    func refused(_ value: String, _ kind: ParsingFailure.Kind) {
        #expect(throws: ParsingFailure(kind)) { try Self.header(value) }
    }

    @Test("Folds are joined by one space; a fold on nothing is an error")
    func folds() throws {
        let header = try Self.header("form-data; \r\n \t name=\"a\r\n  b\"\r\nX: 1\r\n 2 \r\n\t3")
        #expect(header.name == "a b")
        #expect(header.values(of: "x") == ["1 2 3"])
        #expect(throws: ParsingFailure(.malformedHeader)) { try Self.header("x", line: " Content-Disposition:") }
        #expect(throws: ParsingFailure(.malformedHeader)) { try Self.header("form-data;\r\n name=a", .strict) }
        #expect(throws: ParsingFailure(.ambiguity)) { try Self.header("form-data; name*=UTF-8''a", .strict) }
    }
}
