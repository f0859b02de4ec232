import Testing

@testable import FormworkCore

/// Fields that are complete in a chunk are read in one step, but only if nothing is special about them.
@Suite("Whole fields", .timeLimit(.minutes(10)))
struct WholeFieldTests {
    private static let head = "--b\r\nContent-Disposition: form-data; name=\""
    private static let body =
        "\(head)one\"\r\n\r\nfirst\r\n\(head)two\"\r\n\r\n\r\n\(head)three\"\r\n\r\nlast\r\n--b--\r\n"

    private func parser(
        _ profile: ParsingProfile = .default, _ limits: ParsingLimits = .default
    ) throws -> MultipartParser {
        MultipartParser(boundary: try Boundary("b"), profile: profile, limits: limits)
    }

    /// The fields that are read in one step, as `name=content`, and the number of bytes that are used then.
    private func fields(
        of body: String, _ profile: ParsingProfile = .default, _ limits: ParsingLimits = .default, room: Int = .max
    ) throws -> (fields: [String], used: Int) {
        var parser = try self.parser(profile, limits)
        let bytes = Array(body.utf8)
        var (position, fields) = (0, [String]())
        while let field = bytes.withRawSpan({ parser.nextWholeField(in: $0, from: &position, upTo: room) }) {
            let (name, content) = (bytes[field.name], bytes[field.content])
            fields.append(String(decoding: name, as: UTF8.self) + "=" + String(decoding: content, as: UTF8.self))
        }
        #expect(parser.offset == Int64(position))
        return (fields, position)
    }

    @Test("Fields that others follow are read in one step, an empty one too; the last one isn't")
    func steps() throws {
        let (fields, used) = try self.fields(of: Self.body)
        #expect(fields == ["one=first", "two="])
        #expect(
            used == Self.body.utf8.count
                - "Content-Disposition: form-data; name=\"three\"\r\n\r\nlast\r\n--b--\r\n".utf8.count)
    }

    @Test("Nothing is read of a first delimiter or a field that the chunk's end cuts off")
    func cut() throws {
        let whole = "\(Self.head)one\"\r\n\r\nfirst\r\n--b\r\n"
        for count in 0..<whole.utf8.count {
            let (fields, used) = try self.fields(of: String(decoding: whole.utf8.prefix(count), as: UTF8.self))
            #expect(fields == [] && used == (count < 5 ? 0 : 5), "\(count)")
        }
        #expect(try self.fields(of: whole).fields == ["one=first"])
    }

    @Test(
        "What isn't usual is left to the other way",
        arguments: [
            "\(WholeFieldTests.head)one\"; filename=\"a\"\r\n\r\nx\r\n--b\r\n",
            "\(WholeFieldTests.head)one\"\r\nContent-Type: text/plain\r\n\r\nx\r\n--b\r\n",
            "\(WholeFieldTests.head)one\"\r\n\r\nx\r\n--b \r\n", "\(WholeFieldTests.head)one\"\r\n\r\nx\r\n--b--\r\n",
            "\(WholeFieldTests.head)one\"\r\n\r\nx\r\n--bc\r\n--b\r\n",
            "--b\r\ncontent-disposition: form-data; name=\"one\"\r\n\r\nx\r\n--b\r\n",
        ])
    func unusual(body: String) throws { #expect(try self.fields(of: body).fields == []) }

    @Test(
        "Every start but a whole first delimiter is left to the other way",
        arguments: [
            "\r\n--b\r\n", "text\r\n--b\r\n", "--b \r\n", "--b\n", "--b\r\r", "--bc\r\n", "--c\r\n", "-b\r\n",
            "--b--\r\n",
        ])
    func otherStarts(start: String) throws {
        let rest = Self.body.dropFirst(4)
        let (fields, used) = try self.fields(of: start + rest)
        #expect(fields == [] && used == 0)
    }

    @Test("A chunk that is read from its middle, and no part allowed")
    func start() throws {
        let bytes = Array(("--c\r\n" + Self.body).utf8)
        var (parser, position) = (try self.parser(), 5)
        let field = bytes.withRawSpan { parser.nextWholeField(in: $0, from: &position, upTo: .max) }
        #expect(field.map { String(decoding: bytes[$0.name], as: UTF8.self) } == "one")
        #expect(parser.parts == 2 && parser.offset == 63 && position == 68)
        var limits = ParsingLimits.default
        limits.parts = 0
        parser = try self.parser(.default, limits)
        position = 5
        let refused = bytes.withRawSpan { parser.nextWholeField(in: $0, from: &position, upTo: .max) }
        #expect(refused == nil && position == 5)
    }

    @Test("Line ends of LF alone and names with escapes are left to the other way, where a profile has them")
    func profiles() throws {
        #expect(try self.fields(of: Self.body, .lenient).fields == [])
        #expect(try self.fields(of: Self.body, .strict).fields == [])
        #expect(try self.fields(of: Self.body, .whatwg).fields == ["one=first", "two="])
        #expect(try self.fields(of: Self.body, .generic).fields == ["one=first", "two="])
    }

    @Test("No limit is exceeded in one step, and each may be reached")
    func limits() throws {
        func fields(_ change: (inout ParsingLimits) -> Void) throws -> [String] {
            var limits = ParsingLimits.default
            change(&limits)
            return try self.fields(of: Self.body, .default, limits).fields
        }
        #expect(try fields { $0.fields = 2 } == ["one=first", "two="])
        #expect(try fields { $0.fields = 1 } == ["one=first"])
        #expect(try fields { $0.parts = 3 } == ["one=first", "two="])
        #expect(try fields { $0.parts = 2 } == ["one=first"])
        #expect(try fields { $0.nameBytes = 3 } == ["one=first", "two="])
        #expect(try fields { $0.nameBytes = 2 } == [])
        #expect(try fields { $0.fieldBytes = 5 } == ["one=first", "two="])
        #expect(try fields { $0.fieldBytes = 4 } == [])
        #expect(try fields { $0.headerBytes = 46 } == ["one=first", "two="])
        #expect(try fields { $0.headerBytes = 45 } == [])
        #expect(try fields { $0.totalHeaderBytes = 92 } == ["one=first", "two="])
        #expect(try fields { $0.totalHeaderBytes = 91 } == ["one=first"])
        #expect(try fields { $0.totalBytes = Int64(Self.body.utf8.count) } == ["one=first", "two="])
        #expect(try fields { $0.totalBytes = Int64(Self.body.utf8.count) - 1 } == [])
        #expect(try self.fields(of: Self.body, room: 49).fields == ["one=first", "two="])
        #expect(try self.fields(of: Self.body, room: 48).fields == [])
    }

    @Test("After an error nothing is read")
    func failed() throws {
        var parser = try self.parser()
        var position = 0
        let broken = Array("--b\r\nContent-Disposition: form-data\r\n\r\n".utf8)
        #expect(throws: FormworkError.self) {
            while true { _ = try parser.next(in: broken, from: &position) }
        }
        let field = Array("Content-Disposition: form-data; name=\"one\"\r\n\r\nfirst\r\n--b\r\n".utf8)
        position = 0
        let found = field.withRawSpan { parser.nextWholeField(in: $0, from: &position, upTo: .max) }
        #expect(found == nil && position == 0)
    }

    @Test("The offset and the number of parts are those of the other way")
    func offsets() throws {
        var parser = try self.parser()
        let bytes = Array(Self.body.utf8)
        var position = 0
        while bytes.withRawSpan({ parser.nextWholeField(in: $0, from: &position, upTo: .max) }) != nil {}
        #expect(parser.offset == Int64(position))
        #expect(parser.parts == 3)
        guard case .partBegan(let header) = try parser.next(in: bytes, from: &position) else {
            Issue.record("no part")
            return
        }
        #expect(header.name == "three")
    }

    @Test("A url-encoded name with a quote or line ends adds no header line")
    func urlEncodedName() {
        let header = FieldNames.urlEncoded.header(of: Array("a\"\r\nX: 1".utf8)[...])
        #expect(header.name == "a\"\r\nX: 1")
        #expect(header.fields.map(\.name) == ["Content-Disposition"])
        #expect(header.values(of: "Content-Disposition") == ["form-data; name=\"a%22%0D%0AX: 1\""])
    }
}
