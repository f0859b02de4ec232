import Foundation
@testable import Formwork
import FormworkHTTP
@testable import FormworkResumable
@testable import FormworkReceiver
import NIOCore
import Synchronization
import TestSupport
import Testing

/// Uploads that expire while they are in use.
@Suite(.timeLimit(.minutes(10))) struct ExpiryTests {
    private static let append = ResumableHandlerTests.append
    private static let ask = ResumableHandlerTests.ask

    private func names(_ bench: HandlerBench) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: bench.folder.string).sorted()
    }

    /// A handler that stops in the middle of processing.
    private struct StoppingHandler {
        let handler: ResumableHandler
        let entered = AsyncStream<Void>.makeStream()
        let mayGoOn = AsyncStream<Void>.makeStream()

        init(_ bench: HandlerBench) throws {
            let (entered, mayGoOn) = (self.entered, self.mayGoOn)
            self.handler = ResumableHandler(UploadStore(bench.folder, options: bench.options)) { upload in
                entered.continuation.yield()
                for await _ in mayGoOn.stream {}
                let content = try String(contentsOfFile: #require(upload.content.wholeFile).string, encoding: .utf8)
                bench.completed.withLock { $0.append((upload, content)) }
                return ResumableResponse(HTTPResponse(status: .ok), content: Array("thanks".utf8))
            }
        }
    }

    @Test func `An upload to which bytes are added expires a lifetime after the last of them`() async throws {
        let bench = HandlerBench { $0.lifetime = 2 }
        let handler = try bench.handler()
        let location = try await bench.begin(
            [.tusResumable: "1.0.0", .uploadLength: "6", .contentLength: "0"], by: handler)
        for offset in 0..<5 {
            try await Task.sleep(for: .milliseconds(700))
            let append: HTTPFields = [
                .tusResumable: "1.0.0", .uploadOffset: "\(offset)", .contentType: "application/offset+octet-stream",
            ]
            let answer = try await bench.answer(.patch, location, append, TestBody("x"), by: handler)
            #expect(answer.response.status == .noContent, "\(offset)")
        }
        try await Task.sleep(for: .milliseconds(2_200))
        let late = try await bench.answer(.head, location, [.tusResumable: "1.0.0"], by: handler)
        #expect(late.response.status == .notFound)
    }

    @Test func `An upload that is completed while a request looks at it has its answer`() async throws {
        let bench = HandlerBench { $0.lifetime = 0 }
        let stopping = try StoppingHandler(bench)
        let posting = Task {
            try await bench.answer(
                .post, "/files", ResumableHandlerTests.create(5), TestBody("hello"), by: stopping.handler)
        }
        for await _ in stopping.entered.stream { break }
        let location = try bench.location()
        // The request has read a record without an answer when processing ends.
        let store = try UploadStore(bench.folder, options: bench.options, makesFolder: false) {
            stopping.mayGoOn.continuation.finish()
            _ = try? await posting.value
        }
        let handler = ResumableHandler(store) { _ in throw CancellationError() }
        let answer = try await bench.answer(.patch, location, Self.append(5, 0, true), TestBody([]), by: handler)
        #expect(answer.response.status == .ok)
        #expect(String(decoding: answer.content, as: UTF8.self) == "thanks")
    }

    @Test(arguments: [false, true])
    func `An upload that is being processed isn't removed when it expires`(sweepsAnotherProcess: Bool) async throws {
        // It expires as soon as it is created.
        let bench = HandlerBench { $0.lifetime = 0 }
        let stopping = try StoppingHandler(bench)
        let store = sweepsAnotherProcess ? UploadStore(bench.folder) : stopping.handler.store
        try await withThrowingTaskGroup(of: ResumableResponse.self) { group in
            group.addTask {
                try await bench.answer(
                    .post, "/files", ResumableHandlerTests.create(5), TestBody("hello"), by: stopping.handler)
            }
            for await _ in stopping.entered.stream { break }
            #expect(await store.removeExpired() == 0)
            #expect(try self.names(bench).count == 2)
            let location = try bench.location()
            // A request now is answered when processing has ended.
            group.addTask {
                try await bench.answer(
                    .patch, location, Self.append(5, 0, true), TestBody([]), by: stopping.handler)
            }
            // Another process has no answer yet, and doesn't claim that there is none.
            let other = try await bench.answer(.head, location, Self.ask)
            #expect(other.response.status == .serviceUnavailable)
            stopping.mayGoOn.continuation.finish()
            while let answer = try await group.next() {
                #expect(answer.response.status == .ok)
                #expect(String(decoding: answer.content, as: UTF8.self) == "thanks")
            }
            // The record now contains the answer, with its own lifetime.
            #expect(await store.removeExpired() == 0)
            let later = try await bench.answer(.patch, location, Self.append(5, 0, true))
            #expect(String(decoding: later.content, as: UTF8.self) == "thanks")
        }
        #expect(bench.contents == ["hello"])
    }

    @Test(arguments: [false, true])
    func `An upload that is being received isn't removed until that ends`(isWhole: Bool) async throws {
        let bench = HandlerBench { $0.lifetime = 0 }
        let handler = try bench.handler()
        let told = AsyncStream<Void>.makeStream()
        let (body, more) = AsyncStream.makeStream(of: ByteBuffer.self)
        let fields = ResumableHandlerTests.create(5)
        async let outcome = handler.handle(
            HTTPRequest(
                method: .post, scheme: "http", authority: "localhost", path: "/files", headerFields: fields),
            body: body
        ) { response in
            if response.headerFields[.uploadOffset] == "3" { told.continuation.yield() }
        }
        more.yield(ByteBuffer(string: "hel"))
        for await _ in told.stream { break }
        #expect(await handler.store.removeExpired() == 0)
        #expect(await UploadStore(bench.folder).removeExpired() == 0)
        #expect(try self.names(bench).count == 2)
        if isWhole { more.yield(ByteBuffer(string: "lo")) }
        more.finish()
        if isWhole {
            guard case .answer(let answer) = await outcome else { throw HandlerBench.NotNow() }
            #expect(answer.response.status == .ok)
            #expect(bench.contents == ["hello"])
        } else {
            guard case .close = await outcome else { throw HandlerBench.NotNow() }
            #expect(await handler.store.removeExpired() == 1)
            #expect(try self.names(bench) == [])
        }
    }
}
