import FormworkHTTP
import FormworkNIO
import NIOCore
import NIOHTTP1
import Synchronization
import Testing

@Suite("Frameworks that the articles are about, by their shape", .timeLimit(.minutes(10)))
struct FrameworkTests {
    private static let form = FormData()
        .appending(name: "name", value: "Ada")
        .appending(name: "photo", source: .bytes([1, 2, 3]), filename: "a.jpg")

    /// The form as a request of Vapor's, in chunks of 10 bytes or whole.
    private func request(isStream: Bool) throws -> Request {
        let plan = try Self.form.plan()
        let bytes = try plan.bytes(upTo: 10_000)
        let size = isStream ? 10 : bytes.count
        let chunks = stride(from: 0, to: bytes.count, by: size).map {
            ByteBuffer(bytes: bytes[$0..<min(bytes.count, $0 + size)])
        }
        return Request(["content-type": plan.contentType], chunks, isStream: isStream)
    }

    @Test("Vapor's routes read a body that streams and one that is collected")
    func vapor() async throws {
        try await vaporApplication()
        let app = Application()
        await vaporContent(app)
        #expect(try await app.routes[0](self.request(isStream: false)) == .ok)
        let encoded = Request(
            ["content-type": "application/x-www-form-urlencoded"], [ByteBuffer(string: "name=Ada&photo=%01")],
            isStream: false)
        #expect(try await app.routes[0](encoded) == .ok)
        let request = try self.request(isStream: true)
        let parts = try ReceivedParts(request.body, contentType: request.headers.first(name: "Content-Type"))
        var names: [String?] = []
        for try await part in parts { names.append(part.name) }
        #expect(names == ["name", "photo"])
    }

    @Test("Vapor answers what the form's error says")
    func vaporErrors() async throws {
        let app = Application()
        await vaporContent(app)
        let empty = Request(
            ["content-type": "multipart/form-data; boundary=x"], [ByteBuffer(string: "--x\r\n")], isStream: false)
        let error = await #expect(throws: FormworkError.self) { try await app.routes[0](empty) }
        #expect(error?.status == .badRequest)
        let other = #expect(throws: FormworkError.self) {
            try Formwork.FormDataDecoder().decode(Profile.self, from: ByteBuffer(), headers: [:])
        }
        #expect(other?.status == .unsupportedMediaType)
        #expect(other?.reason == "The Content-Type is not accepted here: send multipart/form-data.")
    }

    @Test("An HTTPBody has the plan's length, and is iterated again where the plan can be")
    func openAPI() async throws {
        let plan = try await Self.form.plan()
        let body = HTTPBody(plan)
        #expect(body.length == .known(try #require(plan.contentLength)))
        #expect(body.iterationBehavior == .multiple)
        for _ in 0..<2 {
            let form = try await openAPIServer(body, plan.contentType)
            #expect(form["name"] == "Ada")
            #expect(form.files(named: "photo").first?.content.inMemory == [1, 2, 3])
        }
        let once = try await FormData().appending(
            name: "a", source: .chunks(once: AsyncStream<[UInt8]> { $0.finish() })
        ).plan()
        #expect(HTTPBody(once).length == .unknown)
        #expect(HTTPBody(once).iterationBehavior == .single)
    }

    /// A writer that keeps what it was given.
    private struct KeepingWriter: CallerAsyncWriter, ~Copyable {
        final class Kept: Sendable {
            let bytes = Mutex<[UInt8]>([])
            let finished = Mutex(0)
        }

        typealias WriteElement = UInt8
        typealias WriteFailure = any Error
        typealias FinalElement = HTTPFields?
        let kept: Kept

        mutating func write<Buffer: RangeReplaceableContainer<UInt8> & ~Copyable>(buffer: inout Buffer) async throws {
            let bytes = buffer.takeAll()
            self.kept.bytes.withLock { $0 += bytes }
        }

        consuming func finish<Buffer: RangeReplaceableContainer<UInt8> & ~Copyable>(
            buffer: inout Buffer, finalElement: consuming HTTPFields?
        ) async throws {
            try await self.write(buffer: &buffer)
            self.kept.finished.withLock { $0 += 1 }
        }
    }

    @Test("Apple's proposed request body is seekable, restartable, and of known length")
    func proposal() async throws {
        let plan = try await Self.form.plan()
        let bytes = try await plan.bytes(upTo: 10_000)
        let body = HTTPClientRequestBody<KeepingWriter>.plan(plan)
        #expect(body.isSeekable)
        #expect(body.knownLength == Int64(bytes.count))
        for offset in [0, 1, 50, bytes.count] {
            let kept = KeepingWriter.Kept()
            try await body.produce(offset: Int64(offset), into: KeepingWriter(kept: kept))
            #expect(kept.bytes.withLock { $0 } == Array(bytes[offset...]))
            #expect(kept.finished.withLock { $0 } == 1)
        }
        let unknown = FormData(framing: Self.form.framing).appending(
            name: "log",
            source: .chunks { _ in
                AsyncStream<[UInt8]> {
                    $0.yield([65]); $0.finish()
                }
            })
        let restartable = HTTPClientRequestBody<KeepingWriter>.plan(try await unknown.plan())
        #expect(!restartable.isSeekable)
        #expect(restartable.knownLength == nil)
        for _ in 0..<2 {
            let kept = KeepingWriter.Kept()
            try await restartable.produce(into: KeepingWriter(kept: kept))
            #expect(kept.bytes.withLock { String(decoding: $0, as: UTF8.self) }.contains("\r\n\r\nA\r\n--"))
        }
        let once = await HTTPClientRequestBody<KeepingWriter>.plan(
            try FormData().appending(name: "a", source: .chunks(once: AsyncStream<[UInt8]> { $0.finish() })).plan())
        #expect(!once.isSeekable)
        try await once.produce(into: KeepingWriter(kept: .init()))
        let error = await #expect(throws: FormworkError.self) {
            try await once.produce(into: KeepingWriter(kept: .init()))
        }
        #expect(error?.code == .notReplayable)
        #expect(error?.part?.name == "a")
    }
}
