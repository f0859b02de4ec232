import Formwork
import TestSupport
import Testing

/// ``ReceivedParts`` is one position in one body, whatever its source and its chunks.
@Suite("One position in one body", .timeLimit(.minutes(10)))
struct OnePositionTests {
    private let folder = TemporaryFolder()
    static let type = "multipart/form-data; boundary=b"
    static let names = ["token", "photo", "b", "c", "note"]
    static let photo = Array(repeating: UInt8(ascii: "p"), count: 3000)

    static var body: [UInt8] {
        let parts = self.names.flatMap { name in
            let content = name == "photo" ? self.photo : Array(name.utf8)
            let file = ["photo", "note"].contains(name) ? "; filename=\"\(name).txt\"" : ""
            return Array("--b\r\nContent-Disposition: form-data; name=\"\(name)\"\(file)\r\n\r\n".utf8) + content
                + Array("\r\n".utf8)
        }
        return parts + Array("--b--\r\n".utf8)
    }

    /// A source that can be iterated again, and one that can't.
    static func parts(_ size: Int) throws -> ReceivedParts<ChunkSource> {
        try ReceivedParts(ChunkSource(self.body, every: size), contentType: self.type)
    }

    static func streamed(_ size: Int) throws -> ReceivedParts<AsyncStream<[UInt8]>> {
        let (stream, source) = AsyncStream.makeStream(of: [UInt8].self)
        for start in stride(from: 0, to: self.body.count, by: size) {
            source.yield(Array(self.body[start...].prefix(size)))
        }
        source.finish()
        return try ReceivedParts(stream, contentType: self.type)
    }

    /// Reads the first part, and then the others in each way.
    private func continues<Chunks>(_ make: () throws -> ReceivedParts<Chunks>) async throws {
        func begun(reading: Bool) async throws -> ReceivedParts<Chunks> {
            let parts = try make()
            for try await part in parts {
                if reading { #expect(try await part.text(upTo: 100) == "token") }
                break
            }
            return parts
        }
        for reading in [true, false] {
            var seen: [String?] = []
            for try await part in try await begun(reading: reading) { seen.append(part.name) }
            #expect(seen == ["photo", "b", "c", "note"])
            let form = try await ReceivedForm(collecting: begun(reading: reading))
            #expect(form.map(\.name) == ["photo", "b", "c", "note"])
            #expect(try await form[0].content.bytes(upTo: 5000) == Self.photo)
            let folder = TemporaryFolder()
            try await begun(reading: reading).writeFiles(into: folder.path)
            #expect(folder.names == ["note.txt", "photo.txt"])
            #expect(try contents(of: folder.path.appending("photo.txt")) == Self.photo)
            var sent = FormData()
            sent.append(once: try await begun(reading: reading))
            let plan = try await sent.plan()
            let again = try await ReceivedForm(collecting: plan.chunks(), contentType: plan.contentType)
            #expect(again.map(\.name) == ["photo", "b", "c", "note"])
        }
    }

    @Test(arguments: [7, 500, 2000, 10_000])
    func `Whatever reads the parts continues after those that were requested`(size: Int) async throws {
        try await self.continues { try Self.parts(size) }
        try await self.continues { try Self.streamed(size) }
    }

    @Test(arguments: [7, 10_000])
    func `After the end every further read is an error, not an empty form`(size: Int) async throws {
        let again: [@Sendable (ReceivedParts<ChunkSource>) async throws -> Void] = [
            { for try await _ in $0 {} }, { _ = try await ReceivedForm(collecting: $0) },
            { _ = try await $0.writeFiles(into: self.folder.path) },
            { parts in
                var form = FormData()
                form.append(once: parts)
                for try await _ in try await form.plan().chunks() {}
            },
        ]
        for first in again.prefix(2) {
            for second in again {
                let parts = try Self.parts(size)
                try await first(parts)
                let error = await #expect(throws: FormworkError.self) { try await second(parts) }
                #expect(error?.code == .invalidArgument)
                #expect(error?.message.contains("all parts of this body have been read already") == true)
            }
        }
        #expect(self.folder.names == [])
    }

    @Test func `Two tasks on one body: the second gets an error`() async throws {
        let source = ChunkSource([Array(Self.body.prefix(10))], stops: true)
        let parts = try ReceivedParts(source, contentType: Self.type)
        let first = Task { for try await _ in parts {} }
        while source.log.pulled < 2 { await Task.yield() }
        let seconds: [@Sendable () async throws -> Void] = [
            { for try await _ in parts {} }, { _ = try await ReceivedForm(collecting: parts) },
            { _ = try await parts.writeFiles(into: self.folder.path) },
        ]
        for second in seconds {
            let error = await #expect(throws: FormworkError.self) { try await second() }
            #expect(error?.message == "the parts of one body are read in two tasks at once: read them in one")
        }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(source.log.pulled == 2)
    }

    @Test(arguments: [1, 7, 1000, 10_000])
    func `A look at the first bytes leaves all of them to the next call`(size: Int) async throws {
        typealias Read = @Sendable (ReceivedPart<ChunkSource>) async throws -> [UInt8]
        let reads: [Read] = [
            { try await $0.collect(upTo: 3000) }, { Array(try await $0.text(upTo: 3000).utf8) },
            { part in
                var bytes: [UInt8] = []
                for try await piece in part.content { bytes += piece }
                return bytes
            },
            { try contents(of: try #require(try await $0.write(into: self.folder.path))) },
            { part in
                try await part.write(toFile: self.folder.path.appending("copy"), replacing: true)
                return try contents(of: self.folder.path.appending("copy"))
            },
            { try await $0.source.bytes(upTo: 3000) }, { try await $0.rest.collect(upTo: 3000) },
        ]
        for read in reads {
            for try await part in try Self.parts(size) {
                let content = part.name == "photo" ? Self.photo : Array((part.name ?? "").utf8)
                for count in [0, 1, 3, 1, -5] {
                    #expect(try await part.peek(count) == Array(content.prefix(max(0, count))))
                }
                #expect(try await part.peek(.max) == content)
                #expect(try await read(part) == content)
                await expect(.invalidArgument) { try await part.peek(1) }
            }
        }
    }

    @Test func `A look at an empty content leaves an empty content, and a look that is left is skipped`() async throws {
        let head = "--b\r\nContent-Disposition: form-data; name=\"e\"; filename=\"e\"\r\n\r\n"
        let parts = try ReceivedParts(
            ChunkSource("\(head)\r\n\(head)\r\n\(head)full\r\n\(head)last\r\n--b--\r\n", every: 9),
            contentType: Self.type)
        var sizes: [Int] = []
        for try await part in parts {
            #expect(try await part.peek(2) == Array(["", "", "fu", "la"][part.index].utf8))
            switch part.index {
            case 0: #expect(try await part.collect(upTo: 0) == [])
            case 1: sizes.append(Int(try await part.write(toFile: self.folder.path.appending("empty"))))
            case 2: break
            default: await expect(.limitExceeded) { try await part.collect(upTo: 3) }
            }
        }
        #expect(sizes == [0])
        #expect(self.folder.names == ["empty"])
    }

    @Test(arguments: [1, 700, 10_000])
    func `What is left of a content is read by name only`(size: Int) async throws {
        for try await part in try Self.parts(size) where part.name == "photo" {
            var bytes: [UInt8] = []
            for try await piece in part.content {
                bytes += piece
                break
            }
            await expect(.invalidArgument) { try await part.collect(upTo: 3000) }
            bytes += try await part.rest.collect(upTo: 3000)
            #expect(bytes == Self.photo)
        }
    }
}
