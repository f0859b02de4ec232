import Dispatch
import FormworkHTTP
@testable import FormworkResumable
import Foundation
import Synchronization
import TestSupport
import Testing

/// A caller's store: in memory, with pauses wherever it is asked, and failures on demand.
actor MemoryStorage: UploadStorage {
    struct Upload {
        var record: [UInt8]
        var bytes: [UInt8]?
    }

    enum Call { case create, record, keep, open, append, finished, discard }
    struct Broken: Error {}

    private var uploads: [String: Upload] = [:]
    private var failures: [Call: Int] = [:]
    private var failure: any Error = Broken()
    private var fitting = 0
    private var busy = 0
    private(set) var openCount = 0
    private(set) var recordCount = 0
    private(set) var syncCount = 0

    func fail(_ call: Call, times: Int = 1) { self.failures[call] = times }
    /// Has no room for the next bytes.
    /// - Parameter count: Additions before them that still fit.
    func fill(after count: Int = 0) {
        self.fitting = count
        self.failures[.append] = 1
        self.failure = FormworkError(.writeFailed, "there is no room", cause: Errno.noSpace)
    }
    func refuseToOpen(times: Int) { self.busy = times }
    var all: [Upload] { Array(self.uploads.values) }

    fileprivate func pass(_ call: Call) async throws {
        await Task.yield()
        guard let count = self.failures[call], count > 0 else { return }
        if call == .append, self.fitting > 0 {
            self.fitting -= 1
            return
        }
        self.failures[call] = count - 1
        throw self.failure
    }

    func create(_ name: String, record: [UInt8]) async throws {
        try await self.pass(.create)
        self.uploads[name] = Upload(record: record, bytes: [])
    }

    func record(of name: String) async throws -> [UInt8]? {
        self.recordCount += 1
        try await self.pass(.record)
        return self.uploads[name]?.record
    }

    func keep(_ record: [UInt8], of name: String) async throws {
        try await self.pass(.keep)
        self.uploads[name]?.record = record
    }

    func count(of name: String) async throws -> Int64 { Int64(self.uploads[name]?.bytes?.count ?? 0) }

    func open(_ name: String, for memory: (any UploadMemory)?) async throws -> (any UploadContent)? {
        try await self.pass(.open)
        if self.busy > 0 {
            self.busy -= 1
            throw UploadIsBusy()
        }
        guard self.uploads[name]?.bytes != nil else { return nil }
        self.openCount += 1
        return Content(storage: self, name: name)
    }

    func discardBytes(of name: String) async throws { self.uploads[name]?.bytes = nil }

    func discard(_ name: String) async throws {
        try await self.pass(.discard)
        self.uploads[name] = nil
    }

    func names() async throws -> [String] { Array(self.uploads.keys) }

    fileprivate func append(_ bytes: [UInt8], at offset: Int64, to name: String) async throws {
        try await self.pass(.append)
        #expect(self.uploads[name]?.bytes?.count == Int(offset))
        self.uploads[name]?.bytes? += bytes
    }

    fileprivate func truncate(_ name: String, to count: Int64) {
        let bytes = self.uploads[name]?.bytes.map { Array($0.prefix(Int(count))) }
        self.uploads[name]?.bytes = bytes
    }

    fileprivate func bytes(of name: String) async throws -> [UInt8] {
        try await self.pass(.finished)
        return self.uploads[name]?.bytes ?? []
    }

    fileprivate func close() { self.openCount -= 1 }
    fileprivate func sync() { self.syncCount += 1 }
}

private struct Content: UploadContent {
    let storage: MemoryStorage
    let name: String

    func append(_ bytes: [UInt8], at offset: Int64) async throws {
        try await self.storage.append(bytes, at: offset, to: self.name)
    }
    func truncate(to count: Int64) async throws { await self.storage.truncate(self.name, to: count) }
    func finished(count: Int64) async throws -> BodySource { .bytes(try await self.storage.bytes(of: self.name)) }
    func sync() async throws { await self.storage.sync() }
    func close() async { await self.storage.close() }
}

private struct Broken: Error {}

@Suite("A caller's store of uploads", .timeLimit(.minutes(10))) struct UploadStorageTests {
    private final class Bench: Sendable {
        let storage = MemoryStorage()
        let store: UploadStore
        let completed = Mutex<[String]>([])
        let reports = Mutex<[any Error]>([])
        let location = Mutex<String?>(nil)

        init(_ configure: (inout UploadStoreOptions) -> Void = { _ in }) {
            var options = UploadStoreOptions()
            configure(&options)
            self.store = UploadStore(storage: self.storage, options: options)
        }

        var contents: [String] { self.completed.withLock { $0 } }

        /// Handles a request as a new process does.
        func send(
            _ method: HTTPRequest.Method, _ path: String? = nil, _ fields: HTTPFields,
            _ body: ChunkSource = ChunkSource([]),
            isNew: Bool = false
        ) async throws -> ResumableHandler.Outcome {
            let store = isNew ? UploadStore(storage: self.storage) : self.store
            let handler = ResumableHandler(target: "/files", in: store) { error in
                self.reports.withLock { $0.append(error) }
            } complete: { upload in
                let bytes = try await upload.content.bytes(upTo: 1000)
                self.completed.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
                return ResumableResponse(HTTPResponse(status: .ok), content: Array("thanks".utf8))
            }
            let path = try path ?? #require(self.location.withLock { $0 })
            let request = HTTPRequest(method: method, scheme: "http", authority: "a", path: path, headerFields: fields)
            return await handler.handle(request, body: body) { response in
                if let location = response.headerFields[.location] { self.location.withLock { $0 = location } }
            }
        }

        func answer(
            _ method: HTTPRequest.Method, _ path: String? = nil, _ fields: HTTPFields,
            _ body: ChunkSource = ChunkSource([]),
            isNew: Bool = false
        ) async throws -> ResumableResponse {
            guard case .answer(let answer) = try await self.send(method, path, fields, body, isNew: isNew) else {
                throw Broken()
            }
            if let location = answer.response.headerFields[.location] { self.location.withLock { $0 = location } }
            return answer
        }

        /// Begins an upload of five bytes, of which three come.
        func begin() async throws {
            let outcome = try await self.send(
                .post, "/files", Self.create(5), ChunkSource(texts: ["h", "el"], failure: Broken()))
            guard case .close = outcome else { throw Broken() }
        }

        static func create(_ length: Int) -> HTTPFields {
            [
                .uploadDraftInteropVersion: "8", .uploadComplete: "?1", .uploadLength: "\(length)",
                .contentLength: "\(length)",
            ]
        }

        static func append(_ offset: Int, _ length: Int) -> HTTPFields {
            [
                .uploadDraftInteropVersion: "8", .uploadComplete: "?1", .uploadOffset: "\(offset)",
                .contentType: "application/partial-upload", .contentLength: "\(length)",
            ]
        }

        static let ask: HTTPFields = [.uploadDraftInteropVersion: "8"]
    }

    @Test("Cut, asked, and gone on with, in this process and in a new one", arguments: [false, true])
    func goesOn(isNew: Bool) async throws {
        let bench = Bench()
        try await bench.begin()
        let told = try await bench.answer(.head, nil, Bench.ask, isNew: isNew)
        #expect(told.response.headerFields[.uploadOffset] == "3")
        let last = try await bench.answer(
            .patch, nil, Bench.append(3, 2), ChunkSource(texts: ["l", "o"]), isNew: isNew)
        #expect(last.response.status == .ok && String(decoding: last.content, as: UTF8.self) == "thanks")
        #expect(bench.contents == ["hello"])
        // Of a finished upload its answer is kept, not its bytes.
        #expect(await bench.storage.all.map(\.bytes) == [nil])
        #expect(await bench.storage.openCount == 0)
        let again = try await bench.answer(.patch, nil, Bench.append(5, 0), isNew: isNew)
        #expect(String(decoding: again.content, as: UTF8.self) == "thanks")
        #expect(bench.contents == ["hello"])
    }

    @Test("tus: created empty, cut, gone on with")
    func tus() async throws {
        let bench = Bench()
        let created = try await bench.answer(
            .post, "/files", [.tusResumable: "1.0.0", .uploadLength: "5", .uploadMetadata: "filename YS50eHQ="])
        #expect(created.response.status == .created)
        var fields: HTTPFields = [
            .tusResumable: "1.0.0", .uploadOffset: "0", .contentType: "application/offset+octet-stream",
        ]
        guard case .close = try await bench.send(.patch, nil, fields, ChunkSource(texts: ["hel"], failure: Broken()))
        else {
            throw Broken()
        }
        let told = try await bench.answer(.head, nil, [.tusResumable: "1.0.0"])
        #expect(told.response.headerFields[.uploadOffset] == "3")
        fields[.uploadOffset] = "3"
        let last = try await bench.answer(.patch, nil, fields, ChunkSource(texts: ["lo"]))
        #expect(last.response.status == .noContent && bench.contents == ["hello"])
    }

    @Test("Two writers at once: the second ends the first, and no byte is there twice")
    func twoWriters() async throws {
        let bench = Bench()
        async let first = bench.send(.post, "/files", Bench.create(5), ChunkSource(texts: ["h", "el"], stops: true))
        while true {
            if bench.location.withLock({ $0 != nil }), await bench.storage.all.first?.bytes?.count == 3 { break }
            try await Task.sleep(for: .milliseconds(2))
        }
        let last = try await bench.answer(.patch, nil, Bench.append(3, 2), ChunkSource(texts: ["lo"]))
        #expect(last.response.status == .ok && bench.contents == ["hello"])
        guard case .close = try await first else { throw Broken() }
    }

    @Test("Ten clients resume one upload at once: one of them wins")
    func manyWriters() async throws {
        let bench = Bench()
        try await bench.begin()
        let statuses = try await withThrowingTaskGroup(of: Int?.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    let outcome = try await bench.send(.patch, nil, Bench.append(3, 2), ChunkSource(texts: ["l", "o"]))
                    guard case .answer(let answer) = outcome else { return nil }
                    return answer.response.status.code
                }
            }
            return try await group.reduce(into: [Int?]()) { $0.append($1) }
        }
        if bench.contents.isEmpty {
            // Each ended the one before.
            let told = try await bench.answer(.head, nil, Bench.ask)
            let offset = try #require(told.response.headerFields[.uploadOffset].flatMap { Int($0) })
            let rest = String("hello".dropFirst(offset))
            _ = try await bench.answer(.patch, nil, Bench.append(offset, rest.utf8.count), ChunkSource(texts: [rest]))
        }
        #expect(bench.contents == ["hello"], "\(statuses)")
        #expect(await bench.storage.openCount == 0)
    }

    @Test("A wrong offset, and lengths that differ")
    func wrongNumbers() async throws {
        let bench = Bench()
        try await bench.begin()
        let early = try await bench.answer(.patch, nil, Bench.append(2, 3), ChunkSource(texts: ["llo"]))
        #expect(early.response.status == .conflict && early.response.headerFields[.uploadOffset] == "3")
        let long = try await bench.answer(.patch, nil, Bench.append(3, 3), ChunkSource(texts: ["loo"]))
        #expect(long.response.status == .badRequest)
        #expect(String(decoding: long.content, as: UTF8.self).contains("inconsistent-upload-length"))
        let right = try await bench.answer(.patch, nil, Bench.append(3, 2), ChunkSource(texts: ["lo"]))
        #expect(right.response.status == .ok && bench.contents == ["hello"])
    }

    @Test("Without room, an upload stays, and is completed when there is room", arguments: [true, false])
    func full(isLengthKnown: Bool) async throws {
        let bench = Bench()
        var fields = Bench.create(5)
        if !isLengthKnown { (fields[.uploadLength], fields[.contentLength]) = (nil, nil) }
        guard
            case .close = try await bench.send(.post, "/files", fields, ChunkSource(texts: ["hel"], failure: Broken()))
        else {
            throw Broken()
        }
        await bench.storage.fill()
        var append = Bench.append(3, 2)
        append[.contentLength] = nil
        let answer = try await bench.answer(.patch, nil, append, ChunkSource(texts: ["lo"]))
        #expect(answer.response.status.code == 507)
        #expect(await bench.storage.all.count == 1)
        #expect(await bench.storage.openCount == 0)
        let again = try await bench.answer(.patch, nil, append, ChunkSource(texts: ["lo"]))
        #expect(again.response.status == .ok)
    }

    @Test("Bytes that nobody checked don't count in a digest, if another process replaced them")
    func replacedBytes() async throws {
        let bench = Bench()
        let digest = "sha-256=:EpmMAXBm6w0qcLlObtMZKYWFXOOQ8yG724MgIoiL0lE=:"
        var fields = Bench.create(11)
        (fields[.uploadComplete], fields[.contentLength], fields[.reprDigest]) = ("?0", nil, digest)
        _ = try await bench.answer(.post, "/files", fields, ChunkSource(texts: ["hello"]))
        fields = Bench.append(5, 6)
        (fields[.uploadComplete], fields[.contentLength], fields[.contentDigest]) = ("?0", nil, digest)
        await bench.storage.fill(after: 1)
        let full = try await bench.answer(.patch, nil, fields, ChunkSource(texts: [" wh", "ere"]))
        #expect(full.response.status.code == 507)
        #expect(await bench.storage.all.map(\.bytes) == [Array("hello".utf8)])
        fields[.contentDigest] = nil
        let other = try await bench.answer(.patch, nil, fields, ChunkSource(texts: [" the"]), isNew: true)
        #expect(other.response.headerFields[.uploadOffset] == "9")
        let last = try await bench.answer(.patch, nil, Bench.append(9, 2), ChunkSource(texts: ["re"]))
        #expect(last.response.status == .ok && bench.contents == ["hello there"])
    }

    @Test("An expired upload is gone")
    func expiry() async throws {
        let bench = Bench { $0.lifetime = 0 }
        try await bench.begin()
        #expect(try await bench.answer(.head, nil, Bench.ask).response.status == .notFound)
        #expect(await bench.store.removeExpired() == 1)
        #expect(await bench.storage.all.isEmpty)
    }

    @Test(
        "A store that throws is answered, reported, and asked again",
        arguments: [MemoryStorage.Call.create, .keep, .append, .open])
    func throwing(call: MemoryStorage.Call) async throws {
        let bench = Bench()
        if call != .create { try await bench.begin() }
        await bench.storage.fail(call)
        let isNew = call != .create
        let answer = try await bench.answer(
            isNew ? .patch : .post, isNew ? nil : "/files", isNew ? Bench.append(3, 2) : Bench.create(5),
            ChunkSource(texts: [isNew ? "lo" : "hello"]))
        // Not 507: clients wouldn't try again.
        #expect(answer.response.status.code == 503)
        #expect(answer.response.headerFields[.retryAfter] == "5")
        #expect(bench.reports.withLock { $0.map { $0 is MemoryStorage.Broken } } == [true])
        #expect(bench.contents == [])
        #expect(await bench.storage.openCount == 0)
        if isNew {
            let told = try await bench.answer(.head, nil, Bench.ask)
            let offset = try #require(told.response.headerFields[.uploadOffset].flatMap { Int($0) })
            let rest = String("hello".dropFirst(offset))
            _ = try await bench.answer(.patch, nil, Bench.append(offset, rest.utf8.count), ChunkSource(texts: [rest]))
        } else {
            _ = try await bench.answer(.post, "/files", Bench.create(5), ChunkSource(texts: ["hello"]))
        }
        #expect(bench.contents == ["hello"])
    }

    @Test("An upload that another process uses is answered with 503, or 423 for tus")
    func busy() async throws {
        let bench = Bench()
        try await bench.begin()
        await bench.storage.refuseToOpen(times: 1)
        let answer = try await bench.answer(.head, nil, Bench.ask)
        #expect(answer.response.status == .serviceUnavailable && answer.response.headerFields[.retryAfter] == "1")
        #expect(try await bench.answer(.head, nil, Bench.ask).response.headerFields[.uploadOffset] == "3")
    }

    @Test("An ordinary request is stored completely or not at all")
    func ordinary() async throws {
        let bench = Bench { $0.limits.maxSize = 6 }
        let cut = try await bench.send(.post, "/files", [:], ChunkSource(texts: ["hel"], failure: Broken()))
        guard case .close = cut else { throw Broken() }
        #expect(await bench.storage.all.isEmpty)
        #expect(bench.contents == [])
        let large = try await bench.answer(.post, "/files", [:], ChunkSource(texts: ["hello", "hello"]))
        #expect(large.response.status == .contentTooLarge && large.response.headerFields[.uploadLimit] == nil)
        #expect(await bench.storage.all.isEmpty)
        let whole = try await bench.answer(.put, "/files", [.contentLength: "5"], ChunkSource(texts: ["hello"]))
        #expect(whole.response == HTTPResponse(status: .ok))
        #expect(bench.contents == ["hello"])
        #expect(await bench.storage.all.isEmpty)
        #expect(await bench.storage.openCount == 0)
        guard case .notResumable = try await bench.send(.get, "/files", [:]) else { throw Broken() }
    }

    @Test("An upload of another target is not there")
    func targets() async throws {
        let bench = Bench()
        try await bench.begin()
        let other = ResumableHandler(target: "/others", in: bench.store) { _ in throw Broken() }
        let path = try #require(bench.location.withLock { $0 }).replacing("/files/", with: "/others/")
        let request = HTTPRequest(
            method: .head, scheme: "http", authority: "a", path: path, headerFields: Bench.ask)
        let outcome = await other.handle(request, body: ChunkSource(texts: [])) { _ in }
        guard case .answer(let answer) = outcome else { throw Broken() }
        #expect(answer.response.status == .notFound)
    }

    @Test("No offset is reported before the storage has the bytes")
    func syncs() async throws {
        let bench = Bench()
        try await bench.begin()
        let before = await bench.storage.syncCount
        _ = try await bench.answer(.head, nil, Bench.ask)
        #expect(await bench.storage.syncCount == before + 1)
    }

    @Test("Content that isn't what its digest says is not kept")
    func digests() async throws {
        let bench = Bench()
        try await bench.begin()
        var fields = Bench.append(3, 2)
        fields[HTTPField.Name("Content-Digest")!] = "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"
        let answer = try await bench.answer(.patch, nil, fields, ChunkSource(texts: ["lo"]))
        #expect(answer.response.status == .badRequest && answer.response.headerFields[.uploadOffset] == "3")
        #expect(await bench.storage.all.map { $0.bytes?.count } == [3] && bench.contents == [])
    }

    @Test(
        "A name that no upload can have is asked nobody for",
        arguments: ["x", "..", "ABCDEF0123456789abcdef0123456789"])
    func names(name: String) async throws {
        let bench = Bench()
        await bench.storage.fail(.record, times: 100)
        #expect(try await bench.answer(.head, "/files/\(name)", Bench.ask).response.status == .notFound)
    }

    @Test("An upload that a request has isn't removed to make room, though the storage has no locks")
    func inUse() async throws {
        let bench = Bench {
            $0.maximumCount = 1
            $0.idleTime = 0
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                _ = try await bench.send(.post, "/files", Bench.create(5), ChunkSource(texts: ["hel"], stops: true))
            }
            while await bench.storage.all.first?.bytes != Array("hel".utf8) { await Task.yield() }
            let other = try await bench.answer(.post, "/files", Bench.create(2), ChunkSource(texts: ["hi"]))
            #expect(other.response.status == .serviceUnavailable)
            #expect(await bench.storage.all.count == 1)
            group.cancelAll()
        }
        // Now nobody has it.
        let other = try await bench.answer(.post, "/files", Bench.create(2), ChunkSource(texts: ["hi"]))
        #expect(other.response.status == .ok && bench.contents == ["hi"])
    }

    @Test("A refused creation doesn't read every record again, and what this process changes is known at once")
    func records() async throws {
        let bench = Bench { $0.maximumCount = 20 }
        var names: [String] = []
        for _ in 1...20 {
            let created = try await bench.answer(.post, "/files", [.tusResumable: "1.0.0", .uploadLength: "5"])
            names.append(try #require(created.response.headerFields[.location]))
        }
        let create = Bench.create(2)
        for _ in 1...2 {
            let refused = try await bench.answer(.post, "/files", create, ChunkSource(texts: ["hi"]))
            #expect(refused.response.status == .serviceUnavailable)
        }
        let before = await bench.storage.recordCount
        for _ in 1...10 {
            let refused = try await bench.answer(.post, "/files", create, ChunkSource(texts: ["hi"]))
            #expect(refused.response.status == .serviceUnavailable)
        }
        #expect(await bench.storage.recordCount == before)
        // A finished one makes room, though it wasn't finished when it was looked at.
        let fields: HTTPFields = [
            .tusResumable: "1.0.0", .uploadOffset: "0", .contentType: "application/offset+octet-stream",
        ]
        _ = try await bench.answer(.patch, names[0], fields, ChunkSource(texts: ["hello"]))
        let accepted = try await bench.answer(.post, "/files", create, ChunkSource(texts: ["hi"]))
        #expect(accepted.response.status == .ok && bench.contents == ["hello", "hi"])
    }

    @Test("Requests that read files leave the threads that all tasks share alone")
    func threads() async throws {
        let folder = FilePath(NSTemporaryDirectory()).appending("formwork-\(UInt64.random(in: .min ... .max))")
        defer { try? FileManager.default.removeItem(atPath: folder.string) }
        let waiting = DispatchSemaphore(value: 0)
        let timeouts = Mutex(0)
        let store = try UploadStore(folder, makesFolder: true) {
            // Blocks, as a slow disk does.
            if waiting.wait(timeout: .now() + 20) == .timedOut { timeouts.withLock { $0 += 1 } }
        }
        let count = 2 * ProcessInfo.processInfo.activeProcessorCount
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...count {
                group.addTask {
                    let upload = try await store.upload("0123456789abcdef0123456789abcdef")
                    #expect(upload == nil)
                }
            }
            group.addTask {
                try await Task.sleep(for: .milliseconds(200))
                for _ in 1...count { waiting.signal() }
            }
            try await group.waitForAll()
        }
        #expect(timeouts.withLock { $0 } == 0)
    }

    @Test("Too many uploads, and too many bytes")
    func limits() async throws {
        let bench = Bench {
            $0.maximumCount = 2
            $0.maximumTotalSize = 7
        }
        try await bench.begin()
        // Three bytes of five are there, and the other two are to come.
        let large = try await bench.answer(.post, "/files", Bench.create(3), ChunkSource(texts: ["hel"]))
        #expect(large.response.status == .serviceUnavailable)
        let small = try await bench.answer(.post, "/files", Bench.create(2), ChunkSource(texts: ["hi"]))
        #expect(small.response.status == .ok)
        // The finished one makes room.
        let third = try await bench.answer(.post, "/files", Bench.create(2), ChunkSource(texts: ["ho"]))
        #expect(third.response.status == .ok && bench.contents == ["hi", "ho"])
    }
}
