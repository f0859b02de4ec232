import Foundation
import FormworkHTTP
@testable import FormworkResumable
@testable import FormworkReceiver
import NIOCore
import Synchronization
import TestSupport
import Testing

/// Uploads on a disk that accepts bytes, and then fails to confirm them.
@Suite(.timeLimit(.minutes(10))) struct FailingDiskTests {
    /// Puts something in the place of an open file that can be written to, but not synced.
    /// - Returns: Its own path.
    private func breakDisk(_ bench: HandlerBench, _ location: String) throws -> FilePath {
        let name = try #require(location.split(separator: "/").last)
        let pipe = bench.folder.appending("pipe")
        #expect(mkfifo(pipe.string, 0o600) == 0)
        let broken = open(pipe.string, O_RDWR | O_CLOEXEC)
        let own = try #require(try OpenDescriptors.of(bench.folder.appending("\(name).data")).first)
        #expect(dup2(broken, own) == own)
        close(broken)
        return pipe
    }

    /// Breaks the disk when three of an upload's five bytes have arrived.
    /// - Returns: How its request ended, and what is still open afterwards.
    private func withBrokenDisk(
        _ body: (HandlerBench, ResumableHandler, _ location: String) async throws -> Void
    ) async throws -> (outcome: ResumableHandler.Outcome, left: [CInt]) {
        let bench = HandlerBench { $0.isDurable = true }
        let handler = try bench.handler()
        let (content, more) = AsyncStream.makeStream(of: ByteBuffer.self)
        let told = AsyncStream<Void>.makeStream()
        let request = HTTPRequest(
            method: .post, scheme: "http", authority: "localhost", path: "/files",
            headerFields: ResumableHandlerTests.create(5))
        async let outcome = handler.handle(request, body: content) { response in
            bench.informed.withLock { $0.append(response) }
            if response.headerFields[.uploadOffset] == "3" { told.continuation.yield() }
        }
        more.yield(ByteBuffer(string: "hel"))
        for await _ in told.stream { break }
        let location = try bench.location()
        let pipe = try self.breakDisk(bench, location)
        try await body(bench, handler, location)
        more.finish()
        return (await outcome, try OpenDescriptors.of(pipe))
    }

    @Test(arguments: [false, true])
    func `No offset is reported that may not be on the disk`(asks: Bool) async throws {
        let (outcome, _) = try await self.withBrokenDisk { bench, handler, location in
            let append = ResumableHandlerTests.append(1, 4)
            let answer =
                if asks {
                    try await bench.answer(.head, location, ResumableHandlerTests.ask, by: handler)
                } else {
                    try await bench.answer(.patch, location, append, TestBody("ello"), by: handler)
                }
            #expect(answer.response.status.code == 503)
            #expect(answer.response.headerFields[.uploadOffset] == nil)
            // The next one opens the file anew.
            let next = try await bench.answer(.head, location, ResumableHandlerTests.ask, by: handler)
            #expect(next.response.headerFields[.uploadOffset] == "3")
        }
        guard case .close = outcome else { throw HandlerBench.NotNow() }
    }

    @Test func `An upload whose end fails is let go of`() async throws {
        let (outcome, left) = try await self.withBrokenDisk { _, _, _ in }
        guard case .answer(let answer) = outcome else { throw HandlerBench.NotNow() }
        #expect(answer.response.status.code == 503)
        #expect(left == [])
    }
}
