import Foundation
@testable import Formwork
import FormworkHTTP
@testable import FormworkResumable
@testable import FormworkReceiver
import NIOCore
import Synchronization
import TestSupport
import Testing

/// A request's content, as a test gives it.
struct TestBody: AsyncSequence, Sendable {
    enum Piece: Sendable {
        case bytes([UInt8])
        /// The connection breaks.
        case cut
        /// No more bytes arrive, without any sign of the end.
        case silence
    }

    struct Broken: Error {}

    var pieces: [Piece]

    init(_ pieces: [Piece]) { self.pieces = pieces }

    init(_ text: String) { self.pieces = text.isEmpty ? [] : [.bytes(Array(text.utf8))] }

    struct AsyncIterator: AsyncIteratorProtocol {
        var rest: ArraySlice<Piece>

        mutating func next() async throws -> ByteBuffer? {
            switch self.rest.popFirst() {
            case .bytes(let bytes)?: return ByteBuffer(bytes: bytes)
            case .cut?: throw Broken()
            case .silence?:
                try await Task.sleep(for: .seconds(3600))
                return nil
            case nil: return nil
            }
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: self.pieces[...]) }
}

/// A handler over a folder of its own, and what was given to it.
final class HandlerBench: Sendable {
    let folder = FilePath(NSTemporaryDirectory()).appending(
        "formwork-uploads-\(UInt64.random(in: .min ... .max))")
    let options: UploadStoreOptions
    let completed = Mutex<[(upload: CompletedUpload, content: String)]>([])
    let informed = Mutex<[HTTPResponse]>([])
    let failures = Mutex(0)

    init(_ configure: (inout UploadStoreOptions) -> Void = { _ in }) {
        var options = UploadStoreOptions()
        configure(&options)
        self.options = options
    }

    deinit { try? FileManager.default.removeItem(atPath: self.folder.string) }

    struct NotNow: Error {}

    /// A handler as a new process has it.
    func handler() throws -> ResumableHandler {
        var handler = ResumableHandler(UploadStore(self.folder, options: self.options)) { upload in
            let isRefused = self.failures.withLock { failures in
                failures -= 1
                return failures >= 0
            }
            if isRefused { throw NotNow() }
            let content = try String(contentsOfFile: #require(upload.content.wholeFile).string, encoding: .utf8)
            self.completed.withLock { $0.append((upload, content)) }
            return ResumableResponse(
                HTTPResponse(status: .ok, headerFields: [.contentType: "text/plain"]), content: Array("thanks".utf8)
            )
        }
        handler.progressInterval = .zero
        return handler
    }

    func send(
        _ method: HTTPRequest.Method, _ path: String, _ fields: HTTPFields, _ body: TestBody = TestBody([]),
        by handler: ResumableHandler? = nil
    ) async throws -> ResumableHandler.Outcome {
        let request = HTTPRequest(
            method: method, scheme: "http", authority: "localhost", path: path, headerFields: fields)
        return await (try handler ?? self.handler()).handle(request, body: body) { response in
            self.informed.withLock { $0.append(response) }
        }
    }

    func answer(
        _ method: HTTPRequest.Method, _ path: String, _ fields: HTTPFields, _ body: TestBody = TestBody([]),
        by handler: ResumableHandler? = nil
    ) async throws -> ResumableResponse {
        let outcome = try await self.send(method, path, fields, body, by: handler)
        guard case .answer(let answer) = outcome else {
            Issue.record("no answer: \(outcome)")
            throw NotNow()
        }
        return answer
    }

    /// Begins an upload.
    /// - Returns: Its URL.
    func begin(
        _ fields: HTTPFields, _ body: TestBody = TestBody([]), by handler: ResumableHandler? = nil
    ) async throws -> String {
        let created = try await self.answer(.post, "/files", fields, body, by: handler)
        return try created.response.headerFields[.location] ?? self.location()
    }

    /// The URL of the last upload that was offered.
    func location() throws -> String {
        try #require(self.informed.withLock { $0.compactMap { $0.headerFields[.location] }.last })
    }

    var contents: [String] { self.completed.withLock { $0.map(\.content) } }
}

@Suite(.timeLimit(.minutes(10))) struct ResumableHandlerTests {
    static func create(_ length: Int, _ more: HTTPFields = [:]) -> HTTPFields {
        var fields: HTTPFields = [
            .uploadDraftInteropVersion: "8", .uploadComplete: "?1", .uploadLength: "\(length)",
            .contentLength: "\(length)", .contentType: "multipart/form-data; boundary=b",
        ]
        fields.append(contentsOf: more)
        return fields
    }

    static func append(_ offset: Int, _ length: Int? = nil, complete: Bool = true) -> HTTPFields {
        var fields: HTTPFields = [
            .uploadDraftInteropVersion: "8", .uploadComplete: complete ? "?1" : "?0",
            .uploadOffset: "\(offset)", .contentType: "application/partial-upload",
        ]
        fields[.contentLength] = length.map { "\($0)" }
        return fields
    }

    static let ask: HTTPFields = [.uploadDraftInteropVersion: "8"]

    @Test func wholeAtOnce() async throws {
        let bench = HandlerBench()
        let disposition = "inline; filename=\"x\"; filename*=UTF-8''%C3%A4.txt"
        let answer = try await bench.answer(
            .post, "/files", Self.create(5, [.contentDisposition: disposition, .authorization: "secret"]),
            TestBody([.bytes(Array("he".utf8)), .bytes(Array("llo".utf8))]))
        #expect(answer.response.status == .ok)
        #expect(
            answer.response.headerFields == [
                .contentType: "text/plain", .uploadDraftInteropVersion: "8", .uploadComplete: "?1",
            ])
        #expect(String(decoding: answer.content, as: UTF8.self) == "thanks")
        #expect(bench.contents == ["hello"])
        let upload = try #require(bench.completed.withLock { $0.first?.upload })
        #expect(upload.filename == "ä.txt" && upload.length == 5)
        #expect(upload.contentType == "multipart/form-data; boundary=b")
        #expect(upload.request.headerFields[.authorization] == nil)
        let informed = bench.informed.withLock { $0 }
        #expect(informed.map(\.status.code) == [104, 104, 104])
        #expect(informed[0].headerFields[.location]?.hasPrefix("/.uploads/") == true)
        #expect(informed[0].headerFields[.uploadLimit]?.hasPrefix("max-age=") == true)
        #expect(informed.map { $0.headerFields[.uploadOffset] } == [nil, "2", "5"])
    }

    /// Cut, found again by another process, ended; the answer can be had once more.
    @Test func restart() async throws {
        let bench = HandlerBench()
        let cut = try await bench.send(
            .post, "/files", Self.create(10), TestBody([.bytes(Array("hello".utf8)), .cut]))
        guard case .close = cut else {
            Issue.record("\(cut)")
            return
        }
        let location = try bench.location()
        let told = try await bench.answer(.head, location, Self.ask)
        #expect(told.response.status == .noContent)
        #expect(told.response.headerFields[.uploadOffset] == "5")
        #expect(told.response.headerFields[.uploadComplete] == "?0")
        #expect(told.response.headerFields[.uploadLength] == "10")
        let conflict = try await bench.answer(.patch, location, Self.append(4, 6), TestBody("o worl"))
        #expect(conflict.response.status == .conflict)
        let more = try await bench.answer(
            .patch, location, Self.append(5, 2, complete: false), TestBody(" w"))
        #expect(more.response.status == .noContent)
        #expect(more.response.headerFields[.uploadOffset] == "7")
        let ended = try await bench.answer(.patch, location, Self.append(7, 3), TestBody("rld"))
        #expect(String(decoding: ended.content, as: UTF8.self) == "thanks")
        #expect(bench.contents == ["hello wrld"])
        let finished = try await bench.answer(.head, location, Self.ask)
        #expect(finished.response.headerFields[.uploadComplete] == "?1")
        #expect(finished.response.headerFields[.uploadOffset] == "10")
        let again = try await bench.answer(.patch, location, Self.append(10, 0))
        #expect(String(decoding: again.content, as: UTF8.self) == "thanks")
        #expect(again.response.headerFields[.uploadComplete] == "?1")
        #expect(bench.contents.count == 1)
        let files = try FileManager.default.contentsOfDirectory(atPath: bench.folder.string)
        #expect(files.map { $0.suffix(5) } == [".json"])
    }

    /// A request whose connection is dead without anybody knowing: the next one ends it.
    @Test func takeover() async throws {
        let bench = HandlerBench()
        let handler = try bench.handler()
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                let outcome = try await bench.send(
                    .post, "/files", Self.create(10), TestBody([.bytes(Array("hello".utf8)), .silence]),
                    by: handler)
                if case .close = outcome { return true }
                return false
            }
            while bench.informed.withLock({ $0.last?.headerFields[.uploadOffset] }) != "5" {
                try await Task.sleep(for: .milliseconds(5))
            }
            let location = try bench.location()
            let told = try await bench.answer(.head, location, Self.ask, by: handler)
            #expect(told.response.headerFields[.uploadOffset] == "5")
            #expect(try await group.next() == true)
            _ = try await bench.answer(.patch, location, Self.append(5, 5), TestBody("world"), by: handler)
            #expect(bench.contents == ["helloworld"])
        }
    }

    /// Two processes at once: the upload is the other's.
    @Test func anotherProcess() async throws {
        let bench = HandlerBench()
        let first = try bench.handler()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                _ = try await bench.send(
                    .post, "/files", Self.create(10), TestBody([.bytes([1]), .silence]), by: first)
            }
            while bench.informed.withLock({ $0.last?.headerFields[.uploadOffset] }) != "1" {
                try await Task.sleep(for: .milliseconds(5))
            }
            let answer = try await bench.answer(.head, try bench.location(), Self.ask)
            #expect(answer.response.status.code == 503)
            #expect(answer.response.headerFields[.retryAfter] == "1")
            group.cancelAll()
        }
    }

    /// An upload that could not be processed is kept, and completed again.
    @Test func processedLater() async throws {
        let bench = HandlerBench()
        bench.failures.withLock { $0 = 1 }
        let answer = try await bench.answer(.post, "/files", Self.create(2), TestBody("hi"))
        #expect(answer.response.status.code == 500)
        #expect(answer.response.headerFields[.uploadComplete] == "?0")
        let told = try await bench.answer(.head, try bench.location(), Self.ask)
        #expect(told.response.headerFields[.uploadOffset] == "2")
        #expect(told.response.headerFields[.uploadComplete] == "?0")
        let again = try await bench.answer(.patch, try bench.location(), Self.append(2, 0))
        #expect(again.response.status == .ok && bench.contents == ["hi"])
    }

    @Test func digests() async throws {
        let bench = HandlerBench()
        let right = "sha-256=:j0NDRmSPa5bfid2pAcUXaxCm2Dlh3TwayItZstwyeqQ=:"
        var fields = Self.create(2, [.reprDigest: right, .wantReprDigest: "sha-256=1"])
        let good = try await bench.answer(.post, "/files", fields, TestBody("hi"))
        #expect(good.response.status == .ok && good.response.headerFields[.reprDigest] == right)
        let bad = try await bench.answer(.post, "/files", fields, TestBody("ho"))
        #expect(bad.response.status == .badRequest)
        #expect(bench.contents == ["hi"])
        #expect(try await bench.answer(.head, try bench.location(), Self.ask).response.status == .notFound)

        // Of one request: none of a wrong one is kept, also not when the process ends in its midst.
        fields = Self.append(0, 2, complete: false)
        let location = try await bench.begin(
            [.uploadDraftInteropVersion: "8", .uploadComplete: "?0", .contentLength: "0", .uploadLength: "4"])
        fields[.contentDigest] = right
        let wrong = try await bench.answer(.patch, location, fields, TestBody("ho"))
        #expect(wrong.response.status == .badRequest && wrong.response.headerFields[.uploadOffset] == "0")
        _ = try await bench.send(.patch, location, fields, TestBody([.bytes([1]), .cut]))
        #expect(
            try await bench.answer(.head, location, Self.ask).response.headerFields[.uploadOffset] == "0")
        let taken = try await bench.answer(.patch, location, fields, TestBody("hi"))
        #expect(taken.response.headerFields[.uploadOffset] == "2")
    }

    @Test func `Content-MD5 is checked as well, and a digest that can't be read is refused`() async throws {
        let bench = HandlerBench()
        let name = try #require(HTTPField.Name("Content-MD5"))
        // Of "hi", by openssl.
        for (value, status) in [
            ("SfaKXIST7CwL9ImCHCH8Ow==", 200), ("AAAAAAAAAAAAAAAAAAAAAA==", 400), ("x", 400), ("", 400),
        ] {
            var fields = Self.create(2)
            fields[name] = value
            #expect(try await bench.answer(.post, "/files", fields, TestBody("hi")).response.status.code == status)
        }
        var fields = Self.create(2)
        fields[.contentDigest] = "sha-256=x"
        let answer = try await bench.answer(.post, "/files", fields, TestBody("hi"))
        #expect(answer.response.status == .badRequest)
        #expect(
            String(decoding: answer.content, as: UTF8.self).contains("The Content-Digest or Content-MD5 can't be read.")
        )
        #expect(bench.contents == ["hi"])
    }

    @Test func `What a request says of its content is read at the creation and at each addition`() async throws {
        let bench = HandlerBench()
        let right = "sha-256=:j0NDRmSPa5bfid2pAcUXaxCm2Dlh3TwayItZstwyeqQ=:"
        let (range, coding) = (try #require(HTTPField.Name("Content-Range")), HTTPField.Name.contentEncoding)
        for (field, value, creates, adds) in [
            (range, "bytes 0-1/2", 400, 400), (coding, "gzip", 200, 415), (coding, "identity", 200, 200),
            (.reprDigest, "sha-256=x", 400, 400), (.reprDigest, right, 200, 400),
        ] as [(HTTPField.Name, String, Int, Int)] {
            let whole = try await bench.answer(.post, "/files", Self.create(2, [field: value]), TestBody("hi"))
            #expect(whole.response.status.code == creates, "\(field): \(value)")
            var fields: HTTPFields = [
                .uploadDraftInteropVersion: "8", .uploadComplete: "?0", .contentLength: "0", .uploadLength: "2",
            ]
            let location = try await bench.begin(fields)
            fields = Self.append(0, 2)
            fields[field] = value
            let added = try await bench.answer(.patch, location, fields, TestBody("hi"))
            #expect(added.response.status.code == adds, "\(field): \(value)")
            let rest = try await bench.answer(.patch, location, Self.append(0, 2), TestBody("hi"))
            #expect(rest.response.status.code == (adds == 200 ? 409 : 200))
        }
        // The one of the creation may be repeated.
        let announced: HTTPFields = [
            .uploadDraftInteropVersion: "8", .uploadComplete: "?0", .contentLength: "0", .uploadLength: "2",
            .reprDigest: right,
        ]
        _ = try await bench.answer(.post, "/files", announced)
        var fields = Self.append(0, 2)
        fields[.reprDigest] = right
        #expect(try await bench.answer(.patch, try bench.location(), fields, TestBody("hi")).response.status == .ok)
    }

    @Test func limits() async throws {
        let bench = HandlerBench { options in
            options.limits = UploadLimits(maxSize: 10, minSize: 2, maxAppendSize: 5)
            options.maximumCount = 1
        }
        #expect(
            try await bench.answer(.post, "/files", Self.create(11)).response.headerFields[.uploadLimit]
                == "max-size=10, min-size=2, max-append-size=5")
        guard case .notResumable = try await bench.send(.post, "/files", Self.create(1)) else {
            Issue.record("too small to be worth it")
            return
        }
        // Without a length it is stopped where it is too much.
        let partial: HTTPFields = [.uploadDraftInteropVersion: "8", .uploadComplete: "?0"]
        let long = try await bench.answer(.post, "/files", partial, TestBody("123456"))
        #expect(long.response.status.code == 413)
        guard case .notResumable = try await bench.send(.post, "/files", Self.create(5), TestBody("12345"))
        else {
            Issue.record("no room")
            return
        }
        #expect(try await bench.answer(.post, "/files", partial).response.status.code == 503)
        let options = try await bench.answer(.options, "/files", [:])
        #expect(options.response.headerFields[.tusMaxSize] == "10")

        // More than the announced length: gone for good.
        let other = HandlerBench()
        _ = try await other.answer(
            .post, "/files", [.uploadDraftInteropVersion: "8", .uploadComplete: "?0", .uploadLength: "2"])
        let over = try await other.answer(
            .patch, try other.location(), Self.append(0, complete: false), TestBody("123"))
        #expect(over.response.status == .badRequest)
        #expect(try await other.answer(.head, try other.location(), Self.ask).response.status == .notFound)
    }

    /// Bytes beyond max-size: it can never be complete, and holds no room until it expires.
    @Test(arguments: [nil, 6])
    func tooLargeForGood(announced: Int?) async throws {
        let bench = HandlerBench { $0.limits = UploadLimits(maxSize: 10) }
        let start: HTTPFields = [.uploadDraftInteropVersion: "8", .uploadComplete: "?0"]
        let location = try await bench.begin(start, TestBody("hello"))
        // The place of a request that comes late doesn't end it.
        let late = try await bench.answer(.patch, location, Self.append(0, 11), TestBody("hello world"))
        #expect(late.response.status == .conflict)
        let over = try await bench.answer(.patch, location, Self.append(5, announced), TestBody(" world"))
        #expect(over.response.status == .contentTooLarge)
        #expect(try await bench.answer(.head, location, Self.ask).response.status == .notFound)
        #expect(try FileManager.default.contentsOfDirectory(atPath: bench.folder.string).isEmpty)
    }

    @Test func cancelAndExpire() async throws {
        let bench = HandlerBench()
        let start: HTTPFields = [.uploadDraftInteropVersion: "6", .uploadComplete: "?0"]
        let created = try await bench.answer(.post, "/files", start, TestBody("abc"))
        #expect(created.response.status == .created)
        let location = try bench.location()
        #expect(created.response.headerFields[.location] == location)
        #expect(try await bench.answer(.delete, location, Self.ask).response.status == .noContent)
        #expect(try await bench.answer(.delete, location, Self.ask).response.status == .notFound)
        #expect(try await bench.answer(.head, "/.uploads/../x", Self.ask).response.status == .notFound)

        _ = try await bench.answer(.post, "/files", start, TestBody("abc"))
        let store = UploadStore(bench.folder)
        let entry = try #require(await store.list().first)
        #expect(await store.list().count == 1 && entry.offset == 3 && !entry.isFinished)
        #expect(await store.removeExpired() == 0)
        #expect(await store.removeExpired(now: entry.expires) == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: bench.folder.string).isEmpty)
    }

    /// The requests of tuspy 1.1.0 and resumable-upload 0.3.0.
    /// nginx takes a 1xx for the answer.
    @Test(
        arguments: [
            ([:], 1), (["X-Forwarded-For": "192.0.2.1"], 0), (["Forwarded": "for=192.0.2.1"], 0),
            (["X-Forwarded-Proto": "https"], 0), (["X-Forwarded-For": "192.0.2.1", "Via": "1.1 Caddy"], 1),
        ] as [([String: String], Int)])
    func interimAnswersThroughProxies(fields: [String: String], count: Int) async throws {
        let bench = HandlerBench()
        var head: HTTPFields = [.uploadDraftInteropVersion: "8", .uploadComplete: "?0"]
        for (name, value) in fields { head[try #require(HTTPField.Name(name))] = value }
        let answer = try await bench.answer(.post, "/files", head, TestBody("abc"))
        #expect(answer.response.status.code == 201 && answer.response.headerFields[.location] != nil)
        let offers = bench.informed.withLock { $0.filter { $0.headerFields[.location] != nil } }
        #expect(offers.count == count)
    }

    @Test func tus() async throws {
        let bench = HandlerBench()
        let created = try await bench.answer(
            .post, "/files",
            [.tusResumable: "1.0.0", .uploadLength: "5", .uploadMetadata: "filename YS50eHQ=", .contentLength: "0"]
        )
        #expect(created.response.status == .created)
        let location = try #require(created.response.headerFields[.location])
        #expect(created.response.headerFields[.uploadExpires]?.hasSuffix(" GMT") == true)
        var patch: HTTPFields = [
            .tusResumable: "1.0.0", .uploadOffset: "0", .contentType: "application/offset+octet-stream",
            .uploadChecksum: "sha1 wrongwrongwrongwrongwrongwr==",
        ]
        #expect(try await bench.answer(.patch, location, patch, TestBody("he")).response.status.code == 400)
        patch[.uploadChecksum] = "md4 AAAA"
        let unknown = try await bench.answer(.patch, location, patch, TestBody("he"))
        #expect(unknown.response.status.code == 400)
        #expect(String(decoding: unknown.content, as: UTF8.self).contains("Upload-Checksum is not an algorithm"))
        patch[.uploadChecksum] = "sha1 AAAA"
        let mismatch = try await bench.answer(.patch, location, patch, TestBody("he"))
        #expect(mismatch.response.status.code == 460 && mismatch.response.headerFields[.uploadOffset] == "0")
        // printf he | sha1sum | xxd -r -p | base64
        let sum = "MPCI6mZzh3wuLB7b51E/+Q7amm8="
        patch[.uploadChecksum] = "sha1 \(sum)"
        let first = try await bench.answer(.patch, location, patch, TestBody("he"))
        #expect(first.response.status == .noContent && first.response.headerFields[.uploadOffset] == "2")
        let told = try await bench.answer(.head, location, [.tusResumable: "1.0.0"])
        #expect(told.response.status == .ok)
        #expect(told.response.headerFields[.uploadMetadata] == "filename YS50eHQ=")
        #expect(told.response.headerFields[.uploadLength] == "5")
        patch[.uploadChecksum] = nil
        patch[.uploadOffset] = "2"
        let last = try await bench.answer(.patch, location, patch, TestBody("llo"))
        #expect(last.response.status == .noContent && last.response.headerFields[.uploadOffset] == "5")
        #expect(bench.contents == ["hello"])
        #expect(bench.completed.withLock { $0.first?.upload.filename } == "a.txt")
        let end = try await bench.answer(.head, location, [.tusResumable: "1.0.0"])
        #expect(end.response.headerFields[.uploadOffset] == "5")
    }

    @Test func `An unfinished upload keeps no credentials of any name`() async throws {
        let bench = HandlerBench()
        var fields: HTTPFields = [
            .tusResumable: "1.0.0", .uploadLength: "10", .authorization: "SECRET", .cookie: "SECRET",
            .userAgent: "kept",
        ]
        for name in ["X-Api-Key", "X-Auth-Token", "Private-Token"] { fields[HTTPField.Name(name)!] = "SECRET" }
        // A handler may need what only looks like a credential.
        for name in ["X-Session-Id", "X-Key"] { fields[HTTPField.Name(name)!] = "KEPT" }
        let path = "/files?token=SECRET&a=1&X-Amz-Signature=SECRET&b;api_key=SECRET;key=x/1&session=42&sid=;pass=2"
        #expect(try await bench.answer(.post, path, fields).response.status == .created)
        let records = try FileManager.default.contentsOfDirectory(atPath: bench.folder.string)
            .filter { $0.hasSuffix(".json") }
        #expect(records.count == 1)
        let text = try String(contentsOfFile: bench.folder.appending(records[0]).string, encoding: .utf8)
        #expect(!text.contains("SECRET"), "\(text)")
        let kept = "/files?a=1&b;key=x/1&session=42&sid=;pass=2\""
        #expect(text.contains("kept") && text.replacing("\\/", with: "/").contains(kept), "\(text)")
        #expect(text.components(separatedBy: "KEPT").count == 3)
    }

    @Test func noDiskHasRoom() async throws {
        let bench = HandlerBench()
        let answer = try await bench.answer(
            .post, "/files", [.tusResumable: "1.0.0", .uploadLength: "900000000000000", .contentLength: "0"])
        #expect(answer.response.status.code == 507 && answer.response.headerFields[.retryAfter] == "60")
        // A whole one needs no place in between.
        let whole = try await bench.send(
            .post, "/files",
            [.uploadDraftInteropVersion: "8", .uploadComplete: "?1", .contentLength: "900000000000000"])
        guard case .notResumable = whole else { throw HandlerBench.NotNow() }
        #expect(await UploadStore(bench.folder).list().isEmpty)
    }

    /// An offset at the end is all that a client of tus asks for: it says nothing that isn't so.
    @Test func tusProcessedLater() async throws {
        let bench = HandlerBench()
        bench.failures.withLock { $0 = 2 }
        let location = try await bench.begin([.tusResumable: "1.0.0", .uploadLength: "2", .contentLength: "0"])
        let patch: HTTPFields = [
            .tusResumable: "1.0.0", .uploadOffset: "0", .contentType: "application/offset+octet-stream",
        ]
        #expect(try await bench.answer(.patch, location, patch, TestBody("hi")).response.status.code == 500)
        let early = try await bench.answer(.head, location, [.tusResumable: "1.0.0"])
        #expect(early.response.status.code == 500 && bench.contents == [])
        for _ in 0..<2 {
            let told = try await bench.answer(.head, location, [.tusResumable: "1.0.0"])
            #expect(told.response.status == .ok && told.response.headerFields[.uploadOffset] == "2")
            #expect(bench.contents == ["hi"])
        }
    }

    @Test func tusAtOnceAndDeferred() async throws {
        let bench = HandlerBench()
        let whole = try await bench.answer(
            .post, "/files",
            [
                .tusResumable: "1.0.0", .uploadLength: "2", .contentLength: "2",
                .contentType: "application/offset+octet-stream",
            ], TestBody("hi"))
        #expect(whole.response.status == .created && whole.response.headerFields[.uploadOffset] == "2")
        #expect(bench.contents == ["hi"])
        let empty = try await bench.answer(.post, "/files", [.tusResumable: "1.0.0", .uploadLength: "0"])
        #expect(empty.response.status == .created && bench.contents == ["hi", ""])
        let location = try await bench.begin([.tusResumable: "1.0.0", .uploadDeferLength: "1"])
        #expect(
            try await bench.answer(.head, location, [.tusResumable: "1.0.0"]).response
                .headerFields[.uploadDeferLength] == "1")
        var patch: HTTPFields = [
            .tusResumable: "1.0.0", .uploadOffset: "0", .contentType: "application/offset+octet-stream",
        ]
        _ = try await bench.answer(.patch, location, patch, TestBody("ab"))
        patch[.uploadOffset] = "2"
        patch[.uploadLength] = "3"
        _ = try await bench.answer(.patch, location, patch, TestBody("c"))
        #expect(bench.contents.last == "abc")
        _ = try await bench.answer(.delete, location, [.tusResumable: "1.0.0"])
        #expect(
            try await bench.answer(.head, location, [.tusResumable: "1.0.0"]).response.status == .notFound)
    }

    @Test func plain() async throws {
        let bench = HandlerBench()
        guard case .notResumable = try await bench.send(.post, "/files", [.contentLength: "5"], TestBody("hello"))
        else {
            Issue.record("an ordinary request")
            return
        }
    }
}
