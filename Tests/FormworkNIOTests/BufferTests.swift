import FormworkClient
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

extension NIOTests {
    @Suite("ByteBuffers", .timeLimit(.minutes(10)))
    struct BufferTests {
        private struct Photo: Codable, Equatable {
            var title: String
            var photo: ByteBuffer
        }

        @Test("A ByteBuffer in a Codable value is one file, and a form is read from one")
        func codable() throws {
            let photo = Photo(title: "Dawn", photo: ByteBuffer(bytes: [0x00, 0xFF, 0x0D, 0x0A]))
            let plan = try FormDataEncoder().encode(photo).plan()
            let body = ByteBuffer(bytes: try plan.bytes(upTo: 1000))
            let form = try ReceivedForm(body, contentType: plan.contentType)
            #expect(form.map(\.name) == ["title", "photo"] && form[1].filename == "blob")
            #expect(form[1].content.inMemory == [0x00, 0xFF, 0x0D, 0x0A])
            #expect(try FormDataDecoder().decode(Photo.self, from: body, contentType: plan.contentType) == photo)
        }

        @Test(
            "Buffers of any size hold the planned bytes, also for who keeps them all",
            arguments: [1, 7, 4096, 100_000])
        func sizes(size: Int) async throws {
            let folder = TemporaryFolder()
            let count = size == 1 ? 100 : 500_000
            let plan = try await form(.file(folder.file("f", noise(count)))).plan()
            let buffers = plan.buffers(of: size)
            #expect(buffers.contentLength == plan.contentLength)
            for _ in 0..<2 {
                var kept: [ByteBuffer] = []
                for try await buffer in buffers { kept.append(buffer) }
                #expect(kept.dropLast().allSatisfy { $0.readableBytes == size } && kept.last?.readableBytes != 0)
                #expect(kept.flatMap { Array($0.readableBytesView) } == (try await plan.bytes(upTo: 1 << 20)))
            }
            #expect(try await folder.isClosed())
        }

        @Test("A buffer that was let go of is filled again; one that is kept isn't")
        func reuse() async throws {
            let plan = try await form(.synthetic(SyntheticBytes(.zeros, count: 4 << 20))).plan()
            func storages(_ isKept: Bool) async throws -> Int {
                var kept: [ByteBuffer] = []
                var places: Set<UInt> = []
                for try await buffer in plan.buffers() {
                    places.insert(buffer.withUnsafeReadableBytes { UInt(bitPattern: $0.baseAddress) })
                    if isKept { kept.append(buffer) }
                }
                return places.count
            }
            #expect(try await storages(false) <= 4)
            #expect(try await storages(true) == 17)
        }

        @Test("A source's failure reaches the consumer, and nothing is left open")
        func failure() async throws {
            let folder = TemporaryFolder()
            let path = try folder.file("f", noise(1 << 20), times: 4)
            let plan = try await form(.file(path)).plan()
            var iterator = plan.buffers().makeAsyncIterator()
            _ = try await iterator.next()
            let file = try FileDescriptor.open(path, .readWrite, options: [.append])
            _ = try file.closeAfter { try file.writeAll([1]) }
            let error = await #expect(throws: FormworkError.self) { while try await iterator.next() != nil {} }
            #expect(error?.code == .sourceChanged && error?.part?.name == "content")
            #expect(try await folder.isClosed())
        }

        @Test("A consumer that is cancelled doesn't wait for a source that gives nothing")
        func cancelled() async throws {
            let (chunks, source) = AsyncStream.makeStream(of: [UInt8].self)
            let pipe = BufferPipe(try await form(.chunks(once: chunks)).plan().makeReader(), length: nil, size: 4_096)
            let head = try await pipe.next()
            #expect(head?.readableBytes != 0)
            let waiting = Task { try await pipe.next() }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
            // What comes later isn't lost.
            source.yield(Array("late".utf8))
            source.finish()
            var rest = ByteBuffer()
            while let buffer = try await pipe.next() { rest.writeImmutableBuffer(buffer) }
            #expect(String(buffer: rest).contains("late"))
        }

        @Test("Slices of a chunk share its storage, wherever its reader is")
        func chunk() throws {
            var buffer = ByteBuffer(copying: [0, 1, 2, 3, 4, 5, 6][...])
            buffer.moveReaderIndex(forwardBy: 1)
            #expect(buffer.byteCount == 6)
            let content = buffer.content(2..<4)
            #expect(Array(content.readableBytesView) == [3, 4])
            #expect(content.withBytes { $0.byteCount } == 2)
            #expect(
                content.withUnsafeReadableBytes { $0.baseAddress }
                    == buffer.withUnsafeReadableBytes { $0.baseAddress.map { $0 + 2 } })
            #expect(Array(content.content(1..<2).readableBytesView) == [4])
        }

        @Test("Parts are read from ByteBuffers cut anywhere")
        func receiving() async throws {
            var whole = ByteBuffer()
            for try await buffer in try await form(.bytes(noise(3000))).plan().buffers() {
                whole.writeImmutableBuffer(buffer)
            }
            #expect(whole.readableBytes == 3144)
            var random = SystemRandomNumberGenerator()
            for round in 0..<60 {
                var rest = whole
                var cut: [ByteBuffer] = []
                while rest.readableBytes > 0 {
                    let limit = round < 5 ? 1 : Int.random(in: 1...(round * 20), using: &random)
                    cut.append(rest.readSlice(length: min(rest.readableBytes, limit))!)
                }
                let stream = AsyncStream { continuation in
                    for buffer in cut { continuation.yield(buffer) }
                    continuation.finish()
                }
                var names: [String?] = []
                var contents: [[UInt8]] = []
                for try await part in try ReceivedParts(
                    stream, contentType: "multipart/form-data; boundary=harbour")
                {
                    names.append(part.name)
                    contents.append(try await part.collect(upTo: 10_000))
                }
                #expect(
                    names == ["field", "content"] && contents == [Array("grüße".utf8), noise(3000)],
                    "\(cut.count) cuts")
            }
        }

        @Test("Header fields are the plan's, for HTTPTypes and for NIO")
        func headers() throws {
            let known = try form(.bytes(noise(100))).plan()
            let unknown = try form(.chunks(once: ChunkSource([]))).plan()
            var fields = HTTPFields()
            fields[.contentType] = "text/plain"
            fields.describeBody(known)
            #expect(
                fields[.contentType] == "multipart/form-data; boundary=harbour" && fields[.contentLength] == "244")
            fields.describeBody(unknown)
            #expect(fields[.contentLength] == nil && fields[.contentType] != nil)

            var headers = HTTPHeaders([("content-length", "1"), ("content-length", "2")])
            headers.describeBody(known)
            #expect(headers["Content-Length"] == ["244"] && headers["Transfer-Encoding"] == [])
            headers.describeBody(unknown)
            #expect(headers["Content-Length"] == [] && headers["Transfer-Encoding"] == ["chunked"])
        }
    }
}
