import Foundation
@testable import Formwork
import FormworkHTTP
@testable import FormworkResumable
@testable import FormworkReceiver
import Synchronization
import TestSupport
import Testing

/// A complete upload, while it is processed and right after that.
@Suite(.timeLimit(.minutes(10))) struct ProcessingTests {
    private static let append = ResumableHandlerTests.append
    private static let ask = ResumableHandlerTests.ask

    @Test func `No request harms an upload that is being processed`() async throws {
        let bench = HandlerBench()
        let entered = AsyncStream<Void>.makeStream()
        let opened = AsyncStream<Void>.makeStream()
        let handler = ResumableHandler(UploadStore(bench.folder)) { upload in
            entered.continuation.yield()
            for await _ in opened.stream {}
            // Opened only now.
            let content = try String(contentsOfFile: #require(upload.content.wholeFile).string, encoding: .utf8)
            bench.completed.withLock { $0.append((upload, content)) }
            return ResumableResponse(HTTPResponse(status: .ok), content: Array("thanks".utf8))
        }
        try await withThrowingTaskGroup(of: ResumableResponse.self) { group in
            group.addTask {
                try await bench.answer(
                    .post, "/files", ResumableHandlerTests.create(5), TestBody("hello"), by: handler)
            }
            for await _ in entered.stream { break }
            let location = try bench.location()
            let early = try await bench.answer(
                .patch, location, Self.append(0, 5, true), TestBody("hello"), by: handler)
            #expect(early.response.status == .conflict)
            #expect(early.response.headerFields[.uploadOffset] == "5")
            // Without a length, it isn't known in advance that there is more than nothing.
            let late = try await bench.answer(
                .patch, location, Self.append(5, nil, true), TestBody("x"), by: handler)
            #expect(late.response.status == .badRequest)
            #expect(try FileManager.default.contentsOfDirectory(atPath: bench.folder.string).count == 2)
            // Locked as before.
            let other = try await bench.answer(.patch, location, Self.append(5, 0, true))
            #expect(other.response.status == .serviceUnavailable)
            opened.continuation.finish()
            #expect(try await group.next()?.response.status == .ok)
            let again = try await bench.answer(.patch, location, Self.append(5, 0, true), TestBody([]), by: handler)
            #expect(String(decoding: again.content, as: UTF8.self) == "thanks")
        }
        #expect(bench.contents == ["hello"])
    }

    @Test func `A cancellation is reported unless the upload was processed first`() async throws {
        let bench = HandlerBench()
        let (entered, opened) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
        let store = UploadStore(bench.folder)
        let removals = Mutex<[UploadRemoval.Reason]>([])
        store.onRemoval { removal, remove in
            removals.withLock { $0.append(removal.reason) }
            try await remove()
        }
        var handler = ResumableHandler(store) { _ in
            entered.continuation.yield()
            for await _ in opened.stream {}
            return ResumableResponse(HTTPResponse(status: .ok))
        }
        handler.note = [1]
        let draft: HTTPFields = [.uploadDraftInteropVersion: "8"]
        try await withThrowingTaskGroup(of: Int?.self) { [handler] group in
            group.addTask {
                let create = ResumableHandlerTests.create(5)
                return try await bench.answer(.post, "/files", create, TestBody("hello"), by: handler).response.status
                    .code
            }
            for await _ in entered.stream { break }
            let location = try bench.location()
            group.addTask {
                try await bench.answer(.delete, location, draft, by: handler).response.status.code
            }
            // The cancellation waits for the processing.
            try await Task.sleep(for: .milliseconds(200))
            opened.continuation.finish()
            for try await status in group { #expect(status == 200 || status == 204) }
        }
        #expect(removals.withLock { $0 } == [])
        #expect(await store.list().isEmpty)

        var create = draft
        create[.uploadComplete] = "?0"
        for _ in 1...2 { _ = try await bench.answer(.post, "/files", create, TestBody("he"), by: handler) }
        #expect(try await bench.answer(.delete, bench.location(), draft, by: handler).response.status == .noContent)
        #expect(removals.withLock { $0 } == [.cancelled])
        #expect(await store.list().count == 1)
    }

    @Test func `A question that has a whole upload processed counts as an upload`() async throws {
        let bench = HandlerBench()
        let tus: HTTPFields = [.tusResumable: "1.0.0"]
        func isWork(_ path: String) async throws -> Bool {
            await (try bench.handler()).isWork(
                HTTPRequest(method: .head, scheme: "http", authority: "localhost", path: path, headerFields: tus))
        }
        let location = try await bench.begin([.tusResumable: "1.0.0", .uploadLength: "2"])
        var append = tus
        append[.contentType] = "application/offset+octet-stream"
        append[.uploadOffset] = "0"
        _ = try await bench.answer(.patch, location, append, TestBody("h"))
        #expect(try await !isWork(location))
        append[.uploadOffset] = "1"
        bench.failures.withLock { $0 = 1 }
        let failed = try await bench.answer(.patch, location, append, TestBody("i"))
        #expect(failed.response.status == .internalServerError)
        #expect(try await isWork(location))
        #expect(try await bench.answer(.head, location, tus).response.headerFields[.uploadOffset] == "2")
        #expect(bench.contents == ["hi"])
        #expect(try await !isWork(location))
    }

    @Test func `More than a whole upload is refused, and the upload kept`() async throws {
        let bench = HandlerBench()
        bench.failures.withLock { $0 = 1 }
        let failed = try await bench.answer(.post, "/files", ResumableHandlerTests.create(2), TestBody("hi"))
        #expect(failed.response.status == .internalServerError)
        let location = try bench.location()
        let more = try await bench.answer(.patch, location, Self.append(2, nil, true), TestBody("x"))
        #expect(more.response.status == .badRequest)
        let again = try await bench.answer(.patch, location, Self.append(2, 0, true))
        #expect(again.response.status == .ok && bench.contents == ["hi"])
    }

    @Test func `An answer that can't be written down is kept, and written later`() async throws {
        let bench = HandlerBench()
        let manager = FileManager.default
        let handler = ResumableHandler(UploadStore(bench.folder)) { upload in
            // Nothing replaces a folder, so that the record can't be written.
            let record = try #require(upload.content.wholeFile).string.replacing(".data", with: ".json")
            try manager.moveItem(atPath: record, toPath: record + ".aside")
            try manager.createDirectory(atPath: record, withIntermediateDirectories: false)
            bench.completed.withLock { $0.append((upload, "")) }
            return ResumableResponse(HTTPResponse(status: .ok), content: Array("thanks".utf8))
        }
        let first = try await bench.answer(
            .post, "/files", ResumableHandlerTests.create(5), TestBody("hello"), by: handler)
        #expect(first.response.status == .ok)
        let location = try bench.location()
        let name = try #require(location.split(separator: "/").last)
        let record = bench.folder.appending("\(name).json").string
        try manager.removeItem(atPath: record)
        try manager.moveItem(atPath: record + ".aside", toPath: record)
        let told = try await bench.answer(.head, location, Self.ask, by: handler)
        #expect(told.response.headerFields[.uploadComplete] == "?1")
        #expect(told.response.headerFields[.uploadOffset] == "5")
        let again = try await bench.answer(.patch, location, Self.append(5, 0, true), TestBody([]), by: handler)
        #expect(String(decoding: again.content, as: UTF8.self) == "thanks")
        // By now another process knows it too.
        let later = try await bench.answer(.patch, location, Self.append(5, 0, true))
        #expect(String(decoding: later.content, as: UTF8.self) == "thanks")
        #expect(bench.completed.withLock { $0.count } == 1)
    }
}
