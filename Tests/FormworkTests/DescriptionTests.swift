import Foundation
import Formwork
import TestSupport
import Testing

@Suite("Descriptions that a stranger wrote", .timeLimit(.minutes(10)))
struct DescriptionTests {
    private let folder = TemporaryFolder()

    private static func json(of form: FormData) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(form.plan().describe()), as: UTF8.self)
    }

    private static func decode(_ json: String) throws -> PlanDescription {
        try JSONDecoder().decode(PlanDescription.self, from: Data(json.utf8))
    }

    private static func form(in folder: TemporaryFolder) throws -> FormData {
        var inner = FormData(framing: MultipartFraming(boundary: try Boundary("inner"), subtype: "mixed"))
        inner.append(
            BodyPart(
                header: PartHeader(name: "n", filename: "g", contentType: "a/b", transferEncoding: .base64(columns: 8)),
                source: .file(try folder.file("f", "0123456789"))))
        inner.append(name: "s", source: .synthetic(SyntheticBytes(.zeros, count: 5)))
        var form = formB()
        form.append(name: "t", value: "1")
        form.append(BodyPart(name: "m", multipart: inner))
        return form
    }

    private static let outer = #""subtype":"form-data""#
    static let refused: [Row<String, String>] = [
        Row(outer, #""subtype":"x","verbatimType":"text/plain\r\nX: 1""#, against: "a header line in the type"),
        Row(
            outer, #""subtype":"x","verbatimType":"a/b; boundary=x""#,
            against: "a boundary in front of the body's"),
        Row(outer, #""subtype":"x","verbatimType":"a/b; x=\"y""#, against: "a quote that hides the boundary"),
        Row(outer, #""subtype":"x y""#, against: "a subtype that is no token"),
        Row(#""subtype":"mixed""#, #""subtype":"a\r\nb""#, against: "a header line in an inner type"),
        Row(#""parameters":"""#, #""parameters":"boundary=x""#, against: "a boundary among the parameters"),
        Row(#""parameters":"""#, #""parameters":"x=\"y""#, against: "a quote among the parameters"),
        Row(
            #""parameters":"""#, #""parameters":"boundary=\u0301x""#,
            against: "a boundary that is another Character"),
        Row(
            #""parameters":"""#, #""parameters":"boundary*=us-ascii''x""#,
            against: "a boundary as RFC 2231 writes it"),
        Row(#""parameters":"""#, #""parameters":"x=y\r\nX: 1""#, against: "a header line among the parameters"),
        Row(
            outer, #""subtype":"x","verbatimType":"multipart/form-data, boundary=x""#,
            against: "a comma where a type ends"),
        Row(
            "multipart/mixed; boundary=inner", "multipart/mixed; boundary=other",
            against: "an inner type's other boundary"),
        Row("multipart/mixed; boundary=inner", "multipart/mixed", against: "an inner type without a boundary"),
        Row("multipart/mixed; boundary=inner", "text/plain", against: "an inner type that is no multipart"),
        Row(
            "multipart/mixed; boundary=inner", "multipart/mixed; boundary=x; boundary=inner",
            against: "an inner type with two boundaries"),
        Row(#""boundary":"inner""#, #""boundary":"in\r\nner""#, against: "a line end in a boundary"),
        Row(#""contentType":"a/b""#, #""contentType":"a/c""#, against: "showing one type and sending another"),
        Row(#""path":""#, #""path":"\u0000"#, against: "a path that is cut where C cuts it"),
    ]

    @Test("What would break the header or mislead a reader is refused when it is read", arguments: refused)
    func whenRead(row: Row<String, String>) throws {
        let json = try Self.json(of: Self.form(in: self.folder))
        #expect(json.contains(row.given))
        #expect(try Self.decode(json).form.plan().contentLength == 369)
        expect(.invalidArgument) { try Self.decode(json.replacing(row.given, with: row.expected)) }
    }

    @Test("A boundary that needs quotes and goes without is in no description", arguments: ["a b", "a,b", "a'b=c"])
    func unquoted(boundary: String) throws {
        let framing = MultipartFraming(boundary: try Boundary(boundary), ending: .closeDelimiter, quoting: .never)
        expect(.invalidArgument) { try FormData([BodyPart(name: "a", value: "1")], framing: framing).plan().describe() }
    }

    static let unplannable: [Row<String, String>] = [
        Row(#""offset":0"#, #""offset":-1"#, against: "a place before the file"),
        Row(#""offset":0"#, #""offset":9223372036854775807"#, against: "a place behind all files"),
        Row(#""length":10"#, #""length":-1"#, against: "a negative length"),
        Row(#""length":10"#, #""length":9223372036854775807"#, against: "a length that no sum can hold"),
        Row(#""count":5"#, #""count":-5"#, against: "a negative count"),
        Row(#""count":5"#, #""count":9223372036854775807"#, against: "a sum that no length can hold"),
        Row(#""columns":8"#, #""columns":0"#, against: "a division by zero columns"),
        Row(#""columns":8"#, #""columns":-8"#, against: "negative columns"),
        Row(#""columns":8"#, #""columns":9223372036854775807"#, against: "columns that aren't a multiple of 4"),
        Row("inner", "b", against: "the boundary outside used again inside"),
    ]

    @Test("Numbers that can't be are errors of the plan", arguments: unplannable)
    func whenPlanned(row: Row<String, String>) throws {
        let json = try Self.json(of: Self.form(in: self.folder))
        #expect(json.contains(row.given))
        let description = try Self.decode(json.replacing(row.given, with: row.expected))
        expect(.invalidArgument) { try description.form.plan() }
    }

    @Test("Names that the escaping sends as they are may not break the header, when read or written")
    func names() throws {
        for (escaping, name) in [("raw", #"a\"; x=\"y"#), ("raw", #"a\r\nb"#), ("backslashUnchecked", #"a\nb"#)] {
            var form = formB()
            form.append(name: "t", value: "1")
            let json = try Self.json(of: form)
                .replacing(#""escaping":"whatwg""#, with: "\"escaping\":\"\(escaping)\"")
                .replacing(#""name":"t""#, with: "\"name\":\"\(name)\"")
            expect(.invalidArgument) { try Self.decode(json) }
        }
        var form = formB()
        form.framing.escaping = .raw
        form.append(name: "a\"b", value: "1")
        expect(.invalidArgument) { try form.plan().describe() }
        form = formB()
        form.framing.escaping = .raw
        form.append(name: "a\\b", value: "1")
        let plan = try form.plan()
        #expect(try Self.decode(Self.json(of: form)).form.plan().bytes(upTo: 1000) == plan.bytes(upTo: 1000))
    }

    @Test("An encoded part of a form in a concatenation isn't described as if it were not encoded")
    func encodedInConcatenation() throws {
        var inner = FormData()
        inner.append(BodyPart(header: PartHeader(transferEncoding: .base64()), source: .text("x")))
        var form = formB()
        form.append(name: "m", source: .concatenation([.text("preamble\r\n"), .multipart(inner)]))
        expect(.notReplayable) { try form.plan().describe() }
    }

    @Test("A described multipart whose type its framing gives is described again")
    func twice() throws {
        var form = formB()
        form.append(BodyPart(name: "m", multipart: FormData()))
        var description = try form.plan().describe()
        description.parts[0].header.contentType = nil
        description.parts[0].type.mediaType = nil
        let plan = try description.form.plan()
        let again = try JSONDecoder().decode(PlanDescription.self, from: JSONEncoder().encode(plan.describe()))
        #expect(try again.form.plan().bytes(upTo: 1000) == plan.bytes(upTo: 1000))
    }

    @Test("A FIFO in a described file's place isn't opened")
    func fifo() throws {
        let fifo = self.folder.path.appending("fifo")
        #expect(mkfifo(fifo.string, 0o600) == 0)
        let file = try self.folder.file("f", "")
        try file.touch("-r", fifo.string)
        var form = formB()
        form.append(name: "f", source: .file(file))
        var description = try form.plan().describe()
        guard case .file(_, _, _, let fingerprint)? = description.parts[0].content.first else {
            Issue.record("no file is described")
            return
        }
        description.parts[0].content = [.file(path: fifo.string, offset: 0, length: 0, fingerprint: fingerprint)]
        expect(.sourceChanged) { try description.form.plan() }
    }

    @Test("40 levels are read, 41 not")
    func depth() throws {
        var form = FormData()
        form.append(name: "a", value: "1")
        for _ in 0..<40 {
            var outer = FormData()
            outer.append(BodyPart(name: "m", multipart: form))
            form = outer
        }
        var description = try form.plan().describe()
        #expect(try Self.decode(Self.json(of: form)) == description)
        guard case .multipart(let framing, _) = description.parts[0].content[0] else { return }
        description.parts[0].content = [.multipart(framing: framing, parts: description.parts)]
        let json = String(decoding: try JSONEncoder().encode(description), as: UTF8.self)
        expect(.limitExceeded) { try Self.decode(json) }
    }

    @Test("Parts in parts are described in their order, however many")
    func order() throws {
        var form = formB()
        for index in 0..<300 {
            var inner = FormData()
            for number in 0..<3 { inner.append(name: "\(index).\(number)", value: "") }
            form.append(BodyPart(name: "\(index)", multipart: inner))
        }
        let description = try form.plan().describe()
        #expect(description.parts.map(\.header.name) == (0..<300).map { "\($0)" })
        for (index, part) in description.parts.enumerated() {
            guard case .multipart(_, let parts)? = part.content.first else {
                Issue.record("no multipart")
                return
            }
            #expect(parts.map(\.header.name) == ["\(index).0", "\(index).1", "\(index).2"])
        }
        let words = (0..<300).flatMap { index in
            ["\(index)=(;type=multipart/form-data"] + (0..<3).map { "\(index).\($0)=" } + ["=)"]
        }
        #expect(try form.plan().curlArguments() == words.flatMap { ["-F", $0] })
    }

    @Test("A type with a word of curl's grammar isn't said, whatever follows the word")
    func curlsWords() throws {
        for type in ["text/plain; filename=x", "text/plain; filename=\u{301}x", "text/plain;\u{301}; headers=\u{301}x"]
        {
            var form = formB()
            form.append(BodyPart(name: "a", value: "1", contentType: type))
            let plan = try form.plan()
            expect(.invalidArgument) { _ = try plan.curlArguments() }
        }
    }
}
