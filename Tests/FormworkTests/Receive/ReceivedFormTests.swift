import Formwork
import TestSupport
import Testing

@Suite("Forms collected", .timeLimit(.minutes(10)))
struct ReceivedFormTests {
    private let folder = TemporaryFolder()
    static let type = "multipart/form-data; boundary=b"

    private static func body(_ parts: [(head: String, content: String)]) -> String {
        parts.reduce(into: "") { $0 += "--b\r\nContent-Disposition: form-data; \($1.head)\r\n\r\n\($1.content)\r\n" }
            + "--b--\r\n"
    }

    private func collect(
        _ body: String, every size: Int = 1000, _ limits: CollectingLimits = CollectingLimits()
    ) async throws -> ReceivedForm {
        let parts = try ReceivedParts(ChunkSource(body, every: size), contentType: Self.type)
        return try await ReceivedForm(collecting: parts, limits: limits)
    }

    static let mixed = Self.body([
        ("name=\"title\"", "Harbour"), ("name=\"f\"; filename=\"a.txt\"", "0123456789"), ("name=\"tag\"", "x"),
        ("name=\"f\"; filename=\"b.txt\"", "01234567890"), ("name=\"tag\"", "y"), ("name=\"f\"; filename=\"\"", ""),
        ("name=\"g\"; filename=\"c\"", String(repeating: "c", count: 300)),
    ])

    /// Ends in the first file's content.
    static let cut = String(decoding: mixed.utf8.prefix(127), as: UTF8.self)

    @Test("Fields and files by name, in memory or on disk", arguments: [1, 13, 10_000])
    func fieldsAndFiles(size: Int) async throws {
        var limits = CollectingLimits()
        (limits.fileMemoryBytes, limits.folder) = (10, self.folder.path)
        let form = try await self.collect(Self.mixed, every: size, limits)
        #expect(form.map(\.name) == ["title", "f", "tag", "f", "tag", "f", "g"])
        #expect(form["title"] == "Harbour")
        #expect(form["f"] == nil)
        #expect(form["none"] == nil)
        #expect(form.texts(named: "tag") == ["x", "y"])
        let files = form.files(named: "f")
        #expect(files.map(\.filename) == ["a.txt", "b.txt", ""])
        #expect(files.map { $0.content.inMemory != nil } == [true, false, true])
        #expect(files.map(\.content.count) == [10, 11, 0])
        #expect(try await files[1].content.bytes(upTo: 11) == Array("01234567890".utf8))
        let large = form.files(named: "g")[0].content
        #expect(try await large.bytes(upTo: 300) == [UInt8](repeating: 0x63, count: 300))
        await expect(.limitExceeded) { try await large.bytes(upTo: 299) }
        // Nobody else can reach what is on disk.
        #expect(self.folder.names == [])
        try await large.write(toFile: self.folder.path.appending("g"))
        #expect(try contents(of: self.folder.path.appending("g")) == [UInt8](repeating: 0x63, count: 300))
        await expect(.writeFailed) { try await files[1].content.write(toFile: self.folder.path.appending("g")) }
        try await files[1].content.write(toFile: self.folder.path.appending("g"), replacing: true)
        #expect(try contents(of: self.folder.path.appending("g")) == Array("01234567890".utf8))
        #expect(self.folder.names == ["g"])
    }

    @Test("Two spellings of a letter are two names")
    func names() async throws {
        let form = try await self.collect(Self.body([("name=\"\u{E9}\"", "1"), ("name=\"e\u{301}\"", "2")]))
        #expect(form["\u{E9}"] == "1")
        #expect(form["e\u{301}"] == "2")
    }

    @Test("A thousand large files take one descriptor, which goes with the form")
    func oneDescriptor() async throws {
        var limits = CollectingLimits()
        (limits.fileMemoryBytes, limits.folder) = (0, self.folder.path)
        let body = Self.body((0..<999).map { ("name=\"f\"; filename=\"\($0)\"", "\($0) bytes") })
        var form: ReceivedForm? = try await self.collect(body, limits)
        #expect(openDescriptors(leadingInto: self.folder.path) == 1)
        let last = try #require(form?.last?.content)
        form = nil
        #expect(try await last.bytes(upTo: 100) == Array("998 bytes".utf8))
        #expect(openDescriptors(leadingInto: self.folder.path) == 1)
    }

    @Test("Fields, names and parts count as memory; files go to disk when it is short")
    func memory() async throws {
        var limits = CollectingLimits()
        limits.folder = self.folder.path
        // One part is its section of 42 bytes, its content and 256 more.
        limits.memoryBytes = 42 + 10 + 256
        let field = { (length: Int) in Self.body([("name=\"a\"", String(repeating: "a", count: length))]) }
        #expect(try await self.collect(field(10), limits)["a"] == "aaaaaaaaaa")
        let error = await #expect(throws: FormworkError.self) { try await self.collect(field(11), limits) }
        #expect(error?.parsingFailure == ParsingFailure(.memoryBytesLimit, limit: 308))
        #expect(error?.part == PartReference(index: 0, name: "a"))
        await expect(.limitExceeded) {
            try await self.collect(Self.body([("name=\"a\"", ""), ("name=\"b\"", "")]), limits)
        }
        // The file's section has 56 bytes.
        limits.memoryBytes = 56 + 256 + 99
        let file = Self.body([("name=\"a\"; filename=\"b\"", String(repeating: "f", count: 100))])
        #expect(try await self.collect(file, limits)[0].content.inMemory == nil)
    }

    @Test("Nothing is left of a form that fails, wherever it is cut")
    func nothingLeft() async throws {
        var limits = CollectingLimits()
        (limits.fileMemoryBytes, limits.folder) = (5, self.folder.path)
        for count in stride(from: 0, to: Self.mixed.utf8.count - 2, by: 3) {
            let body = String(decoding: Self.mixed.utf8.prefix(count), as: UTF8.self)
            await expect(.truncatedBody) { try await self.collect(body, every: 50, limits) }
        }
        #expect(self.folder.names == [])
        #expect(openDescriptors(leadingInto: self.folder.path) == 0)
    }

    @Test("A folder that isn't there is an error that names it")
    func noFolder() async throws {
        var limits = CollectingLimits()
        (limits.fileMemoryBytes, limits.folder) = (0, "/nowhere/at/all")
        let error = await #expect(throws: FormworkError.self) { try await self.collect(Self.mixed, limits) }
        #expect(error?.code == .writeFailed)
        #expect(error?.path == "/nowhere/at/all")
    }

    @Test("A collected form is sent on with the same parts")
    func sentOn() async throws {
        var limits = CollectingLimits()
        limits.fileMemoryBytes = 10
        let form = try await self.collect(Self.mixed, limits)
        let plan = try await FormData(form, framing: MultipartFraming(boundary: try Boundary("b"))).plan()
        #expect(plan.isReplayable)
        #expect(plan.contentLength == 765)
        #expect(String(decoding: try await plan.bytes(upTo: 1000), as: UTF8.self) == Self.mixed)
    }

    /// multipart, whole and as it arrives, and url-encoded.
    private func read(_ fields: [(String, String)], _ limits: ParsingLimits) async throws -> [ReceivedForm] {
        let parts = fields.map { "--b\r\nContent-Disposition: form-data; name=\"\($0)\"\r\n\r\n\($1)\r\n" }
        let body = parts.joined() + "--b--\r\n"
        let text = fields.map { "\($0)=\($1)" }.joined(separator: "&")
        return [
            try ReceivedForm(body, contentType: Self.type, limits: limits),
            try await ReceivedForm(collecting: ChunkSource(body, every: 9), contentType: Self.type, limits: limits),
            try ReceivedForm(text, contentType: "application/x-www-form-urlencoded", limits: limits),
        ]
    }

    @Test func `Limits by name hold for each way to read a form`() async throws {
        var limits = ParsingLimits()
        (limits.fieldBytes, limits.named) = (2, ["note": 5])
        #expect(try await self.read([("note", "12345"), ("a", "12")], limits).allSatisfy { $0["note"] == "12345" })
        for (fields, kind, name) in [
            ([("note", "123456")], .fieldBytesLimit, "note"), ([("a", "123")], .fieldBytesLimit, "a"),
            ([("note", "1"), ("b", "1")], .unknownName, "b"),
        ] as [([(String, String)], ParsingFailure.Kind, String)] {
            limits.onlyNamed = kind == .unknownName
            let one = await #expect(throws: FormworkError.self) { try await self.read(fields, limits) }
            #expect(one?.parsingFailure?.kind == kind)
            #expect(one?.part?.name == name)
        }
        expect(.malformedBody) {
            try ReceivedForm("note=1&b=1", contentType: "application/x-www-form-urlencoded", limits: limits)
        }
    }

    @Test func `A file says how large it is and what it may be called`() async throws {
        let form = try await self.collect(Self.mixed)
        let file = FormFile(form.files(named: "f")[0])
        #expect(file.count == 10 && file.safeFilename == "a.txt")
        let named = FormFile(filename: "../x/b.txt", source: .concatenation([.text("ab"), .bytes([1])]))
        #expect(named.count == 3 && named.safeFilename == "b.txt")
        #expect(FormFile(filename: nil, source: .file("none")).count == nil)
        #expect(FormFile(filename: nil, source: .file("none", length: 5)).count == 5)
    }

    @Test("A part is written to a file that appears only when it is whole")
    func writtenPart() async throws {
        let path = self.folder.path.appending("a.txt")
        let write = { (body: String, replacing: Bool) in
            var written: Int64 = 0
            for try await part in try ReceivedParts(ChunkSource(body, every: 100), contentType: Self.type)
            where part.filename == "a.txt" {
                written = try await part.write(toFile: path, replacing: replacing)
            }
            return written
        }
        await expect(.truncatedBody) { _ = try await write(Self.cut, false) }
        #expect(self.folder.names == [])
        #expect(try await write(Self.mixed, false) == 10)
        #expect(try contents(of: path) == Array("0123456789".utf8))
        await expect(.writeFailed) { _ = try await write(Self.mixed, false) }
        await expect(.truncatedBody) { _ = try await write(Self.cut, true) }
        #expect(try contents(of: path) == Array("0123456789".utf8))
        #expect(try await write(Self.mixed, true) == 10)
        #expect(self.folder.names == ["a.txt"])
    }
}
