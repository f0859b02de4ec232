import FormworkCore
import Testing

@Suite(.timeLimit(.minutes(10))) struct ParsingLimitsTests {
    private static func part(_ header: String, _ content: String = "v") -> String {
        "--b\r\nContent-Disposition: form-data; \(header)\r\n\r\n\(content)\r\n"
    }

    /// A limit, how it is set to a value, a body that has exactly that much, and one that has one more.
    struct Row: Sendable, CustomStringConvertible {
        var kind: ParsingFailure.Kind
        var value: Int64
        var set: @Sendable (inout ParsingLimits) -> Void
        var fits: String
        var exceeds: String
        /// Where the byte is that is too much.
        var offset: Int64
        var description: String { self.kind.rawValue }
    }

    static let rows = [
        Row(
            kind: .totalBytesLimit, value: 58, set: { $0.totalBytes = 58 }, fits: part("name=a", "0123") + "--b--",
            exceeds: part("name=a", "01234") + "--b--", offset: 58),
        Row(
            kind: .preambleBytesLimit, value: 5, set: { $0.preambleBytes = 5 }, fits: "12345\r\n\(part("name=a"))--b--",
            exceeds: "123456\r\n\(part("name=a"))--b--", offset: 5),
        Row(
            kind: .headerBytesLimit, value: 42, set: { $0.headerBytes = 42 }, fits: part("name=a") + "--b--",
            exceeds: part("name=ab") + "--b--", offset: 47),
        Row(
            kind: .headerCountLimit, value: 2, set: { $0.headerCount = 2 },
            fits: part("name=a\r\nX: 1\r\n 2") + "--b--",
            exceeds: part("name=a\r\nX: 1\r\nX: 2") + "--b--", offset: 51),
        Row(
            kind: .totalHeaderBytesLimit, value: 84, set: { $0.totalHeaderBytes = 84 },
            fits: part("name=a") + part("name=b") + "--b--", exceeds: part("name=a") + part("name=bc") + "--b--",
            offset: 97),
        Row(
            kind: .nameBytesLimit, value: 3, set: { $0.nameBytes = 3 }, fits: part("name=abc") + "--b--",
            exceeds: part("name=abcd") + "--b--", offset: 5),
        Row(
            kind: .partsLimit, value: 1, set: { $0.parts = 1 }, fits: part("name=a") + "--b--",
            // Before a byte of its header section, which is none, is read.
            exceeds: part("name=a") + "--b\r\n\0", offset: 55),
        Row(
            kind: .fieldsLimit, value: 1, set: { $0.fields = 1 },
            fits: part("name=a") + part("name=a; filename=f") + "--b--",
            exceeds: part("name=a") + part("name=b") + "--b--", offset: 55),
        Row(
            kind: .filesLimit, value: 1, set: { $0.files = 1 },
            fits: part("name=a") + part("name=a; filename=f") + "--b--",
            exceeds: part("name=a;filename=f") + part("name=a; filename=f") + "--b--", offset: 66),
        Row(
            kind: .fieldBytesLimit, value: 4, set: { $0.fieldBytes = 4 }, fits: part("name=a", "0\r\n-") + "--b--",
            exceeds: part("name=a", "0\r\n--") + "--b--", offset: 51),
        Row(
            kind: .fileBytesLimit, value: 0, set: { $0.fileBytes = 0 }, fits: part("name=a;filename=f", "") + "--b--",
            exceeds: part("name=a;filename=f", "\n") + "--b--", offset: 58),
        Row(
            kind: .fieldBytesLimit, value: 4, set: { ($0.fieldBytes, $0.named) = (1, ["a": 4]) },
            fits: part("name=a", "0\r\n-") + part("name=b", "0") + "--b--",
            exceeds: part("name=a", "0\r\n--") + "--b--",
            offset: 51),
        Row(
            kind: .fileBytesLimit, value: 0, set: { ($0.named, $0.onlyNamed) = (["a": -1], true) },
            fits: part("name=a;filename=f", "") + "--b--", exceeds: part("name=a;filename=f", "\n") + "--b--",
            offset: 58),
    ]

    @Test("Only the parts whose names have limits are accepted, however the body is cut")
    func onlyNamed() throws {
        var limits = ParsingLimits()
        (limits.named, limits.onlyNamed) = (["a": 10, "c": 10], true)
        let body =
            Self.part("name=a", "0") + Self.part("name=\"b\"; filename=f", "0") + Self.part("name=c", "0") + "--b--"
        for size in [1, 7, 1000] {
            let parsed = try parser("b", .default, limits).parse(Array(body.utf8), chunk: size)
            #expect(parsed.failure == ParsingFailure(.unknownName))
            #expect(parsed.failureOffset == 55)
        }
    }

    @Test("A limit's value passes and one more fails at that byte, however the body is cut", arguments: rows)
    func limits(_ row: Row) throws {
        var limits = ParsingLimits()
        row.set(&limits)
        let parser = try parser("b", .default, limits)
        #expect(parser.parse(row.fits).failure == nil)
        let body = Array(row.exceeds.utf8)
        let whole = parser.parse(body)
        #expect(whole.failure == ParsingFailure(row.kind, limit: row.value))
        #expect(whole.failureOffset == row.offset)
        for cut in 0...body.count { #expect(parser.parse(body, cut: cut) == whole, "cut before byte \(cut)") }
        #expect(parser.parse(body, chunk: 1) == whole)
        // As soon as it is read: the body need not end.
        #expect(parser.parse(Array(body[..<min(body.count, Int(row.offset) + 60)])).failure == whole.failure)
    }

    @Test("The error names limit, value and offset, and content up to the limit was delivered")
    func error() throws {
        var limits = ParsingLimits()
        limits.fieldBytes = 10
        var parser = try parser("boundary", .default, limits)
        let body = formBody(Array("0123456789ab".utf8), file: false)
        var position = 0
        guard case .partBegan = try parser.next(in: body, from: &position) else { return #expect(Bool(false)) }
        guard case .content(let range) = try parser.next(in: body, from: &position) else { return #expect(Bool(false)) }
        #expect(range.count == 10)
        for _ in 0..<3 {
            let error = try #require(throws: FormworkError.self) { try parser.next(in: body, from: &position) }
            #expect(error.code == .limitExceeded)
            #expect(error.parsingFailure?.kind.rawValue == "limit.fieldBytes" && error.parsingFailure?.limit == 10)
            #expect(error.offset == 66)
            #expect(error.message == "The field in part 1 has more than 10 bytes.")
        }
        #expect(failure(of: { try parser.finish() })?.limit == 10)
    }

    @Test("A part's limit can be changed once its header was seen, for that part only")
    func limitContent() throws {
        var parser = try parser("b")
        let body = Array((Self.part("name=a", "0123") + Self.part("name=b", "0123") + "--b--\r\n").utf8)
        var position = 0
        #expect(try parser.next(in: body, from: &position).isPartBegan)
        parser.limitContent(to: 4)
        #expect(try parser.next(in: body, from: &position) == .content(47..<51))
        #expect(try parser.next(in: body, from: &position) == .partEnded)
        #expect(try parser.next(in: body, from: &position).isPartBegan)
        var copy = parser
        var place = position
        copy.limitContent(to: 3)
        #expect(try copy.next(in: body, from: &place) == .content(100..<103))
        #expect(failure(of: { _ = try copy.next(in: body, from: &place) })?.limit == 3)
        #expect(try parser.next(in: body, from: &position) == .content(100..<104))
        #expect(try parser.next(in: body, from: &position) == .partEnded)
        #expect(try parser.next(in: body, from: &position) == .finished)
        #expect(try parser.next(in: body, from: &position) == .needsInput)
    }

    @Test("Every default is finite, and is what the documentation says")
    func defaults() {
        let limits = ParsingLimits.default
        #expect(limits.boundaryLength == 70 && limits.totalBytes == 1_073_741_824 && limits.preambleBytes == 16_384)
        #expect(limits.headerBytes == 16_384 && limits.headerCount == 32 && limits.totalHeaderBytes == 1_048_576)
        #expect(limits.nameBytes == 1024 && limits.parts == 1000 && limits.fields == 1000 && limits.files == 1000)
        #expect(limits.fieldBytes == 1_048_576 && limits.fileBytes == 209_715_200)
    }
}

extension MultipartParser.Event {
    var isPartBegan: Bool { if case .partBegan = self { true } else { false } }
}
