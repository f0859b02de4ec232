import FormworkHTTP
@testable import FormworkResumable
import Foundation
import Synchronization
import TestSupport
import Testing

/// Digests that are computed while an upload arrives.
@Suite(.timeLimit(.minutes(10))) struct ArrivalDigestTests {
    /// SHA-256 of `hello there`.
    private static let digest = "sha-256=:EpmMAXBm6w0qcLlObtMZKYWFXOOQ8yG724MgIoiL0lE=:"

    private static func create(_ more: HTTPFields = [:]) -> HTTPFields {
        var fields: HTTPFields = [
            .uploadDraftInteropVersion: "8", .uploadComplete: "?0", .uploadLength: "11", .contentType: "text/plain",
        ]
        fields.append(contentsOf: more)
        return fields
    }

    /// A folder whose uploads can't be read again once they are complete.
    private struct WriteOnlyFolder: UploadStorage {
        let base: FolderUploads

        func create(_ name: String, record: [UInt8]) async throws { try await self.base.create(name, record: record) }
        func record(of name: String) async throws -> [UInt8]? { try await self.base.record(of: name) }
        func keep(_ record: [UInt8], of name: String) async throws { try await self.base.keep(record, of: name) }
        func count(of name: String) async throws -> Int64 { try await self.base.count(of: name) }
        func open(_ name: String, for memory: (any UploadMemory)?) async throws -> (any UploadContent)? {
            try await self.base.open(name, for: memory).map { Content(base: $0) }
        }
        func discardBytes(of name: String) async throws { try await self.base.discardBytes(of: name) }
        func discard(_ name: String) async throws { try await self.base.discard(name) }
        func names() async throws -> [String] { try await self.base.names() }

        private struct Content: UploadContent {
            let base: any UploadContent

            func append(_ bytes: [UInt8], at offset: Int64) async throws {
                try await self.base.append(bytes, at: offset)
            }
            func truncate(to count: Int64) async throws { try await self.base.truncate(to: count) }
            func finished(count: Int64) async throws -> BodySource {
                .stream(length: count) { _ in throw HandlerBench.NotNow() }
            }
            func close() async { await self.base.close() }
        }
    }

    private func answer(
        _ handler: ResumableHandler, _ method: HTTPRequest.Method, _ path: String, _ fields: HTTPFields, _ body: String
    ) async throws -> ResumableResponse {
        let request = HTTPRequest(
            method: method, scheme: "http", authority: "localhost", path: path, headerFields: fields)
        let outcome = await handler.handle(request, body: TestBody(body)) { _ in }
        guard case .answer(let answer) = outcome else { throw HandlerBench.NotNow() }
        return answer
    }

    @Test func `An upload isn't read again for its digests`() async throws {
        let folder = TemporaryFolder()
        let storage = WriteOnlyFolder(base: FolderUploads(folder: folder.path, isDurable: false))
        let values = Mutex<[String]>([])
        var options = UploadStoreOptions()
        options.digestsFiles = true
        let handler = ResumableHandler(UploadStore(storage: storage, options: options)) { upload in
            values.withLock { $0 = upload.digests.map { "\($0.algorithm) \($0.hex.prefix(8))" } }
            return ResumableResponse(HTTPResponse(status: .ok))
        }
        let wanted: HTTPFields = [.reprDigest: Self.digest, .wantReprDigest: "sha-512=3"]
        let created = try await self.answer(handler, .post, "/files", Self.create(wanted), "hello")
        let path = try #require(created.response.headerFields[.location])
        let last = try await self.answer(handler, .patch, path, ResumableHandlerTests.append(5), " there")
        #expect(last.response.status == .ok)
        #expect(last.response.headerFields[.reprDigest]?.hasPrefix("sha-512=:") == true)
        #expect(values.withLock { $0 } == ["sha-256 12998c01", "sha-512 b7e98c78"])
    }

    @Test func `A wrong digest is found without reading again`() async throws {
        let folder = TemporaryFolder()
        let storage = WriteOnlyFolder(base: FolderUploads(folder: folder.path, isDurable: false))
        let handler = ResumableHandler(UploadStore(storage: storage)) { _ in
            ResumableResponse(HTTPResponse(status: .ok))
        }
        let created = try await self.answer(
            handler, .post, "/files", Self.create([.reprDigest: Self.digest]), "hello")
        let path = try #require(created.response.headerFields[.location])
        let last = try await self.answer(handler, .patch, path, ResumableHandlerTests.append(5), " where")
        #expect(last.response.status == .badRequest)
        #expect(folder.names == [])
    }

    /// Pieces of which some are refused, in one process or with a new one for each request.
    @Test(arguments: [false, true])
    func `What is cut off doesn't count, whatever process had it`(isNew: Bool) async throws {
        let bench = HandlerBench { $0.digestsFiles = true }
        let handler = try bench.handler()
        func other() throws -> ResumableHandler { isNew ? try bench.handler() : handler }
        var fields = Self.create([.reprDigest: Self.digest])
        let path = try await bench.begin(fields, TestBody("hello"), by: handler)
        // Its Content-Digest is that of other bytes.
        fields = ResumableHandlerTests.append(5, complete: false)
        fields[.contentDigest] = Self.digest
        let wrong = try await bench.answer(.patch, path, fields, TestBody(" where"), by: handler)
        #expect(wrong.response.status == .badRequest)
        // Cut, and never checked.
        guard
            case .close = try await bench.send(
                .patch, path, fields, TestBody([.bytes(Array(" wh".utf8)), .cut]), by: handler)
        else { throw HandlerBench.NotNow() }
        let middle = ResumableHandlerTests.append(5, complete: false)
        _ = try await bench.answer(.patch, path, middle, TestBody(" the"), by: other())
        let last = try await bench.answer(.patch, path, ResumableHandlerTests.append(9), TestBody("re"), by: handler)
        #expect(last.response.status == .ok)
        #expect(bench.contents == ["hello there"])
        #expect(
            bench.completed.withLock { $0.first?.upload.digests.first?.hex.prefix(8) } == "12998c01")
    }

    @Test func `A new process reads what was there before, a piece with each addition`() async throws {
        let bench = HandlerBench { $0.digestsFiles = true }
        let size = 3 << 20
        let piece = [UInt8](repeating: 0x61, count: size)
        var fields = Self.create()
        fields[.uploadLength] = "\(size + 64)"
        let path = try await bench.begin(fields, TestBody([.bytes(piece)]))
        let handler = try bench.handler()
        for index in 0..<64 {
            let more = ResumableHandlerTests.append(size + index, complete: index == 63)
            _ = try await bench.answer(.patch, path, more, TestBody("b"), by: handler)
        }
        // (head -c 3145728 /dev/zero | tr '\\0' a; head -c 64 /dev/zero | tr '\\0' b) | sha256sum
        let found = bench.completed.withLock { $0.first?.upload.digests.first?.hex }
        #expect(found == "861177ba5b1d7ef62b9f50ff727fff4f8f7e658878353eca07e4f6f11006f836")
    }
}
