import Dispatch
import Foundation
@testable import Formwork
import FormworkHTTP
@testable import FormworkResumable
@testable import FormworkReceiver
import Synchronization
import TestSupport
import Testing

/// Two processes at the same uploads.
@Suite(.timeLimit(.minutes(10))) struct SharedFolderTests {
    private static let append = ResumableHandlerTests.append

    private func names(_ bench: HandlerBench) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: bench.folder.string).sorted()
    }

    @Test(arguments: [false, true])
    func `An upload that another process finishes between two looks is processed once`(
        hasBytesLeft: Bool
    ) async throws {
        let bench = HandlerBench()
        bench.failures.withLock { $0 = 1 }
        let location = try await bench.begin(ResumableHandlerTests.create(5), TestBody("hello"))
        let name = try #require(location.split(separator: "/").last)
        let data = bench.folder.appending("\(name).data").string

        // The first look finds the upload, the second one is what counts.
        let looks = Mutex(0)
        let looked = AsyncStream<Void>.makeStream()
        let mayGoOn = DispatchSemaphore(value: 0)
        let store = try UploadStore(bench.folder, makesFolder: true) {
            let count = looks.withLock { looks in
                looks += 1
                return looks
            }
            guard count == 2 else { return }
            looked.continuation.yield()
            mayGoOn.wait()
        }
        let slow = ResumableHandler(store) { upload in
            let content = try String(contentsOfFile: #require(upload.content.wholeFile).string, encoding: .utf8)
            bench.completed.withLock { $0.append((upload, content)) }
            return ResumableResponse(HTTPResponse(status: .ok), content: Array("thanks".utf8))
        }
        async let answer = bench.answer(.patch, location, Self.append(5, 0, true), TestBody([]), by: slow)
        for await _ in looked.stream { break }
        // Goes first, or finds that it can't.
        let other = try await bench.answer(.patch, location, Self.append(5, 0, true))
        if hasBytesLeft, other.response.status == .ok {
            // As right before it removes them.
            try Data("hello".utf8).write(to: URL(filePath: data))
        }
        mayGoOn.signal()
        #expect(String(decoding: try await answer.content, as: UTF8.self) == "thanks")
        let again = try await bench.answer(.patch, location, Self.append(5, 0, true))
        #expect(String(decoding: again.content, as: UTF8.self) == "thanks")
        #expect(bench.contents == ["hello"])
        #expect(try self.names(bench) == ["\(name).json"])
    }

    @Test func `An upload that another process removed is forgotten at the next sweep`() async throws {
        let bench = HandlerBench()
        _ = try await bench.send(
            .post, "/files", ResumableHandlerTests.create(10), TestBody([.bytes(Array("hello".utf8)), .cut]))
        let location = try bench.location()
        let name = String(try #require(location.split(separator: "/").last))
        let store = try UploadStore(bench.folder, makesFolder: false)
        weak let known = try await store.upload(name)
        #expect(known != nil)
        _ = await store.removeExpired()
        #expect(known != nil, "it is there still")
        for file in try self.names(bench) where file.hasPrefix(name) {
            try FileManager.default.removeItem(atPath: bench.folder.appending(file).string)
        }
        _ = await store.removeExpired()
        #expect(known == nil)
    }
}
