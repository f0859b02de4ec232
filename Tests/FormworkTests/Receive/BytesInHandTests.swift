import Formwork
import TestSupport
import Testing

@Suite("Bodies in memory", .timeLimit(.minutes(10)))
struct BytesInHandTests {
    private static let type = "multipart/form-data; boundary=x"
    private static let body =
        "--x\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n"
        + "--x\r\nContent-Disposition: form-data; name=f; filename=n.txt\r\n\r\nfile\r\n--x--\r\n"

    private struct Message: Decodable, Equatable {
        var a: Int
        var b: [String]
    }

    @Test("A form is read from a string, an array, a slice and any sequence of bytes")
    func kinds() throws {
        let bytes = Array(Self.body.utf8)
        let forms = [
            try ReceivedForm(Self.body, contentType: Self.type), try ReceivedForm(bytes, contentType: Self.type),
            try ReceivedForm(([0] + bytes + [0])[1...bytes.count], contentType: Self.type),
            try ReceivedForm(ContiguousArray(bytes), contentType: Self.type),
            try ReceivedForm(bytes.lazy.map { $0 }, contentType: Self.type),
        ]
        for form in forms {
            #expect(form.map(\.name) == ["a", "f"])
            #expect(form["a"] == "1")
            #expect(form[1].filename == "n.txt")
            #expect(form[1].content.inMemory == Array("file".utf8))
        }
    }

    @Test("A body in memory is read part by part, too")
    func parts() async throws {
        var read: [String] = []
        for try await part in try ReceivedParts(Array(Self.body.utf8), contentType: Self.type) {
            read.append("\(part.name ?? "") \(try await part.text(upTo: 10))")
        }
        #expect(read == ["a 1", "f file"])
    }

    @Test("Url-encoded bodies are read too")
    func urlEncoded() throws {
        let type = "application/x-www-form-urlencoded; charset=utf-8"
        let message = try FormDataDecoder().decode(Message.self, from: "a=1&b[]=x+y&b[]=%26", contentType: type)
        #expect(message == Message(a: 1, b: ["x y", "&"]))
        let bytes = Array("a=1&b=x".utf8)
        #expect(
            try FormDataDecoder().decode(Message.self, from: bytes[...], contentType: type) == Message(a: 1, b: ["x"]))
    }

    @Test("A body cut anywhere is an error, never a shorter form")
    func cuts() throws {
        let bytes = Array(Self.body.utf8)
        // The line end after the close delimiter may be missing.
        for count in 0..<bytes.count - 2 {
            #expect(throws: FormworkError.self, "\(count)") {
                try ReceivedForm(bytes[..<count], contentType: Self.type)
            }
        }
        expect(.truncatedBody) { try ReceivedForm(bytes[..<60], contentType: Self.type) }
    }

    @Test("Limits, missing types and other types are errors")
    func refusals() {
        var limits = ParsingLimits.default
        limits.fileBytes = 3
        expect(.limitExceeded) { try ReceivedForm(Self.body, contentType: Self.type, limits: limits) }
        expect(.limitExceeded) {
            var limits = ParsingLimits.default
            limits.totalBytes = 5
            return try ReceivedForm("a=1&b=2", contentType: "application/x-www-form-urlencoded", limits: limits)
        }
        #expect(throws: FormworkError.self) { try ReceivedForm(Self.body, contentType: nil) }
        #expect(throws: FormworkError.self) { try ReceivedForm("{}", contentType: "application/json") }
    }

    @Test("An async sequence of bytes is a source")
    func asyncBytes() async throws {
        let bytes = AsyncStream { continuation in
            for index in 0..<40_000 { continuation.yield(UInt8(truncatingIfNeeded: index)) }
            continuation.finish()
        }
        let plan = try await FormData().appending(name: "a", source: .chunks(once: bytes)).plan()
        var body: [UInt8] = []
        for try await chunk in plan.chunks() { body += chunk }
        let content = try ReceivedForm(body, contentType: plan.contentType)[0].content.inMemory
        #expect(content == (0..<40_000).map { UInt8(truncatingIfNeeded: $0) })
    }
}

@Suite("Files put into a folder", .timeLimit(.minutes(10)))
struct WriteIntoTests {
    private static func body(_ filenames: [String]) -> String {
        filenames.map {
            "--x\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"\($0)\"\r\n\r\n\($0.utf8.count)\r\n"
        }.joined() + "--x--\r\n"
    }

    private func form(_ filenames: [String]) throws -> ReceivedForm {
        try ReceivedForm(Self.body(filenames), contentType: "multipart/form-data; boundary=x")
    }

    @Test("The same file twice gets two names; unsafe and missing names become safe ones")
    func names() async throws {
        let temporary = TemporaryFolder()
        let folder = temporary.path
        let form = try self.form(["a.txt", "a.txt", "../../etc/passwd", "", "..", ".profile", "C:\\x\\b.png"])
        var names: [String] = []
        for entry in form { names.append(try await entry.write(into: folder).lastComponent?.string ?? "") }
        #expect(names == ["a.txt", "a (1).txt", "passwd", "photo", "photo (1)", "profile", "b.png"])
        #expect(try contents(of: folder.appending("a (1).txt")) == [0x35])
    }

    @Test("Parts are written as they arrive, ten forms at once, and nothing is lost")
    func tenAtOnce() async throws {
        let temporary = TemporaryFolder()
        let folder = temporary.path
        let body = Array(Self.body(["a.txt", "b.txt"]).utf8)
        let paths = try await withThrowingTaskGroup(of: [FilePath].self) { group in
            for _ in 0..<10 {
                group.addTask {
                    let chunks = AsyncStream { continuation in
                        continuation.yield(body)
                        continuation.finish()
                    }
                    var paths: [FilePath] = []
                    let parts = try ReceivedParts(chunks, contentType: "multipart/form-data; boundary=x")
                    for try await part in parts {
                        if let path = try await part.write(into: folder.string) { paths.append(path) }
                    }
                    return paths
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(Set(paths.map(\.string)).count == 20)
        #expect(try paths.allSatisfy { try contents(of: $0) == [0x35] })
    }

    @Test("A file without a name is written if it has content, and isn't if it has none")
    func namelessFiles() async throws {
        let temporary = TemporaryFolder()
        let folder = temporary.path
        let body =
            "--x\r\nContent-Disposition: form-data; name=e; filename=\"\"\r\n\r\n\r\n"
            + "--x\r\nContent-Disposition: form-data; name=blob; filename=\"\"\r\n\r\n7\r\n--x--\r\n"
        let parts = try ReceivedParts(Array(body.utf8), contentType: "multipart/form-data; boundary=x")
        var paths: [String?] = []
        for try await part in parts { paths.append(try await part.write(into: folder)?.lastComponent?.string) }
        #expect(paths == [nil, "blob"])
        #expect(try contents(of: folder.appending("blob")) == [0x37])
    }

    @Test("A control that was left empty is known by its empty name")
    func emptyControl() throws {
        let form = try ReceivedForm(
            "--x\r\nContent-Disposition: form-data; name=f; filename=\"\"\r\nContent-Type: application/octet-stream\r\n\r\n\r\n"
                + "--x\r\nContent-Disposition: form-data; name=g; filename=a\r\n\r\n\r\n--x--\r\n",
            contentType: "multipart/form-data; boundary=x")
        #expect(form.map(\.isEmptyFileControl) == [true, false])
    }

    @Test("A file of a decoded form is put into a folder")
    func formFile() async throws {
        struct Message: Decodable { var photo: FormFile }
        let temporary = TemporaryFolder()
        let folder = temporary.path
        let message = try FormDataDecoder().decode(Message.self, from: self.form(["a.txt"]))
        let path = try await message.photo.write(into: folder.appending("new"))
        #expect(path == folder.appending("new/a.txt"))
        #expect(try contents(of: path) == [0x35])
    }

    @Test("A folder that can't be written to is an error that names it")
    func noFolder() async throws {
        let form = try self.form(["a.txt"])
        await expect(.writeFailed) { () async throws in
            try await form[0].write(into: "/proc/none/here")
        }
    }

    @Test("The name of a url-encoded field makes no header field")
    func namesInHeaders() throws {
        let form = try ReceivedForm(
            "a%22%0D%0AContent-Type:%20text/html=1&a%2522=2", contentType: "application/x-www-form-urlencoded")
        let header = form[0].header
        #expect(form.map(\.name) == ["a\"\r\nContent-Type: text/html", "a%22"])
        #expect(header.fields.map(\.name) == ["Content-Disposition"])
        #expect(header.values(of: "Content-Type") == [])
        #expect(header.nameBytes.map { Array($0) } == Array("a\"\r\nContent-Type: text/html".utf8))
        #expect(
            header.bytes
                == Array("Content-Disposition: form-data; name=\"a%22%0D%0AContent-Type: text/html\"\r\n".utf8))
        #expect(form["a\"\r\nContent-Type: text/html"] == "1")
        #expect(form["a%22"] == "2")
        let twins = try ReceivedForm("a%22=&a%2522=", contentType: "application/x-www-form-urlencoded")
        #expect(twins[0].header.bytes == twins[1].header.bytes)
        #expect(twins[0].header != twins[1].header)
    }

    @Test("Pairs of a url-encoded form count as memory, as parts do")
    func urlEncodedMemory() async throws {
        func collect(_ pairs: Int) async throws -> Int {
            var memory = CollectingLimits()
            memory.memoryBytes = 3 * 257
            let chunks = AsyncStream { continuation in
                continuation.yield(Array(repeatElement("a", count: pairs).joined(separator: "&").utf8))
                continuation.finish()
            }
            return try await ReceivedForm(
                collecting: chunks, contentType: "application/x-www-form-urlencoded", memory: memory
            ).count
        }
        #expect(try await collect(3) == 3)
        let error = await #expect(throws: FormworkError.self) { _ = try await collect(4) }
        #expect(error?.parsingFailure == ParsingFailure(.memoryBytesLimit, limit: 771))
    }
}
